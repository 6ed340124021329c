"""Does whoever labels still label as before? Rises of error rates and loss of agreement, apart from chance.

Every class of items is looked at, and all items together. A look declares a drift by either of two signs:

* the miss rate: the lower bound of its rise (RULE 4.3, as a paired change over the truly positive items) is above the
  tolerance;
* agreement with the earlier labels is below its floor;

each only where chance would not do as much. The second condition keeps the alarm honest: a labeller that is a little
noisy differs from its own earlier labels nearly every time. The labels of one that did not change could be exchanged
between then and now, so its chance to look this bad is known exactly (`litmus_nb.stats.exchange`); it must be at most
1 % divided by twice the number of looks. So one that did not change is called drifted in at most 1 % of comparisons,
however noisy it is. docs/decisions/ has the tests that were compared, and their power.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from litmus_nb.stats.exchange import agreement_chance, fall_chance, floor_chance
from litmus_nb.stats.rates import change_bounds, mean_bounds
from litmus_nb.stats.rise_power import power_of_rise

__all__ = [
    "FALSE_ALARM",
    "POWER_ASKED",
    "Behaviour",
    "BehaviourLook",
    "Relabelled",
    "Tolerances",
    "behaviour_of",
    "greatest_chance_of_a_sign",
]

FALSE_ALARM = 0.01
"""How often, at most, one that did not change is called drifted in a comparison."""
POWER_ASKED = 0.8
"""The items suffice where a rise by the tolerance's size beyond what is tolerated is declared this often."""
_DECIMALS = 9  # RULE 4.3: rounded before anything is compared


def greatest_chance_of_a_sign(classes: int) -> float:
    """With what probability, at most, one sign may be chance to count, 0 to 1: of two signs in each class and over all.

    Bonferroni's share of 1 %, so that an unchanged judge is called drifted in at most 1 % of comparisons.
    """
    return FALSE_ALARM / (2 * (classes + 1))


@dataclass(frozen=True)
class Relabelled:
    """Items that were labelled before and now, as arrays with one entry an item."""

    classes: NDArray[np.str_]
    is_positive: NDArray[np.bool_]
    """The truth is yes."""
    is_negative: NDArray[np.bool_]
    """The truth is no. An item may be neither: then it counts towards agreement alone."""
    pinned_yes: NDArray[np.int64]
    """Yeses among the `n_pinned` earlier labels."""
    now_yes: NDArray[np.int64]
    now_no: NDArray[np.int64]
    """The rest of the `n_now` present labels are unknown; each counts as a miss and as a disagreement."""
    n_pinned: int
    n_now: int

    def of(self, chosen: NDArray[np.bool_]) -> Relabelled:
        """Some of the items."""
        return Relabelled(
            self.classes[chosen], self.is_positive[chosen], self.is_negative[chosen], self.pinned_yes[chosen],
            self.now_yes[chosen], self.now_no[chosen], self.n_pinned, self.n_now,
        )  # fmt: skip


@dataclass(frozen=True)
class Tolerances:
    """What is tolerated."""

    max_rise: float
    """Of the miss rate, 0 to 1."""
    min_agreement: float
    """With the earlier labels, 0 to 1."""


@dataclass(frozen=True)
class BehaviourLook:
    """A class of items, or all of them. Rates are fractions; None means undefined, or not worked out."""

    name: str | None
    """None: all items."""
    n_items: int
    n_positive: int
    """Items whose truth is yes."""
    n_negative: int
    agreement: float | None
    """With the pinned labels, 0 to 1: the mean share of pairs (pinned, now) that agree."""
    agreement_low: float | None
    agreement_high: float | None
    pinned_self_agreement: float | None
    """The same among the pinned labels themselves; None where each item has only one."""
    agreement_chance: float | None
    """How often one that did not change would agree this little, at most."""
    fnr_pinned: float | None
    """Share of yeses that are missed, over the positive items."""
    fnr_now: float | None
    fnr_rise: float | None
    fnr_rise_low: float | None
    fnr_rise_high: float | None
    fnr_chance: float | None
    """How often one that did not change would miss this much more, at most."""
    fpr_pinned: float | None
    fpr_now: float | None
    fpr_rise: float | None
    fpr_rise_low: float | None
    fpr_rise_high: float | None
    power: float | None
    """How often a rise of the miss rate by twice the tolerance would be declared. None: not worked out, or no
    positive item."""
    has_fnr_risen: bool
    has_agreement_fallen: bool
    has_power: bool


@dataclass(frozen=True)
class Behaviour:
    """Every look, all items together first, then class by class in order of their names."""

    looks: tuple[BehaviourLook, ...]
    n_pinned: int
    """Earlier labels of each item."""
    n_now: int
    """Present labels of each item."""
    n_unlabelled: int
    """Present labels that are unknown."""
    confidence: float
    chance_limit: float
    """What the chance of one that did not change must be at most, for each single look, before it is called a drift."""
    power_asked: float
    """The items suffice where `power` is at least this."""

    @property
    def has_drifted(self) -> bool:
        """Whether any look declares a drift."""
        return any(look.has_fnr_risen or look.has_agreement_fallen for look in self.looks)


