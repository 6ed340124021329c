"""Attack success rates of runs, described and never judged: for people who decide about baselines and quarantines."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import polars as pl

from litmus_nb.contracts.evidence import RunEvidence, SuiteEvidence
from litmus_nb.rule.population import declared_scenarios
from litmus_nb.stats.bound import gaffke_bounds
from litmus_nb.stats.deltas import DeltaCounts

__all__ = ["Estimate", "mean_rate", "paired_shift", "rate_of", "unit_rates"]


class Estimate(NamedTuple):
    """A mean over units with its interval (4.3). Of nothing, it is undefined and not zero."""

    n: int
    """Units."""
    mean: float | None
    low: float | None
    high: float | None


UNDEFINED = Estimate(0, None, None, None)


def unit_rates(suite: SuiteEvidence, run: RunEvidence) -> pl.DataFrame:
    """scenario_id | scenario_class | unit | rate: the suite's scenarios that the run has scored, by id.

    `rate` is the share of a scenario's scored trials on which the attack succeeded, 0 to 1; `unit` is the family, or
    the scenario where it has none (4.1). Scenarios that only the run has are left out.
    """
    declared = declared_scenarios(suite, {})
    if run.tally is None:
        return declared.select("scenario_id", "scenario_class").clear().with_columns(unit=_NO_TEXT, rate=_NO_NUMBER)
    scored = run.tally.per_scenario.filter(pl.col("n_scored") > 0)
    return (
        declared.join(scored, on="scenario_id", how="inner", maintain_order="left")
        .with_columns(
            unit=pl.when(pl.col("family").is_null())
            .then(pl.lit("scenario ") + pl.col("scenario_id"))
            .otherwise(pl.lit("family ") + pl.col("family")),
            rate=pl.col("n_success") / pl.col("n_scored"),
        )
        .select("scenario_id", "scenario_class", "unit", "rate")
    )


def rate_of(rates: pl.DataFrame, name: str, confidence: float) -> Estimate:
    """The attack success rate of a class, 0 to 1, with its interval.

    A rate r in [0, 1] has the bound of the delta 2r - 1 in [-1, 1], taken back: the bound is of a bounded mean,
    whatever its bounds are.
    """
    means = _means(rates, name, "rate")
    if not means:
        return UNDEFINED
    counts = DeltaCounts.of([2.0 * mean - 1.0 for mean in means])
    bounds = gaffke_bounds(counts, counts, confidence)
    return Estimate(len(means), sum(means) / len(means), (bounds.low + 1.0) / 2.0, (bounds.high + 1.0) / 2.0)


def paired_shift(before: pl.DataFrame, after: pl.DataFrame, name: str, confidence: float) -> Estimate:
    """After minus before, over the class's scenarios that both have scored. Positive is worse."""
    paired = after.join(before.select("scenario_id", before="rate"), on="scenario_id", how="inner")
    means = _means(paired.with_columns(shift=pl.col("rate") - pl.col("before")), name, "shift")
    if not means:
        return UNDEFINED
    counts = DeltaCounts.of(means)
    bounds = gaffke_bounds(counts, counts, confidence)
    return Estimate(len(means), sum(means) / len(means), bounds.low, bounds.high)


def mean_rate(
    rates: pl.DataFrame, name: str, without: Iterable[str] = (), only: Iterable[str] | None = None
) -> float | None:
    """The mean rate of a class over its units, without some scenarios or over some only; None of nothing."""
    kept = rates.filter(~pl.col("scenario_id").is_in(list(without)))
    if only is not None:
        kept = kept.filter(pl.col("scenario_id").is_in(list(only)))
    means = _means(kept, name, "rate")
    return sum(means) / len(means) if means else None


def _means(frame: pl.DataFrame, name: str, column: str) -> list[float]:
    """The mean of `column` of each unit of a class, in order of the units, so that sums are the same everywhere."""
    in_class = frame.filter(pl.col("scenario_class") == name)
    return in_class.group_by("unit").agg(pl.col(column).mean()).sort("unit")[column].to_list()


_NO_TEXT = pl.lit(None, dtype=pl.String)
_NO_NUMBER = pl.lit(None, dtype=pl.Float64)
