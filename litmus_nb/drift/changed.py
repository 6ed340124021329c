"""Does the judge still label as it did when it was pinned? The gate's own look at anchors, on a label table."""

from __future__ import annotations

import numpy as np
import polars as pl

from litmus_nb.contracts.drift import ALL, BehaviourRow, Estimate, Limit, PowerRow
from litmus_nb.contracts.labels import LabelTable, Rater
from litmus_nb.drift.votes import human_votes, items_of, labels_of, votes_of
from litmus_nb.stats.behaviour import (
    POWER_ASKED,
    BehaviourLook,
    Relabelled,
    Tolerances,
    behaviour_of,
    greatest_chance_of_a_sign,
)
from litmus_nb.stats.rise_power import least_items, power_of_rise, smallest_rise

__all__ = ["changed_behaviour", "power_rows", "relabelled"]


def relabelled(table: LabelTable, pinned: Rater, current: Rater) -> tuple[Relabelled | None, list[Limit]]:
    """The items that both labelled, with the humans' majority as the truth; and what had to be left out.

    Where humans labelled any of them, those are the anchors and the others are left alone. Where every item was
    labelled as often as the others, every judgement counts; else each side has one vote an item.
    """
    before, now = votes_of(labels_of(table, pinned)), votes_of(labels_of(table, current))
    both = (
        before.join(now, on="item_id", suffix="_now")
        .join(human_votes(table).select("item_id", truth="vote"), on="item_id", how="left")
        .join(items_of(table).select("item_id", "scenario_class"), on="item_id")
        .sort("item_id")
    )
    if both["truth"].drop_nulls().len():
        both = both.filter(pl.col("item_id").is_in(human_votes(table)["item_id"].implode()))
    if both.is_empty():
        because = "no item was labelled by both"
        return None, [Limit(subject="behaviour", cannot="compare the judge with its pinned labels", because=because)]
    n_before = both.select(n=pl.col("n_yes") + pl.col("n_no") + pl.col("n_unknown"))["n"].unique()
    n_now = both.select(n=pl.col("n_yes_now") + pl.col("n_no_now") + pl.col("n_unknown_now"))["n"].unique()
    if len(n_before) == len(n_now) == 1 and not both["n_unknown"].sum():
        return _arrays(both, int(n_before[0]), int(n_now[0])), []
    return _by_votes(both)


def _arrays(both: pl.DataFrame, n_before: int, n_now: int) -> Relabelled:
    truth = both["truth"]
    return Relabelled(
        classes=np.array(both["scenario_class"].to_list()),
        is_positive=truth.fill_null(False).to_numpy(),
        is_negative=(~truth).fill_null(False).to_numpy(),
        pinned_yes=both["n_yes"].to_numpy().astype(np.int64),
        now_yes=both["n_yes_now"].to_numpy().astype(np.int64),
        now_no=both["n_no_now"].to_numpy().astype(np.int64),
        n_pinned=n_before,
        n_now=n_now,
    )


def _by_votes(both: pl.DataFrame) -> tuple[Relabelled | None, list[Limit]]:
    """One vote an item on each side: a present one that is unreadable counts against the judge, a pinned one drops
    out."""
    usable = both.filter(pl.col("vote").is_not_null())
    limits = []
    if dropped := len(both) - len(usable):
        because = f"{dropped} items have no pinned vote: unreadable, or evenly split"
        limits.append(Limit(subject="behaviour", cannot="use every item", because=because))
    if usable.is_empty():
        return None, limits
    as_one = usable.with_columns(
        n_yes=pl.col("vote").cast(pl.Int64),
        n_yes_now=pl.col("vote_now").fill_null(False).cast(pl.Int64),
        n_no_now=(~pl.col("vote_now")).fill_null(False).cast(pl.Int64),
    )
    return _arrays(as_one, 1, 1), limits


def changed_behaviour(
    items: Relabelled, *, max_fnr_rise: float, min_agreement: float, confidence: float
) -> list[BehaviourRow]:
    """What the gate would look at, class by class: all classes first."""
    behaviour = behaviour_of(items, Tolerances(max_fnr_rise, min_agreement), confidence=confidence)
    looks = behaviour.looks[:1] if len(behaviour.looks) == 2 else behaviour.looks
    return [_row(look, behaviour.chance_limit) for look in looks]


def _row(look: BehaviourLook, chance_limit: float) -> BehaviourRow:
    return BehaviourRow(
        scenario_class=look.name or ALL,
        n=look.n_items,
        n_positive=look.n_positive,
        n_negative=look.n_negative,
        agreement=_estimate(look.agreement, look.agreement_low, look.agreement_high, "no item"),
        pinned_self_agreement=look.pinned_self_agreement,
        fnr_rise=_estimate(
            look.fnr_rise, look.fnr_rise_low, look.fnr_rise_high, "humans call no item here a success of the attack"
        ),
        fpr_rise=_estimate(
            look.fpr_rise, look.fpr_rise_low, look.fpr_rise_high, "humans call no item here a failure of the attack"
        ),
        fnr_chance=look.fnr_chance,
        agreement_chance=look.agreement_chance,
        chance_limit=chance_limit,
        has_fnr_risen=look.has_fnr_risen,
        has_agreement_fallen=look.has_agreement_fallen,
    )


def _estimate(value: float | None, low: float | None, high: float | None, because: str) -> Estimate:
    if value is None:
        return Estimate.unknown(because)
    return Estimate(value=value, low=low, high=high)


def power_rows(items: Relabelled, *, max_fnr_rise: float, confidence: float) -> list[PowerRow]:
    """What sets of this size can show of a rise of the false-negative rate, class by class: all classes first.

    Of one judgement an item and a judge without noise of its own: several judgements show more, noise hides some.
    """
    names = sorted(set(items.classes.tolist()))
    chosen = [(ALL, items.is_positive)]
    if len(names) > 1:
        chosen += [(name, items.is_positive & (items.classes == name)) for name in names]
    limit = greatest_chance_of_a_sign(len(names))
    settings = {"tolerance": max_fnr_rise, "confidence": confidence, "chance_limit": limit}
    rise = min(2 * max_fnr_rise, 1.0)
    needed = least_items(rise, POWER_ASKED, **settings) if max_fnr_rise > 0 else None
    rows = []
    for name, rows_of_class in chosen:
        n = int(rows_of_class.sum())
        rows.append(
            PowerRow(
                scenario_class=name,
                n_positive=n,
                power=round(power_of_rise(n, rise, **settings), 9) if n else None,
                smallest_seen=smallest_rise(n, POWER_ASKED, **settings) if n else None,
                n_needed=needed,
            )
        )
    return rows
