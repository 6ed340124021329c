"""The bounds of many samples of the same values at once: what `stats.bound` computes, to 1e-9 and much faster.

For planning and calibration, where thousands of imagined samples are bounded. A verdict's own bounds come from
`stats.bound`; so does any row here whose integral does not settle with one fixed step.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from litmus_nb.stats.bound import tail_probability, upper_bound
from litmus_nb.stats.deltas import DeltaCounts

__all__ = ["lower_bounds_of_rows", "tails_of_rows", "upper_bounds_of_rows"]

Floats = NDArray[np.float64]

_STEP = 0.125
_NODES_AT_ONCE = 24
_MOST_BLOCKS = 8
_NEGLIGIBLE = 1e-18
_AGREEMENT = 1e-5  # of the rule with half as many points: squared, the error of the finer one
_ROOT_TOLERANCE = 1e-11
_ROOT_STEPS = 40
_ELEMENTS_AT_ONCE = 4_000_000


def upper_bounds_of_rows(values: Floats, counts: NDArray[np.int64], confidence: float) -> Floats:
    """The upper bound of RULE 4.3 for each row of counts, not rounded.

    Args:
        values: distinct deltas, ascending, within [-1, 1].
        counts: one row per sample, one column per value: how many units have it. No row is all zero.
        confidence: two-sided.

    Raises:
        ValueError: where the arrays do not fit, or `confidence` is not strictly between 0 and 1.
    """
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence lies strictly between 0 and 1: {confidence!r} seen")
    if counts.ndim != 2 or counts.shape[1] != values.size or np.any(np.diff(values) <= 0):
        raise ValueError("one column of counts per value expected, and the values ascending")
    rows, back = np.unique(counts, axis=0, return_inverse=True)
    if rows.size and not rows.any(axis=1).all():
        raise ValueError("no deltas: an interval of nothing is undefined")
    found = np.empty(len(rows))
    at_once = max(1, _ELEMENTS_AT_ONCE // (_NODES_AT_ONCE * (values.size + 1)))
    for first in range(0, len(rows), at_once):
        part = slice(first, first + at_once)
        found[part] = _upper(values, rows[part], confidence)
    for row in np.flatnonzero(np.isnan(found)):
        found[row] = upper_bound(DeltaCounts.of(values, rows[row]), confidence)
    return np.asarray(found[back.ravel()])


def lower_bounds_of_rows(values: Floats, counts: NDArray[np.int64], confidence: float) -> Floats:
    """The lower bound for each row, the mirror image of `upper_bounds_of_rows`; raises as it does."""
    return -upper_bounds_of_rows(-values[::-1], counts[:, ::-1], confidence)


def tails_of_rows(values: Floats, counts: NDArray[np.int64], x: float) -> Floats:
    """P(T > x) for each row of counts: `stats.bound.tail_probability`.

    Args:
        values: distinct deltas, ascending, within [-1, 1].
        counts: one row per sample, one column per value. No row is all zero.
        x: where.
    """
    found = np.where(np.asarray([values[row > 0][0] for row in counts]) >= x, 1.0, 0.0)
    if x >= 1.0:
        return np.zeros(len(counts))
    inside = np.flatnonzero(found == 0.0)
    gaps, weights = 1.0 - values, counts.astype(np.float64)
    if values[-1] == 1.0:
        weights[:, -1] += 1.0
    else:
        gaps, weights = np.append(gaps, 0.0), np.column_stack([weights, np.ones(len(weights))])
    log_tails, _ = _log_tails(gaps, weights[inside], np.full(len(inside), 1.0 - x))
    found[inside] = np.minimum(np.exp(log_tails), 1.0)
    for row in np.flatnonzero(np.isnan(found)):
        found[row] = tail_probability(DeltaCounts.of(values, counts[row]), x)
    return found


def _upper(values: Floats, counts: NDArray[np.int64], confidence: float) -> Floats:
    """Newton's method of `stats.bound.upper_bound` on all rows; NaN where a row must be computed alone."""
    weights = counts.astype(np.float64)
    if values[-1] == 1.0:
        weights[:, -1] += 1.0
    else:
        values = np.append(values, 1.0)
        weights = np.column_stack([weights, np.ones(len(weights))])
    gaps = 1.0 - values
    log_level = math.log((1.0 - confidence) / 2.0)
    total = weights.sum(axis=1)
    mean = weights @ gaps / total
    variance = np.maximum(weights @ gaps**2 / total - mean**2, 0.0) / (total + 1.0)
    # Where all of the row is at +1 there is no gap, and the bound is 1.
    result = np.where(mean == 0.0, 1.0, np.nan)
    active = np.flatnonzero(mean > 0.0)
    gap = np.maximum(mean - np.sqrt(-2.0 * log_level * variance), 0.5 * mean)
    for _ in range(_ROOT_STEPS):
        if active.size == 0:
            break
        log_tail, slope = _log_tails(gaps, weights[active], gap[active])
        freedom = total[active] - 1.0
        step = freedom * np.expm1((log_level - log_tail) / freedom) / slope
        there = np.abs(step) <= _ROOT_TOLERANCE
        result[active[there]] = 1.0 - (gap[active] + step)[there]
        gap[active] = np.clip(gap[active] + step, 0.001 * gap[active], 0.5 * (gap[active] + gaps[0]))
        active = active[~there & np.isfinite(step)]
    return result


