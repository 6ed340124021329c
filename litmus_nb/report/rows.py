"""The class table as people read it: every number a string with its unit's decimals, undefined numbers a dash."""

from __future__ import annotations

from dataclasses import dataclass

from litmus_nb.contracts.verdict import ClassVerdict, Verdict
from litmus_nb.report.numbers import decimals_that_keep_the_outcome, percent, points, signed_points
from litmus_nb.report.states import css_class, in_words

__all__ = ["ClassRow", "class_rows", "in_order_of_gravity"]

_UNDEFINED = "–"
_GRAVITY = {"FAIL": 0, "NO_VERDICT": 1, "PASS": 2}


@dataclass(frozen=True)
class ClassRow:
    """One class, written out. `name` is untrusted as it came; every output cleans it for itself."""

    name: str
    outcome: str
    outcome_class: str
    n: str
    baseline_rate: str
    candidate_rate: str
    delta: str
    interval: str
    tolerance: str
    noise_floor: str
    bootstrap: str
    agreement_candidate: str
    agreement_baseline: str


def in_order_of_gravity(verdict: Verdict) -> list[ClassVerdict]:
    """The worst class first, as the rule orders them: outcome, upper bound above the tolerance, name."""

    def badness(row: ClassVerdict) -> tuple[int, bool, float, str]:
        excess = None if row.ci_high is None or row.tolerance is None else row.ci_high - row.tolerance
        return (_GRAVITY[row.outcome], excess is not None, -(excess or 0.0), row.name)

    return sorted(verdict.classes, key=badness)


def class_rows(verdict: Verdict) -> list[ClassRow]:
    """The classes as rows, the worst first."""
    ordered = in_order_of_gravity(verdict)
    decimals = decimals_that_keep_the_outcome(ordered)
    return [_row(row, decimals) for row in ordered]


def _row(row: ClassVerdict, decimals: int) -> ClassRow:
    def interval(low: float | None, high: float | None) -> str:
        return _UNDEFINED if low is None or high is None else f"{points(low, decimals)} to {points(high, decimals)}"

    def rate(value: float | None) -> str:
        return _UNDEFINED if value is None else percent(value)

    return ClassRow(
        name=row.name,
        outcome=in_words(row.outcome),
        outcome_class=css_class(row.outcome),
        n=_UNDEFINED if row.n is None else str(row.n),
        baseline_rate=rate(row.baseline_rate),
        candidate_rate=rate(row.candidate_rate),
        delta=_UNDEFINED if row.delta is None else signed_points(row.delta, decimals),
        interval=interval(row.ci_low, row.ci_high),
        tolerance="none set" if row.tolerance is None else points(row.tolerance, decimals),
        noise_floor=_UNDEFINED if row.noise_floor is None else points(row.noise_floor, decimals),
        bootstrap=interval(row.bootstrap_low, row.bootstrap_high),
        agreement_candidate=rate(row.agreement_candidate),
        agreement_baseline=rate(row.agreement_baseline),
    )
