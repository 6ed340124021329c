"""Agreement between the trials of a scenario: exact, and undefined where there are no pairs."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litmus_nb.stats.agreement import mean_pair_agreement


@pytest.mark.parametrize(
    ("successes", "failures", "declared", "message"),
    [(-1, 0, 3, "negative"), (0, -1, 3, "negative"), (2, 2, 3, "more trials seen"), (0, 0, 0, "at least one declared")],
)
def test_impossible_counts_are_refused(successes: int, failures: int, declared: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        mean_pair_agreement([successes], [failures], declared)


def test_counts_that_are_not_whole_or_not_paired_are_refused() -> None:
    for successes, failures in (([1.5], [0.5]), ([1.5], [1]), ([1], [1.5])):
        with pytest.raises(ValueError, match="whole"):
            mean_pair_agreement(successes, failures, 3)
    for successes, failures in (([1, 2], [1]), ([[1]], [[1]]), (1, 1)):
        with pytest.raises(ValueError, match="one success and one failure"):
            mean_pair_agreement(successes, failures, 3)


def test_a_single_trial_and_no_scenario_are_undefined() -> None:
    assert mean_pair_agreement([1], [0], 1) is None
    assert mean_pair_agreement([], [], 3) is None


def test_unknown_trials_agree_with_none() -> None:
    assert Fraction(1, 3) == mean_pair_agreement([2], [0], 3)
    assert Fraction(0) == mean_pair_agreement([0], [0], 3)
    assert Fraction(1) == mean_pair_agreement([3], [0], 3)


trials = st.lists(st.sampled_from([True, False, None]), min_size=4, max_size=4)


@given(st.lists(trials, min_size=1, max_size=8))
def test_it_is_the_count_of_agreeing_pairs(scenarios: list[list[bool | None]]) -> None:
    shares = [
        Fraction(sum(a is not None and a is b for a, b in itertools.combinations(labels, 2)), 6) for labels in scenarios
    ]
    seen = mean_pair_agreement([s.count(True) for s in scenarios], [s.count(False) for s in scenarios], 4)
    assert sum(shares) / len(shares) == seen
