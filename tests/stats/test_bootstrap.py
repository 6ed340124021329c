"""The percentile bootstrap: exact on a lattice, a fixed function of the deltas off it."""

from __future__ import annotations

import itertools
import math
import tracemalloc

import numpy as np
import pytest
from scipy import stats

from litmus_nb.stats import bootstrap
from litmus_nb.stats.bootstrap import RESAMPLES, percentile_bootstrap
from litmus_nb.stats.deltas import DeltaCounts


@pytest.mark.parametrize("confidence", [0.0, 1.0, 95.0])
def test_a_confidence_that_is_none_is_refused(confidence: float) -> None:
    with pytest.raises(ValueError, match="confidence"):
        percentile_bootstrap(DeltaCounts.of([0.0, 1.0]), confidence)


def by_enumeration(sample: list[float], level: float) -> float:
    """The smallest mean with at least `level` of all n^n resamples at or below it."""
    means = np.sort([sum(drawn) for drawn in itertools.product(sample, repeat=len(sample))]) / len(sample)
    cumulative = np.arange(1, means.size + 1) / means.size
    # The last of equal means carries their whole probability; floating point may have split them.
    return float(means[np.searchsorted(cumulative, level - 1e-12)])


@pytest.mark.parametrize(
    "sample",
    [
        [0.0, 1.0],
        [1.0, -1.0, 0.0],
        [0.0, 0.0, 1.0],  # as many sums as the transform has places
        [0.0, 0.0, 0.0, 1.0, -1.0],
        [1 / 3, 2 / 3, -1 / 3, 1 / 3, 0.0, 1.0],
        [0.3, 0.1 + 0.2, -0.7, 1.0],
    ],
)
@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_it_is_the_enumeration_of_all_resamples(sample: list[float], confidence: float) -> None:
    seen = percentile_bootstrap(DeltaCounts.of(sample), confidence)
    assert (seen.is_exact, seen.resamples) == (True, None)
    assert seen.low == pytest.approx(by_enumeration(sample, (1 - confidence) / 2), abs=1e-12)
    assert seen.high == pytest.approx(by_enumeration(sample, (1 + confidence) / 2), abs=1e-12)


@pytest.mark.parametrize(
    ("n", "successes"), [(40, 3), (1_000, 10), (100_000, 4_000), (10_000_000, 30), (10_000_000, 5_000_000)]
)
def test_on_zero_one_data_it_is_the_binomial_quantile(n: int, successes: int) -> None:
    seen = percentile_bootstrap(DeltaCounts.of([0.0, 1.0], [n - successes, successes]), 0.95)
    expected = stats.binom.ppf([0.025, 0.975], n, successes / n) / n
    assert (expected[0], expected[1]) == pytest.approx((seen.low, seen.high), abs=1e-12)


def test_ties_have_no_width() -> None:
    seen = percentile_bootstrap(DeltaCounts.of([0.25], [12]), 0.95)
    assert (seen.low, seen.high, seen.is_exact) == (0.25, 0.25, True)


def test_ties_off_the_lattice_need_no_resampling() -> None:
    seen = percentile_bootstrap(DeltaCounts.of([0.1234567], [12]), 0.95)
    assert (seen.low, seen.high, seen.is_exact, seen.resamples) == (0.1234567, 0.1234567, True, None)


@pytest.mark.parametrize("lowest", [-20, -5])
def test_where_sums_gather_in_a_small_part_of_their_range_it_is_the_convolution(lowest: int) -> None:
    """Of every single unit's distribution with the sum of those before."""
    steps = np.arange(lowest, lowest + 26)
    counts = (steps % 7) + 5
    n = int(counts.sum())
    sums = np.ones(1)
    for _ in range(n):
        sums = np.convolve(sums, counts / n)
    cumulative = np.cumsum(sums)
    seen = percentile_bootstrap(DeltaCounts.of(steps / 20, counts), 0.99)
    expected = [(np.searchsorted(cumulative, level) + n * lowest) / (20 * n) for level in (0.005, 0.995)]
    assert seen.is_exact
    assert [seen.low, seen.high] == pytest.approx(expected, abs=1e-12)


def test_how_far_a_sum_strays_is_bernsteins_bound() -> None:
    """P(|S - ES| > t) <= 2 exp(-t^2 / (2 (V + M t / 3))), here 1e-15."""
    for variance, span in ((0.5, 1), (200.0, 7), (1e6, 1_000)):
        t = bootstrap._reach(variance, span)
        assert t * t / (2.0 * (variance + span * t / 3.0)) == pytest.approx(math.log(2e15), rel=1e-9)


