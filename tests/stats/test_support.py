"""Clumping thousands of distinct deltas changes no bound."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from litmus_nb.stats import bound
from litmus_nb.stats.bound import DeltaCounts, gaffke_bounds, upper_bound
from litmus_nb.stats.support import Support

RNG = np.random.default_rng(20261130)

SHAPES: dict[str, NDArray[np.float64]] = {
    "bell": RNG.normal(0.01, 0.1, 3_000),
    "near ties and two far away": np.append(RNG.normal(0.01, 1e-4, 3_000), [-1.0, 0.9]),
    "heavy tails": RNG.standard_cauchy(3_000) * 0.01,
    "flat": RNG.uniform(-1.0, 1.0, 3_000),
    "two heaps": np.where(RNG.random(3_000) < 0.02, RNG.normal(0.9, 0.001, 3_000), RNG.normal(-0.5, 1e-5, 3_000)),
    "against +1": 1.0 - 10.0 ** RNG.uniform(-9.0, 0.0, 3_000),
    "against -1": -1.0 + 10.0 ** RNG.uniform(-9.0, 0.0, 3_000),
    "every scale": RNG.choice([-1.0, 1.0], 3_000) * 10.0 ** RNG.uniform(-12.0, 0.0, 3_000),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("confidence", [0.8, 0.95, 1 - 1e-9])
def test_a_clumped_bound_is_the_bound(shape: str, confidence: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same integral over every single value is what it is compared with."""
    counts = DeltaCounts.of(np.clip(SHAPES[shape], -1.0, 1.0))
    seen = gaffke_bounds(counts, counts, confidence)
    monkeypatch.setattr(bound, "_MOST_UNCLUMPED", math.inf)
    expected = gaffke_bounds(counts, counts, confidence)
    assert (expected.low, expected.high) == pytest.approx((seen.low, seen.high), rel=0, abs=1e-13)


def test_many_units_of_each_value_too(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.linspace(-1.0, 0.99, 2_000)
    counts = DeltaCounts.of(values, RNG.poisson(5_000.0 * np.exp(-((values / 0.2) ** 2))) + 1)
    seen = upper_bound(counts, 0.95)
    monkeypatch.setattr(bound, "_MOST_UNCLUMPED", math.inf)
    assert upper_bound(counts, 0.95) == pytest.approx(seen, rel=0, abs=1e-13)


@pytest.mark.parametrize("shape", SHAPES)
def test_there_are_few_clumps_and_the_added_unit_is_alone(shape: str) -> None:
    support = Support.with_worst_unit(DeltaCounts.of(np.clip(SHAPES[shape], -1.0, 0.999)))
    clumped = support.clumped(math.log(0.025))
    assert len(clumped.gaps) < 200
    assert (clumped.gaps[-1], clumped.weights[-1]) == (0.0, 1.0)
    assert clumped.moments is not None
    assert not clumped.moments[:, -1].any()
    assert clumped.weights.sum() == pytest.approx(support.total)
    assert clumped.weights @ clumped.gaps == pytest.approx(support.weights @ support.gaps)


def test_clumps_that_leave_too_much_out_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """Were they forced to be wide, the path would notice, and every value would be looked at."""
    counts = DeltaCounts.of(np.clip(SHAPES["bell"], -1.0, 1.0))
    monkeypatch.setattr("litmus_nb.stats.support._CLUMP_RADIUS", 2.0)
    clumped = Support.with_worst_unit(counts).clumped(math.log(0.025))
    with pytest.raises(ArithmeticError):
        bound._root(clumped, math.log(0.025))
    seen = upper_bound(counts, 0.95)
    monkeypatch.setattr(bound, "_MOST_UNCLUMPED", math.inf)
    assert upper_bound(counts, 0.95) == seen
