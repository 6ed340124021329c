"""Rates of cells with several trials or with families, by simulation of whole classes."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from benchmarks.calibration.methods import FIXED_TOLERANCE, LEVEL, Decisions, Z
from benchmarks.calibration.tails import lower_above, upper_at_most
from benchmarks.calibration.truths import Cell, UnitDelta, unit_delta

_DRAWS_AT_ONCE = 4_000_000


def classes(cell: Cell, truth: str, replicates: int) -> tuple[UnitDelta, NDArray[np.int64]]:
    """How many of the n units have each delta: one row per simulated class, one column per value that occurs."""
    unit = unit_delta(cell.baseline_rate, cell.reverse_rate, cell.trials, cell.family_size, cell.true_delta(truth))
    rng = np.random.Generator(np.random.PCG64(_seed(cell, truth)))
    at_once = max(1, _DRAWS_AT_ONCE // unit.values.size)
    parts = [
        rng.multinomial(cell.n, unit.probabilities, size=min(at_once, replicates - first))
        for first in range(0, replicates, at_once)
    ]
    counts = np.concatenate(parts)
    seen = counts.any(axis=0)
    return UnitDelta(unit.values[seen], unit.probabilities[seen]), counts[:, seen]


def bound(unit: UnitDelta, counts: NDArray[np.int64], tolerance: float) -> Decisions:
    return (
        upper_at_most(unit.values, counts, tolerance, LEVEL),
        lower_above(unit.values, counts, tolerance, LEVEL),
    )


def point(unit: UnitDelta, counts: NDArray[np.int64], tolerance: float) -> Decisions:
    delta = counts @ unit.values / counts[0].sum()
    return delta <= tolerance + 1e-12, delta > tolerance + 1e-12


def fixed_two_points(unit: UnitDelta, counts: NDArray[np.int64], tolerance: float) -> Decisions:
    return point(unit, counts, FIXED_TOLERANCE)


def wald(unit: UnitDelta, counts: NDArray[np.int64], tolerance: float) -> Decisions:
    """Mean +- z standard errors over the unit deltas."""
    n = counts[0].sum()
    delta = counts @ unit.values / n
    spread = np.sqrt(np.maximum(counts @ unit.values**2 / n - delta**2, 0.0) / n)
    return delta + Z * spread <= tolerance, delta - Z * spread > tolerance


METHODS: dict[str, Callable[[UnitDelta, NDArray[np.int64], float], Decisions]] = {
    "litmus_nb": bound,
    "point rule": point,
    "fixed 2 points": fixed_two_points,
    "Wald": wald,
}


def rates(cell: Cell, truth: str, replicates: int) -> dict[str, tuple[float, float]]:
    """For each method the simulated probabilities of PASS and of FAIL."""
    unit, counts = classes(cell, truth, replicates)
    found = {}
    for name, decide in METHODS.items():
        passes, fails = decide(unit, counts, cell.tolerance)
        found[name] = (float(passes.mean()), float(fails.mean()))
    return found


def standard_error(rate: float, replicates: int) -> float:
    """Binomial; of a rate of 0 or 1 that of half a case, for no rate was seen without error."""
    seen = min(max(rate, 0.5 / replicates), 1 - 0.5 / replicates)
    return math.sqrt(seen * (1 - seen) / replicates)


def _seed(cell: Cell, truth: str) -> int:
    return int.from_bytes(hashlib.sha256(f"{cell} {truth}".encode()).digest()[:8], "big")
