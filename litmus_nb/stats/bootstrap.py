"""The plain percentile bootstrap of a mean delta. Reported beside the bound and deciding nothing (RULE 4.3).

Where the deltas lie on a lattice, the sum of n of them drawn with replacement is an n-fold convolution, and one Fourier
transform gives its exact distribution: no resampling noise and no seed (Efron & Tibshirani 1993, An Introduction to the
Bootstrap, section 13.3 for the interval). Else 10,000 resamples are a fixed function of the multiset of deltas.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from litmus_nb.stats.deltas import DeltaCounts

__all__ = ["RESAMPLES", "BootstrapInterval", "percentile_bootstrap"]

RESAMPLES = 10_000
# A quantile is the smallest mean whose probability of not being exceeded reaches q. The transform's rounding error
# grows as n * 1e-16; within this tolerance of q a mean counts as reaching it, so that every machine picks the same one.
_QUANTILE_TOLERANCE = 1e-9
_LARGEST_DENOMINATOR = 1_000  # of a single delta
_LARGEST_COMMON_DENOMINATOR = 1_000_000
_LARGEST_TRANSFORM = 2**20
_MOST_LATTICE_VALUES = 4_096
_FLOAT_ERROR = (
    1e-12  # of a delta computed from exact fractions: a few roundings, far below the steps of any lattice here
)
_TAIL_LEFT_OUT = 1e-15
_DRAWS_AT_ONCE = 4_000_000


@dataclass(frozen=True)
class BootstrapInterval:
    """A percentile interval, not rounded.

    Attributes:
        low, high: the (1 - c)/2 and (1 + c)/2 quantiles of the resampled mean, within [-1, 1].
        is_exact: whether they come from the exact distribution.
        resamples: how many resamples were drawn; None where it is exact.
    """

    low: float
    high: float
    is_exact: bool
    resamples: int | None


def percentile_bootstrap(deltas: DeltaCounts, confidence: float) -> BootstrapInterval:
    """The percentile bootstrap interval of the mean of n units, at two-sided `confidence`.

    With all deltas tied it has zero width: that is what it is, and why it decides nothing.

    Raises:
        ValueError: where `confidence` is not strictly between 0 and 1.
    """
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence lies strictly between 0 and 1: {confidence!r} seen")
    levels = ((1.0 - confidence) / 2.0, (1.0 + confidence) / 2.0)
    if deltas.values.size == 1:
        value = float(deltas.values[0])
        return BootstrapInterval(low=value, high=value, is_exact=True, resamples=None)
    exact = _exact_quantiles(deltas, levels)
    if exact is not None:
        return BootstrapInterval(low=exact[0], high=exact[1], is_exact=True, resamples=None)
    low, high = _resampled_quantiles(deltas, levels)
    return BootstrapInterval(low=low, high=high, is_exact=False, resamples=RESAMPLES)


def _exact_quantiles(deltas: DeltaCounts, levels: tuple[float, float]) -> list[float] | None:
    """The quantiles from the exact distribution; None off the lattice or where the transform would be too large."""
    lattice = _on_lattice(deltas.values)
    if lattice is None:
        return None
    steps, denominator = lattice
    n, shares = deltas.n, deltas.counts / deltas.n
    steps_from_lowest = steps - steps[0]
    span = int(steps_from_lowest[-1])
    mean = float(shares @ steps_from_lowest)
    reach = _reach(n * float(shares @ (steps_from_lowest - mean) ** 2), span)
    lowest, highest = max(0, math.floor(n * mean - reach)), min(n * span, math.ceil(n * mean + reach))
    size = 1 << (highest - lowest).bit_length()
    if size > _LARGEST_TRANSFORM:
        return None
    # Sums are counted modulo the size of the transform; all but 1e-15 of them lie in one window of that size.
    one = np.bincount(steps_from_lowest % size, weights=shares, minlength=size)
    probabilities, first = np.fft.irfft(_power(np.fft.rfft(one), n), size), lowest % size
    cumulative = np.cumsum(np.maximum(np.concatenate((probabilities[first:], probabilities[:first])), 0.0))
    cumulative /= cumulative[-1]
    picked = [lowest + int(place) for place in np.searchsorted(cumulative, np.array(levels) - _QUANTILE_TOLERANCE)]
    return [(index + n * int(steps[0])) / (n * denominator) for index in picked]


def _power(values: NDArray[np.complex128], exponent: int) -> NDArray[np.complex128]:
    """The values to a whole power of at least 1, by squaring; numpy goes through logarithms, more slowly."""
    result = np.ones_like(values)
    while exponent:
        if exponent & 1:
            result = result * values
        values = values * values
        exponent >>= 1
    return result


def _reach(variance: float, span: int) -> float:
    """How far a sum of independent steps strays from its mean, but for 1e-15 of probability: Bernstein's inequality."""
    excess = -math.log(_TAIL_LEFT_OUT / 2.0)
    third = excess * span / 3.0
    return third + math.sqrt(third * third + 2.0 * excess * variance)


def _on_lattice(values: NDArray[np.float64]) -> tuple[NDArray[np.int64], int] | None:
    """The values as whole multiples of 1/denominator, and the denominator; None where they are no such multiples."""
    if values.size > _MOST_LATTICE_VALUES:
        return None
    denominator = 1
    for value in values.tolist():
        if abs(value * denominator - round(value * denominator)) <= _FLOAT_ERROR * denominator:
            continue
        nearest = Fraction(value).limit_denominator(_LARGEST_DENOMINATOR)
        denominator = math.lcm(denominator, nearest.denominator)
        if abs(float(nearest) - value) > _FLOAT_ERROR or denominator > _LARGEST_COMMON_DENOMINATOR:
            return None
    return np.rint(values * denominator).astype(np.int64), denominator


def _resampled_quantiles(deltas: DeltaCounts, levels: tuple[float, float]) -> list[float]:
    """The quantiles of 10,000 resampled means, seeded by the multiset itself: one multinomial over the counts each."""
    rng = np.random.Generator(np.random.PCG64(_seed(deltas)))
    n, shares = deltas.n, deltas.counts / deltas.n
    at_once = max(1, _DRAWS_AT_ONCE // deltas.values.size)
    means = np.empty(RESAMPLES)
    for first in range(0, RESAMPLES, at_once):
        drawn = rng.multinomial(n, shares, size=min(at_once, RESAMPLES - first))
        means[first : first + len(drawn)] = drawn @ deltas.values / n
    means.sort()
    return [float(means[math.ceil(level * RESAMPLES - _QUANTILE_TOLERANCE) - 1]) for level in levels]


def _seed(deltas: DeltaCounts) -> int:
    """A number that depends on the deltas and how often each occurs, to 12 decimals, and on nothing else."""
    lines = (f"{value + 0.0:.12f} {count}" for value, count in zip(deltas.values, deltas.counts, strict=True))
    return int.from_bytes(hashlib.sha256("\n".join(lines).encode()).digest(), "big")
