"""Chances under exchange: against enumeration, against McNemar, and as tests that keep their level."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from litmus_nb.stats.exchange import agreement_chance, fall_chance, floor_chance


@pytest.mark.parametrize(
    ("earlier", "n_earlier", "later", "n_later"),
    [
        ([1], 0, [1], 1),
        ([1], 1, [1], 0),
        ([2], 1, [0], 1),
        ([0], 1, [-1], 1),
        ([1, 1], 1, [1], 1),
        ([[1]], 1, [[1]], 1),
    ],
)
def test_impossible_counts_are_refused(earlier, n_earlier, later, n_later):
    with pytest.raises(ValueError, match=r"expected|least|one count"):
        fall_chance(earlier, n_earlier, later, n_later)


def by_enumeration(earlier, n_earlier, later, n_later, score):
    """Every way to choose which of an item's labels are the later ones, item by item."""
    per_item = []
    for before, after in zip(earlier, later, strict=True):
        labels = [1] * (before + after) + [0] * (n_earlier + n_later - before - after)
        ways = list(itertools.combinations(range(len(labels)), n_later))
        totals = [sum(labels[i] for i in way) for way in ways]
        per_item.append([(score(before + after - total, total), 1 / len(ways)) for total in totals])
    seen = sum(score(before, after) for before, after in zip(earlier, later, strict=True))
    return sum(
        math.prod(chance for _, chance in outcome)
        for outcome in itertools.product(*per_item)
        if sum(value for value, _ in outcome) <= seen
    )


@st.composite
def label_counts(draw):
    n_earlier, n_later = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    items = draw(st.integers(1, 3))
    earlier = draw(st.lists(st.integers(0, n_earlier), min_size=items, max_size=items))
    later = draw(st.lists(st.integers(0, n_later), min_size=items, max_size=items))
    return earlier, n_earlier, later, n_later


@given(label_counts())
@settings(max_examples=60)
def test_fewer_yeses_against_enumeration(counts):
    expected = by_enumeration(*counts, score=lambda before, after: after)
    assert expected == pytest.approx(fall_chance(*counts), abs=1e-9)


@given(label_counts())
@settings(max_examples=60)
def test_less_agreement_against_enumeration(counts):
    _, n_earlier, _, n_later = counts
    seen = agreement_chance(*counts)
    if n_earlier == n_later == 1:
        assert seen is None
        return
    expected = by_enumeration(
        *counts, score=lambda before, after: before * after + (n_earlier - before) * (n_later - after)
    )
    assert expected == pytest.approx(seen, abs=1e-9)


@pytest.mark.parametrize(("worse", "better", "same"), [(8, 0, 17), (5, 2, 40), (0, 0, 3), (3, 9, 0)])
def test_with_one_label_each_it_is_mcnemars_test(worse, better, same):
    earlier = [1] * worse + [0] * better + [1] * same
    later = [0] * worse + [1] * better + [1] * same
    expected = stats.binom.cdf(better, worse + better, 0.5)
    assert expected == pytest.approx(fall_chance(earlier, 1, later, 1), abs=1e-11)


def test_nothing_to_compare_is_no_surprise():
    assert fall_chance([], 1, [], 1) == 1.0


@given(label_counts())
def test_a_yes_that_turns_into_a_no_never_makes_the_fall_likelier(counts):
    """So a judgement that is lost, and counted as a miss, cannot hide a drift."""
    earlier, n_earlier, later, n_later = counts
    if later[0] > 0:
        fewer = [later[0] - 1, *later[1:]]
        assert fall_chance(earlier, n_earlier, fewer, n_later) <= fall_chance(earlier, n_earlier, later, n_later) + 1e-9


def test_many_items_stay_exact():
    """The sum of one hypergeometric repeated 20,000 times is nearly normal; the tail must be that of the normal."""
    earlier, later = [3] * 20_000, [2] * 10_300 + [3] * 9_700
    seen = fall_chance(earlier, 4, later, 4)
    mean = sum((b + a) / 2 for b, a in zip(earlier, later, strict=True))
    variance = sum(4 * (k / 8) * (1 - k / 8) * (4 / 7) for k in np.add(earlier, later))
    assert seen == pytest.approx(stats.norm.cdf((sum(later) + 0.5 - mean) / math.sqrt(variance)), rel=0.05, abs=1e-11)


def test_the_floor_is_a_binomial_tail():
    assert stats.binom.sf(9, 100, 0.05) == pytest.approx(floor_chance(10, 100, 0.95), rel=1e-9)
    assert floor_chance(0, 10, 0.95) == 1.0
    with pytest.raises(ValueError, match="floor"):
        floor_chance(3, 2, 0.5)


@pytest.mark.parametrize(("n_earlier", "n_later"), [(1, 1), (5, 1), (3, 5)])
def test_unchanged_labels_are_rarely_called_changed(n_earlier, n_later):
    """At a level of 5 %, of 400 made comparisons; the binomial test allows for the luck of the draw."""
    rng = np.random.default_rng(7)
    false_alarms = 0
    for _ in range(400):
        chances = rng.beta(0.4, 0.4, size=30)
        earlier, later = rng.binomial(n_earlier, chances), rng.binomial(n_later, chances)
        false_alarms += fall_chance(earlier, n_earlier, later, n_later) <= 0.05
    assert stats.binomtest(false_alarms, 400, 0.05, alternative="greater").pvalue > 0.001
