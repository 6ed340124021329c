"""A made world holds what its plan says, and nothing else decides what is in it."""

from __future__ import annotations

from datetime import date

import pytest
from scipy import stats

import litmus_nb
from litmus_nb.contracts.codes import VerdictState
from litmus_nb.errors import UnreadableInput
from litmus_nb.worlds.draws import Draws
from litmus_nb.worlds.make import make_world, read_plan, write_world
from litmus_nb.worlds.outcomes import made_scenarios, made_trials
from litmus_nb.worlds.plan import WorldPlan

PLAN = {
    "schema": "litmus-nb/world/v1",
    "name": "a world",
    "seed": 7,
    "as_of": "2026-11-30",
    "pinned_on": "2026-09-01",
    "classes": {"injection": {"prefix": "inj", "scenarios": 400, "rate": 0.3}},
    "runs": {
        "baseline": {"policy": "one", "day": "2026-08-31"},
        "candidate": {"policy": "two", "day": "2026-11-28"},
    },
}


def plan_with(**changes):
    return WorldPlan.read({**PLAN, **changes}, file="plan")


def run_with(**changes):
    return plan_with(runs={**PLAN["runs"], "candidate": {**PLAN["runs"]["candidate"], **changes}})


def test_the_first_draw_is_the_same_for_ever():
    """Against itself: guards every committed world against a change of the hash."""
    assert Draws(7).uniform("vulnerability", "inj-0000") == 0.8764688425985065


def test_draws_are_uniform():
    draws = [Draws(1).uniform("x", number) for number in range(4000)]
    assert stats.kstest(draws, "uniform").pvalue > 0.001


def test_one_more_class_leaves_every_other_outcome_as_it_was():
    classes = {"easy": {"prefix": "easy", "scenarios": 50, "rate": 0.01}, **PLAN["classes"]}
    before, after = made_trials(plan_with(), "candidate"), made_trials(plan_with(classes=classes), "candidate")
    assert before == [trial for trial in after if trial.scenario.scenario_class == "injection"]


def test_the_rate_is_the_planned_one():
    trials = made_trials(plan_with(redraw=1.0), "candidate")
    assert stats.binomtest(sum(t.attack_succeeded for t in trials), len(trials), 0.3).pvalue > 0.001


