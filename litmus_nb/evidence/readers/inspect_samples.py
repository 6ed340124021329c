"""What one sample of an Inspect log says: the outcome of one trial, and who judged it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import Field

from litmus_nb.contracts.base import Name
from litmus_nb.contracts.json_fields import ANYTHING, IS_THERE, SCALAR
from litmus_nb.contracts.source import Outcome
from litmus_nb.errors import Fault, UnreadableInput
from litmus_nb.evidence.readers.reading import LoggedTrial, excerpt_of

__all__ = ["EVENT", "SAMPLE", "InspectOutcome", "SampleFacts", "facts_of_sample"]

EVENT: Mapping[str, Any] = {
    **dict.fromkeys(("event", "action", "id", "span_id", "parent_id", "type", "name", "model", "role"), SCALAR),
    "error": IS_THERE,
    "output": ({"model": SCALAR},),
    "tools": [{"name": SCALAR}],
}
"""The wish for an event: enough to know which model calls were made, within which scorer, with which tools."""

SAMPLE: Mapping[str, Any] = {
    **dict.fromkeys(("id", "epoch", "uuid"), SCALAR),
    **dict.fromkeys(("scores", "score", "metadata", "limit"), ANYTHING),
    **dict.fromkeys(("error", "invalidation"), IS_THERE),
    "model_fallbacks": [{"fallback_model": SCALAR}],
    "sandbox": {"type": SCALAR},
    "output": {"model": SCALAR, "completion": SCALAR},
    "events": [EVENT],
}
"""The wish for a sample."""

_TIME_LIMITS = frozenset({"time", "working"})


class InspectOutcome(Outcome):
    """Which score of a sample is the outcome."""

    scorer: Name = Field(description="As the log's `scores` names it.")
    key: Name | None = Field(default=None, description="Of a score that is a mapping, the key that is the outcome.")
    sandbox: Name | None = Field(description="The sandbox type that the log must show; null: none.")
    scored_limits: list[Name] = Field(
        default=[],
        description="Kinds of limit (message, token, ...) after which a score counts; others: unknown.",
    )


@dataclass(frozen=True)
class SampleFacts:
    """One trial and what its events show."""

    trial: LoggedTrial
    tools: frozenset[str]
    """The tools that the policy was offered."""
    has_events: bool
    requested_judges: frozenset[str]
    served_policies: frozenset[str]
    scorers: frozenset[str]
    sandbox: str | None


@dataclass
class _Calls:
    """The model calls of a sample."""

    tools: set[str] = field(default_factory=set)
    requested: set[str] = field(default_factory=set)
    served: set[str] = field(default_factory=set)
    n_judging: int = 0
    n_judged: int = 0


def facts_of_sample(
    sample: Mapping[str, Any],
    events: Iterable[Mapping[str, Any] | None] | None,
    outcome: InspectOutcome,
    policy: str,
    file: str,
) -> SampleFacts:
    """What a sample says.

    Args:
        sample: the fields of `SAMPLE`.
        events: the sample's events; None where the log has none.
        outcome: what the declarations say.
        policy: the model that was evaluated, by its requested name.
        file: what messages call the sample.

    Raises:
        UnreadableInput: no id, no epoch, or scores that are no mapping.
    """
    id_, epoch = sample.get("id"), sample.get("epoch")
    if not isinstance(id_, (str, int)) or isinstance(id_, bool) or id_ == "":
        raise UnreadableInput([Fault(file, "/id", "a text or an integer", repr(id_)[:80])])
    if not isinstance(epoch, int) or isinstance(epoch, bool) or not 1 <= epoch <= 10**9:
        raise UnreadableInput([Fault(file, "/epoch", "an integer from 1", repr(epoch)[:80])])
    scores = _scores(sample, outcome, file)
    calls = _calls(events or (), outcome.scorer, frozenset(scores))
    value, status, reason = _outcome(sample, scores, outcome, calls)
    metadata = sample.get("metadata") or {}
    trial = LoggedTrial(
        scenario=str(id_),
        trial=epoch - 1,
        value=value,
        status=status,
        reason=reason,
        judges=frozenset(calls.served),
        is_self_graded=policy in calls.requested,
        fields={"id": str(id_)} | {f"metadata.{key}": text for key, text in _texts(metadata)},
        attempt=sample.get("uuid") if isinstance(sample.get("uuid"), str) else None,
        excerpt=excerpt_of((sample.get("output") or {}).get("completion")),
    )
    served = (sample.get("output") or {}).get("model")
    return SampleFacts(
        trial=trial,
        tools=frozenset(calls.tools),
        has_events=events is not None,
        requested_judges=frozenset(calls.requested),
        served_policies=frozenset({served} if isinstance(served, str) and served else ()),
        scorers=frozenset(scores),
        sandbox=(sample.get("sandbox") or {}).get("type"),
    )


def _scores(sample: Mapping[str, Any], outcome: InspectOutcome, file: str) -> Mapping[str, Any]:
    scores = sample.get("scores")
    if scores is None and sample.get("score") is not None:  # logs before 0.3.10 have one score without a name
        scores = {outcome.scorer: sample["score"]}
    if scores is None:
        return {}
    if not isinstance(scores, dict):
        raise UnreadableInput([Fault(file, "/scores", "a mapping of scorer to score", type(scores).__name__)])
    return scores


def _outcome(
    sample: Mapping[str, Any], scores: Mapping[str, Any], outcome: InspectOutcome, calls: _Calls
) -> tuple[Any, str, str | None]:
    """The value that the menus are asked about, or why there is none."""
    if sample.get("invalidation") is not None:
        return None, "cancelled", "invalidated"
    if sample.get("error") is not None:
        return None, "error", "sample-error"
    if sample.get("model_fallbacks"):
        return None, "error", "model-fallback"
    limit = sample.get("limit")
    if limit is not None:
        kind = limit.get("type") if isinstance(limit, dict) else limit
        if kind not in outcome.scored_limits:
            status = "timeout" if kind in _TIME_LIMITS else "cancelled" if kind == "operator" else "error"
            return None, status, f"limit-{kind}" if isinstance(kind, str) else "limit"
    score = scores.get(outcome.scorer)
    if not isinstance(score, dict) or "value" not in score:
        return None, "unparsed", "no-score"
    if calls.n_judging and not calls.n_judged:
        return None, "unparsed", "judge-failed"
    if not _edits_have_provenance(score):
        return None, "unparsed", "edited-without-provenance"
    return _value(score["value"], outcome)


def _edits_have_provenance(score: Mapping[str, Any]) -> bool:
    """Whether everyone who changed the value is named. The first entry of a history is the original score."""
    history = score.get("history") or []
    if not isinstance(history, list):
        return False
    for edit in history[1:]:
        provenance = edit.get("provenance") if isinstance(edit, dict) else None
        if not isinstance(provenance, dict) or not provenance.get("author") or not provenance.get("timestamp"):
            return False
    return True


def _value(value: Any, outcome: InspectOutcome) -> tuple[Any, str, str | None]:
    if outcome.key is not None:
        if not isinstance(value, dict) or outcome.key not in value:
            return None, "unparsed", "no-score"
        value = value[outcome.key]
    if isinstance(value, float) and math.isnan(value):  # Inspect's mark of a sample that its scorer could not score
        return None, "unparsed", "unscored"
    return value, "scored", None


def _texts(metadata: Any) -> Iterator[tuple[str, str]]:
    if isinstance(metadata, dict):
        for key, value in metadata.items():
            if isinstance(value, (str, int)):
                yield key, str(value)


def _calls(events: Iterable[Mapping[str, Any] | None], scorer: str, scorers: frozenset[str]) -> _Calls:
    """The model calls: the policy's with their tools, and those made while the declared scorer was scoring."""
    calls = _Calls()
    spans: dict[Any, tuple[Any, Any, Any]] = {}
    steps: list[str | None] = []
    for event in events:
        if event is None:
            continue
        kind = event.get("event")
        if kind == "span_begin":
            spans[event.get("id")] = (event.get("type"), event.get("name"), event.get("parent_id"))
        elif kind == "step":  # logs before 0.3.90
            if event.get("action") == "begin":
                steps.append(str(event.get("name")) if event.get("type") == "scorer" else None)
            elif steps:
                steps.pop()
        elif kind == "model":
            within = _scorer_around(event.get("span_id"), spans)
            if within is None:
                within = next((name for name in reversed(steps) if name is not None), None)
            _note_call(calls, event, within, scorer, scorers)
    return calls


def _note_call(
    calls: _Calls, event: Mapping[str, Any], within: str | None, scorer: str, scorers: frozenset[str]
) -> None:
    if within is None:
        calls.tools.update(str(tool["name"]) for tool in event.get("tools") or () if tool and "name" in tool)
        return
    if within != scorer and within in scorers:
        return  # another scorer's judge
    calls.n_judging += 1
    requested = event.get("model")
    if isinstance(requested, str):
        calls.requested.add(requested)
    if event.get("error") is not None:
        return
    served = (event.get("output") or {}).get("model")
    if isinstance(served, str) and served:
        calls.n_judged += 1
        calls.served.add(served)


def _scorer_around(span: Any, spans: Mapping[Any, tuple[Any, Any, Any]]) -> str | None:
    """The name of the scorer within which a span lies; None outside of scoring."""
    for _ in range(len(spans) + 1):
        if span not in spans:
            return None
        kind, name, parent = spans[span]
        if kind in ("scorer", "scorers"):
            return str(name)
        span = parent
    return None
