"""The multiset of deltas: what it refuses, and that equal deltas are one."""

from __future__ import annotations

import math

import numpy as np
import pytest

from litmus_nb.stats.deltas import LARGEST_EXACT_N, DeltaCounts, noise_floor


@pytest.mark.parametrize(
    ("values", "counts", "message"),
    [
        ([], None, "no deltas"),
        ([], [], "no deltas"),
        ([0.5], [0], "no deltas"),
        ([math.nan], None, "not a finite"),
        ([math.inf], None, "not a finite"),
        ([1.0000001], None, r"outside \[-1, 1\]"),
        ([-1.5], None, r"outside \[-1, 1\]"),
        ([0.0], [-1], "negative"),
        ([0.0], [1.5], "whole"),
        ([0.0, 1.0], [1], "one delta per count"),
        ([[0.0]], None, "one delta per count"),
        ([[0.0]], [[1]], "one delta per count"),
        (0.0, 1, "one delta per count"),
    ],
)
def test_deltas_that_cannot_be_counted_are_refused(values: object, counts: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        DeltaCounts.of(values, counts)


def test_equal_deltas_merge_in_any_order_and_minus_zero_is_zero() -> None:
    expected = DeltaCounts.of([-0.5, 0.0, 0.25], [2, 3, 1])
    assert expected == DeltaCounts.of([0.25, -0.0, -0.5, 0.0, -0.5, -0.0])
    assert expected == DeltaCounts.of([0.0, -0.5, 0.25, -0.0], [2, 2, 1, 1])
    assert (expected.n, expected.mean) == (6, -0.125)


@pytest.mark.parametrize("counts", [None, [1]])
def test_minus_zero_is_zero_to_the_bit_and_deltas_are_doubles(counts: object) -> None:
    assert DeltaCounts.of([-0.0], counts).values.tobytes() == np.zeros(1).tobytes()
    assert DeltaCounts.of(np.array([0.1], dtype=np.float32), counts).values.dtype == np.float64


def test_the_exact_bound_is_for_two_thousand_units_as_the_rule_says() -> None:
    """docs/rule.md, 4.3."""
    assert LARGEST_EXACT_N == 2_000


def test_other_values_or_other_counts_are_not_equal() -> None:
    deltas = DeltaCounts.of([0.0, 1.0], [2, 3])
    for other in (DeltaCounts.of([0.0, 1.0], [3, 2]), DeltaCounts.of([0.0, 0.5], [2, 3]), [0.0, 1.0]):
        assert deltas != other


def test_with_the_sides_exchanged_every_delta_changes_its_sign_and_keeps_its_count() -> None:
    expected = DeltaCounts.of([0.5, -0.25, 0.0], [2, 3, 1])
    seen = DeltaCounts.of([-0.5, 0.25, 0.0], [2, 3, 1]).negated()
    assert expected == seen
    assert seen.values.tolist() == [-0.25, 0.0, 0.5]


def test_a_value_that_counts_zero_times_is_left_out() -> None:
    assert DeltaCounts.of([0.0, 1.0], [3, 0]).values.tolist() == [0.0]


def test_deltas_and_counts_cannot_be_changed_afterwards() -> None:
    for deltas in (DeltaCounts.of([0.0, 1.0]), DeltaCounts.of([0.0, 1.0], [2, 3]), DeltaCounts.of([0.5]).negated()):
        for array in (deltas.values, deltas.counts):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 0


def test_noise_floor_is_the_standard_deviation_with_both_extremes_added() -> None:
    deltas = np.array([0.0, 0.25, -1.0, 0.25])
    z = np.append(deltas, [1.0, -1.0])
    assert noise_floor(DeltaCounts.of(deltas)) == pytest.approx(math.sqrt(np.mean((z - z.mean()) ** 2) / 7), rel=1e-14)


def test_noise_floor_is_never_zero() -> None:
    """Twelve ties: the value of the conformance case `novd-zero-failures-tiny-class`."""
    assert noise_floor(DeltaCounts.of([0.0], [12])) == pytest.approx(0.097590007, abs=5e-10)