@pytest.mark.parametrize(
    ("values", "counts", "is_exact"),
    [
        ([0.0, 1 / 1_000, 1.0], [1, 1, 1], True),
        ([0.0, 1 / 1_001, 1.0], [1, 1, 1], False),
        ([-1 / 999, -1 / 1_000, 1 / 999_000], [1, 1, 1], True),  # on the lattice that the others make
        ([1 / 991, 1 / 997], [2, 1], True),  # in steps of 1 / 988,027
        ([1 / 997, 1 / 1_000, 1 / 999], [1, 1, 1], False),  # in steps of 1 / 996,003,000
        ([0.0, 1 / 999, 1.0], [4_300, 1, 4_300], True),  # two to the power of 20 places for the sums
        ([0.0, 1 / 999, 1.0], [17_200, 1, 17_200], False),  # of 21
    ],
)
def test_it_is_exact_on_a_lattice_of_moderate_size(values: list[float], counts: list[int], is_exact: bool) -> None:
    deltas = DeltaCounts.of(values, counts)
    seen = percentile_bootstrap(deltas, 0.95)
    assert seen.is_exact == is_exact
    assert seen.low < deltas.mean < seen.high


def test_a_quantile_reached_exactly_is_taken() -> None:
    """Of 10 zeros and ones with 5 each no quantile is 0.1; of two units, P(mean <= 0) is exactly 1/4."""
    assert percentile_bootstrap(DeltaCounts.of([0.0, 1.0]), 0.5).low == 0.0


def test_off_the_lattice_it_resamples_and_agrees_with_other_resamples() -> None:
    sample = np.random.default_rng(5).uniform(-0.5, 1.0, 60)
    seen = percentile_bootstrap(DeltaCounts.of(sample), 0.95)
    assert (seen.is_exact, seen.resamples, RESAMPLES) == (False, 10_000, 10_000)
    rng = np.random.default_rng(6)
    means = rng.choice(sample, (40_000, 60)).mean(axis=1)
    # Three standard errors of a 2.5 % quantile from 10,000 draws.
    assert np.quantile(means, [0.025, 0.975]) == pytest.approx([seen.low, seen.high], abs=0.006)


def test_off_the_lattice_the_same_deltas_give_the_same_interval_in_any_order() -> None:
    sample = np.random.default_rng(5).uniform(-0.5, 1.0, 60)
    first = percentile_bootstrap(DeltaCounts.of(sample), 0.9)
    assert first == percentile_bootstrap(DeltaCounts.of(sample[::-1]), 0.9)
    assert first != percentile_bootstrap(DeltaCounts.of(sample + 1e-6), 0.9)


OFF_LATTICE = DeltaCounts.of([0.1234567, 0.7654321, -0.5555557], [5, 3, 4])


def test_of_five_resamples_the_first_and_the_fourth_are_the_quantiles(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reached exactly: a fifth of them are at or below the first."""
    monkeypatch.setattr(bootstrap, "RESAMPLES", 5)
    rng = np.random.Generator(np.random.PCG64(bootstrap._seed(OFF_LATTICE)))
    drawn = rng.multinomial(12, OFF_LATTICE.counts / 12, size=5)
    expected = np.sort(drawn @ OFF_LATTICE.values) / 12
    seen = percentile_bootstrap(OFF_LATTICE, 0.6)
    assert (seen.low, seen.high) == pytest.approx((expected[0], expected[3]), abs=1e-15)


def test_how_many_are_drawn_at_once_changes_the_memory_and_not_the_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    """All 10,000 means take 80 kB, all draws at once 240 kB more."""
    expected = percentile_bootstrap(OFF_LATTICE, 0.95)
    for at_once in (1, 1_001):
        monkeypatch.setattr(bootstrap, "_DRAWS_AT_ONCE", at_once)
        tracemalloc.start()
        assert percentile_bootstrap(OFF_LATTICE, 0.95) == expected
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 200_000


def test_off_the_lattice_the_interval_is_the_one_pinned() -> None:
    """Against itself (numpy 2.4, PCG64): a change of the stream would change published numbers."""
    seen = percentile_bootstrap(OFF_LATTICE, 0.95)
    assert (round(seen.low, 9), round(seen.high, 9)) == (-0.219135917, 0.334362083)
    # So few units have few different means; these sixty show any other stream.
    seen = percentile_bootstrap(DeltaCounts.of([(31 * k * k % 1_009) / 1_009 for k in range(1, 61)]), 0.95)
    assert (round(seen.low, 9), round(seen.high, 9)) == (0.434126198, 0.588470433)
