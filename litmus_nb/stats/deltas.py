"""The deltas of one class as counts of distinct values: all that an interval needs to know of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["LARGEST_EXACT_N", "DeltaCounts", "noise_floor"]

LARGEST_EXACT_N = 2_000
"""The most units that `stats.exact` bounds. The calibration bench ends there, and beyond there is little to be won."""


@dataclass(frozen=True, eq=False)
class DeltaCounts:
    """The multiset of a class's unit deltas: candidate minus baseline, positive is worse.

    Made by `of`, which is where the checks are.

    Attributes:
        values: the distinct deltas, ascending, float64, within [-1, 1].
        counts: how many units have each of them, int64, all positive.
    """

    values: NDArray[np.float64]
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, values: ArrayLike, counts: ArrayLike | None = None) -> Self:
        """Merge deltas into distinct ascending values with their counts.

        Args:
            values: one delta per unit, or the deltas that `counts` counts; within [-1, 1], in any order.
            counts: whole numbers, none negative, one for each of `values`; absent, each counts once. A value that
                counts zero times is left out.

        Raises:
            ValueError: where nothing is left to count, a delta is not finite or outside [-1, 1], a count is negative or
                not whole, or the two differ in length.
        """
        deltas = np.asarray(values, dtype=np.float64)
        weights = _whole_counts(counts, deltas.size)
        if deltas.ndim != 1 or deltas.shape != weights.shape:
            raise ValueError(f"one delta per count expected, in one dimension: {deltas.shape} and {weights.shape} seen")
        if not np.all(np.isfinite(deltas)):
            raise ValueError("a delta is not a finite number")
        if np.any(np.abs(deltas) > 1.0):
            raise ValueError("a delta lies outside [-1, 1]")
        present = weights > 0
        if not present.any():
            raise ValueError("no deltas: an interval of nothing is undefined")
        # Adding zero turns -0.0 into 0.0, so that equal deltas have equal bytes.
        if counts is None:
            distinct, merged = np.unique(deltas + 0.0, return_counts=True)
            merged = merged.astype(np.int64)
        else:
            distinct, where = np.unique(deltas[present] + 0.0, return_inverse=True)
            merged = np.zeros(distinct.size, dtype=np.int64)
            np.add.at(merged, where, weights[present])
        distinct.flags.writeable = False
        merged.flags.writeable = False
        return cls(values=distinct, counts=merged)

    @property
    def n(self) -> int:
        """The number of units."""
        return int(self.counts.sum())

    @property
    def mean(self) -> float:
        """The mean delta over the units."""
        return math.fsum((self.values * self.counts).tolist()) / self.n

    def negated(self) -> DeltaCounts:
        """The same units with the sides exchanged: every delta times -1."""
        values = 0.0 - self.values[::-1]  # not -values: that has a -0.0
        values.flags.writeable = False
        return DeltaCounts(values=values, counts=self.counts[::-1])

    def __eq__(self, other: object) -> bool:
        """Whether both hold the same deltas equally often."""
        if not isinstance(other, DeltaCounts):
            return NotImplemented
        return np.array_equal(self.values, other.values) and np.array_equal(self.counts, other.counts)

    __hash__ = None  # type: ignore[assignment]  # arrays inside: comparable, but not a key


def noise_floor(deltas: DeltaCounts) -> float:
    """The standard deviation of the weighted mean with a worst and a best possible unit added (RULE 4.4).

    With the N = n + 2 values z (the deltas, +1 and -1) of mean m and weights uniform on the simplex, Dirichlet(1,..,1),
    it is sqrt(mean((z - m)^2) / (N + 1)): Rubin (1981), section 2, the variance of the Bayesian bootstrap's mean.
    It is never zero, and has the unit of a delta.
    """
    units = deltas.n + 2
    centre = math.fsum((deltas.values * deltas.counts).tolist()) / units
    squares = math.fsum((deltas.counts * (deltas.values - centre) ** 2).tolist())
    squares += (1.0 - centre) ** 2 + (1.0 + centre) ** 2
    return math.sqrt(squares / units / (units + 1))


def _whole_counts(counts: ArrayLike | None, size: int) -> NDArray[np.int64]:
    if counts is None:
        return np.ones(size, dtype=np.int64)
    raw: NDArray[Any] = np.asarray(counts)
    if raw.size and raw.dtype.kind not in "iu":
        raise ValueError(f"counts are whole numbers: {raw.dtype} seen")
    weights = raw.astype(np.int64)
    if np.any(weights < 0):
        raise ValueError("a count is negative")
    return weights
