"""How the bound is computed: what it integrates along, when it stops, and what it refuses to answer."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import integrate, stats

from litmus_nb.stats import bound
from litmus_nb.stats.bound import DeltaCounts, tail_probability, upper_bound
from litmus_nb.stats.support import Support
from tests.stats.test_bound import exact_tail

SAMPLES = {
    "one": DeltaCounts.of([0.25]),
    "ties": DeltaCounts.of([0.0], [12]),
    "two ends": DeltaCounts.of([-1.0, 0.0], [25, 362_528]),
    "conformance": DeltaCounts.of([-1.0, 0.0, 1.0], [2, 96, 2]),
    "skewed": DeltaCounts.of([-1.0, 0.0, 0.5], [10, 990, 1]),
    "spread": DeltaCounts.of(np.linspace(-0.9, 0.8, 30)),
    "ten million": DeltaCounts.of([-1.0, 0.0, 1.0], [200_000, 9_600_000, 200_000]),
    "against +1": DeltaCounts.of([0.5, 1 - 1e-9], [3, 4]),
}


def supports():
    """Each sample's support, with gaps of x about where the tail has some level."""
    for name, counts in SAMPLES.items():
        support = Support.with_worst_unit(counts)
        for level in (1e-6, 0.025, 0.4):
            yield pytest.param(support, support.first_gap(math.log(level)), id=f"{name}-{level}")


def f(support, gap, s):
    """K(s) - log s, straight from its definition."""
    shifted = gap - support.gaps
    return -np.sum(support.weights * np.log(1.0 - s * shifted)) - np.log(s)


@pytest.mark.parametrize(("support", "gap"), list(supports()))
def test_the_path_starts_where_the_transform_is_least(support, gap):
    """Within a hundredth of the peak's width, from wherever the search begins, and inside the interval."""
    shifted = gap - support.gaps
    for near in (None, 1e-12, 1e12):
        s = bound._saddle_point(shifted, support.weights, near)
        assert 0.0 < s < 1.0 / shifted[-1]
        ratios = shifted / (1.0 - s * shifted)
        slope, curvature = support.weights @ ratios - 1.0 / s, support.weights @ ratios**2 + 1.0 / s**2
        assert abs(slope) / math.sqrt(curvature) < 0.01


def test_a_saddle_point_that_there_is_not_is_an_error():
    with pytest.raises(ArithmeticError, match="no saddle point"):
        bound._saddle_point(np.array([math.nan]), np.array([1.0]), 1.0)


@pytest.mark.parametrize(("support", "gap"), list(supports()))
def test_the_path_leaves_along_the_steepest_descent(support, gap):
    """There f falls as -u^2/2 and stays real but for terms of the fourth order and beyond."""
    bent, straight = bound._Path.through_saddle_point(support, gap, None)
    assert (0.0, bent.centre, bent.radius, bent.peak) == (straight.bend, *(getattr(straight, name) for name in SAME))
    peak = f(support, gap, bent.centre)
    assert peak == pytest.approx(bent.peak, rel=1e-9, abs=1e-9)
    u, small = 0.1, 1e-3
    along = bent.centre + bent.radius * (bent.bend * (math.cosh(u) - 1.0) + 1j * math.sinh(u))
    fall = f(support, gap, along) - peak
    assert fall.real == pytest.approx(-(u**2) / 2, rel=0.01)
    # The centre may be a hundredth of the width beside the saddle point, where f has a slope.
    above, below = (f(support, gap, bent.centre + sign * small * bent.radius) for sign in (1.0, -1.0))
    slope = (above - below) / (2.0 * small)
    assert abs(fall.imag - slope * math.sinh(u)) < 0.0015 * u**3
    assert abs(bent.bend) <= 2.0 / 3.0


SAME = ("centre", "radius", "peak")


@pytest.mark.parametrize(("support", "gap"), list(supports()))
def test_the_integrands_at_the_start_are_one_and_their_ratio_is_the_slope(support, gap):
    for path in bound._Path.through_saddle_point(support, gap, None):
        assert path._integrands(np.zeros(1))[2, 0] == pytest.approx(1.0, rel=1e-5)
    _, slope, _ = bound._log_tail(support, gap, None)
    step = 1e-4 / slope
    above, below = (bound._log_tail(support, gap + sign * step, None)[0] for sign in (1.0, -1.0))
    assert (above - below) / (2.0 * step) == pytest.approx(slope, rel=1e-4)


