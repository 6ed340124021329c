"""The planner's mathematics against enumeration, theory and simulation of the thing itself."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from litmus_nb.stats.bound import gaffke_bounds
from litmus_nb.stats.deltas import DeltaCounts, noise_floor
from litmus_nb.stats.exact import exact_bounds
from litmus_nb.stats.power import (
    LARGEST_PLANNED_EXACTLY,
    DeltaDistribution,
    Thresholds,
    TrialModel,
    like_a_class,
    outcome_probabilities,
    smallest_caught,
    smallest_n,
)

LOOSE = Thresholds(tolerance=0.05, confidence=0.95)


def single_trial(worse: float, better: float) -> DeltaDistribution:
    return DeltaDistribution(np.array([-1.0, 0.0, 1.0]), np.array([better, 1 - worse - better, worse]))


@pytest.mark.parametrize(
    "wrong", [{"tolerance": 0.0}, {"tolerance": 1.0}, {"confidence": 95.0}, {"decision_margin": 0.0}, {"min_n": 0}]
)
def test_thresholds_out_of_range_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="out of range"):
        Thresholds(**({"tolerance": 0.05, "confidence": 0.95} | wrong))  # type: ignore[arg-type]  # min_n is whole here


def test_questions_without_an_answer_are_refused() -> None:
    with pytest.raises(ValueError, match="at least one unit"):
        outcome_probabilities(single_trial(0.1, 0.1), 0, LOOSE)
    with pytest.raises(ValueError, match="an outcome and a probability"):
        smallest_n(single_trial(0.1, 0.1), LOOSE, 0.8, outcome="wins")
    with pytest.raises(ValueError, match="no delta of"):
        TrialModel(rate=0.9, disagreement=0.0).delta_distribution(1, 0.2)
    with pytest.raises(ValueError, match="shares expected"):
        TrialModel(rate=1.5, disagreement=0.0)


def test_below_the_minimum_nothing_is_decided() -> None:
    seen = outcome_probabilities(single_trial(0.9, 0.0), 9, Thresholds(0.05, 0.95, min_n=10))
    assert (seen.passes, seen.fails, seen.indicated) == (0.0, 0.0, 0.0)


def test_the_outcomes_are_the_sum_over_all_tables() -> None:
    """n = 12, by the definition of 4.5 applied to each of the 91 tables."""
    thresholds = Thresholds(tolerance=0.3, confidence=0.9, decision_margin=0.35)
    passes = fails = 0.0
    for worse in range(13):
        for better in range(13 - worse):
            sample = DeltaCounts.of([-1.0, 0.0, 1.0], [better, 12 - worse - better, worse])
            bounds = gaffke_bounds(sample, sample, 0.9)
            chance = stats.multinomial.pmf([better, 12 - worse - better, worse], 12, [0.1, 0.8, 0.1])
            narrow = (bounds.high - bounds.low) / 2 < 0.35
            passes += chance * (narrow and bounds.high <= 0.3)
            fails += chance * (narrow and bounds.low > 0.3)
    seen = outcome_probabilities(single_trial(0.1, 0.1), 12, thresholds)
    assert seen.is_exact
    assert (passes, fails) == pytest.approx((seen.passes, seen.fails), abs=1e-6)


def test_without_any_change_the_n_is_that_of_the_closed_form() -> None:
    """All deltas tie at 0: upper = 1 - 0.025^(1/n), at most 0.05 from n = ln(0.025) / ln(0.95)."""
    unchanged = TrialModel(rate=0.1, disagreement=0.0).delta_distribution(1)
    assert smallest_n(unchanged, LOOSE, 0.9) == math.ceil(math.log(0.025) / math.log(0.95))


def test_at_the_tolerance_no_number_of_units_passes() -> None:
    assert smallest_n(single_trial(0.05, 0.0), LOOSE, 0.5, largest=5_000) is None


def test_the_n_found_reaches_the_probability_and_a_smaller_one_does_not() -> None:
    unit = single_trial(0.01, 0.01)
    n = smallest_n(unit, LOOSE, 0.8)
    assert n is not None
    assert outcome_probabilities(unit, n, LOOSE).passes >= 0.8
    assert outcome_probabilities(unit, n - max(1, n // 100) - 1, LOOSE).passes < 0.8


def test_more_trials_need_fewer_scenarios_and_a_steady_suite_gains_nothing() -> None:
    wide = Thresholds(tolerance=0.15, confidence=0.95)
    unsteady, steady = TrialModel(0.3, 0.15), TrialModel(0.3, 0.0)
    once, often = (smallest_n(unsteady.delta_distribution(trials), wide, 0.8) for trials in (1, 4))
    assert once is not None
    assert often is not None
    assert often < once
    assert len({smallest_n(steady.delta_distribution(trials), wide, 0.8) for trials in (1, 4)}) == 1


def test_the_smallest_regression_caught_is_caught_and_a_smaller_one_is_not() -> None:
    model = TrialModel(0.1, 0.05)
    delta = smallest_caught(lambda d: model.delta_distribution(1, d), 200, LOOSE, 0.8, largest=0.9)
    assert delta is not None
    assert outcome_probabilities(model.delta_distribution(1, delta), 200, LOOSE).indicated >= 0.8
    assert outcome_probabilities(model.delta_distribution(1, delta - 0.002), 200, LOOSE).indicated < 0.8


def test_too_few_units_catch_nothing() -> None:
    model = TrialModel(0.5, 0.2)
    assert smallest_caught(lambda d: model.delta_distribution(1, d), 3, LOOSE, 0.99, largest=0.2) is None


@settings(max_examples=30, deadline=None)
@given(st.floats(0.001, 0.999), st.floats(0, 1), st.integers(1, 6), st.floats(-1, 1))
def test_a_trial_model_keeps_its_promises(rate: float, share: float, trials: int, where: float) -> None:
    """Mean and variance of the delta: delta, and disagreement / trials where nothing changed."""
    disagreement = share * 2 * rate * (1 - rate)
    model = TrialModel(rate, disagreement)
    delta = where * (1 - rate if where > 0 else rate)
    moved, same = model.delta_distribution(trials, delta), model.delta_distribution(trials)
    assert moved.mean == pytest.approx(delta, abs=1e-6)
    assert same.mean == pytest.approx(0, abs=1e-6)
    assert same.probabilities @ same.values**2 == pytest.approx(disagreement / trials, abs=1e-6)


def test_churn_is_not_averaged_out_by_trials() -> None:
    churned = TrialModel(0.3, 0.1, churn=0.05)
    for trials in (1, 10):
        unit = churned.delta_distribution(trials)
        plain = TrialModel(0.3, 0.1).delta_distribution(trials)
        assert unit.mean == pytest.approx(0, abs=1e-12)
        extra = unit.probabilities @ unit.values**2 - plain.probabilities @ plain.values**2
        assert extra > 0.05
    with pytest.raises(ValueError, match="no delta of"):
        TrialModel(0.3, 0.1, churn=0.4).delta_distribution(1)


def test_a_trial_model_is_what_its_simulation_gives() -> None:
    rng = np.random.default_rng(3)
    phi = 0.5  # a disagreement of 2 r (1 - r) phi / (1 + phi)
    model = TrialModel(0.2, 2 * 0.2 * 0.8 * phi / (1 + phi))
    p = rng.beta(phi * 0.2, phi * 0.8, 100_000)
    deltas = (rng.binomial(3, p) - rng.binomial(3, p)) / 3
    expected = model.delta_distribution(3)
    observed = [(np.abs(deltas - value) < 1e-9).sum() for value in expected.values]
    assert stats.chisquare(observed, expected.probabilities * 100_000).pvalue > 1e-4


def test_simulated_outcomes_agree_with_exact_ones() -> None:
    """A fourth value of no probability makes the same question a simulated one."""
    exact = outcome_probabilities(single_trial(0.03, 0.03), 150, LOOSE)
    four = DeltaDistribution(np.array([-1.0, 0.0, 0.5, 1.0]), np.array([0.03, 0.94, 0.0, 0.03]))
    seen = outcome_probabilities(four, 150, LOOSE)
    assert (exact.is_exact, seen.is_exact) == (True, False)
    assert abs(exact.passes - seen.passes) < 4 * seen.standard_error


def observed_again(deltas: DeltaCounts) -> DeltaDistribution:
    """The observed deltas and one worst and one best unit more: what `like_a_class` knows only a summary of."""
    more = DeltaCounts.of(np.append(deltas.values, [-1.0, 1.0]), np.append(deltas.counts, [1, 1]))
    return DeltaDistribution(more.values, more.counts / more.n)


def test_ties_are_not_taken_for_law() -> None:
    seen = like_a_class(12, 0.0, noise_floor(DeltaCounts.of([0.0], [12])))
    assert seen.probabilities.tolist() == pytest.approx([1 / 14, 12 / 14, 1 / 14])


def test_a_verdicts_numbers_tell_the_single_trial_deltas_behind_them() -> None:
    deltas = DeltaCounts.of([-1.0, 0.0, 1.0], [4, 86, 10])
    seen = like_a_class(100, deltas.mean, round(noise_floor(deltas), 9))
    assert seen.probabilities.tolist() == pytest.approx(observed_again(deltas).probabilities.tolist(), abs=1e-7)


def test_other_deltas_keep_their_mean_and_spread() -> None:
    deltas = DeltaCounts.of([-1 / 3, 0.0, 1 / 3, 2 / 3], [3, 30, 5, 2])
    seen, again = like_a_class(40, deltas.mean, noise_floor(deltas)), observed_again(deltas)
    assert seen.mean == pytest.approx(again.mean)
    assert seen.probabilities @ seen.values**2 == pytest.approx(again.probabilities @ again.values**2)


def test_numbers_that_no_class_has_are_refused() -> None:
    with pytest.raises(ValueError, match="no class of"):
        like_a_class(10, 0.9, 0.0)


def test_the_exact_interval_is_asked_where_it_decides() -> None:
    """n = 12: the sum over all 91 tables of what its own bounds say."""
    thresholds = Thresholds(tolerance=0.25, confidence=0.9, is_exact=True)
    passes = indicated = 0.0
    for worse in range(13):
        for better in range(13 - worse):
            sample = DeltaCounts.of([-1.0, 0.0, 1.0], [better, 12 - worse - better, worse])
            bounds = exact_bounds(sample, sample, 0.9)
            chance = stats.multinomial.pmf([worse, better, 12 - worse - better], 12, [0.25, 0.2, 0.55])
            passes += chance * (bounds.high <= 0.25 and noise_floor(sample) <= 0.25)
            indicated += chance * (bounds.low > 0.25)
    seen = outcome_probabilities(single_trial(0.25, 0.2), 12, thresholds)
    assert passes == pytest.approx(seen.passes, abs=1e-5)
    assert indicated == pytest.approx(seen.indicated, abs=1e-5)
    default = outcome_probabilities(single_trial(0.25, 0.2), 12, Thresholds(tolerance=0.25, confidence=0.9))
    assert seen.passes > default.passes


def test_the_exact_interval_is_not_asked_about_several_trials() -> None:
    unit = TrialModel(rate=0.3, disagreement=0.2).delta_distribution(3)
    with pytest.raises(ValueError, match="-1, 0 and 1 only"):
        outcome_probabilities(unit, 12, Thresholds(tolerance=0.2, confidence=0.9, is_exact=True))


def test_beyond_what_is_planned_exactly_the_default_stands_for_it() -> None:
    exact, default = (Thresholds(tolerance=0.05, confidence=0.95, is_exact=is_exact) for is_exact in (True, False))
    unit = single_trial(0.02, 0.02)
    n = LARGEST_PLANNED_EXACTLY + 1
    assert outcome_probabilities(unit, n, default) == outcome_probabilities(unit, n, exact)
