"""The exact interval of rule 4.3, a second time: every table listed, every cell asked, no window.

Slow; for the small classes of the twin's worlds.
"""

from __future__ import annotations

import functools
import itertools
import math

from tests.twin import bound as twin_bound


@functools.lru_cache(maxsize=4096)
def upper_bound(n, worse, better, confidence):
    """The least delta at which no cell gives the tables up to this one a chance above (1 - confidence)/2."""
    level = (1.0 - float(confidence)) / 2.0
    tables = tables_up_to(n, worse, better, confidence)
    nodes = cell_nodes(n)
    cells = list(itertools.pairwise(nodes))
    found = -1.0
    for smallest, largest in [*cells[::97], *cells]:
        if found >= 1.0 or chance(tables, n, smallest, largest, found) <= level * (1 + 1e-9):
            continue
        low, high = found, 1.0
        if chance(tables, n, smallest, largest, high) > level:
            return 1.0
        while high - low > 1e-12:
            middle = (low + high) / 2.0
            if chance(tables, n, smallest, largest, middle) > level:
                low = middle
            else:
                high = middle
        found = high
    return found


def lower_bound(n, worse, better, confidence):
    return -upper_bound(n, better, worse, confidence)


def tables_up_to(n, worse, better, confidence):
    """(worse, better, ways) of every table whose default upper bound is not above that of the one seen."""

    def deltas(w, b):
        return [-1.0] * b + [0.0] * (n - w - b) + [1.0] * w

    own = twin_bound.upper_bound(deltas(worse, better), confidence)
    level = (1.0 - float(confidence)) / 2.0
    found = []
    for w in range(n + 1):
        for b in range(n - w, -1, -1):
            values = [*deltas(w, b), 1.0]
            if (w, b) != (worse, better) and twin_bound.tail(values, own) > level * (1 + 1e-7):
                break
            found.append((w, b, math.comb(n, w) * math.comb(n - w, b)))
    return found


def cell_nodes(n):
    """Paragraph 8.24: at least 4,096 cells, doubled until none is wider than 0.005 in sqrt(2 n q + 4)."""
    cells = 4096
    while (math.sqrt(n + 4) - 2) / cells > 0.005:
        cells *= 2
    return [((2 + (math.sqrt(n + 4) - 2) * k / cells) ** 2 - 4) / (2 * n) for k in range(cells)] + [0.5]


def chance(tables, n, smallest, largest, delta):
    """The chance of the tables with the fewest worse and the most better scenarios that the cell allows."""
    if 2 * smallest + abs(delta) > 1:
        return 0.0
    p = smallest + max(delta, 0.0)
    q = min(largest + max(-delta, 0.0), 1.0 - p)
    same = max(0.0, 1.0 - p - q)
    return sum(ways * p**w * q**b * same ** (n - w - b) for w, b, ways in tables)
