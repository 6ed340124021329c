"""Gaffke's bound on a mean delta, by one line integral and without random numbers (RULE 4.3).

The upper bound at confidence c is the (1+c)/2 quantile of T = w_0 (+1) + sum_i w_i d_i with the weights uniform on the
simplex, Dirichlet(1,..,1): the Bayesian bootstrap (Rubin 1981, Ann. Statist. 9:130) with one worst possible unit added
(Gaffke 2005, "Three test statistics for a nonparametric one-sided hypothesis on the mean of a nonnegative variable";
Learned-Miller & Thomas 2020, arXiv 1905.06208). The lower bound is its mirror image, with -1 added.

How it is computed. Dirichlet weights are independent Gammas over their sum, so with a_v = z_v - x over the distinct
values z_v of multiplicity m_v,

    P(T > x) = P(Q > 0),   Q = sum_v G_v a_v,  G_v ~ Gamma(m_v)
    E exp(sQ) = exp K(s),  K(s) = -sum_v m_v log(1 - s a_v)

and by the inversion of the Laplace transform (Daniels 1954, Ann. Math. Statist. 25:631; Lugannani & Rice 1980)

    P(Q > 0) = 1/(2 pi i) * integral of exp(K(s)) / s ds  along any path from below to above between 0 and 1/max(a).

Thousands of distinct values are clumped first (litmus_nb.stats.support).

docs/background.md derives it and says what is known of its coverage.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from litmus_nb.stats.deltas import DeltaCounts
from litmus_nb.stats.support import Support, within_clumps

__all__ = ["Bounds", "DeltaCounts", "gaffke_bounds", "lower_bound", "tail_probability", "upper_bound"]

_ROOT_TOLERANCE = 1e-14  # of the width of the support; the deltas' support is at most 2 wide
_ROOT_STEPS = 100
# The trapezoid rule on an analytic integrand squares its error when the step is halved: two steps that agree to 1e-8
# leave an error near 1e-16 (Trefethen & Weideman 2014, SIAM Review 56:385, theorem 5.1).
_STEP_AGREEMENT = 1e-8
_FINEST_STEP = 2.0**-12
_NEGLIGIBLE = 1e-22  # of exp(K(s))/s at the saddle point; the length of the path beyond is a few powers of ten at most
_NODES_AT_ONCE = 16
_MOST_UNCLUMPED = 800  # distinct values; below, clumping costs more than it saves
_MOST_LEFT_OUT = 1e-14  # of log(1 - s a), summed over all units and weighed by the size of the integrand there


@dataclass(frozen=True)
class Bounds:
    """A two-sided interval for a mean delta, not rounded: `low` <= `high`, both within [-1, 1]."""

    low: float
    high: float


def gaffke_bounds(upper_deltas: DeltaCounts, lower_deltas: DeltaCounts, confidence: float) -> Bounds:
    """Both bounds of RULE 4.3, each from its own deltas, to 1e-12 where floating point allows.

    The two differ where something is not known (RULE 4.2, 4.6): `upper_deltas` then counts it against the candidate and
    `lower_deltas` for it.

    Raises:
        ValueError: where `confidence`, two-sided, is not strictly between 0 and 1.
        ArithmeticError: where the integral does not settle; no input is known that does this.
    """
    return Bounds(low=lower_bound(lower_deltas, confidence), high=upper_bound(upper_deltas, confidence))


def lower_bound(deltas: DeltaCounts, confidence: float) -> float:
    """The (1 - confidence)/2 quantile of the weighted mean with one unit of -1 added. Raises as `gaffke_bounds`."""
    return -upper_bound(deltas.negated(), confidence)


def upper_bound(deltas: DeltaCounts, confidence: float) -> float:
    """The (1 + confidence)/2 quantile of the weighted mean with one unit of +1 added. Raises as `gaffke_bounds`.

    P(T > x)^(1/n) is concave in x: it is the n-th root of the volume of a slice of a simplex (Brunn-Minkowski), and a
    straight line where all deltas tie. Newton's steps on it therefore approach the root from the right without fail.
    The unknown is the gap 1 - x, which keeps its digits where the bound is close to 1.
    """
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence lies strictly between 0 and 1: {confidence!r} seen")
    support = Support.with_worst_unit(deltas)
    if support.width == 0.0:
        return 1.0
    log_level = math.log((1.0 - confidence) / 2.0)
    if support.gaps.size > _MOST_UNCLUMPED:
        try:
            return _root(support.clumped(log_level), log_level)
        except ArithmeticError:
            pass  # too coarse somewhere on the path: every value is looked at
    return _root(support, log_level)


def _root(support: Support, log_level: float) -> float:
    freedom = support.total - 1.0
    gap, saddle = support.first_gap(log_level), None
    for _ in range(_ROOT_STEPS):
        log_tail, slope, saddle = _log_tail(support, gap, saddle)
        step = freedom * math.expm1((log_level - log_tail) / freedom) / slope
        if abs(step) <= _ROOT_TOLERANCE:
            return 1.0 - support.width * (gap + step)
        # From the left of the root a step may overshoot; it is kept inside the support.
        gap = min(max(gap + step, 0.001 * gap), 0.5 * (gap + 1.0))
    raise ArithmeticError("the bound did not converge")


def tail_probability(deltas: DeltaCounts, x: float) -> float:
    """P(w_0 (+1) + sum_i w_i d_i > x): an upper bound at confidence c is at most x exactly where this is <= (1 - c)/2.

    Raises:
        ArithmeticError: where the integral does not settle; no input is known that does this.
    """
    support = Support.with_worst_unit(deltas)
    if x >= 1.0:
        return 0.0
    if x <= float(deltas.values[0]):
        return 1.0
    log_tail, _, _ = _log_tail(support, (1.0 - x) / support.width, None)
    return min(1.0, math.exp(log_tail))


def _log_tail(support: Support, gap: float, near: float | None) -> tuple[float, float, float]:
    """log P(T > x), its derivative in the gap of x, and the saddle point used; stretched scale, 0 < gap < 1."""
    for path in _Path.through_saddle_point(support, gap, near):
        sums = path.integrate()
        if sums is not None:
            tail, density = sums
            return math.log(tail) + path.peak, density / tail, path.centre
    raise ArithmeticError("the integral of the bound did not settle")


@dataclass(frozen=True)
class _Path:
    """The hyperbola s(u) = c + r (b (cosh u - 1) + i sinh u) through the saddle point c of f = K - log.

    r is the width of the peak there. With b = f3 / (3 f2^1.5) the path leaves along the steepest descent; |b| <= 2/3,
    for f is self-concordant. A straight line, b = 0, would do for bell-shaped T but is slow where T is nearly a single
    Gamma (n large, almost all deltas tied), whose transform hardly decays along it. The bent one can lead uphill again
    far out, where other deltas rule than near c; on the straight one the transform always falls. So the bent one is
    tried first.
    """

    shifted: NDArray[np.float64]  # a_v = z_v - x
    weights: NDArray[np.float64]
    centre: float
    radius: float
    bend: float
    peak: float  # f at the centre: what the integrands below are divided by the exponential of
    moments: NDArray[np.float64] | None  # of clumps, where the values are such; path and peak need not be exact

    @classmethod
    def through_saddle_point(cls, support: Support, gap: float, near: float | None) -> list[_Path]:
        shifted, weights = gap - support.gaps, support.weights
        centre = _saddle_point(shifted, weights, near)
        ratios = shifted / (1.0 - centre * shifted)
        second = float(weights @ ratios**2) + 1.0 / centre**2
        third = 2.0 * float(weights @ ratios**3) - 2.0 / centre**3
        peak = -float(weights @ np.log1p(-centre * shifted)) - math.log(centre)
        bends = (third / (3.0 * second**1.5), 0.0)
        radius = 1.0 / math.sqrt(second)
        return [cls(shifted, weights, centre, radius, bend, peak, support.moments) for bend in bends]

    def integrate(self) -> tuple[float, float] | None:
        """The tail and the density by the trapezoid rule, halving the step until it settles; None where it does not."""
        step = 0.25
        rest = self._sum(step, step)
        if rest is None:
            return None
        sums = rest + 0.5 * self._integrands(np.zeros(1))[:2, 0]
        while step > _FINEST_STEP:
            between = self._sum(0.5 * step, step)
            if between is None:
                return None
            finer, step = sums + between, 0.5 * step
            if abs(0.5 * finer[0] - sums[0]) <= _STEP_AGREEMENT * abs(sums[0]):
                return float(finer[0]) * step / math.pi, float(finer[1]) * step / math.pi
            sums = finer
        return None

    def _sum(self, first: float, step: float) -> NDArray[np.float64] | None:
        """The sums of both integrands at first, first + step, .. to where they vanish; None where it leads uphill."""
        total, height = np.zeros(2), math.inf
        while True:
            values = self._integrands(first + step * np.arange(_NODES_AT_ONCE, dtype=np.float64))
            sizes = values[2]
            if sizes[0] > height or np.any(sizes[1:] > sizes[:-1]):
                return None
            total += values[:2].sum(axis=1)
            first, height = first + step * _NODES_AT_ONCE, float(sizes[-1])
            if height < _NEGLIGIBLE:
                return total

    def _integrands(self, u: NDArray[np.float64]) -> NDArray[np.float64]:
        """At each u, a column: the integrands of tail and density and the size of exp(f), all over exp(peak)."""
        real = self.centre + self.radius * self.bend * (np.cosh(u) - 1.0)
        imaginary = self.radius * np.sinh(u)
        s = real + 1j * imaginary
        along = self.radius * (self.bend * np.sinh(u) + 1j * np.cosh(u))
        # log(1 - s a) with its real part by log1p: s a may be as small as 1e-7 with a weight of 1e7.
        across, above = np.multiply.outer(real, self.shifted), np.multiply.outer(imaginary, self.shifted)
        excess = across * (across - 2.0) + above * above  # |1 - s a|^2 - 1
        sizes = 0.5 * np.log1p(excess)
        angles = np.arctan2(-above, 1.0 - across)
        logarithm = -self._weighed(sizes) - 1j * self._weighed(angles)
        inverse = self.weights / (1.0 + excess)
        rates = np.einsum("nv,nv->n", inverse, 1.0 - across) + 1j * np.einsum("nv,nv->n", inverse, above)
        left_out = np.zeros(u.size)
        if self.moments is not None:
            within, rates_within, left_out = within_clumps(self.moments, s, 1.0 - across - 1j * above)
            logarithm, rates = logarithm + within, rates + rates_within
        # Cut off where a path that leads uphill would overflow; `_sum` refuses that path.
        transform = np.exp(np.minimum(logarithm.real - self.peak, 100.0) + 1j * logarithm.imag)
        size = np.abs(transform / s)
        if np.any(left_out * size > _MOST_LEFT_OUT):
            raise ArithmeticError("the clumps leave out what is not negligible")
        return np.stack([(transform / s * along).imag, (transform * rates * along).imag, size])

    def _weighed(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        # Not `@`: BLAS would share so small a product out to threads, which costs more than it and adds in their order.
        return np.asarray(np.einsum("nv,v->n", values, self.weights))


def _saddle_point(shifted: NDArray[np.float64], weights: NDArray[np.float64], near: float | None) -> float:
    """The minimum over 0 < s < 1/max(a) of f(s) = K(s) - log s, near enough for a path to start there.

    f is a sum of logarithmic barriers, hence self-concordant, and the damped Newton step never leaves the interval and
    always converges (Nesterov 2004, Introductory Lectures on Convex Optimization, theorem 4.1.12).
    """
    limit = 1.0 / float(shifted[-1])
    if near is None:
        first, second = float(weights @ shifted), float(weights @ shifted**2)
        near = 0.5 * (math.sqrt(first * first + 4.0 * second) - first) / second
    s = min(near, 0.75 * limit)
    for _ in range(10_000):
        ratios = shifted / (1.0 - s * shifted)
        slope = float(weights @ ratios) - 1.0 / s
        curvature = float(weights @ ratios**2) + 1.0 / s**2
        decrement = abs(slope) / math.sqrt(curvature)
        if decrement < 0.01:
            return s
        s -= slope / curvature / (1.0 + decrement if decrement > 0.25 else 1.0)
    raise ArithmeticError("no saddle point found")
