"""Where disagreement gathers: found where it was put, and said plainly where nothing can be fitted."""

from __future__ import annotations

import numpy as np
import pytest

from litmus_nb.stats.concentration import logistic_odds


def made(seed=1, n=600, effect=1.5, **base):
    rng = np.random.default_rng(seed)
    classes = rng.choice(list("ABCD"), n)
    lengths = rng.integers(50, 2000, n)
    chance = 1 / (1 + np.exp(-(-2.2 + effect * (classes == "B"))))
    groups = [f"family-{number // 3}" for number in range(n)]
    return rng.random(n) < chance, classes.tolist(), groups, lengths


def test_rows_that_do_not_match_are_refused():
    with pytest.raises(ValueError, match="a row"):
        logistic_odds([True], {"class": ["A", "B"]}, ["g"])
    with pytest.raises(ValueError, match="above 0"):
        logistic_odds([True], {"class": ["A"]}, ["g"], numbers={"length": [0]})


def test_the_class_with_more_is_found():
    outcomes, classes, groups, lengths = made()
    fit = logistic_odds(outcomes, {"class": classes}, groups, numbers={"length": lengths})
    assert fit.failure is None
    by_level = {term.level: term for term in fit.terms}
    assert by_level["B"].ratio.low > 1.5
    assert by_level["B"].p_value < 1e-4
    # odds of B are exp(1.5) times those of each other class; against the average of four that is exp(1.5 x 3/4)
    assert by_level["B"].ratio.low < np.exp(1.5 * 0.75) < by_level["B"].ratio.high
    assert by_level["each doubling"].ratio.low < 1 < by_level["each doubling"].ratio.high


def test_a_level_without_the_outcome_has_no_ratio_and_the_rest_is_fitted():
    outcomes, classes, groups, _ = made()
    outcomes = outcomes & (np.array(classes) != "A")
    fit = logistic_odds(outcomes, {"class": classes}, groups)
    by_level = {term.level: term for term in fit.terms}
    assert by_level["A"].ratio is None
    assert "no finite odds ratio" in by_level["A"].why
    assert by_level["B"].ratio.value > 1


@pytest.mark.parametrize(
    ("outcomes", "classes", "says"),
    [
        ([True, False] * 6, list("AA") * 6, "no factor has two levels"),
        ([True, False, False, True] * 2, list("AABB") * 2, "too few rows or groups"),
    ],
)
def test_what_cannot_be_fitted_is_said(outcomes, classes, says):
    fit = logistic_odds(outcomes, {"class": classes}, [str(number) for number in range(len(classes))])
    assert fit.terms == ()
    assert says in fit.failure


def test_all_agree_and_all_disagree_have_no_ratio_at_any_level():
    for outcome in (False, True):
        fit = logistic_odds([outcome] * 40, {"class": list("AB") * 20}, [str(number) for number in range(40)])
        assert {term.ratio for term in fit.terms} == {None}
        assert fit.failure is None or "same" in fit.failure


def test_too_many_levels_are_not_modelled():
    outcomes, classes, groups, _ = made()
    policies = [f"p-{number % 50}" for number in range(len(classes))]
    fit = logistic_odds(outcomes, {"class": classes, "policy": policies}, groups)
    assert [term.level for term in fit.terms if term.why and "more than 30" in term.why] == ["all"]
    assert any(term.level == "B" and term.ratio for term in fit.terms)


def test_no_difference_is_rarely_called_one():
    """Of 25 made tables without a difference, at most a few have an adjusted p below 5 %."""
    alarms = 0
    for seed in range(25):
        outcomes, classes, groups, _ = made(seed=seed, n=200, effect=0.0)
        fit = logistic_odds(outcomes, {"class": classes}, groups)
        alarms += any(term.p_value is not None and term.p_value < 0.05 for term in fit.terms)
    assert alarms <= 5  # binomial(25, 0.05) exceeds 5 with probability 0.001
