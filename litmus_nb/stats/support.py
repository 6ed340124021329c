"""What the bound integrates over: the deltas and the added +1, as they are or clumped.

Thousands of distinct values are clumped: near ones become one value b, their mean, of their common weight M, and the
central moments mu_k about it, times M. With q = s / (1 - s b),

    sum_v m_v log(1 - s a_v) = M log(1 - s b) - sum_{k >= 2} mu_k q^k / k,

which is exact but for the powers left out (a local expansion as in Greengard & Rokhlin 1987, J. Comput. Phys. 73:325).
How wide a clump may be follows from how far the path of the integral goes; how much was left out is looked at there.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from litmus_nb.stats.deltas import DeltaCounts

__all__ = ["Support", "within_clumps"]

_HIGHEST_MOMENT = 10  # even: its terms are positive where q is
_CLUMP_RADIUS = 0.02  # times how far the path goes
_PATH_LENGTH = 10.0  # standard deviations of the peak at the saddle point, after which exp(K) is negligible


@dataclass(frozen=True)
class Support:
    """The deltas and the added +1 as gaps to that +1, stretched to [0, 1] so that no scale is special."""

    gaps: NDArray[np.float64]  # descending from 1 to 0
    weights: NDArray[np.float64]  # the multiplicity of each
    total: float
    width: float  # of the support before stretching
    moments: NDArray[np.float64] | None = None  # (order 2, 3, .., value): of a clump, its weight times central moment

    @classmethod
    def with_worst_unit(cls, deltas: DeltaCounts) -> Support:
        values, weights = deltas.values, deltas.counts.astype(np.float64)
        if values[-1] == 1.0:
            weights[-1] += 1.0
        else:
            values, weights = np.append(values, 1.0), np.append(weights, 1.0)
        width = float(1.0 - values[0])
        gaps = (1.0 - values) / width if width else np.zeros(1)
        return cls(gaps=gaps, weights=weights, total=float(weights.sum()), width=width)

    def clumped(self, log_level: float) -> Support:
        """The same units, near values clumped; the added +1 stays alone, for it is where the path must not cross.

        The path goes about as far as |s| = (z + 10) / sd of the sum, z the normal quantile of the level. A clump whose
        radius times that is 0.02 leaves out 0.02^11 of each unit. There are never more than a few hundred: many far
        apart make the sum wide and the path short.
        """
        mean = self._summed(self.gaps) / self.total
        deviation = math.sqrt(self._summed((self.gaps - mean) ** 2))
        reach = (math.sqrt(-2.0 * log_level) + _PATH_LENGTH) / deviation
        cells = np.floor(self.gaps * (reach / (2.0 * _CLUMP_RADIUS)))
        cells[-1] = -1.0
        first = np.flatnonzero(np.diff(cells, prepend=np.inf))
        weights = np.add.reduceat(self.weights, first)
        # The mean as an offset from a member: exact where the clump is one value.
        anchors = np.repeat(self.gaps[first], np.diff(first, append=self.gaps.size))
        centres = self.gaps[first] + np.add.reduceat(self.weights * (self.gaps - anchors), first) / weights
        # Towards the +1: a_v - b = (gap - gap_v) - (gap - centre).
        offsets = np.repeat(centres, np.diff(first, append=self.gaps.size)) - self.gaps
        powers, moments = self.weights * offsets, []
        for _ in range(2, _HIGHEST_MOMENT + 1):
            powers = powers * offsets
            moments.append(np.add.reduceat(powers, first))
        return Support(centres, weights, self.total, self.width, np.stack(moments))

    def first_gap(self, log_level: float) -> float:
        """Near the root: the quantile by T's mean, variance and skewness (Cornish & Fisher 1938)."""
        # Hastings' approximation of the normal quantile, good to 0.003 (Abramowitz & Stegun 1964, 26.2.22).
        t = math.sqrt(-2.0 * log_level)
        z = t - (2.30753 + 0.27061 * t) / (1.0 + 0.99229 * t + 0.04481 * t * t)
        mean = self._summed(self.gaps) / self.total
        apart = self.gaps - mean
        variance = self._summed(apart**2) / self.total / (self.total + 1.0)
        third = -2.0 * self._summed(apart**3) / self.total / (self.total + 1.0) / (self.total + 2.0)
        shift = z * math.sqrt(variance) + (z * z - 1.0) * third / variance / 6.0
        return min(max(mean - shift, 0.01 * mean), 0.5 * (mean + 1.0))

    def _summed(self, values: NDArray[np.float64]) -> float:
        # Not `@`: BLAS would share the product out to threads, and add in their order.
        return float(np.einsum("v,v->", self.weights, values))


def within_clumps(
    moments: NDArray[np.float64], s: NDArray[np.complex128], apart: NDArray[np.complex128]
) -> tuple[NDArray[np.complex128], NDArray[np.complex128], NDArray[np.float64]]:
    """What the moments add to K = -sum m log(1 - s a) and to sum m / (1 - s a) at each s; the last power's size in K.

    Args:
        moments: a row per order from 2, a column per clump.
        s: points on the path.
        apart: 1 - s b, a row per s, a column per clump.
    """
    orders = np.arange(2.0, _HIGHEST_MOMENT + 1.0)
    ratios = s[:, None] / apart
    powers = np.cumprod(np.broadcast_to(ratios, (_HIGHEST_MOMENT, *ratios.shape)), axis=0)[1:]
    logarithm = np.einsum("knv,kv->n", powers, moments / orders[:, None])
    rates = np.einsum("nv,nv->n", np.einsum("knv,kv->nv", powers, moments), 1.0 / apart)
    last = np.einsum("nv,v->n", np.abs(powers[-1]), moments[-1]) / _HIGHEST_MOMENT
    # Far out, where the series does not converge any more, nothing is added: all of it counts as left out.
    is_near = last < 1.0
    return np.where(is_near, logarithm, 0.0), np.where(is_near, rates, 0.0), np.where(is_near, last, 1.0)
