"""garak's reports: NAME.report.jsonl, of the old form (prompt and outputs are texts) and the new (objects).

Every attempt is there twice, first as it was made (status 1), then with its detectors' scores (status 2): it is one
attempt. A high score is a hit. A null score is no score; garak leaves it out of its totals, here it is unknown. A
report without its completion entry is of a run that was interrupted. Its times have no offset, so they are declared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from pydantic import Field, model_validator

from litmus_nb.contracts.base import Name, shown
from litmus_nb.contracts.canonical import digest_of_json
from litmus_nb.contracts.json_fields import ANYTHING, SCALAR, FieldsOf
from litmus_nb.contracts.source import Outcome
from litmus_nb.errors import Fault, UnreadableInput
from litmus_nb.evidence.readers.json_lines import lines_of
from litmus_nb.evidence.readers.reading import Log, LogFile, LoggedTrial, LogReader, LogReading

__all__ = ["READER", "GarakOutcome"]

_SETUP_KEYS = (
    "run.generations",
    "plugins.target_type",
    "plugins.target_name",
    "plugins.model_type",
    "plugins.model_name",
)
_ENTRY_OF = FieldsOf(
    {
        **dict.fromkeys(("entry_type", "garak_version", "run", "uuid", "seq", "status", "probe_classname"), SCALAR),
        **dict.fromkeys(_SETUP_KEYS, SCALAR),
        **dict.fromkeys(("prompt", "outputs", "detector_results"), ANYTHING),
    }
)

_MADE, _EVALUATED = 1, 2
_KNOWN = frozenset({"start_run setup", "init", "config", "attempt", "eval", "completion", "digest", "plugin_cache"})
_MOST_FAULTS = 20


class GarakOutcome(Outcome):
    """Which detector's score is the outcome, probe by probe. The menus are asked about the score."""

    detectors: dict[Name, Name] = Field(description="Probe, as the report names it, to the detector that decides.")
    left_out_probes: list[Name] = Field(default=[], description="Probes of the report that this run is not about.")
    scenario: Literal["prompt", "seq"] = Field(
        description="prompt: probe and digest of the prompt's text. seq: probe and the attempt's number in it."
    )

    @model_validator(mode="after")
    def _has_a_detector(self) -> GarakOutcome:
        if not self.detectors:
            raise ValueError("at least one probe with its detector")
        return self


def read_garak(log: Log, outcome: GarakOutcome) -> LogReading:
    """What a garak report says.

    Raises:
        UnreadableInput: a line is no entry, or no attempt is there, or a probe without a declared detector.
    """
    file = log.files[0]
    entries = _entries(file)
    by_type: dict[str, list[dict[str, Any]]] = {}
    for _, entry in entries:
        by_type.setdefault(str(entry.get("entry_type")), []).append(entry)
    setup = by_type.get("start_run setup", [{}])[0]
    init = by_type.get("init", [{}])[0]
    attempts, n_unevaluated = _attempts(entries)
    _refuse_probes(attempts, outcome, file.name)
    trials, faults = _trials(attempts, outcome, file.name)
    names = [setup.get("plugins.target_name") or setup.get("plugins.model_name")]
    names.append(setup.get("plugins.target_type") or setup.get("plugins.model_type"))
    generations = setup.get("run.generations")
    facts: dict[str, Any] = {
        "run_id": init.get("run"),
        "status": "complete" if "completion" in by_type else "error",
        "policy.name": next((name for name in names if name), None),
        "trials_per_scenario": generations if isinstance(generations, int) else None,
        "judge.requested": ", ".join(sorted(set(outcome.detectors.values()))),
    }
    notes = [f"{n_unevaluated} attempts were made and never evaluated"] if n_unevaluated else []
    if unknown := sorted(set(by_type) - _KNOWN):
        notes.append(f"entries of types that are not known were passed over: {shown(unknown)}")
    return LogReading(
        tool=f"garak {init.get('garak_version') or 'of unknown version'}",
        facts={key: value for key, value in facts.items() if value is not None},
        trials=trials,
        faults=tuple(faults[:_MOST_FAULTS]),
        identity=f"{facts['policy.name']} {init.get('garak_version')}",
        notes=tuple(notes),
    )


def _entries(file: LogFile) -> list[tuple[str, dict[str, Any]]]:
    entries: list[tuple[str, dict[str, Any]]] = []
    faults: list[Fault] = []
    for where, line in lines_of(file):
        try:
            entry = _ENTRY_OF.read(line, file=file.name, where=where)
            if not isinstance(entry.get("entry_type"), str):
                raise UnreadableInput([Fault(file.name, where, "an entry_type", shown(entry.get("entry_type")))])
            entries.append((where, entry))
        except UnreadableInput as unreadable:
            faults.extend(unreadable.faults)
            if len(faults) >= _MOST_FAULTS:
                break
    if faults:
        raise UnreadableInput(faults)
    if not any(entry["entry_type"] == "attempt" for _, entry in entries):
        seen = shown(sorted({entry["entry_type"] for _, entry in entries}))
        raise UnreadableInput([Fault(file.name, "", "a report of garak with at least one attempt", f"entries {seen}")])
    return entries


