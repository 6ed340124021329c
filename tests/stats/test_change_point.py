"""When a rate changed: found where it was put, and rarely where it was not."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from litmus_nb.stats.change_point import change_point, control_limits


@pytest.mark.parametrize(("events", "n"), [([1], [0]), ([3], [2]), ([-1], [2]), ([1, 1], [2])])
def test_impossible_counts_are_refused(events, n):
    with pytest.raises(ValueError, match=r"one count|between 0"):
        change_point(events, n)


@pytest.mark.parametrize("events", [[1, 2, 3], [2, 2, 2, 2, 2], []])
def test_too_few_entries_or_equal_rates_say_nothing(events):
    assert change_point(events, [10] * len(events)) is None


def test_a_change_is_found_where_it_was_put():
    found = change_point([1, 0, 2, 1, 1, 9, 11, 8, 10], [40] * 9)
    assert (found.first_after, found.plausible) == (5, (5,))
    assert (found.before, found.after) == pytest.approx((5 / 200, 38 / 160))
    assert found.p_value < 0.05


def test_the_plausible_dates_hold_the_true_one_as_often_as_they_say():
    rng, held = np.random.default_rng(8), 0
    for _ in range(100):
        at = int(rng.integers(3, 12))
        rates = np.where(np.arange(15) < at, 0.05, 0.2)
        found = change_point(rng.binomial(40, rates), [40] * 15)
        held += at in found.plausible
    assert stats.binomtest(held, 100, 0.95, alternative="less").pvalue > 0.001


def test_a_steady_rate_is_rarely_called_changed():
    """The same items in each entry, some borderline: they vary less than binomially, which does not matter here."""
    rng = np.random.default_rng(9)
    items = np.where(rng.random(40) < 0.2, rng.uniform(0.2, 0.8, 40), 0.02)
    series = [(rng.random((12, 40)) < items).sum(axis=1) for _ in range(120)]
    alarms = sum((found := change_point(events, [40] * 12)) is not None and found.p_value <= 0.05 for events in series)
    assert stats.binomtest(alarms, 120, 0.05, alternative="greater").pvalue > 0.001


@pytest.mark.parametrize(("rate", "n"), [(0.05, 40), (0.0, 10), (1.0, 10), (0.95, 200)])
def test_shares_rarely_leave_the_control_limits(rate, n):
    low, high = control_limits(rate, n)
    assert low <= rate <= high
    assert stats.binom.cdf(round(low * n) - 1, n, rate) <= 0.00135
    assert stats.binom.sf(round(high * n), n, rate) <= 0.00135
    with pytest.raises(ValueError, match="rate"):
        control_limits(1.5, 3)
