"""The exact bound on a mean of deltas in {-1, 0, 1}: Buehler's construction on the order that the default bound gives.

For single trials of single scenarios only. Of n scenarios w get worse and b better, with unknown chances p and q whose
difference p - q is the true delta. Order all such tables by the default upper bound and let S be the tables up to the
one seen. The upper bound is the delta at which the chance of S, at worst over the chances with that difference, has
fallen to (1 - c)/2: Buehler (1957, JASA 52:482), the smallest valid bound that follows a given order (Lloyd & Kabaila
2003, Aust. N. Z. J. Stat. 45:463). The lower bound is its mirror image.

**Why it is valid however finely the nuisance is cut.** Making a scenario worse never lowers the default bound, so with
each table S has every better one: it is a down-set. The chance of a down-set falls with p and rises with q (couple the
scenarios one by one). With q between two neighbours q_i < q_j, and p the delta more, it is therefore at most the chance
at (q_i + delta, q_j). The largest of these over all cells is never below the worst case. The cells depend on n only, so
S within S' gives a bound no larger: monotone, as RULE 5.1 asks, for what is computed and not only in the limit.

docs/background.md, section 6, has the figures.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import special

from litmus_nb.stats.bound import Bounds, upper_bound
from litmus_nb.stats.deltas import LARGEST_EXACT_N, DeltaCounts
from litmus_nb.stats.many import tails_of_rows

__all__ = ["exact_bounds", "exact_lower_bound", "exact_upper_bound", "fewest_better", "is_all_or_nothing"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_FEWEST_CELLS = 4_096
_CELL = 0.005  # the largest width of a nuisance cell in standard deviations of the number of changed scenarios
_FIRST_COUNT = 4.0  # what is added to that number's variance, so that cells near 0 are no smaller than need be
_TIE = 1e-7  # relative to the level: tables whose default bounds differ by less stand together
_ROOT_TOLERANCE = 1e-12
_ROOT_STEPS = 200
_COARSEST = 64  # cells of the first cut
_REACH = 7.0  # standard deviations, and as many counts: what lies outside is added as if all of it were in S
_ROUNDING = 1e-11  # relative to the level: what floating point leaves unknown of a chance
_NEAR = 0.02
_CELLS_AT_ONCE = 64


def is_all_or_nothing(deltas: DeltaCounts) -> bool:
    """Whether every delta is -1, 0 or 1, as single trials of single scenarios give."""
    return bool(np.isin(deltas.values, (-1.0, 0.0, 1.0)).all())


def exact_bounds(upper_deltas: DeltaCounts, lower_deltas: DeltaCounts, confidence: float) -> Bounds:
    """Both exact bounds, each from its own deltas as in `stats.bound.gaffke_bounds`.

    Raises:
        ValueError: where a delta is none of -1, 0, 1, there are more than `LARGEST_EXACT_N`, or `confidence`,
            two-sided, is not strictly between 0 and 1.
    """
    return Bounds(
        low=exact_lower_bound(lower_deltas, confidence),
        high=exact_upper_bound(upper_deltas, confidence),
    )


def exact_lower_bound(deltas: DeltaCounts, confidence: float) -> float:
    """The mirror image of `exact_upper_bound`. Raises as `exact_bounds`."""
    return -exact_upper_bound(deltas.negated(), confidence)


def exact_upper_bound(deltas: DeltaCounts, confidence: float) -> float:
    """The largest delta in [-1, 1] under which tables up to this one have a chance above (1 - confidence)/2.

    Never below that delta, for each nuisance cell stands for its worst corner. Raises as `exact_bounds`.
    """
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence lies strictly between 0 and 1: {confidence!r} seen")
    if not is_all_or_nothing(deltas):
        raise ValueError("the exact bound is for deltas of -1, 0 and 1 only")
    if deltas.n > LARGEST_EXACT_N:
        raise ValueError(f"the exact bound is for at most {LARGEST_EXACT_N} units: {deltas.n} seen")
    worse = int(deltas.counts[deltas.values == 1.0].sum())
    better = int(deltas.counts[deltas.values == -1.0].sum())
    return _upper(deltas.n, worse, better, confidence)


@lru_cache(maxsize=256)
def fewest_better(n: int, tolerance: float, confidence: float) -> Ints:
    """For each number of worse scenarios 0..n the fewest better ones that bring the upper bound down to `tolerance`.

    A number above n means that no such table passes. For planning and calibration, where every table is asked about.

    Args:
        n: scenarios, from 1 to `LARGEST_EXACT_N`.
        tolerance: strictly between -1 and 1.
        confidence: two-sided.
    """
    level = (1.0 - confidence) / 2.0
    passing, failing = np.full(n + 1, n + 1), np.zeros(n + 1, dtype=np.int64)
    low, high, middle = -1.0, 1.0, tolerance  # the last default bound that passes is near the tolerance
    while _size(failing) - _size(passing) > 1 and high - low > _ROOT_TOLERANCE:
        edge = _edge(n, middle, level, (failing, passing))
        if _Cells.of(edge).exceeds(tolerance, level):
            high, failing = middle, edge
            middle = max(0.5 * (low + high), high - _NEAR)
        else:
            low, passing = middle, edge
            middle = min(0.5 * (low + high), low + _NEAR)
    passing.flags.writeable = False
    return passing


@lru_cache(maxsize=4096)
def _upper(n: int, worse: int, better: int, confidence: float) -> float:
    level = (1.0 - confidence) / 2.0
    seen = DeltaCounts.of([-1.0, 0.0, 1.0], [better, n - worse - better, worse])
    default = upper_bound(seen, confidence)
    edge = _edge(n, default, level)
    edge[: worse + 1] = np.minimum(edge[: worse + 1], better)  # the table itself, whatever rounding says
    cells = _Cells.of(edge)
    delta, cell = -1.0, cells.likeliest(default)
    while delta < 1.0:
        delta = cells.root(cell, delta, level)
        worst = cells.worst(delta, level)
        if worst is None:
            break
        cell = worst
    return delta


def _edge(n: int, bound: float, level: float, between: tuple[Ints, Ints] | None = None) -> Ints:
    """For each number of worse scenarios the fewest better ones whose default upper bound is at most `bound`.

    `between`: the same of a larger and a smaller bound, where they are known.
    """
    worse = np.arange(n + 1)
    none = n - worse + 1
    # With `low` better ones the default bound is above, with `high` it is not.
    low, high = np.full(n + 1, -1), none
    if between is not None:
        low, high = np.minimum(between[0], none) - 1, np.minimum(between[1], none)
    while np.any(high - low > 1):
        middle = (low + high) // 2
        counts = np.column_stack([middle, n - worse - middle, worse])
        is_asked = (high - low > 1) & (middle >= 0)
        is_low = np.zeros(n + 1, dtype=np.bool_)
        tails = tails_of_rows(np.array([-1.0, 0.0, 1.0]), counts[is_asked], bound)
        is_low[is_asked] = tails <= level * (1.0 + _TIE)
        high = np.where(is_asked & is_low, middle, high)
        low = np.where(is_asked & ~is_low, middle, low)
    # Beyond the last row that has a table there is none; the edge never falls, whatever rounding says.
    found = np.where(high > n - worse, n + 1, high)
    return np.asarray(np.minimum.accumulate(found[::-1])[::-1])


def _size(edge: Ints) -> int:
    """How many tables a set has."""
    n = len(edge) - 1
    return int(np.maximum(n - np.arange(n + 1) - edge + 1, 0).sum())


@dataclass(frozen=True)
class _Cells:
    """A down-set of tables of n scenarios, and the cells that the nuisance is cut into.

    The nuisance is the smaller of the two chances, of better scenarios where the delta is positive and else of worse
    ones. Its cells run from 0 to 1/2, each at most `_CELL` standard deviations of the number of changed scenarios wide.
    """

    edge: Ints
    nodes: Floats
    log_ways: Floats

    @classmethod
    def of(cls, edge: Ints) -> _Cells:
        n = len(edge) - 1
        worse = np.arange(n + 1)
        last = int(np.flatnonzero(edge <= n - worse)[-1]) if np.any(edge <= n - worse) else -1
        log_ways = special.gammaln(n + 1) - special.gammaln(worse + 1) - special.gammaln(n - worse + 1)
        return cls(edge[: last + 1], nuisance_nodes(n), log_ways)

    @property
    def count(self) -> int:
        return len(self.nodes) - 1

    def likeliest(self, delta: float) -> int:
        """A cell in which the chance of the set is large: where to begin."""
        first = np.arange(0, self.count, max(1, self.count // (4 * _COARSEST)))
        return int(first[np.argmax(self.chances(first, first + 1, delta))])

    def worst(self, delta: float, level: float) -> int | None:
        """The cell with the largest chance, if that is above the level; None where no cell exceeds it.

        Neighbours are taken together first. Their chance together is at least that of each, so what does not exceed
        the level together need not be looked at cell by cell.
        """
        width = self.count // _COARSEST
        first = np.arange(0, self.count, width)
        while True:
            chances = self.chances(first, first + width, delta)
            exceeding = chances > level * (1.0 + _ROUNDING)
            if not exceeding.any():
                return None
            if width == 1:
                return int(first[np.argmax(chances)])
            first, width = first[exceeding], width // 2
            first = np.sort(np.concatenate([first, first + width]))

    def exceeds(self, delta: float, level: float) -> bool:
        """Whether any cell's chance is above the level."""
        likeliest = np.array([self.likeliest(delta)])
        if float(self.chances(likeliest, likeliest + 1, delta)[0]) > level * (1.0 + _ROUNDING):
            return True
        return self.worst(delta, level) is not None

    def root(self, cell: int, low: float, level: float) -> float:
        """The delta, at most 1e-12 too large, at which the chance of one cell has fallen to the level."""
        only = np.array([cell])
        high = 1.0
        if float(self.chances(only, only + 1, high)[0]) > level:
            return high
        for _ in range(_ROOT_STEPS):
            if high - low <= _ROOT_TOLERANCE:
                break
            middle = 0.5 * (low + high)
            if float(self.chances(only, only + 1, middle)[0]) > level:
                low = middle
            else:
                high = middle
        return high

    def chances(self, first: Ints, last: Ints, delta: float) -> Floats:
        """The largest chance of the set with the nuisance from node `first` to node `last`, and a little more."""
        p = self.nodes[first] + max(delta, 0.0)
        q = np.minimum(self.nodes[last] + max(-delta, 0.0), 1.0 - p)
        found = np.zeros(len(p))
        possible = np.flatnonzero(2.0 * self.nodes[first] + abs(delta) <= 1.0)
        for start in range(0, len(possible), _CELLS_AT_ONCE):
            part = possible[start : start + _CELLS_AT_ONCE]
            found[part] = self._chances(p[part], q[part])
        return found

    def _chances(self, p: Floats, q: Floats) -> Floats:
        n = len(self.log_ways) - 1
        reach = _REACH * (np.sqrt(n * p * (1.0 - p)) + 1.0)
        low = max(0, math.floor(float((n * p - reach).min())))
        high = min(len(self.edge) - 1, math.ceil(float((n * p + reach).max())))
        outside = special.bdtr(low - 1, n, p) if low else np.zeros(len(p))
        if high < len(self.edge) - 1:
            outside = outside + special.bdtrc(high, n, p)
        worse = np.arange(low, high + 1)
        edge = self.edge[low : high + 1]
        ways = self.log_ways[low : high + 1] + special.xlogy(worse, p[:, None])
        chance = np.exp(ways + special.xlog1py(n - worse, -p[:, None]))
        rest = np.clip(q / np.where(p < 1.0, 1.0 - p, 1.0), 0.0, 1.0)[:, None]
        at_least = special.betainc(np.maximum(edge, 1), n - worse - edge + 1, rest)
        return np.asarray((chance * np.where(edge == 0, 1.0, at_least)).sum(axis=1) + outside)


@lru_cache(maxsize=64)
def nuisance_nodes(n: int) -> Floats:
    """Where the nuisance is cut, from 0 to 1/2: equally far apart in sqrt(2 n q + 4)."""
    span = math.sqrt(n + _FIRST_COUNT) - math.sqrt(_FIRST_COUNT)
    cells = _FEWEST_CELLS
    while cells * _CELL < span:
        cells *= 2
    nodes = ((math.sqrt(_FIRST_COUNT) + span * np.arange(cells + 1) / cells) ** 2 - _FIRST_COUNT) / (2.0 * n)
    nodes[-1] = 0.5
    nodes.flags.writeable = False
    return np.asarray(nodes)
