"""How often chance alone separates earlier labels from later ones, exactly: nothing but the order of labels is assumed.

Each item has r0 earlier and r1 later yes/no labels. If whoever labels did not change, the r0 + r1 labels of an item
are exchangeable, however noisy they are and however items differ; so given the number of yeses of an item, those among
its later labels are hypergeometric. The sums over items are convolved by one Fourier transform. For r0 = r1 = 1 the
first test is McNemar's, one-sided; in general it is the exact conditional test of stratified 2x2 tables with the items
as strata (Birch 1964, J. R. Statist. Soc. B 26:313; Cochran 1954, Biometrics 10:417).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

__all__ = ["agreement_chance", "fall_chance", "floor_chance"]

_ROUNDING = 1e-12
"""What the transform's rounding may add to a probability; added back, so that a chance is never understated."""


def fall_chance(earlier_yes: ArrayLike, n_earlier: int, later_yes: ArrayLike, n_later: int) -> float:
    """How likely so few yeses are among the later labels, if nothing changed: P(sum <= seen), in (0, 1].

    Args:
        earlier_yes: yeses among the `n_earlier` earlier labels, one whole number an item.
        n_earlier: labels of each item before, at least 1.
        later_yes: yeses among the `n_later` later labels, in the same order of items.
        n_later: labels of each item after, at least 1.

    Returns:
        The exact one-sided p-value; 1 where there is no item.

    Raises:
        ValueError: the arrays differ in length, or a count is impossible.
    """
    before, after = _counts(earlier_yes, n_earlier, later_yes, n_later)
    totals, items = np.unique(before + after, return_counts=True)
    scores = [np.arange(n_later + 1) for _ in totals]
    chances = [_hypergeometric(int(total), n_earlier, n_later) for total in totals]
    return _at_most(scores, chances, items, int(after.sum()))


def agreement_chance(earlier_yes: ArrayLike, n_earlier: int, later_yes: ArrayLike, n_later: int) -> float | None:
    """How likely earlier and later labels agree so little, if nothing changed: P(agreeing pairs <= seen), in (0, 1].

    A pair is one earlier and one later label of one item. Arguments and exceptions are those of `fall_chance`.

    Returns:
        The exact p-value; None for one label before and one after: noise then disagrees as often as change does.
    """
    before, after = _counts(earlier_yes, n_earlier, later_yes, n_later)
    if n_earlier == n_later == 1:
        return None
    totals, items = np.unique(before + after, return_counts=True)
    later = np.arange(n_later + 1)
    scores = [_agreeing_pairs(total - later, n_earlier, later, n_later) for total in totals]
    chances = [_hypergeometric(int(total), n_earlier, n_later) for total in totals]
    return _at_most(scores, chances, items, int(_agreeing_pairs(before, n_earlier, after, n_later).sum()))


def floor_chance(n_disagreeing: int, n: int, floor: float) -> float:
    """How likely so many of `n` items disagree where each agrees with probability `floor`, in (0, 1].

    That is P(Binomial >= seen). Items that differ in their probabilities, with the floor as their mean, reach a number
    well above the mean less often (Hoeffding 1956, Ann. Math. Statist. 27:713, theorem 4).

    Raises:
        ValueError: the counts or the floor are impossible.
    """
    if not 0 <= n_disagreeing <= n or not 0.0 <= floor <= 1.0:
        raise ValueError(f"0 to n of n items and a floor in [0, 1] expected: {n_disagreeing} of {n} at {floor} seen")
    if n_disagreeing == 0:
        return 1.0
    return float(special.bdtrc(n_disagreeing - 1, n, 1.0 - floor))


def _counts(
    earlier_yes: ArrayLike, n_earlier: int, later_yes: ArrayLike, n_later: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    before, after = np.asarray(earlier_yes, dtype=np.int64), np.asarray(later_yes, dtype=np.int64)
    if before.ndim != 1 or before.shape != after.shape:
        raise ValueError(f"one count before and one after an item: {before.shape} and {after.shape} seen")
    if n_earlier < 1 or n_later < 1:
        raise ValueError(f"at least one label before and one after: {n_earlier} and {n_later} seen")
    for counts, most in ((before, n_earlier), (after, n_later)):
        if counts.size and not 0 <= counts.min() <= counts.max() <= most:
            raise ValueError(f"between 0 and {most} yeses an item expected")
    return before, after


def _agreeing_pairs(
    before: NDArray[np.int64], n_earlier: int, after: NDArray[np.int64], n_later: int
) -> NDArray[np.int64]:
    return before * after + (n_earlier - before) * (n_later - after)


def _hypergeometric(total_yes: int, n_earlier: int, n_later: int) -> NDArray[np.float64]:
    """The chances of 0..n_later yeses among the later labels, given the yeses of the item."""
    later = np.arange(n_later + 1)
    earlier = total_yes - later
    is_possible = (earlier >= 0) & (earlier <= n_earlier)
    ways = np.where(
        is_possible, special.comb(n_later, later) * special.comb(n_earlier, np.where(is_possible, earlier, 0)), 0.0
    )
    return np.asarray(ways / ways.sum(), dtype=np.float64)


def _at_most(
    scores: list[NDArray[np.int64]], chances: list[NDArray[np.float64]], items: NDArray[np.int64], seen: int
) -> float:
    """P(sum of independent scores <= seen); kind v of item has `scores[v]` with `chances[v]`, `items[v]` times."""
    if not scores:
        return 1.0
    lowest = [int(score[chance > 0].min()) for score, chance in zip(scores, chances, strict=True)]
    spans = [int(score[chance > 0].max()) - low for score, chance, low in zip(scores, chances, lowest, strict=True)]
    size = 1 << int(np.dot(spans, items)).bit_length()
    transform = np.ones(size // 2 + 1, dtype=np.complex128)
    for score, chance, low, number in zip(scores, chances, lowest, items, strict=True):
        one = np.zeros(size)
        is_possible = chance > 0
        np.add.at(one, score[is_possible] - low, chance[is_possible])
        transform *= np.fft.rfft(one) ** int(number)
    masses = np.maximum(np.fft.irfft(transform, size), 0.0)
    reach = seen - int(np.dot(lowest, items))
    return min(1.0, float(masses[: reach + 1].sum()) + _ROUNDING)
