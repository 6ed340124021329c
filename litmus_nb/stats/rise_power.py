"""How often a rise of a rate over paired items would be shown: the power of the lower bound of RULE 4.3."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import special

from litmus_nb.stats.bound import DeltaCounts, tail_probability

__all__ = ["least_items", "power_of_rise", "smallest_rise"]

_LEFT_OUT = 1e-6
"""Probability of outcomes that are not summed; they count as not shown."""
_MOST_ITEMS = 200_000


def power_of_rise(
    n: int, rise: float, *, tolerance: float, confidence: float, flip_rate: float = 0.0, chance_limit: float = 1.0
) -> float:
    """The probability that the lower bound of the mean rise lies above the tolerance, over `n` items.

    The model: an item gets worse by one with probability rise + flip_rate, better by one with flip_rate, else it stays.

    Args:
        n: items, at least 1.
        rise: the true rise, 0 to 1.
        tolerance: what the lower bound must exceed.
        confidence: two-sided, of the interval.
        flip_rate: share of items that an unchanged rater flips each way between two labellings, 0 to 0.5.
        chance_limit: the sign test over flipped items must not exceed it either; 1: no such limit.

    Raises:
        ValueError: an argument lies outside its range.
    """
    worse_rate = rise + flip_rate
    if n < 1 or rise < 0 or flip_rate < 0 or worse_rate + flip_rate > 1:
        raise ValueError(f"n >= 1 and rates that fit together expected: {n}, {rise}, {flip_rate} seen")
    total = 0.0
    for n_better in _likely(n, flip_rate):
        weight = float(_binomial(np.array([n_better]), n, flip_rate)[0])
        rest, share = n - n_better, worse_rate / (1.0 - flip_rate)
        least = _least_worse(n, n_better, tolerance, confidence, chance_limit)
        if least is not None:
            total += weight * (1.0 if least == 0 else float(special.bdtrc(least - 1, rest, min(share, 1.0))))
    return min(1.0, total)


def least_items(
    rise: float, power: float, *, tolerance: float, confidence: float, flip_rate: float = 0.0, chance_limit: float = 1.0
) -> int | None:
    """The fewest items at which `power_of_rise` reaches `power`, to about 2 %; None where 200,000 do not.

    Raises:
        ValueError: as `power_of_rise`.
    """

    def reaches(n: int) -> bool:
        shown = power_of_rise(
            n, rise, tolerance=tolerance, confidence=confidence, flip_rate=flip_rate, chance_limit=chance_limit
        )
        return shown >= power

    high = 8
    while not reaches(high):
        high *= 2
        if high > _MOST_ITEMS:
            return None
    low = high // 2
    while high - low > max(1, high // 50):
        middle = (low + high) // 2
        low, high = (low, middle) if reaches(middle) else (middle, high)
    return high


def _likely(n: int, rate: float) -> range:
    if rate == 0.0:
        return range(1)
    low = int(special.bdtrik(_LEFT_OUT / 2, n, rate))
    high = int(special.bdtrik(1 - _LEFT_OUT / 2, n, rate)) + 1
    return range(max(0, low), min(n, high) + 1)


def _binomial(k: NDArray[np.int64], n: int, p: float) -> NDArray[np.float64]:
    if p == 0.0:
        return np.where(k == 0, 1.0, 0.0)
    ways = special.gammaln(n + 1) - special.gammaln(k + 1) - special.gammaln(n - k + 1)
    return np.asarray(np.exp(ways + special.xlogy(k, p) + special.xlog1py(n - k, -p)), dtype=np.float64)


def _least_worse(n: int, n_better: int, tolerance: float, confidence: float, chance_limit: float) -> int | None:
    """The fewest worsened items at which the rise is shown, given how many got better; None where no number does."""

    def is_shown(n_worse: int) -> bool:
        if float(special.bdtr(n_better, n_better + n_worse, 0.5)) > chance_limit:
            return False
        deltas = DeltaCounts.of([1.0, 0.0, -1.0], [n_better, n - n_worse - n_better, n_worse])
        # The mirror image: deltas negated, a +1 added. The lower bound exceeds the tolerance where this tail is light.
        return tail_probability(deltas, -tolerance) < (1.0 - confidence) / 2.0

    low, high = 0, n - n_better
    if not is_shown(high):
        return None
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if is_shown(middle) else (middle + 1, high)
    return low


def smallest_rise(
    n: int, power: float, *, tolerance: float, confidence: float, flip_rate: float = 0.0, chance_limit: float = 1.0
) -> float | None:
    """The smallest true rise that `n` items show with that power, to 0.001; None where even a rise of 1 is not shown.

    Raises:
        ValueError: as `power_of_rise`.
    """

    def reaches(rise: float) -> bool:
        shown = power_of_rise(
            n, rise, tolerance=tolerance, confidence=confidence, flip_rate=flip_rate, chance_limit=chance_limit
        )
        return shown >= power

    low, high = 0.0, 1.0 - 2 * flip_rate
    if not reaches(high):
        return None
    while high - low > 0.001:
        middle = (low + high) / 2
        low, high = (low, middle) if reaches(middle) else (middle, high)
    return round(high, 3)
