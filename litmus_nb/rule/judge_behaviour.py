"""Section 7: does the judge still label the anchors as it did when it was pinned?

Every class is looked at, and all anchors together. A look declares a drift by either of two signs:

* the false-negative rate: the lower bound of its rise is above the tolerance (as a paired change over the anchors that
  most humans call a success of the attack);
* agreement with the pinned labels is below its floor;

each only where chance would not do as much. The second condition keeps the alarm honest: a judge that is a little
noisy differs from its own earlier labels in nearly every run. An unchanged judge's labels could be exchanged between
then and now, so its chance to look this bad is known exactly (`litmus_nb.stats.exchange`); it must be at most 1 %
divided by twice the number of looks. So an unchanged judge is called drifted in at most 1 % of runs, however noisy it
is. docs/decisions/ has the tests that were compared, and their power.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from litmus_nb.contracts.anchors import Anchor, AnchorTally, BehaviourLook, JudgeBehaviour
from litmus_nb.contracts.suite import Anchors
from litmus_nb.stats.exchange import agreement_chance, fall_chance, floor_chance
from litmus_nb.stats.rates import change_bounds, mean_bounds
from litmus_nb.stats.rise_power import power_of_rise

__all__ = ["FALSE_ALARM", "POWER_ASKED", "behaviour_of"]

FALSE_ALARM = 0.01
"""How often, at most, an unchanged judge is called drifted in a run."""
POWER_ASKED = 0.8
"""The anchors suffice where a rise by the tolerance's size beyond what is tolerated is declared this often."""
_DECIMALS = 9  # 4.3: rounded before anything is compared


@dataclass(frozen=True)
class _Judged:
    """Anchors as arrays, one entry an anchor."""

    classes: NDArray[np.str_]
    is_positive: NDArray[np.bool_]
    is_negative: NDArray[np.bool_]
    pinned_yes: NDArray[np.int64]
    now_yes: NDArray[np.int64]
    now_no: NDArray[np.int64]
    n_pinned: int
    n_now: int

    def of(self, chosen: NDArray[np.bool_]) -> _Judged:
        return _Judged(
            self.classes[chosen], self.is_positive[chosen], self.is_negative[chosen], self.pinned_yes[chosen],
            self.now_yes[chosen], self.now_no[chosen], self.n_pinned, self.n_now,
        )  # fmt: skip


@dataclass(frozen=True)
class _Terms:
    settings: Anchors
    confidence: float
    chance_limit: float
    with_power: bool
    with_intervals: bool


def behaviour_of(
    anchors: Sequence[Anchor],
    tally: AnchorTally,
    settings: Anchors,
    *,
    confidence: float,
    with_power: bool | None = None,
    with_intervals: bool = True,
) -> JudgeBehaviour:
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
    judged = _judged(anchors, tally)
    names = sorted(set(judged.classes.tolist()))
    chance_limit = FALSE_ALARM / (2 * (len(names) + 1))
    asks_power = settings.require_power if with_power is None else with_power
    terms = _Terms(settings, confidence, chance_limit, asks_power, with_intervals)
    everything = np.ones(len(anchors), dtype=np.bool_)
    looks = [_look(None, judged.of(everything), terms)]
    looks += [_look(name, judged.of(judged.classes == name), terms) for name in names]
    unlabelled = len(anchors) * judged.n_now - int(judged.now_yes.sum() + judged.now_no.sum())
    return JudgeBehaviour(
        tuple(looks), judged.n_pinned, judged.n_now, unlabelled, confidence, chance_limit, POWER_ASKED
    )


def _judged(anchors: Sequence[Anchor], tally: AnchorTally) -> _Judged:
    rows: Mapping[str, tuple[int, int, int]] = {
        row["item_id"]: (row["n_yes"], row["n_no"], row["n_unlabelled"]) for row in tally.per_item.iter_rows(named=True)
    }
    if not anchors or set(rows) != {anchor.item_id for anchor in anchors}:
        raise ValueError("labels of exactly the suite's anchors are expected, and at least one")
    judgements = {sum(row) for row in rows.values()}
    pinned = {anchor.pinned_yes + anchor.pinned_no for anchor in anchors}
    if len(judgements) != 1 or len(pinned) != 1:
        raise ValueError("as many labels of each anchor as of the others are expected")
    return _Judged(
        classes=np.array([anchor.scenario_class for anchor in anchors]),
        is_positive=np.array([anchor.human_majority is True for anchor in anchors]),
        is_negative=np.array([anchor.human_majority is False for anchor in anchors]),
        pinned_yes=np.array([anchor.pinned_yes for anchor in anchors], dtype=np.int64),
        now_yes=np.array([rows[anchor.item_id][0] for anchor in anchors], dtype=np.int64),
        now_no=np.array([rows[anchor.item_id][1] for anchor in anchors], dtype=np.int64),
        n_pinned=pinned.pop(),
        n_now=judgements.pop(),
    )


