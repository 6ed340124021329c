"""The interval of RULE 4.3 for a mean of values in [0, 1]: on yes/no data it is Clopper and Pearson's."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from litmus_nb.stats.bound import Bounds, gaffke_bounds
from litmus_nb.stats.deltas import DeltaCounts

__all__ = ["Bounded", "change_bounds", "mean_bounds", "mean_change", "mean_rate"]


@dataclass(frozen=True)
class Bounded:
    """A value with its two-sided interval, not rounded: low <= value <= high but for rounding."""

    value: float
    low: float
    high: float


def mean_rate(values: ArrayLike, confidence: float) -> Bounded:
    """The mean of one value in [0, 1] per unit with the interval of RULE 4.3. Raises as `mean_bounds`."""
    bounds = mean_bounds(values, confidence)
    return Bounded(float(np.mean(np.asarray(values, dtype=np.float64))), bounds.low, bounds.high)


def mean_change(changes: ArrayLike, confidence: float) -> Bounded:
    """The mean of one change in [-1, 1] per unit with the interval of RULE 4.3. Raises as `change_bounds`."""
    bounds = change_bounds(changes, confidence)
    return Bounded(float(np.mean(np.asarray(changes, dtype=np.float64))), bounds.low, bounds.high)


def mean_bounds(values: ArrayLike, confidence: float) -> Bounds:
    """Both bounds of the mean of one value in [0, 1] per unit, at two-sided `confidence`; within [0, 1].

    The values are stretched to [-1, 1], so that the worst possible unit added on either side is a 0 or a 1.

    Raises:
        ValueError: no value, or one outside [0, 1].
    """
    stretched = 2.0 * np.asarray(values, dtype=np.float64) - 1.0
    bounds = change_bounds(stretched, confidence)
    return Bounds(low=(bounds.low + 1.0) / 2.0, high=(bounds.high + 1.0) / 2.0)


def change_bounds(changes: ArrayLike, confidence: float) -> Bounds:
    """Both bounds of the mean of one change in [-1, 1] per unit, at two-sided `confidence`.

    Raises:
        ValueError: no value, or one outside [-1, 1].
    """
    counts = DeltaCounts.of(changes)
    return gaffke_bounds(counts, counts, confidence)
