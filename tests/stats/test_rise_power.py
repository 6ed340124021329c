"""Power of the lower bound: against simulation, and the edges."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from scipy import stats

from litmus_nb.stats.rates import change_bounds, mean_bounds
from litmus_nb.stats.rise_power import least_items, power_of_rise


@pytest.mark.parametrize(("n", "rise", "flip_rate"), [(0, 0.1, 0.0), (10, -0.1, 0.0), (10, 0.8, 0.15), (10, 0.1, -0.1)])
def test_what_does_not_fit_together_is_refused(n, rise, flip_rate):
    with pytest.raises(ValueError, match="fit together"):
        power_of_rise(n, rise, tolerance=0.02, confidence=0.95, flip_rate=flip_rate)


@pytest.mark.parametrize(("n", "rise", "flip_rate", "limit"), [(60, 0.2, 0.0, 1.0), (60, 0.2, 0.05, 0.002)])
def test_against_simulation(n, rise, flip_rate, limit):
    @functools.cache
    def is_shown(worse, better):
        changes = np.repeat([1.0, -1.0, 0.0], [worse, better, n - worse - better])
        by_chance = stats.binom.cdf(better, worse + better, 0.5) if worse + better else 1.0
        return change_bounds(changes, 0.95).low > 0.02 and by_chance <= limit

    chances = [rise + flip_rate, flip_rate, 1 - rise - 2 * flip_rate]
    drawn = np.random.default_rng(3).multinomial(n, chances, size=400).tolist()
    shown = sum(is_shown(worse, better) for worse, better, _ in drawn)
    expected = power_of_rise(n, rise, tolerance=0.02, confidence=0.95, flip_rate=flip_rate, chance_limit=limit)
    assert stats.binomtest(shown, 400, expected).pvalue > 0.001


def test_more_items_see_more():
    powers = [power_of_rise(n, 0.1, tolerance=0.02, confidence=0.95) for n in (20, 80, 320)]
    assert powers == sorted(powers)
    assert powers[0] < 0.05 < 0.9 < powers[-1]


def test_a_rise_within_the_tolerance_is_not_shown():
    assert power_of_rise(500, 0.02, tolerance=0.02, confidence=0.95) <= 0.025


def test_the_fewest_items_are_few_enough_and_no_fewer():
    n = least_items(0.1, 0.8, tolerance=0.02, confidence=0.95)
    assert n is not None
    assert power_of_rise(n, 0.1, tolerance=0.02, confidence=0.95) >= 0.8
    assert power_of_rise(n - max(2, n // 20), 0.1, tolerance=0.02, confidence=0.95) < 0.8
    assert least_items(0.02, 0.8, tolerance=0.02, confidence=0.95) is None


def test_a_mean_of_yeses_has_clopper_and_pearsons_interval():
    expected = stats.binomtest(7, 40).proportion_ci(0.95, "exact")
    seen = mean_bounds([1.0] * 7 + [0.0] * 33, 0.95)
    assert (expected.low, expected.high) == pytest.approx((seen.low, seen.high), abs=1e-9)
