"""Section 7: does the judge still label the anchors as it did when it was pinned?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from litmus_nb.contracts.anchors import Anchor, AnchorTally
from litmus_nb.contracts.suite import Anchors
from litmus_nb.stats.behaviour import Behaviour, Relabelled, Tolerances, behaviour_of

__all__ = ["judge_behaviour"]


def judge_behaviour(
    anchors: Sequence[Anchor],
    tally: AnchorTally,
    settings: Anchors,
    *,
    confidence: float,
    with_power: bool | None = None,
    with_intervals: bool = True,
) -> Behaviour:
    """How the judge of a run labels the anchors, against its pinned labels and against the humans.

    Args:
        anchors: the suite's, at least one, each with as many pinned labels as the others.
        tally: the run's labels of exactly these anchors, as many judgements of each.
        settings: tolerance, floor and whether power is asked for.
        confidence: two-sided, of the intervals (the gate's).
        with_power: whether the power is worked out; by default only where it is asked for.
        with_intervals: False leaves out the intervals that no sign of drift depends on; it is much faster.

    Raises:
        ValueError: the anchors are none, or the tally is not about them.
    """
    return behaviour_of(
        _relabelled(anchors, tally),
        Tolerances(settings.max_fnr_rise, settings.min_agreement),
        confidence=confidence,
        with_power=settings.require_power if with_power is None else with_power,
        with_intervals=with_intervals,
    )


def _relabelled(anchors: Sequence[Anchor], tally: AnchorTally) -> Relabelled:
    rows: Mapping[str, tuple[int, int, int]] = {
        row["item_id"]: (row["n_yes"], row["n_no"], row["n_unlabelled"]) for row in tally.per_item.iter_rows(named=True)
    }
    if not anchors or set(rows) != {anchor.item_id for anchor in anchors}:
        raise ValueError("labels of exactly the suite's anchors are expected, and at least one")
    judgements = {sum(row) for row in rows.values()}
    pinned = {anchor.pinned_yes + anchor.pinned_no for anchor in anchors}
    if len(judgements) != 1 or len(pinned) != 1:
        raise ValueError("as many labels of each anchor as of the others are expected")
    return Relabelled(
        classes=np.array([anchor.scenario_class for anchor in anchors]),
        is_positive=np.array([anchor.human_majority is True for anchor in anchors]),
        is_negative=np.array([anchor.human_majority is False for anchor in anchors]),
        pinned_yes=np.array([anchor.pinned_yes for anchor in anchors], dtype=np.int64),
        now_yes=np.array([rows[anchor.item_id][0] for anchor in anchors], dtype=np.int64),
        now_no=np.array([rows[anchor.item_id][1] for anchor in anchors], dtype=np.int64),
        n_pinned=pinned.pop(),
        n_now=judgements.pop(),
    )
