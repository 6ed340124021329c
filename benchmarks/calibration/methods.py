"""What each method decides on a single-trial paired table, as arrays over tables.

Every function takes the tables as two arrays (scenarios that got worse, scenarios that got better), n and the
tolerance, and gives two arrays of booleans: PASS (no regression beyond the tolerance) and FAIL (a regression is shown).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from litmus_nb import __version__
from litmus_nb.stats.bound import DeltaCounts, tail_probability
from litmus_nb.stats.exact import fewest_better

CONFIDENCE = 0.95
LEVEL = 0.025  # (1 - c)/2; as the rule computes it, (1 - 0.95)/2 differs in the last bit only
Z = float(stats.norm.isf(LEVEL))
FIXED_TOLERANCE = 0.02

Ints = NDArray[np.int64]
Decisions = tuple[NDArray[np.bool_], NDArray[np.bool_]]


@dataclass(frozen=True)
class Method:
    """A way to decide, the version of what it comes from, and the false-pass rate it claims (None: no claim)."""

    name: str
    version: str
    nominal: float | None
    decide: Callable[[Ints, Ints, int, float], Decisions]


def bound(worse: Ints, better: Ints, n: int, tolerance: float) -> Decisions:
    """RULE 4.3, by where it changes: it is monotone, so one walk along the edge decides every table."""
    fewest, most = _edge(n, tolerance, "pass"), _edge(n, tolerance, "fail")
    return better >= fewest[worse], better <= most[worse]


@lru_cache(maxsize=256)
def _edge(n: int, tolerance: float, outcome: str) -> Ints:
    """For each number of worse scenarios: the fewest better ones that PASS, or the most that still FAIL (-1: none)."""
    edge = np.empty(n + 1, dtype=np.int64)
    better = 0 if outcome == "pass" else -1
    for worse in range(n + 1):
        if outcome == "pass":
            while better <= n - worse and not _passes(worse, better, n, tolerance):
                better += 1
            if better > n - worse:
                better = 2 * n  # no table has so many; and more worse ones need no fewer
        else:
            while better + 1 <= n - worse and _fails(worse, better + 1, n, tolerance):
                better += 1
        edge[worse] = better
    return edge


def _sample(worse: int, better: int, n: int) -> DeltaCounts:
    return DeltaCounts.of([-1.0, 0.0, 1.0], [better, n - worse - better, worse])


def _passes(worse: int, better: int, n: int, tolerance: float) -> bool:
    return tail_probability(_sample(worse, better, n), tolerance) <= LEVEL


def _fails(worse: int, better: int, n: int, tolerance: float) -> bool:
    return tail_probability(_sample(better, worse, n), -tolerance) < LEVEL


def exact_interval(worse: Ints, better: Ints, n: int, tolerance: float) -> Decisions:
    """RULE 4.3 with `interval: exact`: for single trials of single scenarios only."""
    passing, failing = _exact_edge(n, tolerance), _exact_edge(n, -tolerance)
    return better >= passing[worse], worse >= failing[better]


@lru_cache(maxsize=256)
def _exact_edge(n: int, tolerance: float) -> Ints:
    return fewest_better(n, tolerance, CONFIDENCE)


def point(worse: Ints, better: Ints, n: int, tolerance: float) -> Decisions:
    """The observed delta against the tolerance: what most dashboards do."""
    delta = (worse - better) / n
    return delta <= tolerance + 1e-12, delta > tolerance + 1e-12


def fixed_two_points(worse: Ints, better: Ints, n: int, tolerance: float) -> Decisions:
    """The observed delta against two points, whatever was asked for."""
    return point(worse, better, n, FIXED_TOLERANCE)


def _by_interval(centre: NDArray[np.float64], half: NDArray[np.float64], tolerance: float) -> Decisions:
    return centre + half <= tolerance, centre - half > tolerance


def wald(worse: Ints, better: Ints, n: int, tolerance: float) -> Decisions:
    """The paired normal interval: delta +- z sqrt(((b + c) - (b - c)^2 / n) / n^2)."""
    delta = (worse - better) / n
    return _by_interval(delta, Z * np.sqrt((worse + better) / n - delta**2) / math.sqrt(n), tolerance)


def agresti_min(worse: Ints, better: Ints, n: int, tolerance: float) -> Decisions:
    """Wald with half a pair added to each cell (Agresti & Min 2005, Statist. Med. 24:729)."""
    total = n + 2
    delta = (worse - better) / total
    spread = np.sqrt((worse + better + 1) / total - delta**2) / math.sqrt(total)
    return _by_interval(delta, Z * spread, tolerance)


def tango(worse: Ints, better: Ints, n: int, tolerance: float) -> Decisions:
    """The score test of a paired difference (Tango 1998, Statist. Med. 17:891)."""
    score = tango_score(worse, better, n, tolerance)
    return score <= -Z, score > Z


def tango_score(worse: Ints, better: Ints, n: int, tolerance: float) -> NDArray[np.float64]:
    """(w - b - n d) over its standard deviation at the estimate q of the chance of `better` restricted to delta = d."""
    linear = (2 * n + better - worse) * tolerance - (worse + better)
    constant = -better * tolerance * (1 - tolerance)
    q = (np.sqrt(np.maximum(linear**2 - 8 * n * constant, 0.0)) - linear) / (4 * n)
    spread = np.sqrt(np.maximum(n * (2 * q + tolerance * (1 - tolerance)), 1e-300))
    found: NDArray[np.float64] = (worse - better - n * tolerance) / spread
    return found


def mcnemar(worse: Ints, better: Ints, n: int, tolerance: float) -> Decisions:
    """Exact McNemar, used as gates use it: no significant rise, no objection."""
    discordant = worse + better
    p = np.minimum(1.0, 2 * stats.binom.cdf(np.minimum(worse, better), discordant, 0.5))
    fails = (p < 1 - CONFIDENCE) & (worse > better)
    return ~fails, fails


SCIPY = version("scipy")
METHODS = (
    Method("litmus_nb", __version__, LEVEL, bound),
    Method("litmus_nb interval: exact", __version__, LEVEL, exact_interval),
    Method("point rule", "-", None, point),
    Method("fixed 2 points", "-", None, fixed_two_points),
    Method("Wald", "-", LEVEL, wald),
    Method("Agresti-Min", "-", LEVEL, agresti_min),
    Method("Tango score", "-", LEVEL, tango),
    Method("exact McNemar", f"scipy {SCIPY}", None, mcnemar),
)
