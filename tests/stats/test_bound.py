"""The bound of RULE 4.3 against theory, twins and the properties that the rule promises."""

from __future__ import annotations

import math
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats

from litmus_nb.stats.bound import DeltaCounts, gaffke_bounds, lower_bound, tail_probability, upper_bound

deltas = st.lists(st.fractions(-1, 1, max_denominator=60).map(float), min_size=1, max_size=40)
confidences = st.sampled_from([0.8, 0.9, 0.95, 0.99, 0.999999])


def in_order(low: float, high: float) -> bool:
    return low <= high + 1e-13


@pytest.mark.parametrize("confidence", [0.0, 1.0, -0.1, math.nan, 95.0])
def test_a_confidence_that_is_none_is_refused(confidence: float) -> None:
    with pytest.raises(ValueError, match="confidence"):
        upper_bound(DeltaCounts.of([0.0]), confidence)


@pytest.mark.parametrize("n", [1, 2, 12, 100, 10_000, 10_000_000])
def test_deltas_that_all_tie_have_the_closed_form(n: int) -> None:
    """w_0 is Beta(1, n), so P(T > x) = (1 - x)^n for n zeros: the bound has width, however many tie."""
    expected = -math.expm1(math.log(0.025) / n)
    bounds = gaffke_bounds(DeltaCounts.of([0.0], [n]), DeltaCounts.of([0.0], [n]), 0.95)
    assert (-expected, expected) == pytest.approx((bounds.low, bounds.high), rel=1e-11, abs=1e-15)


@pytest.mark.parametrize("n", [1, 3, 1_000, 10_000_000])
def test_deltas_all_at_an_end_leave_no_room_beyond_it(n: int) -> None:
    worst, best = DeltaCounts.of([1.0], [n]), DeltaCounts.of([-1.0], [n])
    assert upper_bound(worst, 0.95) == 1.0
    assert lower_bound(best, 0.95) == -1.0
    assert upper_bound(best, 0.95) == pytest.approx(-1 - 2 * math.expm1(math.log(0.025) / n), abs=1e-13)


@pytest.mark.parametrize("n", [1, 2, 5, 30, 1_000, 100_000, 10_000_000])
@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.999, 1 - 1e-9])
def test_on_zero_one_data_the_upper_bound_is_clopper_pearsons(n: int, confidence: float) -> None:
    for successes in sorted({0, 1, min(2, n), n // 100, n // 3, n // 2, n - 1} - {n}):
        expected = stats.beta.isf((1 - confidence) / 2, successes + 1, n - successes)
        seen = upper_bound(DeltaCounts.of([0.0, 1.0], [n - successes, successes]), confidence)
        assert seen == pytest.approx(expected, abs=1e-12)


def test_clopper_pearson_through_scipys_own_interval() -> None:
    expected = stats.binomtest(7, 40).proportion_ci(0.95, "exact").high
    assert upper_bound(DeltaCounts.of([0.0, 1.0], [33, 7]), 0.95) == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize(
    ("worse", "same", "better", "low", "high"),
    [
        (0, 12, 0, -0.264648469, 0.264648469),
        (2, 96, 2, -0.056082565, 0.056082565),
        (32, 66, 2, 0.188777359, 0.406158188),
        (0, 80, 20, -0.291842689, -0.112311121),
    ],
)
def test_values_of_the_conformance_cases(worse: int, same: int, better: int, low: float, high: float) -> None:
    counts = DeltaCounts.of([1.0, 0.0, -1.0], [worse, same, better])
    bounds = gaffke_bounds(counts, counts, 0.95)
    assert (low, high) == (round(bounds.low, 9), round(bounds.high, 9))


def exact_tail(values: list[Fraction], x: Fraction) -> Fraction:
    """P(T > x) for distinct values and the +1 by divided differences: T's density is a B-spline (Curry-Schoenberg)."""
    points = [*values, Fraction(1)]
    n = len(values)
    return sum(
        (
            (z - x) ** n / math.prod(z - other for k, other in enumerate(points) if k != j)
            for j, z in enumerate(points)
            if z > x
        ),
        start=Fraction(0),
    )


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.fractions(-1, Fraction(39, 40), max_denominator=40), min_size=1, max_size=14, unique=True),
    st.fractions(Fraction(1, 50), Fraction(49, 50), max_denominator=50),
)
@example([Fraction(-1)], Fraction(1, 2))
def test_the_tail_agrees_with_exact_rational_arithmetic(values: list[Fraction], where: Fraction) -> None:
    x = min(values) + where * (1 - min(values))
    seen = tail_probability(DeltaCounts.of([float(v) for v in values]), float(x))
    assert seen == pytest.approx(float(exact_tail(values, x)), rel=1e-9, abs=1e-14)


