"""Agreement beyond chance, for two raters and for a panel, with intervals that never have zero width.

Intervals: weights over the items are uniform on the simplex (the Bayesian bootstrap, Rubin 1981, Ann. Statist.
9:130), with one item added that disagrees for the lower limit and one that agrees for the upper, as RULE 4.3 does for
a mean. The textbook's asymptotic intervals have zero width where raters agree on all of a few items, which is where
they are needed. The draws are a fixed function of the counts.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from litmus_nb.stats.paired import clopper_pearson
from litmus_nb.stats.rates import Bounded

__all__ = ["TwoRaters", "cohen_kappa", "gwet_ac1", "krippendorff_alpha", "krippendorff_alpha_of_two", "raw_agreement"]

DRAWS = 8_000


@dataclass(frozen=True)
class TwoRaters:
    """How two raters label the same items: counts of items."""

    both_yes: int
    only_first: int
    """The first says yes, the second no."""
    only_second: int
    both_no: int

    @property
    def n(self) -> int:
        """Items that both labelled."""
        return self.both_yes + self.only_first + self.only_second + self.both_no

    @property
    def cells(self) -> NDArray[np.float64]:
        """both_yes, only_first, only_second, both_no."""
        return np.array([self.both_yes, self.only_first, self.only_second, self.both_no], dtype=np.float64)


def raw_agreement(table: TwoRaters, confidence: float) -> Bounded | None:
    """The share of items on which both agree, with Clopper and Pearson's interval; None where there is no item."""
    if table.n == 0:
        return None
    share = clopper_pearson(table.both_yes + table.both_no, table.n, confidence)
    return Bounded(share.rate, share.low, share.high)


def cohen_kappa(table: TwoRaters, confidence: float) -> Bounded | None:
    """Cohen (1960), Educ. Psychol. Meas. 20:37, equation 1: (po - pe) / (1 - pe), chance from each rater's own rates.

    None where it is undefined (0/0): no item, or both raters gave one and the same label to every item.
    """
    return _bounded(_kappa, table, confidence)


def gwet_ac1(table: TwoRaters, confidence: float) -> Bounded | None:
    """Gwet (2008), Br. J. Math. Stat. Psychol. 61:29, equation 3, for two raters and two labels; None without an item.

    Chance is 2 q (1 - q) with q the mean rate of yes. Unlike kappa it does not collapse where nearly all items have one
    label.
    """
    return _bounded(_ac1, table, confidence)


def krippendorff_alpha_of_two(table: TwoRaters, confidence: float) -> Bounded | None:
    """Krippendorff's alpha of two raters, no label missing; None where all labels are one, or there is no item."""
    return _bounded(lambda cells: _alpha(cells, table.n), table, confidence)


