"""Anchors outside of a gate: proposed from labels, and looked at as the gate looks at them."""

from __future__ import annotations

from dataclasses import dataclass

from litmus_nb.contracts.anchors import AnchorLine
from litmus_nb.contracts.canonical import canonical_json
from litmus_nb.contracts.evidence import Evidence
from litmus_nb.errors import UsageError
from litmus_nb.rule.judge_behaviour import judge_behaviour
from litmus_nb.stats.behaviour import POWER_ASKED, Behaviour, greatest_chance_of_a_sign
from litmus_nb.stats.rise_power import least_items, smallest_rise

__all__ = ["anchor_bytes", "behaviours", "needed_anchors", "shown_rise"]


@dataclass(frozen=True)
class SideBehaviour:
    """How one side's judge labels the anchors; or why that cannot be said."""

    side: str
    behaviour: Behaviour | None
    because: str = ""


def anchor_bytes(lines: tuple[AnchorLine, ...]) -> bytes:
    """anchors.jsonl as it is written: a canonical line an anchor."""
    rows = (line.model_dump(by_alias=True, exclude_none=True) for line in lines)
    return b"".join(canonical_json(row) + b"\n" for row in rows)


def behaviours(evidence: Evidence) -> list[SideBehaviour]:
    """Candidate and baseline, each against the suite's anchors, with intervals and power.

    Raises:
        UsageError: there is no gate or no suite that can be read, or the suite has no anchors.
    """
    gate, suite = evidence.gate, evidence.suite
    if gate is None or suite is None:
        raise UsageError("\n".join(str(unreadable.fault) for unreadable in evidence.unreadable))
    if suite.file.anchors is None:
        raise UsageError("the suite has no anchors; litmus-nb anchors select proposes some")
    if suite.anchors is None:
        raise UsageError("\n".join(str(fault) for fault in suite.anchor_faults))
    found = []
    for side, run in (("candidate", evidence.candidate), ("baseline", evidence.baseline)):
        if run is None or run.anchor_labels is None:
            found.append(SideBehaviour(side, None, "the run has no labels of the anchors that can be read"))
            continue
        try:
            behaviour = judge_behaviour(
                suite.anchors, run.anchor_labels, suite.file.anchors, confidence=gate.confidence, with_power=True
            )
        except ValueError as error:
            found.append(SideBehaviour(side, None, str(error)))
            continue
        found.append(SideBehaviour(side, behaviour))
    return found


def needed_anchors(*, tolerance: float, classes: int, confidence: float = 0.95) -> int | None:
    """Anchors that humans call a success, of one class, to see a rise by twice the tolerance in 8 of 10 runs.

    Judged once each, without noise of the judge's own; None where 200,000 are too few.
    """
    if tolerance <= 0:
        return None
    limit = greatest_chance_of_a_sign(classes)
    rise = min(2 * tolerance, 1.0)
    return least_items(rise, POWER_ASKED, tolerance=tolerance, confidence=confidence, chance_limit=limit)


def shown_rise(
    n_positive: int, *, tolerance: float, classes: int, confidence: float = 0.95, is_judged_once: bool = True
) -> float | None:
    """The smallest rise of the false-negative rate that so many positive anchors show in 8 of 10 runs.

    Judged several times each, then and now, a few anchors that turn round are beyond chance already; judged once, it
    takes ten and more.
    """
    if n_positive < 1:
        return None
    limit = greatest_chance_of_a_sign(classes) if is_judged_once else 1.0
    return smallest_rise(n_positive, POWER_ASKED, tolerance=tolerance, confidence=confidence, chance_limit=limit)
