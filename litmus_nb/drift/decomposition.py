"""An apparent change between two runs, taken apart into what the agent did and what the judge did.

Let b and c be the baseline's and the candidate's attack success rate, and the index say who labelled: the pinned
judge P or the current one Q. What a report compares is c_Q - b_P. It has two exact decompositions,

    c_Q - b_P = (c_Q - b_Q) + (b_Q - b_P)      agent by the current judge + judge on the baseline
              = (c_P - b_P) + (c_Q - c_P)      agent by the pinned judge  + judge on the candidate

The first needs the baseline's trajectories labelled again by the current judge, which can be done at any time; the
second needs the pinned judge on the new ones, which a judge that was replaced cannot do any more. Where labels are
missing, each is taken as a yes for one limit and as a no for the other (Manski 1990, Am. Econ. Rev. 80:319), as RULE
4.6 does.
"""

from __future__ import annotations

import polars as pl

from litmus_nb.contracts.drift import Decomposition, EffectRow, Estimate
from litmus_nb.contracts.labels import LabelTable, Rater
from litmus_nb.drift.votes import by_class, estimate, items_of, labels_of, votes_of
from litmus_nb.stats.rates import change_bounds, mean_change

__all__ = ["decompose"]

_DECIMALS = 9
_SIDES = ("b_p", "b_q", "c_p", "c_q")


def decompose(
    table: LabelTable, *, baseline: str, candidate: str, pinned: Rater, current: Rater, confidence: float = 0.95
) -> Decomposition:
    """Agent effect and judge effect of an apparent change, class by class, each with its interval or its bounds.

    The unit is the scenario (`scenario_id`; an item that names none is its own). A scenario's rate is the mean over its
    items of the share of yes; scenarios without an item of both policies are left out.

    Args:
        table: labels of items that name their policy.
        baseline: the policy that the change starts from.
        candidate: the policy that it leads to.
        pinned: the judge whose labels of the baseline were reported.
        current: the judge whose labels of the candidate were reported.
        confidence: two-sided, of every interval.
    """
    items = items_of(table).with_columns(unit=pl.coalesce("scenario_id", "item_id"))
    sides = []
    for policy, letter in ((baseline, "b"), (candidate, "c")):
        own = items.filter(pl.col("policy") == policy).select("item_id", "unit", "scenario_class")
        for rater, index in ((pinned, "p"), (current, "q")):
            sides.append(_rates(own, votes_of(labels_of(table, rater)), f"{letter}_{index}"))
    units = sides[0]
    for side in sides[1:]:
        units = units.join(side, on=["unit", "scenario_class"])
    rows = [_effects(name, rows, confidence) for name, rows in by_class(units.sort("scenario_class", "unit"))]
    return Decomposition(baseline=baseline, candidate=candidate, pinned=pinned, current=current, rows=rows)


def _rates(items: pl.DataFrame, votes: pl.DataFrame, side: str) -> pl.DataFrame:
    """unit | scenario_class | SIDE_low | SIDE_high | SIDE_missing: the rate with every missing label as a no, as a
    yes."""
    share = items.join(votes.select("item_id", "share"), on="item_id", how="left")
    return share.group_by("unit", "scenario_class").agg(
        pl.col("share").fill_null(0.0).mean().alias(f"{side}_low"),
        pl.col("share").fill_null(1.0).mean().alias(f"{side}_high"),
        pl.col("share").is_null().sum().cast(pl.Int64).alias(f"{side}_missing"),
    )


def _effects(name: str, units: pl.DataFrame, confidence: float) -> EffectRow:
    def effect(later: str, earlier: str) -> Estimate:
        return _difference(units, later, earlier, confidence)

    return EffectRow(
        scenario_class=name,
        n=len(units),
        apparent=effect("c_q", "b_p"),
        agent=effect("c_q", "b_q"),
        judge=effect("b_q", "b_p"),
        agent_by_pinned=effect("c_p", "b_p"),
        judge_on_candidate=effect("c_q", "c_p"),
        n_missing=int(sum(units[f"{side}_missing"].sum() for side in _SIDES)),
    )


def _difference(units: pl.DataFrame, later: str, earlier: str, confidence: float) -> Estimate:
    """Later minus earlier over the units: an estimate where no label is missing, else the bounds that hold whatever
    the missing ones would have been."""
    if units.is_empty():
        return Estimate.unknown("no scenario has items of both policies")
    missing = {side: int(units[f"{side}_missing"].sum()) for side in (later, earlier)}
    least = (units[f"{later}_low"] - units[f"{earlier}_high"]).to_numpy()
    most = (units[f"{later}_high"] - units[f"{earlier}_low"]).to_numpy()
    if not any(missing.values()):
        return estimate(mean_change(least, confidence), "")
    told = " and ".join(f"{n} {'label' if n == 1 else 'labels'} of {_NAMES[side]}" for side, n in missing.items() if n)
    return Estimate(
        low=round(change_bounds(least, confidence).low, _DECIMALS),
        high=round(change_bounds(most, confidence).high, _DECIMALS),
        because=f"{told} are missing: only bounds are known",
    )


_NAMES = {
    "b_p": "the baseline by the pinned judge",
    "b_q": "the baseline by the current judge",
    "c_p": "the candidate by the pinned judge",
    "c_q": "the candidate by the current judge",
}
