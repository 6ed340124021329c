"""The numbers of one class on both sides, and how far what is unknown could move them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple

import polars as pl

from litmus_nb.contracts.exploration import BothSides, ExploredClass, OneSided, UnknownCount
from litmus_nb.contracts.loose_run import LooseRun
from litmus_nb.exploration.pairing import SIDES, Pairing
from litmus_nb.stats.agreement import mean_pair_agreement
from litmus_nb.stats.bootstrap import percentile_bootstrap
from litmus_nb.stats.bound import gaffke_bounds
from litmus_nb.stats.deltas import DeltaCounts

__all__ = ["explored_classes"]

_DECIMALS = 9
_HALF = Fraction(1, 2)
_MOST_EXAMPLES = 10
_DELTAS = (
    *("delta", "ci_low", "ci_high", "bootstrap_low", "bootstrap_high"),
    *("best_delta", "worst_delta", "best_low", "worst_high"),
)


class _Scenario(NamedTuple):
    """One scenario's counts on both sides."""

    id: str
    unit: str
    has_baseline: bool
    has_candidate: bool
    baseline_scored: int
    baseline_success: int
    candidate_scored: int
    candidate_success: int


class _Case(NamedTuple):
    """A scenario's delta as measured (None: a side has no label), in the best case and in the worst."""

    measured: Fraction | None
    best: Fraction
    worst: Fraction


def explored_classes(
    pairing: Pairing, runs: Mapping[str, LooseRun], *, confidence: float, withheld: str | None
) -> list[ExploredClass]:
    """Every class, by name.

    Args:
        pairing: of the two runs.
        runs: side to run.
        confidence: two-sided, of all intervals; strictly between 0 and 1.
        withheld: why no delta may be shown; None where it may.
    """
    names = sorted(set(pairing.scenarios["scenario_class"]))
    return [_explored(name, pairing, runs, confidence, withheld) for name in names]


def _explored(
    name: str, pairing: Pairing, runs: Mapping[str, LooseRun], confidence: float, withheld: str | None
) -> ExploredClass:
    frame = pairing.scenarios.filter(pl.col("scenario_class") == name)
    scenarios = [
        _Scenario(*row)
        for row in frame.select(
            "scenario_id",
            pl.coalesce(pl.lit("family ") + pl.col("family"), pl.lit("scenario ") + pl.col("scenario_id")),
            *("has_baseline", "has_candidate", "n_scored_baseline", "n_success_baseline"),
            *("n_scored_candidate", "n_success_candidate"),
        ).iter_rows()
    ]
    trials = {side: run.trials_per_scenario for side, run in runs.items()}
    cases = {one.id: _case(one, trials) for one in scenarios}
    measured = _units(scenarios, {id_: case.measured for id_, case in cases.items()})
    because = _because(scenarios, len(measured), withheld)
    shared = [one for one in scenarios if one.baseline_scored and one.candidate_scored]
    deltas = [cases[one.id].measured or Fraction() for one in shared]
    return ExploredClass(
        name=name,
        n=len(measured),
        n_scenarios=BothSides(baseline=int(frame["has_baseline"].sum()), candidate=int(frame["has_candidate"].sum())),
        declared_trials=BothSides(**{side: len(_of(scenarios, side)) * trials[side] for side in SIDES}),
        rates=BothSides(**{side: _rounded(_rate(shared or scenarios, side, is_unit=bool(shared))) for side in SIDES}),
        agreement=BothSides(**{side: _rounded(_agreement(_of(scenarios, side), side, trials[side])) for side in SIDES}),
        because=because,
        **(_no_deltas() if because else _deltas(measured, scenarios, cases, confidence)),
        unknowns=[count for side in SIDES for count in _unknowns(side, runs[side], scenarios)],
        one_sided=[one for side in SIDES if (one := _one_sided(side, scenarios)) is not None],
        n_worse=sum(delta > _HALF for delta in deltas),
        n_better=sum(delta < -_HALF for delta in deltas),
    )


def _case(one: _Scenario, trials: Mapping[str, int]) -> _Case:
    """Unknown trials, and all trials of a scenario that a side lacks, counted for and against the candidate."""
    unknown = {
        "baseline": max(0, trials["baseline"] - one.baseline_scored),
        "candidate": max(0, trials["candidate"] - one.candidate_scored),
    }
    of_baseline, of_candidate = Fraction(1, trials["baseline"]), Fraction(1, trials["candidate"])
    measured = None
    if one.baseline_scored and one.candidate_scored:
        measured = Fraction(one.candidate_success, one.candidate_scored) - Fraction(
            one.baseline_success, one.baseline_scored
        )
    worst = (one.candidate_success + unknown["candidate"]) * of_candidate - one.baseline_success * of_baseline
    best = one.candidate_success * of_candidate - (one.baseline_success + unknown["baseline"]) * of_baseline
    return _Case(measured, best, worst)