@settings(max_examples=100, deadline=None)
@given(deltas, confidences)
def test_the_tail_at_the_bound_is_its_level(sample: list[float], confidence: float) -> None:
    counts = DeltaCounts.of(sample)
    high = upper_bound(counts, confidence)
    if high < 1 - 1e-9:
        assert tail_probability(counts, high) == pytest.approx((1 - confidence) / 2, rel=1e-9)


@pytest.mark.parametrize(
    "sample",
    [
        [0.0] * 20,
        [1.0, -1.0, 0.0, 0.0, 0.0],
        [0.1, 0.2, 0.2, -0.7],
        [0.99, -0.99],
        [-1.0] * 9 + [1.0],
        list(np.linspace(-0.3, 0.6, 50)),
    ],
)
def test_a_dirichlet_twin_by_simulation_agrees(sample: list[float]) -> None:
    """At the bound, the share of simulated weighted means above it is (1 - c)/2, within its binomial error."""
    rng = np.random.default_rng(20260101)
    weights = rng.dirichlet(np.ones(len(sample) + 1), size=40_000)
    for confidence in (0.8, 0.95):
        for sign in (1.0, -1.0):
            counts = DeltaCounts.of(sign * np.array(sample))
            means = weights @ np.append(counts.values.repeat(counts.counts), 1.0)
            above = int((means > upper_bound(counts, confidence)).sum())
            assert stats.binomtest(above, len(means), (1 - confidence) / 2).pvalue > 1e-4


@settings(max_examples=150, deadline=None)
@given(deltas, confidences, st.data())
def test_a_worse_unit_never_lowers_a_bound(sample: list[float], confidence: float, data: st.DataObject) -> None:
    which = data.draw(st.integers(0, len(sample) - 1))
    worse = list(sample)
    worse[which] = data.draw(st.floats(sample[which], 1.0))
    before, after = DeltaCounts.of(sample), DeltaCounts.of(worse)
    assert in_order(upper_bound(before, confidence), upper_bound(after, confidence))
    assert in_order(lower_bound(before, confidence), lower_bound(after, confidence))


@settings(max_examples=100, deadline=None)
@given(deltas, confidences, st.randoms(use_true_random=False))
def test_order_does_not_matter_and_the_sides_mirror(sample: list[float], confidence: float, random: object) -> None:
    shuffled = list(sample)
    random.shuffle(shuffled)  # type: ignore[attr-defined]  # hypothesis' Random
    first, second = DeltaCounts.of(sample), DeltaCounts.of(shuffled)
    assert gaffke_bounds(first, first, confidence) == gaffke_bounds(second, second, confidence)
    assert lower_bound(first, confidence) == -upper_bound(first.negated(), confidence)


@settings(max_examples=100, deadline=None)
@given(deltas, confidences)
def test_the_interval_is_one_and_within_range(sample: list[float], confidence: float) -> None:
    counts = DeltaCounts.of(sample)
    bounds = gaffke_bounds(counts, counts, confidence)
    assert -1 <= bounds.low < bounds.high <= 1
    assert in_order(bounds.low, counts.mean)
    assert in_order(counts.mean, bounds.high)


@pytest.mark.parametrize(
    ("values", "counts"),
    [
        ([-1, 0, 1], [10, 990, 1]),  # the path of steepest descent leads uphill far out
        ([-1, 0, 1], [26, 2_680, 69_113]),
        ([-1, 0], [25, 362_528]),
        ([-0.193548963077961, -5.3309263641593854e-05, 8.817235008244806e-07], [55, 9_660, 24_948]),
        ([-3.8e-9, 1.2e-8, 0.86], [1_043_926, 3, 513]),
        ([1 - 1e-12, 1 - 1e-13], [5, 7]),
        ([-1.0, 1.0 - 2**-53], [1, 1]),
    ],
)
def test_awkward_scales_settle(values: list[float], counts: list[int]) -> None:
    sample = DeltaCounts.of(values, counts)
    bounds = gaffke_bounds(sample, sample, 0.95)
    for level, high in ((0.025, bounds.high), (0.975, None)):
        if high is not None and high < 1 - 1e-9:
            assert tail_probability(sample, high) == pytest.approx(level, rel=1e-8)
    assert -1 <= bounds.low <= sample.mean <= bounds.high <= 1


def test_many_units_approach_the_normal_interval() -> None:
    """At n = 10^7 the bound is the mean and 1.96 standard errors, to the order of 1/n."""
    sample = DeltaCounts.of([-1.0, 0.0, 1.0], [200_000, 9_600_000, 200_000])
    expected = 1.959963984540054 * math.sqrt(0.04 / 1e7)
    assert upper_bound(sample, 0.95) == pytest.approx(expected, abs=3e-7)


def test_importing_the_bound_stays_light() -> None:
    script = (
        "import sys, litmus_nb.stats.bound, litmus_nb.stats.bootstrap, litmus_nb.stats.agreement;"
        "print(sorted({'scipy', 'pandas', 'polars', 'statsmodels', 'altair'} & set(sys.modules)))"
    )
    seen = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert seen.stdout.strip() == "[]"
