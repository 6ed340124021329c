"""How numbers are written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litmus_nb.report.numbers import (
    change_in_words,
    confidence_words,
    decimals_apart,
    decimals_that_keep_the_outcome,
    in_points,
    percent,
    plural,
    points,
    signed_points,
)
from tests.report.verdicts import judged


@pytest.mark.parametrize(
    ("expected", "fraction"), [("12.0", 0.12), ("−3.1", -0.031), ("0.0", -0.0000001), ("0.0", 0.0), ("100.0", 1.0)]
)
def test_a_difference_is_in_points_and_never_minus_nothing(expected: str, fraction: float) -> None:
    assert expected == points(fraction)


@pytest.mark.parametrize(("expected", "fraction"), [("+12.0", 0.12), ("−3.1", -0.031), ("0.0", 0.0), ("0.0", 0.0001)])
def test_a_signed_difference_says_which_way(expected: str, fraction: float) -> None:
    assert expected == signed_points(fraction)


@pytest.mark.parametrize("missing", range(3))
def test_a_change_that_is_not_known_has_no_words_and_no_place(missing: int) -> None:
    numbers = [0.031, 0.002, 0.06]
    assert change_in_words(*numbers) == "+3.1 (0.2 to 6.0)"
    assert change_in_words(*[None if place == missing else number for place, number in enumerate(numbers)]) is None
    assert [in_points(number) for number in (None, 0.1 + 0.2, -0.07)] == [None, 30.0, -7.0]


def test_a_rate_is_in_per_cent_and_a_confidence_is_named() -> None:
    assert percent(0.0833) == "8.3\N{NO-BREAK SPACE}%"
    assert confidence_words(0.95) == "95\N{NO-BREAK SPACE}% interval"
    assert confidence_words(0.999) == "99.9\N{NO-BREAK SPACE}% interval"
    assert confidence_words(None) == "interval"


def test_a_bound_just_above_its_tolerance_gets_the_decimals_that_show_it() -> None:
    assert decimals_that_keep_the_outcome([judged("a", "FAIL", ci_low=0.05004, ci_high=0.1, tolerance=0.05)]) == 3
    assert decimals_that_keep_the_outcome([judged("a", ci_high=0.05, tolerance=0.05)]) == 1


FRACTIONS = st.integers(-1_000_000_000, 1_000_000_000).map(lambda n: n / 1_000_000_000)


@given(FRACTIONS, st.integers(1, 999_999).map(lambda n: n / 1_000_000))
def test_what_is_written_never_contradicts_the_outcome(bound: float, tolerance: float) -> None:
    """To 7 decimals of a point, which is what 9 decimals of a fraction are."""
    decimals = decimals_that_keep_the_outcome([judged("a", ci_low=bound, ci_high=bound, tolerance=tolerance)])
    written = float(points(bound, decimals).replace("−", "-")), float(points(tolerance, decimals))
    assert (bound > tolerance) == (written[0] > written[1])


@given(FRACTIONS, FRACTIONS)
def test_two_numbers_that_differ_look_different(left: float, right: float) -> None:
    decimals = decimals_apart(left, right)
    assert (left == right) == (points(left, decimals) == points(right, decimals))


def test_one_is_not_many() -> None:
    assert [
        plural(1, "class", "classes"),
        plural(2, "class", "classes"),
        plural(0, "trial"),
    ] == ["1 class", "2 classes", "0 trials"]
