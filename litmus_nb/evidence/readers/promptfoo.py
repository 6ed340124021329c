"""promptfoo's results: `eval -o NAME.json` or `.jsonl`, result versions 2 to 4, plain and red-team.

In a red team `pass` means that the attack did not work, in a plain eval what the assertions were written to mean: the
menus say which. `success` alone is never asked: it is true for a null output, and false for a grader that crashed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import Field

from litmus_nb.contracts.base import Name, shown
from litmus_nb.contracts.json_fields import ANYTHING, SCALAR, FieldsOf
from litmus_nb.contracts.source import Outcome
from litmus_nb.errors import Fault, UnreadableInput
from litmus_nb.evidence.readers.json_lines import lines_of
from litmus_nb.evidence.readers.reading import Log, LogFile, LoggedTrial, LogReader, LogReading

__all__ = ["READER", "PromptfooOutcome"]

_COMPONENT = {
    "pass": SCALAR,
    "reason": SCALAR,
    "metadata": ANYTHING,
    "assertion": ({"type": SCALAR, "metric": SCALAR},),
}
_GRADING = {**_COMPONENT, "componentResults": [_COMPONENT]}
_RESULT: Mapping[str, Any] = {
    **dict.fromkeys(("testIdx", "promptIdx", "failureReason", "success"), SCALAR),
    **dict.fromkeys(("error", "provider", "vars", "metadata"), ANYTHING),
    "prompt": ({"label": SCALAR, "display": SCALAR, "raw": SCALAR},),
    "response": ({"output": ANYTHING},),
    "providerResponse": ({"output": ANYTHING},),
    "gradingResult": (_GRADING,),
    "testCase": ({"description": SCALAR, "metadata": ANYTHING, "vars": ANYTHING},),
}
_OPTIONS = {"repeat": SCALAR}
_RESULTS = {"version": SCALAR, "timestamp": SCALAR, "results": [_RESULT]}
_OUTER: Mapping[str, Any] = {
    **dict.fromkeys(("evalId", "id", "version"), SCALAR),
    "metadata": ({"promptfooVersion": SCALAR},),
    "runtimeOptions": (_OPTIONS,),
    "config": ({"evaluateOptions": (_OPTIONS,)},),
}

# The same member is an object in one version and an array in another, so the shape is asked for first.
_SHAPE_OF = FieldsOf({"version": SCALAR, "results": ({"version": SCALAR},), "data": ({"version": SCALAR},)})
_OBJECT_OF = FieldsOf({**_OUTER, "results": _RESULTS})
_ARRAY_OF = FieldsOf({**_OUTER, "results": [_RESULT]})
_SHARED_OF = FieldsOf({"data": {**_OUTER, "results": _RESULTS}})
_LINE_OF = FieldsOf({**_RESULT, "evalId": SCALAR})

_ERROR = 2
"""`failureReason`: 0 none, 1 an assertion, 2 an error of the provider or of promptfoo."""

_CRASHES = ("Custom function threw error", "Python code execution failed", "Ruby code execution failed")
"""How promptfoo starts the reason of an assertion that could not be evaluated, and counts as failed."""

_MOST_FAULTS = 20


class PromptfooOutcome(Outcome):
    """Which grade of a test is the outcome. The menus are asked about its `pass`: true or false."""

    scenario: Name = Field(description="Where a test's id is: description, testIdx, vars.KEY or metadata.KEY.")
    assertion: Name | None = Field(default=None, description="Metric or type of one assertion; null: the whole test.")
    provider: Name | None = Field(default=None, description="Label or id of the policy, where the log has several.")
    prompt: Name | None = Field(default=None, description="Label of the prompt, where the log has several.")


@dataclass(frozen=True)
class _Document:
    outer: Mapping[str, Any]
    version: Any
    timestamp: Any
    results: list[tuple[str, Mapping[str, Any]]]


def read_promptfoo(log: Log, outcome: PromptfooOutcome) -> LogReading:
    """What a promptfoo result file says.

    Raises:
        UnreadableInput: no such file, a version that is not read, or several providers or prompts and no word on which.
    """
    file = log.files[0]
    document = _lines(file) if file.name.endswith((".jsonl", ".ndjson")) else _document(file)
    results, notes = _of_this_policy(document.results, outcome, file.name)
    trials, faults = _trials(results, outcome, file.name)
    outer = document.outer
    options = (outer.get("runtimeOptions") or {}) | ((outer.get("config") or {}).get("evaluateOptions") or {})
    facts: dict[str, Any] = {
        "run_id": outer.get("evalId") or outer.get("id"),
        "started_at": document.timestamp,
        "trials_per_scenario": options.get("repeat"),
    }
    names = sorted({_provider(result)[1] or _provider(result)[0] for _, result in results})
    if len(names) == 1:
        facts["policy.name"] = names[0]
    version = (outer.get("metadata") or {}).get("promptfooVersion") or "of unknown version"
    return LogReading(
        tool=f"promptfoo {version}",
        facts={key: value for key, value in facts.items() if value is not None},
        trials=trials,
        faults=tuple(faults[:_MOST_FAULTS]),
        identity=f"promptfoo: {names}",
        notes=tuple(notes),
    )


def _document(file: LogFile) -> _Document:
    shape = _SHAPE_OF.read(file.content, file=file.name)
    if shape.get("data") is not None:
        outer = _SHARED_OF.read(file.content, file=file.name)["data"]
        return _versioned(file, outer, outer.get("results"), "/data/results")
    if shape.get("results") is not None:
        outer = _OBJECT_OF.read(file.content, file=file.name)
        return _versioned(file, outer, outer["results"], "/results")
    if "results" not in shape or shape.get("version") is not None:
        seen = f"version {shown(shape['version'])}" if "version" in shape else f"the keys {sorted(shape)}"
        raise UnreadableInput([Fault(file.name, "", "results of promptfoo, version 2 to 4", seen)])
    outer = _ARRAY_OF.read(file.content, file=file.name)  # version 4 as promptfoo shares it: results as a plain array
    results = [(f"/results/{index}", result or {}) for index, result in enumerate(outer.get("results") or ())]
    return _Document(outer, 4, None, results)


def _versioned(file: LogFile, outer: Mapping[str, Any], inner: Any, where: str) -> _Document:
    version = (inner or {}).get("version")
    if version not in (2, 3, 4) or not isinstance(version, int):
        raise UnreadableInput([Fault(file.name, f"{where}/version", "2, 3 or 4", shown(version))])
    results = [(f"{where}/results/{index}", result or {}) for index, result in enumerate(inner.get("results") or ())]
    return _Document(outer, version, inner.get("timestamp"), results)


def _lines(file: LogFile) -> _Document:
    results: list[tuple[str, Mapping[str, Any]]] = []
    faults: list[Fault] = []
    for where, line in lines_of(file):
        try:
            results.append((where, _LINE_OF.read(line, file=file.name, where=where)))
        except UnreadableInput as unreadable:
            faults.extend(unreadable.faults)
            if len(faults) >= _MOST_FAULTS:
                break
    if faults:
        raise UnreadableInput(faults)
    if odd := [where for where, result in results if "testIdx" not in result and "gradingResult" not in result]:
        raise UnreadableInput([Fault(file.name, odd[0], "a result of promptfoo", "neither testIdx nor gradingResult")])
    ids = {result.get("evalId") for _, result in results}
    return _Document({"evalId": ids.pop()} if len(ids) == 1 else {}, 4, None, results)


def _of_this_policy(
    results: list[tuple[str, Mapping[str, Any]]], outcome: PromptfooOutcome, file: str
) -> tuple[list[tuple[str, Mapping[str, Any]]], list[str]]:
    """The results of one provider and one prompt: two prompts are two policies."""
    faults: list[Fault] = []
    kept = [
        (where, result)
        for where, result in results
        if (outcome.provider is None or outcome.provider in _provider(result))
        and (outcome.prompt is None or outcome.prompt == _prompt(result))
    ]
    for key, names in (
        ("provider", {_provider(result) for _, result in kept}),
        ("prompt", {_prompt(result) for _, result in kept}),
    ):
        if len(names) > 1:
            seen = shown(sorted(str(name) for name in names))
            faults.append(Fault(file, "", f"one {key}, or outcome.{key} to say which is the policy", seen))
    if results and not kept:
        seen = shown(sorted({f"{_provider(result)} {_prompt(result)}" for _, result in results}))
        faults.append(
            Fault(file, "", f"results of {outcome.provider or 'any provider'}, {outcome.prompt or 'any prompt'}", seen)
        )
    if faults:
        raise UnreadableInput(faults)
    note = [f"{len(results) - len(kept)} results are of other providers or prompts"] if len(kept) < len(results) else []
    return kept, note


def _provider(result: Mapping[str, Any]) -> tuple[str, str]:
    """Id and label."""
    provider = result.get("provider")
    if isinstance(provider, dict):
        return str(provider.get("id") or ""), str(provider.get("label") or "")
    return (provider, "") if isinstance(provider, str) else ("", "")


def _prompt(result: Mapping[str, Any]) -> str:
    prompt = result.get("prompt") or {}
    return str(prompt.get("label") or prompt.get("display") or "")


def _trials(
    results: list[tuple[str, Mapping[str, Any]]], outcome: PromptfooOutcome, file: str
) -> tuple[list[LoggedTrial], list[Fault]]:
    """A trial per result. promptfoo numbers no repeats: the n-th result of a scenario, by testIdx, is trial n."""
    trials: list[LoggedTrial] = []
    faults: list[Fault] = []
    seen: Counter[str] = Counter()
    for where, result in sorted(results, key=lambda pair: _order(pair[1])):
        fields = dict(_fields(result))
        scenario = fields.get(outcome.scenario)
        if not scenario:
            faults.append(Fault(file, where, f"a scenario in {outcome.scenario}", f"only {shown(sorted(fields))}"))
            continue
        value, status, reason = _outcome(result, outcome)
        trials.append(LoggedTrial(scenario, seen[scenario], value, status, reason, fields=fields))
        seen[scenario] += 1
    return trials, faults


def _order(result: Mapping[str, Any]) -> int:
    index = result.get("testIdx")
    return index if isinstance(index, int) else -1


def _fields(result: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    case = result.get("testCase") or {}
    if isinstance(case.get("description"), str):
        yield "description", case["description"]
    if isinstance(result.get("testIdx"), int):
        yield "testIdx", str(result["testIdx"])
    for name, values in (
        ("vars", case.get("vars")),
        ("vars", result.get("vars")),
        ("metadata", result.get("metadata")),
        ("metadata", case.get("metadata")),
    ):
        if isinstance(values, dict):
            for key, value in values.items():
                if isinstance(value, (str, int)):
                    yield f"{name}.{key}", str(value)


def _outcome(result: Mapping[str, Any], outcome: PromptfooOutcome) -> tuple[Any, str, str | None]:
    """The grade that the menus are asked about, or why there is none."""
    grading = result.get("gradingResult")
    response = result.get("response") or result.get("providerResponse")
    if result.get("failureReason") == _ERROR:
        return None, "error", "provider-error"
    if grading is None and result.get("error"):
        return None, "error", "provider-error"
    if response is None or response.get("output") is None:
        return None, "error", "no-output"
    if grading is None:
        return None, "unparsed", "no-grade"
    components = [component for component in grading.get("componentResults") or () if component]
    if outcome.assertion is not None:
        components = [component for component in components if outcome.assertion in _names(component)]
    if not components:
        return None, "unparsed", "no-assertion"
    if any(_has_grader_error(graded) for graded in [grading, *components]):
        return None, "unparsed", "grader-error"
    if any(str(component.get("reason") or "").startswith(_CRASHES) for component in components):
        return None, "unparsed", "assertion-crashed"
    if outcome.assertion is None:
        return grading.get("pass"), "scored", None
    grades = {component.get("pass") for component in components}
    return (grades.pop(), "scored", None) if len(grades) == 1 else (None, "unparsed", "ambiguous")


def _names(component: Mapping[str, Any]) -> tuple[Any, Any]:
    assertion = component.get("assertion") or {}
    return assertion.get("metric"), assertion.get("type")


def _has_grader_error(graded: Mapping[str, Any]) -> bool:
    metadata = graded.get("metadata")
    return isinstance(metadata, dict) and bool(metadata.get("graderError"))


READER = LogReader(
    outcome=PromptfooOutcome,
    read=read_promptfoo,
    says=("run_id", "policy.name", "trials_per_scenario", "started_at"),
    fields="description, testIdx, vars.KEY, metadata.KEY (metadata.pluginId in a red team)",
)