def test_clumped_values_have_the_tail_and_the_slope_of_the_single_ones():
    sample = np.random.default_rng(20261130).normal(0.0, 0.2, 900)
    support = Support.with_worst_unit(DeltaCounts.of(np.clip(sample, -1.0, 1.0)))
    clumped = support.clumped(math.log(0.025))
    assert clumped.gaps.size < support.gaps.size / 2
    gap = support.first_gap(math.log(0.025))
    expected = bound._log_tail(support, gap, None)[:2]
    assert bound._log_tail(clumped, gap, None)[:2] == pytest.approx(expected, rel=1e-11)


def test_clumps_that_leave_too_much_out_are_an_error_and_no_number():
    """Moments that no clump has which is small against the path."""
    apart = Support(np.array([0.5, 0.0]), np.array([40.0, 1.0]), 41.0, 1.0, np.full((9, 2), 1e-3))
    with pytest.raises(ArithmeticError, match="leave out"):
        bound._log_tail(apart, 0.4, None)


class Given(bound._Path):
    """A path whose integrands are given as functions of u; that of the density is `ratio` times the tail's."""

    def __init__(self, size, tail=None, ratio=3.0):
        super().__init__(np.zeros(1), np.ones(1), 1.0, 1.0, 0.0, 0.0, None)
        object.__setattr__(self, "size", size)
        object.__setattr__(self, "tail", tail or size)
        object.__setattr__(self, "ratio", ratio)

    def _integrands(self, u):
        return np.stack([self.tail(u), self.ratio * self.tail(u), self.size(u)])


def gaussian(u):
    return np.exp(-2.0 * u * u)


def test_the_trapezoid_rule_integrates_both_and_settles():
    """Over half the line and divided by pi; against scipy's adaptive quadrature."""
    expected = integrate.quad(gaussian, 0.0, math.inf, epsabs=1e-15)[0] / math.pi
    assert Given(gaussian).integrate() == pytest.approx((expected, 3.0 * expected), rel=1e-13, abs=0)


def test_whether_it_has_settled_is_seen_at_the_tail():
    """However large the density is, which is only needed for Newton's steps."""

    def narrow(u):
        return 1.0 / np.cosh(40.0 * u)

    for ratio in (1e-6, 1e6):
        assert Given(narrow, None, ratio).integrate() == pytest.approx((1.0 / 80.0, ratio / 80.0), rel=1e-13, abs=0)


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_when_it_has_settled_does_not_depend_on_the_scale(scale):
    asked = []

    def tail(u):
        asked.append(u.size)
        return scale * gaussian(u)

    expected = scale * math.sqrt(math.pi / 8.0) / math.pi
    assert Given(gaussian, tail).integrate() == pytest.approx((expected, 3.0 * expected), rel=1e-13, abs=0)
    assert sum(asked) <= 2 * 65  # the line is followed to u = 8, at first by fourths and then by eighths, twice each


@pytest.mark.parametrize(
    ("at", "height"),
    [
        (5, 0.85),  # above its neighbour before, below the first
        (1, 1.5),
        (16, 0.35),  # the first of the next nodes: above the last before, below all others
        (16, 0.75),
        (17, 0.9),
    ],
)
def test_a_path_that_leads_uphill_is_left(at, height):
    """The sizes fall evenly from 1 but for one, which is larger than the one before."""

    def size(u):
        even = np.maximum(1.0 - 0.02 * (np.rint(u / 0.25) - 1), 0.0)
        if at >= 16:
            even = np.where(np.rint(u / 0.25) > 8, np.maximum(even - 0.5, 0.0), even)
        return np.where(np.rint(u / 0.25) == at + 1, height, even)

    path = Given(size)
    assert path._sum(0.25, 0.25) is None
    assert path.integrate() is None


def test_a_path_that_leads_uphill_between_the_first_nodes_is_left():
    assert Given(lambda u: np.where(np.abs(u - 0.625) < 0.01, 9.0, gaussian(u))).integrate() is None


def test_an_integral_that_does_not_settle_is_an_error_and_no_number(monkeypatch):
    monkeypatch.setattr(bound, "_STEP_AGREEMENT", -1.0)
    assert Given(gaussian).integrate() is None
    monkeypatch.setattr(bound, "_FINEST_STEP", 0.1)
    with pytest.raises(ArithmeticError, match="did not settle"):
        upper_bound(DeltaCounts.of([0.0, 0.5]), 0.95)


