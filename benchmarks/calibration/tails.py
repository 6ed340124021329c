"""The bound's decision for many samples at once: is P(T > tolerance) at most (1 - c)/2?

All samples of a cell share their values and the point x = tolerance, so log(1 - s a_v) along one vertical line serves
them all and the tails are one matrix product. It is a twin of `litmus_nb.stats.bound`, which works sample by sample.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from litmus_nb.stats.bound import DeltaCounts, tail_probability

_NODES_AT_ONCE = 32
_MOST_NODES = 4_096
_STEP = 1.0 / 24.0
_TAME = 12.0  # of the exponent at the start: above it the tail is near 1 and its digits drown
_UNDECIDED = 1e-4  # relative to the level: nearer than this and the sample is computed alone, to 1e-12


def upper_at_most(
    values: NDArray[np.float64], counts: NDArray[np.int64], tolerance: float, level: float
) -> NDArray[np.bool_]:
    """Whether each sample's upper bound is at most `tolerance`; one row of `counts` per sample, a column per value."""
    rows, back = np.unique(counts, axis=0, return_inverse=True)
    found = tails(values, rows, tolerance)
    for row in np.flatnonzero(~(np.abs(found - level) > _UNDECIDED * level)):
        found[row] = tail_probability(DeltaCounts.of(values, rows[row]), tolerance)
    return (found <= level)[back.ravel()]


def lower_above(
    values: NDArray[np.float64], counts: NDArray[np.int64], tolerance: float, level: float
) -> NDArray[np.bool_]:
    """Whether each sample's lower bound is above `tolerance`."""
    return upper_at_most(-values[::-1], counts[:, ::-1], -tolerance, level)


def tails(values: NDArray[np.float64], counts: NDArray[np.int64], x: float) -> NDArray[np.float64]:
    """P(T > x) of every sample; 1 where it is known to be above a half only, NaN where it must be computed alone."""
    shifted = np.append(values, 1.0) - x
    weights = np.column_stack([counts, np.ones(len(counts))]).astype(np.float64)
    centre = min(2.3 / math.sqrt(float((weights @ shifted**2).mean())), 0.7 / float(shifted.max()))
    found = np.full(len(counts), np.nan)
    tame = -(weights @ np.log1p(-centre * shifted)) < _TAME
    # Chernoff's bound of the complement: P(Q < 0) <= E exp(-cQ).
    if float(shifted.min()) > -1.0 / centre:
        found[-(weights @ np.log1p(centre * shifted)) < math.log(0.5)] = 1.0
    found[tame] = _along_a_line(shifted, weights[tame], centre)
    return found


def _along_a_line(shifted: NDArray[np.float64], weights: NDArray[np.float64], centre: float) -> NDArray[np.float64]:
    sums = np.zeros(len(weights))
    for first in range(0, _MOST_NODES if len(weights) else 0, _NODES_AT_ONCE):
        u = _STEP * np.arange(first, first + _NODES_AT_ONCE)
        above = centre * np.sinh(u)
        logs = np.log1p(-centre * shifted) + np.log(1 - 1j * np.outer(above, shifted / (1 - centre * shifted)))
        terms = np.exp(-(weights @ logs.T)) / (centre + 1j * above) * np.cosh(u)
        if first == 0:
            terms[:, 0] *= 0.5
        sums += terms.real.sum(axis=1)
        if np.abs(terms[:, -1]).max() < 1e-8 / centre:
            return sums * centre * _STEP / math.pi
    return np.full(len(weights), np.nan)