def test_agreement_is_the_documented_function_of_redraw():
    trials = made_trials(plan_with(redraw=0.5), "candidate")
    outcomes = [t.attack_succeeded for t in trials]
    agreeing = sum(outcomes[index] == outcomes[index + 1] for index in range(0, len(outcomes), 3))
    expected = 1 - 2 * 0.3 * 0.7 * (1 - 0.5**2)
    assert stats.binomtest(agreeing, len(outcomes) // 3, expected).pvalue > 0.001


def test_without_noise_two_policies_of_one_rate_are_one():
    plan = plan_with(redraw=0.0, reshuffle=0.0)
    sides = [[t.attack_succeeded for t in made_trials(plan, run)] for run in ("baseline", "candidate")]
    assert sides[0] == sides[1]


def test_a_higher_rate_only_adds_successes():
    plan = plan_with(
        redraw=0.0,
        reshuffle=0.0,
        runs={**PLAN["runs"], "candidate": {**PLAN["runs"]["candidate"], "rates": {"injection": 0.4}}},
    )
    pairs = zip(made_trials(plan, "baseline"), made_trials(plan, "candidate"), strict=True)
    assert all(worse.attack_succeeded >= better.attack_succeeded for better, worse in pairs)


def test_a_family_of_full_likeness_falls_as_one():
    classes = {"c": {"prefix": "c", "scenarios": 40, "rate": 0.5, "families": {"number": 10, "size": 4}}}
    trials = made_trials(plan_with(classes=classes, redraw=0.0), "baseline")
    by_family = {}
    for trial in trials:
        by_family.setdefault(trial.scenario.family, set()).add(trial.attack_succeeded)
    assert len(by_family) == 10
    assert {len(outcomes) for outcomes in by_family.values()} == {1}


def test_a_judge_that_misses_more_misses_where_the_other_did():
    def missed(rate):
        judge = {"false_negative_rate": rate}
        return {
            (t.scenario.id, t.trial)
            for t in made_trials(run_with(judge=judge), "candidate")
            if t.attack_succeeded and not t.label
        }

    assert missed(0.0) == set()
    assert set() < missed(0.05) < missed(0.2)


def test_judge_errors_come_at_their_rates():
    judge = {"false_negative_rates": {"injection": 0.3}, "false_positive_rate": 0.1}
    trials = made_trials(run_with(judge=judge), "candidate")
    unsafe = [t.label for t in trials if t.attack_succeeded]
    safe = [t.label for t in trials if not t.attack_succeeded]
    assert stats.binomtest(unsafe.count(False), len(unsafe), 0.3).pvalue > 0.001
    assert stats.binomtest(safe.count(True), len(safe), 0.1).pvalue > 0.001


def test_unknown_trials_have_no_label_and_their_reason():
    unknown = [{"status": "skipped", "reason": "no boot", "scenarios": 5, "trials": 2}]
    trials = made_trials(run_with(unknown=unknown), "candidate")
    hit = [t for t in trials if t.status != "scored"]
    assert len(hit) == 10
    assert {(t.status, t.label, t.reason) for t in hit} == {("skipped", None, "no boot")}


def test_trials_may_leave_no_row():
    unknown = [{"scenarios": 5, "leaves_no_row": True}]
    assert len(made_trials(run_with(unknown=unknown), "candidate")) == 1200 - 15


def test_unsafe_first_takes_the_scenarios_on_which_attacks_succeed():
    unknown = [{"scenarios": 60, "picks": "unsafe_first"}]
    trials = made_trials(run_with(unknown=unknown), "candidate")
    assert all(
        any(t.attack_succeeded for t in trials if t.scenario == hit.scenario) for hit in trials if hit.label is None
    )


def test_evenly_spreads_over_the_classes():
    classes = {name: {"prefix": name, "scenarios": 20, "rate": 0.1} for name in "abc"}
    runs = {**PLAN["runs"], "candidate": {**PLAN["runs"]["candidate"], "unknown": [{"scenarios": 6}]}}
    trials = made_trials(plan_with(classes=classes, runs=runs), "candidate")
    hit = [t.scenario.scenario_class for t in trials if t.status != "scored"]
    assert [hit.count(name) for name in "abc"] == [6, 6, 6]


def test_a_written_world_is_gated(tmp_path, monkeypatch):
    write_world(make_world(plan_with(gate={"tolerance": 0.1})), tmp_path)
    monkeypatch.chdir(tmp_path)
    params = litmus_nb.read_params(tmp_path / "params/candidate.yaml")
    decision = litmus_nb.evaluate_gate(litmus_nb.load_evidence(params, as_of=date(2026, 11, 30)))
    assert decision.state is VerdictState.PASS


def test_the_world_is_the_same_twice(tmp_path):
    worlds = [make_world(plan_with()) for _ in range(2)]
    assert worlds[0] == worlds[1]


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"runs": {"candidate": PLAN["runs"]["candidate"]}}, "a run named baseline"),
        ({"gate": {"tolerances": {"other": 0.1}}}, "classes of this plan, not other"),
        ({"classes": {n: {"prefix": "x", "scenarios": 1, "rate": 0.1} for n in "ab"}}, "another prefix"),
        ({"classes": {"c": {"prefix": "c", "scenarios": 3, "rate": 1.5}}}, "less than or equal to 1"),
        ({"surprise": 1}, "unknown key"),
        (
            {"quarantine": [{"worst_of_run": "lost", "scenario_class": "injection", "number": 1, "day": "2026-11-01"}]},
            "runs of this plan, not lost",
        ),
        (
            {"classes": {"c": {"prefix": "c", "scenarios": 3, "rate": 0.5, "families": {"number": 2, "size": 2}}}},
            "no more scenarios",
        ),
    ],
)
def test_a_plan_that_contradicts_itself_is_refused(changes, told):
    with pytest.raises(UnreadableInput, match=told):
        plan_with(**changes)


def test_a_plan_file_that_is_not_there_is_told(tmp_path):
    with pytest.raises(UnreadableInput, match="nothing there"):
        read_plan(tmp_path / "plan.yaml")


def test_ids_are_unique_and_families_come_first():
    classes = {"c": {"prefix": "c", "scenarios": 5, "rate": 0.5, "families": {"number": 1, "size": 2}}}
    scenarios = made_scenarios(plan_with(classes=classes))
    assert [(s.id, s.family) for s in scenarios] == [
        ("c-0000", "c-family-00"),
        ("c-0001", "c-family-00"),
        ("c-0002", None),
        ("c-0003", None),
        ("c-0004", None),
    ]
