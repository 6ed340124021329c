"""Many samples at once agree with one at a time."""

from __future__ import annotations

import numpy as np
import pytest

from litmus_nb.stats.bound import DeltaCounts, gaffke_bounds
from litmus_nb.stats.many import lower_bounds_of_rows, upper_bounds_of_rows


def test_rows_that_cannot_be_bounded_are_refused() -> None:
    values = np.array([-1.0, 0.0, 1.0])
    with pytest.raises(ValueError, match="confidence"):
        upper_bounds_of_rows(values, np.array([[1, 1, 1]]), 95.0)
    with pytest.raises(ValueError, match="one column of counts per value"):
        upper_bounds_of_rows(values, np.array([[1, 1]]), 0.95)
    with pytest.raises(ValueError, match="ascending"):
        upper_bounds_of_rows(values[::-1], np.array([[1, 1, 1]]), 0.95)
    with pytest.raises(ValueError, match="no deltas"):
        upper_bounds_of_rows(values, np.array([[1, 1, 1], [0, 0, 0]]), 0.95)


@pytest.mark.parametrize(
    ("values", "n", "chances"),
    [
        ([-1.0, 0.0, 1.0], 5, [0.3, 0.4, 0.3]),
        ([-1.0, 0.0, 1.0], 100, [0.01, 0.98, 0.01]),
        ([-1.0, 0.0, 1.0], 1_000, [0.02, 0.88, 0.1]),
        ([-1.0, 0.0, 1.0], 200_000, [0.0001, 0.9998, 0.0001]),
        ([0.0, 1.0], 20, [0.5, 0.5]),
        ([-1.0], 3, [1.0]),
        ([1.0], 3, [1.0]),
        (np.arange(-6, 7) / 6, 40, np.full(13, 1 / 13)),
        (np.arange(-20, 21) / 20, 300, np.exp(-np.abs(np.arange(-20, 21))) / np.exp(-np.abs(np.arange(-20, 21))).sum()),
    ],
)
def test_each_row_has_the_bounds_of_its_sample(values: object, n: int, chances: object) -> None:
    grid = np.array(values, dtype=np.float64)
    counts = np.random.default_rng(20260102).multinomial(n, chances, size=40)
    low, high = lower_bounds_of_rows(grid, counts, 0.95), upper_bounds_of_rows(grid, counts, 0.95)
    for row in range(0, 40, 4):
        sample = DeltaCounts.of(grid, counts[row])
        expected = gaffke_bounds(sample, sample, 0.95)
        assert (expected.low, expected.high) == pytest.approx((low[row], high[row]), abs=1e-9)
