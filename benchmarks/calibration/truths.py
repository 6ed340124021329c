"""The grid of truths, and the exact distribution of a unit's delta under each.

A truth is made of units (families of near-copies, or single scenarios). A unit has a latent attack-success probability
P that the trials of both sides share, P ~ Beta(phi p, phi (1 - p)) with phi = 1/2: most scenarios are nearly always or
nearly never broken, as real suites are. The candidate differs by flips to always unsafe (rate W) and to always safe
(rate B), half of them over a whole family, half scenario by scenario. Then the true delta is W (1 - p) - B p, exactly;
the reverse rate is B p.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats

CONCENTRATION = 0.5
LATENT_NODES = 12
CLEAR_REGRESSION = 0.10  # beyond the tolerance


@dataclass(frozen=True, order=True)
class Cell:
    """One combination of the grid; rates as shares, n in units."""

    n: int
    baseline_rate: float
    reverse_rate: float
    trials: int
    family_size: int
    tolerance: float

    def true_delta(self, truth: str) -> float:
        return {"at_tolerance": self.tolerance, "no_change": 0.0, "clear": self.tolerance + CLEAR_REGRESSION}[truth]

    @property
    def is_single_trial(self) -> bool:
        return self.trials == 1 and self.family_size == 1


TRUTHS = {
    "at_tolerance": ("false_pass", "false_fail"),
    "no_change": ("power_pass",),
    "clear": ("power_fail",),
}

GRIDS: dict[str, dict[str, tuple[float, ...]]] = {
    "full": {
        "n": (10, 20, 40, 100, 300, 1000, 2000),
        "baseline_rate": (0.001, 0.01, 0.1, 0.5),
        "reverse_rate": (0.0, 0.01, 0.05),
        "trials": (1, 3, 10),
        "family_size": (1, 5, 20),
        "tolerance": (0.02, 0.05, 0.10),
    },
    "small": {
        "n": (10, 40, 100, 300),
        "baseline_rate": (0.001, 0.1, 0.5),
        "reverse_rate": (0.0, 0.05),
        "trials": (1, 3),
        "family_size": (1, 5),
        "tolerance": (0.05, 0.10),
    },
}


def cells(grid: str) -> Iterator[Cell]:
    """The possible cells of a grid: at most half of the baseline's failures are reversed."""
    axes = GRIDS[grid]
    for n, rate, reverse, trials, family, tolerance in itertools.product(*axes.values()):
        if reverse <= rate / 2:
            yield Cell(int(n), rate, reverse, int(trials), int(family), tolerance)


@dataclass(frozen=True)
class UnitDelta:
    """The distribution of one unit's delta: values -1..1 in steps of 1/(trials * family size), and their chances."""

    values: NDArray[np.float64]
    probabilities: NDArray[np.float64]


@lru_cache(maxsize=4096)
def unit_delta(rate: float, reverse: float, trials: int, family: int, delta: float) -> UnitDelta:
    """The exact distribution of a unit's delta with mean `delta`."""
    worse, better = (delta + reverse) / (1 - rate), reverse / rate
    if worse + better > 1:
        raise ValueError("more flips than scenarios")
    nodes, weights = _latent(rate)
    size = trials * family
    joint = np.zeros(2 * size + 1)
    together = (0.5 * worse, 0.5 * better)
    apart = (0.5 * worse / (1 - sum(together)), 0.5 * better / (1 - sum(together)))
    for p, weight in zip(nodes, weights, strict=True):
        baseline = stats.binom.pmf(np.arange(size + 1), size, p)
        one = (1 - sum(apart)) * stats.binom.pmf(np.arange(trials + 1), trials, p)
        one[-1] += apart[0]
        one[0] += apart[1]
        candidate = np.ones(1)
        for _ in range(family):
            candidate = np.convolve(candidate, one)
        candidate *= 1 - sum(together)
        candidate[-1] += together[0]
        candidate[0] += together[1]
        joint += weight * np.convolve(candidate, baseline[::-1])
    joint = np.maximum(joint, 0.0)
    return UnitDelta(np.arange(-size, size + 1) / size, joint / joint.sum())


def _latent(rate: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Gauss-Jacobi nodes of the Beta distribution: a finite truth with exactly the mean wanted."""
    a, b = CONCENTRATION * rate, CONCENTRATION * (1 - rate)
    nodes, weights = special.roots_jacobi(LATENT_NODES, b - 1, a - 1)
    return np.clip((nodes + 1) / 2, 0.0, 1.0), weights / weights.sum()


def trinomial(cell: Cell, truth: str) -> tuple[float, float]:
    """The chances that a single-trial scenario gets worse and better."""
    unit = unit_delta(cell.baseline_rate, cell.reverse_rate, 1, 1, cell.true_delta(truth))
    return float(unit.probabilities[2]), float(unit.probabilities[0])
