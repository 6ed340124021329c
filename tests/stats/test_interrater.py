"""Agreement beyond chance: published values, statsmodels, what is undefined, and how often the truth is inside."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.inter_rater import cohens_kappa

from litmus_nb.stats.interrater import (
    TwoRaters,
    cohen_kappa,
    gwet_ac1,
    krippendorff_alpha,
    krippendorff_alpha_of_two,
    raw_agreement,
)


def test_of_nothing_nothing_is_known():
    empty = TwoRaters(0, 0, 0, 0)
    assert [f(empty, 0.95) for f in (raw_agreement, cohen_kappa, gwet_ac1, krippendorff_alpha_of_two)] == [None] * 4
    assert krippendorff_alpha([], [], 0.95) is None
    assert krippendorff_alpha([1, 0], [0, 1], 0.95) is None, "single labels agree with nobody"
    with pytest.raises(ValueError, match="one count"):
        krippendorff_alpha([1], [1, 2], 0.95)


def test_where_all_labels_are_one_chance_explains_everything():
    table = TwoRaters(0, 0, 0, 12)
    assert cohen_kappa(table, 0.95) is None
    assert krippendorff_alpha_of_two(table, 0.95) is None
    assert krippendorff_alpha([0] * 5, [3] * 5, 0.95) is None
    assert gwet_ac1(table, 0.95).value == 1.0
    assert raw_agreement(table, 0.95).low == pytest.approx(stats.beta.ppf(0.025, 12, 1))


def test_perfect_agreement_of_few_items_is_not_certain():
    table = TwoRaters(3, 0, 0, 3)
    for coefficient in (cohen_kappa, gwet_ac1, krippendorff_alpha_of_two):
        seen = coefficient(table, 0.95)
        assert (seen.value, seen.high) == (1.0, 1.0)
        assert seen.low < 0.6


def test_the_kappa_paradox():
    """Gwet (2002), Kappa statistic is not satisfactory, table 1: 118, 5, 2, 0; kappa -0.0234."""
    table = TwoRaters(118, 5, 2, 0)
    assert cohen_kappa(table, 0.95).value == pytest.approx(-0.0234, abs=5e-5)
    assert gwet_ac1(table, 0.95).value == pytest.approx(0.9408, abs=5e-5)


def test_krippendorffs_own_example():
    """Krippendorff (2011), Computing Krippendorff's Alpha-Reliability, section A: binary, two observers, 0.095."""
    first, second = np.array([0, 1, 0, 0, 0, 0, 0, 0, 1, 0]), np.array([1, 1, 1, 0, 0, 1, 0, 0, 0, 0])
    assert krippendorff_alpha(first + second, 2 - first - second, 0.95).value == pytest.approx(0.095, abs=5e-4)
    assert krippendorff_alpha_of_two(TwoRaters(1, 1, 3, 5), 0.95).value == pytest.approx(0.095, abs=5e-4)


@pytest.mark.parametrize("cells", [(20, 5, 10, 15), (3, 0, 1, 40), (1, 9, 9, 1)])
def test_kappa_as_statsmodels_has_it(cells):
    both_yes, only_first, only_second, both_no = cells
    expected = cohens_kappa([[both_yes, only_first], [only_second, both_no]]).kappa
    assert expected == pytest.approx(cohen_kappa(TwoRaters(*cells), 0.95).value, abs=1e-12)


def test_the_same_counts_give_the_same_interval():
    assert cohen_kappa(TwoRaters(20, 5, 10, 15), 0.95) == cohen_kappa(TwoRaters(20, 5, 10, 15), 0.95)


@pytest.mark.parametrize("cells", [(0.3, 0.1, 0.1, 0.5), (0.05, 0.02, 0.01, 0.92)])
@pytest.mark.parametrize("n", [40, 200])
def test_intervals_hold_the_truth_as_often_as_they_say(cells, n):
    """80 made comparisons at 90 %: the share that holds the truth is not shown to be below 90 %."""
    rng = np.random.default_rng(5)
    observed, first, second = cells[0] + cells[3], cells[0] + cells[1], cells[0] + cells[2]
    mean = (first + second) / 2
    by_chance = first * second + (1 - first) * (1 - second)
    truths = {
        cohen_kappa: (observed - by_chance) / (1 - by_chance),
        gwet_ac1: (observed - 2 * mean * (1 - mean)) / (1 - 2 * mean * (1 - mean)),
        krippendorff_alpha_of_two: 1 - (1 - observed) / (2 * mean * (1 - mean)),
    }
    tables = [TwoRaters(*row) for row in rng.multinomial(n, cells, size=80).tolist()]
    for coefficient, truth in truths.items():
        seen = [bounded for table in tables if (bounded := coefficient(table, 0.9)) is not None]
        held = sum(bounded.low <= truth <= bounded.high for bounded in seen)
        assert stats.binomtest(held, len(seen), 0.9, alternative="less").pvalue > 0.001, coefficient.__name__


def test_the_panels_interval_holds_the_truth_as_often_as_it_says():
    """Three raters who are right nine times of ten, one of whom leaves a fifth of the items out."""
    rng = np.random.default_rng(6)
    share, error = 0.3, 0.1
    yes = share * (1 - error) + (1 - share) * error
    truth = 1 - 2 * error * (1 - error) / (2 * yes * (1 - yes))
    held = 0
    for _ in range(150):
        is_yes = rng.random(60) < share
        labels = np.where(rng.random((3, 60)) < error, ~is_yes, is_yes)
        present = np.vstack([np.ones((2, 60), bool), rng.random(60) > 0.2])
        bounded = krippendorff_alpha((labels & present).sum(axis=0), (~labels & present).sum(axis=0), 0.9)
        held += bounded.low <= truth <= bounded.high
    assert stats.binomtest(held, 150, 0.9, alternative="less").pvalue > 0.001