def _attempts(entries: list[tuple[str, dict[str, Any]]]) -> tuple[list[tuple[str, dict[str, Any]]], int]:
    """The attempts, once each: as evaluated where they were; and how many never were."""
    made: Counter[str] = Counter()
    evaluated: list[tuple[str, dict[str, Any]]] = []
    only_made: dict[str, list[tuple[str, dict[str, Any]]]] = {}
    for where, entry in entries:
        if entry["entry_type"] != "attempt":
            continue
        identity = _identity(entry)
        if entry.get("status") == _EVALUATED:
            evaluated.append((where, entry))
            made[identity] -= 1
        else:
            made[identity] += 1
            only_made.setdefault(identity, []).append((where, entry))
    left = [attempt for key, attempts in only_made.items() if made[key] > 0 for attempt in attempts[-made[key] :]]
    return evaluated + left, len(left)


def _identity(entry: Mapping[str, Any]) -> str:
    """What the two entries of an attempt have in common. Old reports have neither uuid nor sequence number."""
    return digest_of_json([str(entry.get("uuid")), str(entry.get("probe_classname")), _prompt(entry)])


def _prompt(entry: Mapping[str, Any]) -> list[Any]:
    """The prompt's turns, role and text: the same for the old form and the new."""
    prompt = entry.get("prompt")
    if isinstance(prompt, str) or prompt is None:
        return [["user", prompt or ""]]
    turns = prompt.get("turns") if isinstance(prompt, dict) else None
    if isinstance(turns, list):
        return [[str(turn.get("role")), _text(turn.get("content"))] for turn in turns if isinstance(turn, dict)]
    return [["user", _text(prompt)]]


def _text(content: Any) -> str:
    text = content.get("text") if isinstance(content, dict) else content
    return text if isinstance(text, str) else ""


def _refuse_probes(attempts: list[tuple[str, dict[str, Any]]], outcome: GarakOutcome, file: str) -> None:
    probes = {str(entry.get("probe_classname")) for _, entry in attempts}
    undeclared = sorted(probes - set(outcome.detectors) - set(outcome.left_out_probes))
    if undeclared:
        expected = "a detector in outcome.detectors, or an entry in outcome.left_out_probes, for every probe"
        raise UnreadableInput([Fault(file, "", expected, f"the probes {shown(undeclared)}")])


def _trials(
    attempts: list[tuple[str, dict[str, Any]]], outcome: GarakOutcome, file: str
) -> tuple[list[LoggedTrial], list[Fault]]:
    trials: list[LoggedTrial] = []
    faults: list[Fault] = []
    for where, entry in attempts:
        probe = str(entry.get("probe_classname"))
        if probe in outcome.left_out_probes:
            continue
        if outcome.scenario == "seq":
            if not isinstance(entry.get("seq"), int):
                expected = "a seq; a report without it needs scenario: prompt"
                faults.append(Fault(file, where, expected, shown(entry.get("seq"))))
                continue
            own = str(entry["seq"])
        else:
            own = digest_of_json(_prompt(entry)).removeprefix("sha256:")[:16]
        uuid = entry.get("uuid")
        for number, (value, status, reason) in enumerate(_outcomes(entry, outcome.detectors[probe])):
            attempt = f"{uuid}/{number}" if isinstance(uuid, str) else None
            fields = {"probe": probe, "probe_module": probe.split(".")[0]}
            trials.append(LoggedTrial(f"{probe}/{own}", number, value, status, reason, fields=fields, attempt=attempt))
    return trials, faults


def _outcomes(entry: Mapping[str, Any], detector: str) -> Iterator[tuple[Any, str, str | None]]:
    """The outcome of each output of an attempt: an output is a trial."""
    outputs = entry.get("outputs")
    outputs = outputs if isinstance(outputs, list) else []
    results = entry.get("detector_results")
    scores = results.get(detector) if isinstance(results, dict) else None
    if entry.get("status") != _EVALUATED:
        yield from [(None, "cancelled", "not-evaluated")] * max(1, len(outputs))
        return
    if not isinstance(scores, list):
        yield from [(None, "unparsed", "no-score")] * max(1, len(outputs))
        return
    for number in range(max(len(outputs), len(scores))):
        output = outputs[number] if number < len(outputs) else None
        score = scores[number] if number < len(scores) else None
        if output is None or (isinstance(output, dict) and output.get("text") is None):
            yield None, "error", "no-output"
        elif score is None:
            yield None, "unparsed", "no-score"
        else:
            yield score, "scored", None


READER = LogReader(
    outcome=GarakOutcome,
    read=read_garak,
    says=("run_id", "status", "policy.name", "trials_per_scenario", "judge.requested"),
    fields="probe, probe_module",
)
