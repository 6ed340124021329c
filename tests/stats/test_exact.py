"""The exact bound keeps its promise over the whole nuisance, is monotone, and nearly as tight as its order allows."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from litmus_nb.stats.bound import upper_bound
from litmus_nb.stats.deltas import LARGEST_EXACT_N, DeltaCounts
from litmus_nb.stats.exact import (
    exact_bounds,
    exact_lower_bound,
    exact_upper_bound,
    fewest_better,
    is_all_or_nothing,
    nuisance_nodes,
)

LEVEL = 0.025


def table(n: int, worse: int, better: int) -> DeltaCounts:
    return DeltaCounts.of([-1.0, 0.0, 1.0], [better, n - worse - better, worse])


def every_table(n: int) -> list[tuple[int, int]]:
    return [(worse, better) for worse in range(n + 1) for better in range(n - worse + 1)]


def chance(n: int, tables: list[tuple[int, int]], p_worse: np.ndarray, p_better: np.ndarray) -> np.ndarray:
    """The trinomial's own chance of a set of tables, term by term: no binomial tail, no window."""
    total = np.zeros(len(p_worse))
    same = np.maximum(1.0 - p_worse - p_better, 0.0)
    for worse, better in tables:
        ways = math.comb(n, worse) * math.comb(n - worse, better)
        total += ways * p_worse**worse * p_better**better * same ** (n - worse - better)
    return total


def nuisances(delta: float, points: int = 3001) -> tuple[np.ndarray, np.ndarray]:
    """Chances (worse, better) with that difference; others than the nodes of the bound's own cells."""
    smaller = np.linspace(0.0, (1.0 - abs(delta)) / 2.0, points)
    return smaller + max(delta, 0.0), smaller + max(-delta, 0.0)


@pytest.mark.parametrize("deltas", [[0.5], [1.0, 0.0, 1.0 / 3.0], [-1.0, -0.5]])
def test_a_delta_between_is_refused(deltas):
    assert not is_all_or_nothing(DeltaCounts.of(deltas))
    with pytest.raises(ValueError, match="-1, 0 and 1 only"):
        exact_upper_bound(DeltaCounts.of(deltas), 0.95)


def test_more_units_than_were_measured_are_refused():
    with pytest.raises(ValueError, match=f"at most {LARGEST_EXACT_N} units"):
        exact_upper_bound(table(LARGEST_EXACT_N + 1, 0, 0), 0.95)


@pytest.mark.parametrize("confidence", [0.0, 1.0, math.nan])
def test_a_confidence_that_is_none_is_refused(confidence):
    with pytest.raises(ValueError, match="strictly between 0 and 1"):
        exact_upper_bound(table(5, 1, 1), confidence)


@pytest.mark.parametrize(("n", "confidence"), [(1, 0.95), (2, 0.95), (5, 0.8), (7, 0.99), (10, 0.95), (13, 0.9)])
def test_the_bound_lies_below_the_truth_with_a_chance_of_at_most_the_level(n, confidence):
    """All tables, all truths: the promise itself, by the trinomial's own terms."""
    bounds = {cell: exact_upper_bound(table(n, *cell), confidence) for cell in every_table(n)}
    for delta in np.linspace(-0.99, 0.99, 67):
        below = [cell for cell, bound in bounds.items() if bound < delta]
        assert chance(n, below, *nuisances(delta, 301)).max() <= (1.0 - confidence) / 2.0


@pytest.mark.parametrize("n", [1, 2, 3, 8, 14])
def test_a_worse_table_never_has_a_lower_bound(n):
    """Every table and each of the three ways in which one scenario can get worse."""
    bounds = {cell: exact_bounds(table(n, *cell), table(n, *cell), 0.95) for cell in every_table(n)}
    for (worse, better), bound in bounds.items():
        for other in ((worse + 1, better), (worse, better - 1), (worse + 1, better - 1)):
            if other in bounds:
                assert bounds[other].high >= bound.high
                assert bounds[other].low >= bound.low


@settings(max_examples=25, deadline=None)
@given(n=st.integers(15, 250), data=st.data())
def test_a_worse_table_never_has_a_lower_bound_in_larger_classes(n, data):
    worse = data.draw(st.integers(0, min(n - 1, 30)))
    better = data.draw(st.integers(0, min(n - worse - 1, 30)))
    more = data.draw(st.sampled_from([(worse + 1, better), (worse, better - 1), (worse + 1, better - 1)]))
    if min(more) < 0:
        return
    assert exact_upper_bound(table(n, *more), 0.95) >= exact_upper_bound(table(n, worse, better), 0.95)