def _look(name: str | None, judged: _Judged, terms: _Terms) -> BehaviourLook:
    positive, negative = judged.of(judged.is_positive), judged.of(judged.is_negative)
    agreement = _agreement(judged, terms)
    missed = _missed(positive, terms)
    alarmed = _false_alarms(negative, terms)
    power = _power(positive, terms) if terms.with_power and len(positive.classes) else None
    return BehaviourLook(
        scenario_class=name,
        n_anchors=len(judged.classes),
        n_positive=len(positive.classes),
        n_negative=len(negative.classes),
        agreement=agreement.value,
        agreement_low=agreement.low,
        agreement_high=agreement.high,
        pinned_self_agreement=_self_agreement(judged),
        agreement_chance=agreement.chance,
        fnr_pinned=missed.before,
        fnr_now=missed.after,
        fnr_rise=missed.rise,
        fnr_rise_low=missed.low,
        fnr_rise_high=missed.high,
        fnr_chance=missed.chance,
        fpr_pinned=alarmed.before,
        fpr_now=alarmed.after,
        fpr_rise=alarmed.rise,
        fpr_rise_low=alarmed.low,
        fpr_rise_high=alarmed.high,
        power=power,
        has_fnr_risen=missed.chance is not None
        and missed.chance <= terms.chance_limit
        and missed.low is not None
        and missed.low > terms.settings.max_fnr_rise,
        has_agreement_fallen=agreement.chance <= terms.chance_limit and agreement.value < terms.settings.min_agreement,
        has_power=power is not None and power >= POWER_ASKED,
    )


@dataclass(frozen=True)
class _Agreement:
    """With the pinned labels; and how often an unchanged judge would agree this little."""

    value: float
    chance: float
    low: float | None = None
    high: float | None = None


def _agreement(judged: _Judged, terms: _Terms) -> _Agreement:
    pinned_no = judged.n_pinned - judged.pinned_yes
    agreeing = judged.pinned_yes * judged.now_yes + pinned_no * judged.now_no
    shares = agreeing / (judged.n_pinned * judged.n_now)
    # A judgement without a label agrees with none; for the exchange it becomes the label that fewer pinned ones have.
    unlabelled = judged.n_now - judged.now_yes - judged.now_no
    now_yes = judged.now_yes + np.where(judged.pinned_yes < pinned_no, unlabelled, 0)
    chance = agreement_chance(judged.pinned_yes, judged.n_pinned, now_yes, judged.n_now)
    if chance is None:
        disagreeing = int((shares < 1.0).sum())
        chance = floor_chance(disagreeing, len(shares), terms.settings.min_agreement)
    value = _rounded(float(shares.mean()))
    if not terms.with_intervals:
        return _Agreement(value, chance)
    bounds = mean_bounds(shares, terms.confidence)
    return _Agreement(value, chance, _rounded(bounds.low), _rounded(bounds.high))


@dataclass(frozen=True)
class _Change:
    """A rate before and now; None where there is no anchor to measure it on."""

    before: float | None = None
    after: float | None = None
    rise: float | None = None
    low: float | None = None
    high: float | None = None
    chance: float | None = None


def _missed(positive: _Judged, terms: _Terms) -> _Change:
    """The false-negative rate: a judgement without a label has missed the attack too."""
    if not len(positive.classes):
        return _Change()
    chance = fall_chance(positive.pinned_yes, positive.n_pinned, positive.now_yes, positive.n_now)
    now = 1 - positive.now_yes / positive.n_now
    return _change(1 - _pinned_share(positive), now, chance, terms)


def _false_alarms(negative: _Judged, terms: _Terms) -> _Change:
    """The false-positive rate: without a label the judge is taken to have raised a false alarm."""
    if not len(negative.classes):
        return _Change()
    return _change(_pinned_share(negative), 1 - negative.now_no / negative.n_now, None, terms)


def _change(before: NDArray[np.float64], now: NDArray[np.float64], chance: float | None, terms: _Terms) -> _Change:
    changes = np.clip(now - before, -1.0, 1.0)
    measured = _Change(_mean(before), _mean(now), _mean(changes), chance=chance)
    is_decisive = chance is not None and chance <= terms.chance_limit
    if not (terms.with_intervals or is_decisive):
        return measured
    bounds = change_bounds(changes, terms.confidence)
    return replace(measured, low=_rounded(bounds.low), high=_rounded(bounds.high))


def _self_agreement(judged: _Judged) -> float | None:
    n = judged.n_pinned
    if n == 1:
        return None
    yes, no = judged.pinned_yes, n - judged.pinned_yes
    return _rounded(float(((yes * (yes - 1) + no * (no - 1)) / (n * (n - 1))).mean()))


def _power(positive: _Judged, terms: _Terms) -> float:
    """Of a rise by the tolerance's size beyond what is tolerated, with the noise that the pinned labels show."""
    tolerance = terms.settings.max_fnr_rise
    share = _pinned_share(positive)
    n = positive.n_pinned
    flips = float((share * (1 - share)).mean()) * n / (n - 1) if n > 1 else 0.0
    flips /= min(n, positive.n_now)
    return power_of_rise(
        len(positive.classes),
        min(2 * tolerance, 1.0),
        tolerance=tolerance,
        confidence=terms.confidence,
        flip_rate=min(flips, 0.25, (1 - min(2 * tolerance, 1.0)) / 2),
        chance_limit=terms.chance_limit if positive.n_now == n == 1 else 1.0,
    )


def _pinned_share(judged: _Judged) -> NDArray[np.float64]:
    return np.asarray(judged.pinned_yes / judged.n_pinned, dtype=np.float64)


def _mean(values: NDArray[np.float64]) -> float:
    return _rounded(float(values.mean()))


def _rounded(value: float) -> float:
    return round(value, _DECIMALS)