def krippendorff_alpha(n_yes: ArrayLike, n_no: ArrayLike, confidence: float) -> Bounded | None:
    """Krippendorff's alpha of any number of raters, each of whom may have left items out.

    Nominal alpha is 1 - Do / De from the coincidences of labels within items: Krippendorff (2011), Computing
    Krippendorff's Alpha-Reliability, section C. Items with a single label take no part.

    Args:
        n_yes: yeses of each item, whole numbers.
        n_no: noes of each item, in the same order.
        confidence: two-sided.

    Returns:
        None where it is undefined: no item with two labels, or all labels are one.

    Raises:
        ValueError: the arrays differ in length or a count is negative.
    """
    yes, no = np.asarray(n_yes, dtype=np.float64), np.asarray(n_no, dtype=np.float64)
    if yes.shape != no.shape or yes.ndim != 1 or (yes.size and min(yes.min(), no.min()) < 0):
        raise ValueError("one count of yeses and one of noes an item, none negative")
    is_pairable = yes + no >= 2
    kinds, items = np.unique(np.stack([yes[is_pairable], no[is_pairable]], axis=1), axis=0, return_counts=True)
    if not len(kinds) or not kinds[:, 0].any() or not kinds[:, 1].any():
        return None
    usual = int(np.median((kinds[:, 0] + kinds[:, 1]).repeat(items)))
    value = _panel_alpha(items[np.newaxis, :].astype(np.float64), kinds, _labels(items, kinds))[0]
    worst = [(usual // 2, usual - usual // 2)]
    best = [(usual, 0), (0, usual)]
    level = (1.0 - confidence) / 2.0
    low = min(_panel_quantile(items, kinds, added, level) for added in worst)
    high = max(_panel_quantile(items, kinds, added, 1.0 - level) for added in best)
    return Bounded(float(value), min(low, float(value)), max(high, float(value)))


_Coefficient = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""From rows of cell weights to the coefficient of each row; NaN where it is 0/0."""


def _bounded(coefficient: _Coefficient, table: TwoRaters, confidence: float) -> Bounded | None:
    if table.n == 0:
        return None
    value = float(coefficient(table.cells[np.newaxis, :])[0])
    if np.isnan(value):
        return None
    level = (1.0 - confidence) / 2.0
    low = min(_quantile(coefficient, table, added, level) for added in (1, 2))
    high = max(_quantile(coefficient, table, added, 1.0 - level) for added in (0, 3))
    return Bounded(value, min(low, value), max(high, value))


def _quantile(coefficient: _Coefficient, table: TwoRaters, added: int, level: float) -> float:
    """The quantile of the coefficient over the weights, with one item added to the cell of that place."""
    shapes = table.cells
    shapes[added] += 1
    drawn = coefficient(_gammas(shapes, shapes.tolist()))
    return float(np.quantile(np.where(np.isnan(drawn), 1.0, drawn), level))


def _gammas(shapes: NDArray[np.float64], seeding: Sequence[object]) -> NDArray[np.float64]:
    """DRAWS rows of independent gammas, which are Dirichlet weights up to their sum; a shape of 0 has weight 0."""
    seed = int.from_bytes(hashlib.sha256(repr(seeding).encode()).digest(), "big")
    drawn = np.random.Generator(np.random.PCG64(seed)).standard_gamma(
        np.where(shapes > 0, shapes, 1.0), (DRAWS, len(shapes))
    )
    return np.where(shapes > 0, drawn, 0.0)


def _shares(cells: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Observed agreement, and the rates of yes of both raters."""
    shares = cells / cells.sum(axis=1, keepdims=True)
    return shares[:, 0] + shares[:, 3], shares[:, 0] + shares[:, 1], shares[:, 0] + shares[:, 2]


def _over(observed: NDArray[np.float64], expected: NDArray[np.float64]) -> NDArray[np.float64]:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(expected < 1.0 - 1e-15, (observed - expected) / (1.0 - expected), np.nan))


def _kappa(cells: NDArray[np.float64]) -> NDArray[np.float64]:
    observed, first, second = _shares(cells)
    return _over(observed, first * second + (1.0 - first) * (1.0 - second))


def _ac1(cells: NDArray[np.float64]) -> NDArray[np.float64]:
    observed, first, second = _shares(cells)
    mean = (first + second) / 2.0
    return _over(observed, 2.0 * mean * (1.0 - mean))


def _alpha(cells: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    observed, first, second = _shares(cells)
    mean = (first + second) / 2.0
    expected = 2.0 * mean * (1.0 - mean) * 2 * n / (2 * n - 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(expected > 1e-15, 1.0 - (1.0 - observed) / expected, np.nan))


def _labels(items: NDArray[np.int64], kinds: NDArray[np.float64]) -> float:
    return float(items @ kinds.sum(axis=1))


def _panel_alpha(weights: NDArray[np.float64], kinds: NDArray[np.float64], labels: float) -> NDArray[np.float64]:
    """Alpha for each row of item weights; `kinds` has the yeses and noes of each kind, `labels` counts all labels."""
    yes, no = kinds[:, 0], kinds[:, 1]
    each = yes + no
    all_labels = weights @ each
    observed = weights @ (2.0 * yes * no / (each - 1.0)) / all_labels
    expected = 2.0 * (weights @ yes) * (weights @ no) / all_labels**2 * labels / (labels - 1.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(expected > 1e-15, 1.0 - observed / expected, 1.0))


def _panel_quantile(
    items: NDArray[np.int64], kinds: NDArray[np.float64], added: tuple[int, int], level: float
) -> float:
    every = np.vstack([kinds, np.array(added, dtype=np.float64)])
    shapes = np.append(items.astype(np.float64), 1.0)
    drawn = _panel_alpha(_gammas(shapes, [shapes.tolist(), every.tolist()]), every, _labels(items, kinds))
    return float(np.quantile(drawn, level))