@pytest.mark.parametrize("cell", [(0, 0), (0, 3), (1, 0), (2, 2), (3, 1), (5, 4), (0, 12), (12, 0)])
def test_it_is_nearly_the_smallest_bound_of_its_order(cell):
    """By search: just below the bound some nuisance gives the tables up to this one more than the level."""
    n = 12
    own = upper_bound(table(n, *cell), 0.95)
    upto = [other for other in every_table(n) if upper_bound(table(n, *other), 0.95) <= own + 1e-9]
    bound = exact_upper_bound(table(n, *cell), 0.95)
    assert bound == 1.0 or chance(n, upto, *nuisances(bound)).max() <= LEVEL
    assert chance(n, upto, *nuisances(bound - 0.002)).max() > LEVEL


@pytest.mark.parametrize("n", [1, 4, 35, 71, 400, 2000])
def test_all_ties_give_the_rule_of_three(n):
    assert exact_upper_bound(table(n, 0, 0), 0.95) == pytest.approx(1.0 - LEVEL ** (1.0 / n), abs=1e-4)


@pytest.mark.parametrize(("n", "better"), [(1, 1), (6, 6), (6, 3), (30, 11)])
def test_without_ties_it_is_not_below_clopper_and_pearsons(n, better):
    """With worse and better only, the nuisance without ties is a binomial; the bound must cover it too."""
    limit = 2.0 * stats.beta.ppf(1.0 - LEVEL, n - better + 1, better) - 1.0
    assert exact_upper_bound(table(n, n - better, better), 0.95) >= limit - 1e-12


def test_everything_worse_is_bounded_by_one():
    assert exact_upper_bound(table(9, 9, 0), 0.95) == 1.0


@pytest.mark.parametrize(("n", "worse", "better"), [(10, 3, 1), (40, 0, 2), (100, 5, 9), (300, 12, 3)])
def test_the_lower_bound_is_the_mirror_image(n, worse, better):
    assert exact_lower_bound(table(n, worse, better), 0.95) == -exact_upper_bound(table(n, better, worse), 0.95)


@pytest.mark.parametrize(
    ("n", "worse", "better", "expected"),
    [
        (20, 1, 2, 0.184389084),
        (40, 0, 2, 0.041858300),
        (100, 5, 9, 0.037353170),
        (300, 30, 40, 0.023873729),
    ],
)
def test_the_bound_is_what_it_was(n, worse, better, expected):
    """Golden values of this package; the promise and the tightness of them are tested above and in the bench."""
    found = exact_upper_bound(table(n, worse, better), 0.95)
    assert found <= upper_bound(table(n, worse, better), 0.95)
    assert found == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(("n", "tolerance"), [(5, 0.3), (12, 0.2), (12, -0.2), (25, 0.1), (40, 0.05)])
def test_the_edge_of_what_passes_is_that_of_the_bounds(n, tolerance):
    edge = fewest_better(n, tolerance, 0.95)
    for worse, better in every_table(n):
        if better <= 8 and worse <= 8:
            passes = exact_upper_bound(table(n, worse, better), 0.95) <= tolerance
            assert passes == (better >= edge[worse]), (worse, better)


@pytest.mark.parametrize(("n", "tolerance"), list(itertools.product((40, 100, 300), (0.02, 0.05, 0.1))))
def test_no_nuisance_passes_more_often_than_promised(n, tolerance):
    """By another road than the bound's: binomial tails at a thousand points between the cells' nodes."""
    edge = fewest_better(n, tolerance, 0.95)
    assert np.all(np.diff(edge) >= 0)
    worse = np.flatnonzero(edge <= n)
    largest = (1.0 - tolerance) / 2.0
    better = np.unique(np.concatenate([np.geomspace(1e-6, largest, 700), np.linspace(0.0, largest, 300)]))
    rest = np.minimum(better / (1.0 - better - tolerance), 1.0)
    tails = stats.binom.sf(edge[worse][None, :] - 1, n - worse[None, :], rest[:, None])
    wrong = (stats.binom.pmf(worse[None, :], n, (better + tolerance)[:, None]) * tails).sum(axis=1)
    assert wrong.max() <= LEVEL


@pytest.mark.parametrize("n", [1, 10, 100, 2000])
def test_the_cells_cover_every_nuisance(n):
    nodes = nuisance_nodes(n)
    assert (nodes[0], nodes[-1]) == (0.0, 0.5)
    assert np.all(np.diff(nodes) > 0)