def test_a_root_that_is_not_reached_is_an_error_and_no_number(monkeypatch):
    monkeypatch.setattr(bound, "_ROOT_STEPS", 1)
    with pytest.raises(ArithmeticError, match="did not converge"):
        upper_bound(DeltaCounts.of([0.0, 0.5]), 0.95)


@pytest.mark.parametrize("name", ["one", "ties", "conformance", "skewed", "spread", "against +1"])
def test_the_root_is_found_from_wherever_the_search_begins(name, monkeypatch):
    expected = upper_bound(SAMPLES[name], 0.95)
    for first in (1e-3, 0.5, 1.0 - 1e-3):
        monkeypatch.setattr(Support, "first_gap", lambda self, log_level, first=first: first)
        assert upper_bound(SAMPLES[name], 0.95) == pytest.approx(expected, rel=0, abs=1e-13)


def test_where_all_tie_newtons_first_step_is_the_root(monkeypatch):
    """P(T > x)^(1/n) is a straight line there; the second look finds that nothing is left to do."""
    looks, log_tail = [], bound._log_tail

    def counted(*asked):
        looks.append(asked)
        return log_tail(*asked)

    monkeypatch.setattr(bound, "_log_tail", counted)
    monkeypatch.setattr(Support, "first_gap", lambda self, log_level: 0.95)
    for n in (2, 7, 100):
        looks.clear()
        assert upper_bound(DeltaCounts.of([0.0], [n]), 0.95) == pytest.approx(1 - 0.025 ** (1 / n), abs=1e-13)
        assert len(looks) <= 3


def test_only_many_distinct_values_are_clumped(monkeypatch):
    """With the +1 there are six values, as many as may stay, and then seven."""
    clumped, asked = Support.clumped, []
    monkeypatch.setattr(bound, "_MOST_UNCLUMPED", 6)
    monkeypatch.setattr(Support, "clumped", lambda self, level: asked.append(self.gaps.size) or clumped(self, level))
    for distinct in (5, 6):
        upper_bound(DeltaCounts.of(np.linspace(-0.5, 0.5, distinct)), 0.95)
    assert asked == [7]


@pytest.mark.parametrize(("x", "expected"), [(1.0, 0.0), (1.5, 0.0), (-0.5, 1.0), (-0.75, 1.0), (-2.0, 1.0)])
def test_beyond_the_ends_the_tail_is_nothing_or_all(x, expected):
    assert tail_probability(DeltaCounts.of([-0.5, 0.5]), x) == expected


def test_a_tail_is_never_more_than_one():
    """Close to the lowest delta rounding would make it more."""
    for n in (9, 10, 11, 13):
        counts = DeltaCounts.of(np.linspace(-0.5, 0.5, n))
        tails = [tail_probability(counts, -0.5 + number / 1_000) for number in range(1, 30)]
        assert max(tails) <= 1.0
        assert tails[0] == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("where", [0.02, 0.3, 0.55, 0.8, 0.97])
@pytest.mark.parametrize("step", [Fraction(1, 7), Fraction(1, 40)])
def test_the_tail_is_the_exact_one_to_twelve_digits(where, step):
    """From almost nothing to almost all; the values are crowded or apart."""
    values = [Fraction(-3, 4) + step * number for number in range(12)]
    x = values[0] + Fraction(where).limit_denominator(100) * (1 - values[0])
    expected = float(exact_tail([value for value in values if value < 1], x))
    seen = tail_probability(DeltaCounts.of([float(value) for value in values if value < 1]), float(x))
    assert seen == pytest.approx(expected, rel=2e-12, abs=0)


@pytest.mark.parametrize(("n", "successes"), [(5, 1), (1_000, 30), (10_000_000, 2), (10_000_000, 4_000_000)])
def test_the_bound_has_twelve_digits_whatever_the_number_of_units(n, successes):
    expected = stats.beta.isf(0.025, successes + 1, n - successes)
    assert upper_bound(DeltaCounts.of([0.0, 1.0], [n - successes, successes]), 0.95) == pytest.approx(
        expected, rel=0, abs=2e-13
    )
