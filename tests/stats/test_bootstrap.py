"""The percentile bootstrap: exact on a lattice, a fixed function of the deltas off it."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats

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


@pytest.mark.parametrize(("n", "successes"), [(40, 3), (1_000, 10), (100_000, 4_000), (10_000_000, 30)])
def test_on_zero_one_data_it_is_the_binomial_quantile(n: int, successes: int) -> None:
    seen = percentile_bootstrap(DeltaCounts.of([0.0, 1.0], [n - successes, successes]), 0.95)
    expected = stats.binom.ppf([0.025, 0.975], n, successes / n) / n
    assert (expected[0], expected[1]) == pytest.approx((seen.low, seen.high), abs=1e-12)


def test_ties_have_no_width() -> None:
    seen = percentile_bootstrap(DeltaCounts.of([0.25], [12]), 0.95)
    assert (seen.low, seen.high, seen.is_exact) == (0.25, 0.25, True)


def test_a_quantile_reached_exactly_is_taken() -> None:
    """Of 10 zeros and ones with 5 each no quantile is 0.1; of two units, P(mean <= 0) is exactly 1/4."""
    assert percentile_bootstrap(DeltaCounts.of([0.0, 1.0]), 0.5).low == 0.0


def test_off_the_lattice_it_resamples_and_agrees_with_other_resamples() -> None:
    sample = np.random.default_rng(5).uniform(-0.5, 1.0, 60)
    seen = percentile_bootstrap(DeltaCounts.of(sample), 0.95)
    assert (seen.is_exact, seen.resamples) == (False, RESAMPLES)
    rng = np.random.default_rng(6)
    means = rng.choice(sample, (40_000, 60)).mean(axis=1)
    # Three standard errors of a 2.5 % quantile from 10,000 draws.
    assert np.quantile(means, [0.025, 0.975]) == pytest.approx([seen.low, seen.high], abs=0.006)


def test_off_the_lattice_the_same_deltas_give_the_same_interval_in_any_order() -> None:
    sample = np.random.default_rng(5).uniform(-0.5, 1.0, 60)
    first = percentile_bootstrap(DeltaCounts.of(sample), 0.9)
    assert first == percentile_bootstrap(DeltaCounts.of(sample[::-1]), 0.9)
    assert first != percentile_bootstrap(DeltaCounts.of(sample + 1e-6), 0.9)


def test_off_the_lattice_the_interval_is_the_one_pinned() -> None:
    """Against itself (numpy 2.4, PCG64): a change of the stream would change published numbers."""
    seen = percentile_bootstrap(DeltaCounts.of([0.1234567, 0.7654321, -0.5555557], [5, 3, 4]), 0.95)
    assert (round(seen.low, 9), round(seen.high, 9)) == (-0.219135917, 0.334362083)