def _log_tails(gaps: Floats, weights: Floats, gap: Floats) -> tuple[Floats, Floats]:
    """log P(T > 1 - gap) and its derivative in the gap, row by row; NaN where a row does not settle."""
    shifted = gap[:, None] - gaps
    centre = _saddle_points(shifted, weights)
    ratios = shifted / (1.0 - centre[:, None] * shifted)
    second = (weights * ratios**2).sum(axis=1) + 1.0 / centre**2
    third = 2.0 * (weights * ratios**3).sum(axis=1) - 2.0 / centre**3
    peak = -(weights * np.log1p(-centre[:, None] * shifted)).sum(axis=1) - np.log(centre)
    radius = (1.0 / np.sqrt(second))[:, None]
    bend = (third / (3.0 * second**1.5))[:, None]
    fine, coarse = np.zeros((2, len(gap))), np.zeros(len(gap))
    before, uphill = np.full(len(gap), np.inf), np.zeros(len(gap), dtype=np.bool_)
    for block in range(_MOST_BLOCKS):
        u = _STEP * np.arange(block * _NODES_AT_ONCE, (block + 1) * _NODES_AT_ONCE, dtype=np.float64)
        s = centre[:, None] + radius * (bend * (np.cosh(u) - 1.0) + 1j * np.sinh(u))
        along = radius * (bend * np.sinh(u) + 1j * np.cosh(u))
        heights, angles, rates = _transforms(s, shifted, weights)
        heights = np.minimum(heights - peak[:, None], 100.0)
        transform = np.exp(heights + 1j * angles)
        sizes = np.abs(transform / s)
        tail, density = (transform / s * along).imag, (transform * rates * along).imag
        if block == 0:
            tail[:, 0] *= 0.5
            density[:, 0] *= 0.5
        fine += np.stack([tail.sum(axis=1), density.sum(axis=1)])
        coarse += 2.0 * tail[:, ::2].sum(axis=1)
        uphill |= (sizes[:, 0] > before) | np.any(np.diff(sizes, axis=1) > 0, axis=1)
        before = sizes[:, -1]
        if np.all((before < _NEGLIGIBLE) | uphill):
            break
    settled = (np.abs(coarse - fine[0]) <= _AGREEMENT * fine[0]) & ~uphill & (before < _NEGLIGIBLE)
    fine[:, ~settled] = np.nan
    return np.log(fine[0] * _STEP / math.pi) + peak, fine[1] / fine[0]


def _transforms(
    s: NDArray[np.complex128], shifted: Floats, weights: Floats
) -> tuple[Floats, Floats, NDArray[np.complex128]]:
    """Real and imaginary part of K at each s, and the sum of the weights over 1 - s a."""
    heights, angles = np.zeros(s.shape), np.zeros(s.shape)
    rates = np.zeros(s.shape, dtype=np.complex128)
    for column in range(shifted.shape[1]):
        weight = weights[:, column, None]
        if not weight.any():
            continue
        across, above = s.real * shifted[:, column, None], s.imag * shifted[:, column, None]
        heights -= 0.5 * weight * np.log1p(across * (across - 2.0) + above * above)
        angles += weight * np.arctan2(above, 1.0 - across)
        rates += weight / (1.0 - across - 1j * above)
    return heights, angles, rates


def _saddle_points(shifted: Floats, weights: Floats) -> Floats:
    """`stats.bound`'s damped Newton steps on all rows."""
    first, second = (weights * shifted).sum(axis=1), (weights * shifted**2).sum(axis=1)
    s = np.minimum(0.5 * (np.sqrt(first**2 + 4.0 * second) - first) / second, 0.75 / shifted.max(axis=1))
    for _ in range(200):
        ratios = shifted / (1.0 - s[:, None] * shifted)
        slope = (weights * ratios).sum(axis=1) - 1.0 / s
        curvature = (weights * ratios**2).sum(axis=1) + 1.0 / s**2
        decrement = np.abs(slope) / np.sqrt(curvature)
        if np.all(decrement < 0.05):
            break
        s = s - slope / curvature / np.where(decrement > 0.25, 1.0 + decrement, 1.0)
    return np.asarray(s)