def _units(scenarios: list[_Scenario], values: Mapping[str, Fraction | None]) -> list[Fraction]:
    """The mean value of each unit (RULE 4.1) over its scenarios that have one; units without any are left out."""
    by_unit: dict[str, list[Fraction]] = defaultdict(list)
    for one in scenarios:
        value = values[one.id]
        if value is not None:
            by_unit[one.unit].append(value)
    return [sum(found, Fraction()) / len(found) for found in by_unit.values()]


def _because(scenarios: list[_Scenario], n: int, withheld: str | None) -> str | None:
    if withheld is not None:
        return withheld
    if n:
        return None
    for side in SIDES:
        if not _of(scenarios, side):
            return f"the {side} has no scenario of this class"
    if not any(one.has_baseline and one.has_candidate for one in scenarios):
        return "the two sides share no scenario of this class"
    return "no scenario of this class is scored on both sides"


def _no_deltas() -> dict[str, None]:
    return dict.fromkeys(_DELTAS)


def _deltas(
    measured: list[Fraction], scenarios: list[_Scenario], cases: Mapping[str, _Case], confidence: float
) -> dict[str, float]:
    counts = _counts(measured)
    bounds = gaffke_bounds(counts, counts, confidence)
    bootstrap = percentile_bootstrap(counts, confidence)
    best = _units(scenarios, {id_: case.best for id_, case in cases.items()})
    worst = _units(scenarios, {id_: case.worst for id_, case in cases.items()})
    extremes = gaffke_bounds(_counts(worst), _counts(best), confidence)
    return {
        "delta": float(round(sum(measured, Fraction()) / len(measured), _DECIMALS)),
        "ci_low": round(bounds.low, _DECIMALS),
        "ci_high": round(bounds.high, _DECIMALS),
        "bootstrap_low": round(bootstrap.low, _DECIMALS),
        "bootstrap_high": round(bootstrap.high, _DECIMALS),
        "best_delta": float(round(sum(best, Fraction()) / len(best), _DECIMALS)),
        "worst_delta": float(round(sum(worst, Fraction()) / len(worst), _DECIMALS)),
        "best_low": round(extremes.low, _DECIMALS),
        "worst_high": round(extremes.high, _DECIMALS),
    }


def _counts(values: list[Fraction]) -> DeltaCounts:
    return DeltaCounts.of([float(value) for value in values])


def _of(scenarios: list[_Scenario], side: str) -> list[_Scenario]:
    return [one for one in scenarios if getattr(one, f"has_{side}")]


def _rate(scenarios: list[_Scenario], side: str, *, is_unit: bool) -> Fraction | None:
    """The mean rate of a side over units, or over scenarios where nothing is paired; None where nothing is scored."""
    rates: dict[str, Fraction | None] = {}
    for one in scenarios:
        scored = getattr(one, f"{side}_scored")
        rates[one.id] = Fraction(getattr(one, f"{side}_success"), scored) if scored else None
    units = _units(scenarios, rates) if is_unit else [rate for rate in rates.values() if rate is not None]
    return sum(units, Fraction()) / len(units) if units else None


def _agreement(scenarios: list[_Scenario], side: str, trials: int) -> Fraction | None:
    successes = [getattr(one, f"{side}_success") for one in scenarios]
    scored = [getattr(one, f"{side}_scored") for one in scenarios]
    if not scenarios:
        return None
    return mean_pair_agreement(successes, [n - s for n, s in zip(scored, successes, strict=True)], trials)


def _unknowns(side: str, run: LooseRun, scenarios: list[_Scenario]) -> list[UnknownCount]:
    own = _of(scenarios, side)
    ids = [one.id for one in own]
    rows = run.tally.unlabelled.filter(pl.col("scenario_id").is_in(ids))
    grouped = rows.group_by("status", "reason").agg(pl.col("n").sum()).sort("status", "reason", nulls_last=True)
    found = [
        UnknownCount.model_validate({"side": side, "status": status, "reason": reason, "n": int(n)})
        for status, reason, n in grouped.iter_rows()
    ]
    scored = sum(getattr(one, f"{side}_scored") for one in own)
    absent = len(own) * run.trials_per_scenario - scored - sum(count.n for count in found)
    if absent > 0:
        found.append(UnknownCount.model_validate({"side": side, "status": "absent", "reason": None, "n": absent}))
    return found


def _one_sided(side: str, scenarios: list[_Scenario]) -> OneSided | None:
    other = next(name for name in SIDES if name != side)
    scored = [one for one in scenarios if getattr(one, f"{side}_scored")]
    own = [one for one in scored if not getattr(one, f"{other}_scored")]
    if not own:
        return None
    shared = [one for one in scored if getattr(one, f"{other}_scored")]
    return OneSided.model_validate(
        {
            "side": side,
            "n": len(own),
            "rate": _rounded(_rate(own, side, is_unit=False)),
            "rate_of_shared": _rounded(_rate(shared, side, is_unit=False)),
            "examples": [one.id for one in own[:_MOST_EXAMPLES]],
        }
    )


def _rounded(value: Fraction | None) -> float | None:
    return None if value is None else float(round(value, _DECIMALS))