@dataclass(frozen=True)
class _Terms:
    tolerances: Tolerances
    confidence: float
    chance_limit: float
    with_power: bool
    with_intervals: bool


def behaviour_of(
    items: Relabelled,
    tolerances: Tolerances,
    *,
    confidence: float,
    with_power: bool = False,
    with_intervals: bool = True,
) -> Behaviour:
    """How items are labelled now, against how they were labelled before and against the truth.

    Args:
        items: at least one.
        tolerances: of the miss rate's rise and of the agreement.
        confidence: two-sided, of the intervals.
        with_power: whether the power is worked out.
        with_intervals: False leaves out the intervals that no sign of drift depends on; it is much faster.

    Raises:
        ValueError: there is no item.
    """
    if not len(items.classes):
        raise ValueError("at least one item")
    names = sorted(set(items.classes.tolist()))
    chance_limit = greatest_chance_of_a_sign(len(names))
    terms = _Terms(tolerances, confidence, chance_limit, with_power, with_intervals)
    looks = [_look(None, items, terms)]
    looks += [_look(name, items.of(items.classes == name), terms) for name in names]
    unlabelled = len(items.classes) * items.n_now - int(items.now_yes.sum() + items.now_no.sum())
    return Behaviour(tuple(looks), items.n_pinned, items.n_now, unlabelled, confidence, chance_limit, POWER_ASKED)


def _look(name: str | None, items: Relabelled, terms: _Terms) -> BehaviourLook:
    positive, negative = items.of(items.is_positive), items.of(items.is_negative)
    agreement = _agreement(items, terms)
    missed = _missed(positive, terms)
    alarmed = _false_alarms(negative, terms)
    power = _power(positive, terms) if terms.with_power and len(positive.classes) else None
    return BehaviourLook(
        name=name,
        n_items=len(items.classes),
        n_positive=len(positive.classes),
        n_negative=len(negative.classes),
        agreement=agreement.value,
        agreement_low=agreement.low,
        agreement_high=agreement.high,
        pinned_self_agreement=_self_agreement(items),
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
        and missed.low > terms.tolerances.max_rise,
        has_agreement_fallen=agreement.chance <= terms.chance_limit
        and agreement.value < terms.tolerances.min_agreement,
        has_power=power is not None and power >= POWER_ASKED,
    )


@dataclass(frozen=True)
class _Agreement:
    """With the earlier labels; and how often one that did not change would agree this little."""

    value: float
    chance: float
    low: float | None = None
    high: float | None = None


def _agreement(items: Relabelled, terms: _Terms) -> _Agreement:
    pinned_no = items.n_pinned - items.pinned_yes
    agreeing = items.pinned_yes * items.now_yes + pinned_no * items.now_no
    shares = agreeing / (items.n_pinned * items.n_now)
    # An unknown label agrees with none; for the exchange it becomes the one that fewer earlier labels have.
    unlabelled = items.n_now - items.now_yes - items.now_no
    now_yes = items.now_yes + np.where(items.pinned_yes < pinned_no, unlabelled, 0)
    chance = agreement_chance(items.pinned_yes, items.n_pinned, now_yes, items.n_now)
    if chance is None:
        disagreeing = int((shares < 1.0).sum())
        chance = floor_chance(disagreeing, len(shares), terms.tolerances.min_agreement)
    value = _rounded(float(shares.mean()))
    if not terms.with_intervals:
        return _Agreement(value, chance)
    bounds = mean_bounds(shares, terms.confidence)
    return _Agreement(value, chance, _rounded(bounds.low), _rounded(bounds.high))


@dataclass(frozen=True)
class _Change:
    """A rate before and now; None where there is no item to measure it on."""

    before: float | None = None
    after: float | None = None
    rise: float | None = None
    low: float | None = None
    high: float | None = None
    chance: float | None = None


def _missed(positive: Relabelled, terms: _Terms) -> _Change:
    """The miss rate: an unknown label has missed too."""
    if not len(positive.classes):
        return _Change()
    chance = fall_chance(positive.pinned_yes, positive.n_pinned, positive.now_yes, positive.n_now)
    now = 1 - positive.now_yes / positive.n_now
    return _change(1 - _pinned_share(positive), now, chance, terms)


def _false_alarms(negative: Relabelled, terms: _Terms) -> _Change:
    """The rate of false alarms: an unknown label is taken for one."""
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


def _self_agreement(items: Relabelled) -> float | None:
    n = items.n_pinned
    if n == 1:
        return None
    yes, no = items.pinned_yes, n - items.pinned_yes
    return _rounded(float(((yes * (yes - 1) + no * (no - 1)) / (n * (n - 1))).mean()))


def _power(positive: Relabelled, terms: _Terms) -> float:
    """Of a rise by the tolerance's size beyond what is tolerated, with the noise that the earlier labels show."""
    tolerance = terms.tolerances.max_rise
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


def _pinned_share(items: Relabelled) -> NDArray[np.float64]:
    return np.asarray(items.pinned_yes / items.n_pinned, dtype=np.float64)


def _mean(values: NDArray[np.float64]) -> float:
    return _rounded(float(values.mean()))


def _rounded(value: float) -> float:
    return round(value, _DECIMALS)
