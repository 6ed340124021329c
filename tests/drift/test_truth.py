"""Made worlds whose truth is known: intervals hold it as often as they say, and the drift is found where it was put."""

from __future__ import annotations

import polars as pl
import pytest
from scipy import stats

from litmus_nb.contracts.drift import ALL, Question
from litmus_nb.contracts.labels import Rater
from litmus_nb.drift.changed import changed_behaviour, relabelled
from litmus_nb.drift.corrected import corrected_rates
from litmus_nb.drift.decomposition import decompose
from litmus_nb.drift.humans import against_humans
from litmus_nb.drift.investigation import investigate
from litmus_nb.evidence.labels import label_table
from litmus_nb.worlds.judging import JudgingPlan, made_labels

WORLDS = 60
MISSED, RATE, ERROR = 0.3, 0.4, 0.02
PINNED = Rater(name="judge", run_id="run-2026-09-01")
LATER = Rater(name="judge", run_id="run-2026-11-01")


def plan(seed, **changes):
    written = {
        "schema": "litmus-nb/judging-world/v1",
        "seed": seed,
        "classes": {"c": {"prefix": "c", "anchors": 60, "positive": 0.5, "scenarios": 50, "rate": RATE}},
        "requested": "judge",
        "artefact": "judge-1",
        "humans": ["ann"],
        "borderline": 0.0,
        "judge_error": ERROR,
        "human_error": 0.0,
        "pinned_on": "2026-09-01",
        "pinned_judgements": 1,
        "first_run": "2026-11-01",
        "runs": 1,
        "judgements": 1,
        "changes": [{"day": "2026-10-15", "missed": {"c": MISSED}}],
        "baseline": "old",
        "candidate": "new",
        "trials": 1,
    }
    return JudgingPlan.model_validate(written | changes)


def holds(estimates, truth):
    """How many of the intervals hold the truth."""
    return sum(estimate.low <= truth <= estimate.high for estimate in estimates)


def test_intervals_hold_the_truth_as_often_as_they_say():
    """At 90 %: agent effect (none), judge effect, and the rise of the false-negative rate, over made worlds."""
    agent, judge, rises, errors = [], [], [], []
    for seed in range(WORLDS):
        table = made_labels(plan(seed))
        (effect,) = decompose(table, baseline="old", candidate="new", pinned=PINNED, current=LATER, confidence=0.9).rows
        agent.append(effect.agent)
        judge.append(effect.judge)
        items, _ = relabelled(table, PINNED, LATER)
        (row,) = changed_behaviour(items, max_fnr_rise=0.02, min_agreement=0.95, confidence=0.9)
        rises.append(row.fnr_rise)
        errors.append(against_humans(table, LATER, confidence=0.9)[0].fnr)
    # A success that the judge is blind to is called none but for an error; another is called none by an error alone.
    blind = MISSED * (1 - 2 * ERROR)
    for estimates, truth in ((agent, 0.0), (judge, -RATE * blind), (rises, blind), (errors, ERROR + blind)):
        held = holds(estimates, truth)
        assert stats.binomtest(held, WORLDS, 0.9, alternative="less").pvalue > 0.001, (held, truth)


def test_corrected_rates_hold_the_truth_as_often_as_they_say():
    """At 90 %: a judge that is blind to a third of the successes, and the true rate of the candidate behind it.

    The rate as judged, which takes the judge for right, does not hold it: what is corrected is not nothing.
    """
    judged, by_errors, by_sample = [], [], []
    for seed in range(WORLDS):
        table = made_labels(plan(seed, checked_by_humans=25))
        (row,) = corrected_rates(table, "new", LATER, confidence=0.9)
        judged.append(row.judged)
        by_errors.append(row.rogan_gladen)
        by_sample.append(row.prediction_powered)
    for estimates in (by_errors, by_sample):
        held = holds(estimates, RATE)
        assert stats.binomtest(held, WORLDS, 0.9, alternative="less").pvalue > 0.001, held
    assert stats.binomtest(holds(judged, RATE), WORLDS, 0.9, alternative="less").pvalue < 0.001


def test_bounds_without_the_relabelled_baseline_hold_the_truth():
    for seed in range(10):
        table = made_labels(plan(seed, rejudged_baseline=False))
        (effect,) = decompose(table, baseline="old", candidate="new", pinned=PINNED, current=LATER).rows
        assert effect.agent.value is None
        assert effect.agent.low < 0.0 < effect.agent.high
        assert effect.judge.low < -RATE * MISSED < effect.judge.high


@pytest.mark.parametrize("seed", [1, 2])
def test_the_drift_is_found_where_and_when_it_was_put(seed):
    classes = {
        name: {"prefix": name, "anchors": 60, "positive": 0.5, "scenarios": 80, "rate": RATE} for name in ("a", "b")
    }
    world = plan(
        seed,
        classes=classes,
        first_run="2026-09-08",
        runs=12,
        judgements=2,
        pinned_judgements=3,
        changes=[{"day": "2026-09-22", "artefact": "judge-2"}, {"day": "2026-10-20", "missed": {"b": 0.45}}],
    )
    report = investigate(made_labels(world), Question(baseline="old", candidate="new"))
    found = report.conclusion
    assert (found.is_drift, found.classes) == ("yes", ["b"])
    assert "run-2026-10-20" in found.plausible_runs
    assert found.identity == "did not change with it"
    assert (found.is_agent_effect, found.is_judge_effect) == ("none shown", "fewer successes")
    (swap,) = report.timeline.identities
    assert (swap.run_id, swap.requested_changed) == ("run-2026-09-22", False)


def test_an_unchanged_judge_and_a_worse_agent_are_told_apart():
    """The candidate's trials are those of a world with twice the rate, labelled by the same steady judge."""
    steady = made_labels(plan(5, changes=[]))
    worse = made_labels(
        plan(
            5, changes=[], classes={"c": {"prefix": "c", "anchors": 60, "positive": 0.5, "scenarios": 50, "rate": 0.8}}
        )
    )
    is_new = (pl.col("policy") == "new").fill_null(False)
    table = label_table(pl.concat([steady.frame.filter(~is_new), worse.frame.filter(is_new)]))
    report = investigate(table, Question(baseline="old", candidate="new"))
    assert report.conclusion.is_drift == "none shown"
    assert report.conclusion.is_agent_effect == "worse"
    assert report.conclusion.is_judge_effect == "none shown"
    assert report.decomposition.rows[0].scenario_class == ALL
