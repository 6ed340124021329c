"""Section 4.5 and 1: what the numbers mean, in which order, and which class is the worst."""

from __future__ import annotations

import dataclasses

import pytest

from litmus_nb.contracts.codes import VerdictState
from litmus_nb.errors import (
    GateInvariantViolation,
    HarnessAdmissibilityError,
    InsufficientEvidence,
    InvalidVerdictConditions,
)
from litmus_nb.rule import admissibility, contract, eligibility
from litmus_nb.rule.admissibility import Admitted, assert_admissible
from litmus_nb.rule.comparison import compare
from litmus_nb.rule.decision import assert_sufficient, closed_by
from litmus_nb.rule.decision import decide as decide_on
from litmus_nb.rule.eligibility import Eligible, assert_verdict_eligible
from litmus_nb.rule.finding import found
from litmus_nb.rule.workflow import emit_verdict, evaluate_gate, internal_error
from tests.builders import INJECTION, MISUSE, codes, correct_world, decide, load, placed
from tests.rule.test_exactness import much_worse


def test_one_failing_class_is_a_fail_however_good_the_mean(tmp_path):
    world = much_worse()
    world.gate["classes"][INJECTION]["tolerance"] = 0.3
    for number in range(12):
        world.baseline.label(f"tm-{number}", True, True)
        world.candidate.label(f"tm-{number}", False, False)
    decision = decide(world, tmp_path)
    assert (decision.state, decision.worst_class, decision.mean_delta) == (VerdictState.FAIL, INJECTION, 0.0)


def test_a_failing_class_outweighs_one_without_a_verdict(tmp_path):
    """1.1: any FAIL makes FAIL."""
    world = much_worse()
    world.gate["classes"][INJECTION]["tolerance"] = 0.3
    world.gate["classes"][MISUSE]["tolerance"] = 0.15
    decision = decide(world, tmp_path)
    assert decision.state is VerdictState.FAIL
    assert codes(decision) == {"CLASS_REGRESSED", "INDETERMINATE"}
    assert decision.worst_class == INJECTION


def test_a_failing_class_is_worse_than_one_of_which_nothing_is_left(tmp_path):
    world = much_worse()
    world.gate["classes"][INJECTION]["tolerance"] = 0.3
    for probe in world.probes:
        if probe["class"] == MISUSE:
            world.quarantine(probe["id"])
    decision = decide(world, tmp_path)
    assert {verdict.name: verdict.outcome for verdict in decision.classes} == {INJECTION: "FAIL", MISUSE: "NO_VERDICT"}
    assert decision.worst_class == INJECTION


def test_a_class_without_a_verdict_is_worse_than_a_pass_however_narrow(tmp_path):
    world = correct_world()
    bound = next(verdict.ci_high for verdict in decide(world, tmp_path / "1").classes if verdict.name == INJECTION)
    world.gate["classes"][INJECTION]["tolerance"] = bound
    world.gate["classes"][MISUSE] |= {"tolerance": 0.9, "min_n": 999}
    decision = decide(world, tmp_path / "2")
    assert {verdict.name: verdict.outcome for verdict in decision.classes} == {INJECTION: "PASS", MISUSE: "NO_VERDICT"}
    assert decision.worst_class == MISUSE


def test_all_obstacles_of_a_class_are_reported_at_once(tmp_path):
    """4.5: of a to g all that apply."""
    world = correct_world()
    world.gate["classes"][INJECTION] = {"tolerance": 0.01, "min_n": 5}
    world.suite.update(decision_margin=0.1, min_trials=3, min_agreement=0.9)
    for run in (world.candidate, world.baseline):
        run.label("pi-1", True, False)
    assert {(code, paragraph) for code, paragraph in placed(decide(world, tmp_path))} == {
        ("INSUFFICIENT_EVIDENCE", "4.5c"),
        ("TOO_FEW_TRIALS", "4.5d"),
        ("LOW_AGREEMENT", "4.5e"),
        ("TOLERANCE_BELOW_NOISE_FLOOR", "4.5f"),
        ("UNDERPOWERED", "4.5g"),
    }


def test_obstacles_of_both_sides_are_told_apart(tmp_path):
    world = correct_world()
    world.suite["min_trials"] = 3
    told = {reason.expected for reason in decide(world, tmp_path).reasons}
    assert told == {f"{side}: at least 3 declared trials" for side in ("candidate", "baseline")}


def test_an_empty_class_stops_at_its_absence(tmp_path):
    """4.5b: neither min_n nor trials nor width is told of a class of which nothing is left."""
    world = correct_world()
    world.gate["classes"][INJECTION]["min_n"] = 9
    world.suite["min_trials"] = 3
    for number in range(4):
        world.quarantine(f"pi-{number}")
    decision = decide(world, tmp_path)
    assert {reason.code for reason in decision.reasons if reason.subject == INJECTION} == {"CLASS_MISSING"}
    row = decision.classes[0]
    assert (row.n, row.n_quarantined) == (0, 4)
    assert (row.delta, row.ci_low, row.ci_high, row.half_width, row.noise_floor) == (None,) * 5


def test_a_class_without_a_threshold_shows_its_numbers_and_no_outcome(tmp_path):
    world = correct_world()
    del world.gate["classes"][MISUSE]
    row = decide(world, tmp_path).classes[1]
    assert (row.outcome, row.tolerance, row.min_n, row.n) == ("NO_VERDICT", None, None, 4)


def test_a_wide_interval_above_the_tolerance_is_indicated_and_not_called(tmp_path):
    """4.5g: underpowered, and lower > tolerance all the same."""
    world = much_worse()
    world.gate["classes"][INJECTION]["tolerance"] = 0.3
    world.suite["decision_margin"] = 0.2
    decision = decide(world, tmp_path)
    assert codes(decision) == {"UNDERPOWERED"}
    assert decision.classes[0].regression_indicated
    assert not decision.classes[1].regression_indicated


def test_a_regression_is_indicated_whatever_else_stands_against_a_decision(tmp_path):
    world = much_worse()
    world.gate["classes"][INJECTION] = {"tolerance": 0.3, "min_n": 99}
    world.suite["decision_margin"] = 0.2
    decision = decide(world, tmp_path)
    assert codes(decision) == {"INSUFFICIENT_EVIDENCE", "UNDERPOWERED"}
    assert decision.classes[0].regression_indicated


def test_a_wide_interval_whose_lower_bound_is_the_tolerance_indicates_nothing(tmp_path):
    world = much_worse()
    world.gate["classes"][INJECTION]["tolerance"] = round(1 - 2 * (1 - 0.025 ** (1 / 12)), 9)
    world.suite["decision_margin"] = 0.2
    decision = decide(world, tmp_path)
    assert codes(decision) == {"UNDERPOWERED"}
    assert not decision.classes[0].regression_indicated


def test_without_a_threshold_nothing_is_indicated(tmp_path):
    world = much_worse()
    del world.gate["classes"][INJECTION]
    world.suite["decision_margin"] = 0.2
    decision = decide(world, tmp_path)
    assert codes(decision) == {"CLASS_WITHOUT_THRESHOLD", "UNDERPOWERED"}
    assert decision.classes[0].regression_indicated is False


def test_a_wide_interval_below_the_tolerance_indicates_nothing(tmp_path):
    world = correct_world()
    world.suite["decision_margin"] = 0.2
    assert [row.regression_indicated for row in decide(world, tmp_path).classes] == [False, False]


def test_a_regression_that_is_called_is_not_indicated(tmp_path):
    world = much_worse()
    world.gate["classes"][INJECTION]["tolerance"] = 0.3
    assert not decide(world, tmp_path).classes[0].regression_indicated


def test_the_worst_class_is_the_one_whose_bound_is_furthest_above_its_tolerance(tmp_path):
    world = correct_world()
    world.gate["classes"][MISUSE]["tolerance"] = 0.8
    assert decide(world, tmp_path).worst_class == MISUSE


def test_of_equal_tolerances_the_class_with_the_higher_bound_is_the_worst(tmp_path):
    world = correct_world(scenarios=9)
    world.candidate.label("tm-1", True, True)
    assert decide(world, tmp_path).worst_class == MISUSE


def test_a_class_shows_the_threshold_that_it_was_held_against(tmp_path):
    world = correct_world()
    world.gate["classes"][MISUSE] = {"tolerance": 0.8, "min_n": 4}
    assert [(row.tolerance, row.min_n) for row in decide(world, tmp_path).classes] == [(0.9, 3), (0.8, 4)]


def test_equally_bad_classes_are_told_by_name(tmp_path):
    assert decide(correct_world(), tmp_path).worst_class == INJECTION


def test_an_undefined_class_is_worse_than_any_defined_one_of_its_outcome(tmp_path):
    world = correct_world()
    del world.gate["classes"][MISUSE]
    world.gate["classes"][INJECTION]["tolerance"] = 0.3
    assert decide(world, tmp_path).worst_class == MISUSE


def test_deterministic_runs_are_asked_for_no_trials_and_no_agreement(tmp_path):
    world = correct_world(trials=1)
    world.suite.update(min_trials=3)
    for run in (world.candidate, world.baseline):
        run.declaration.update(deterministic=True, decoding={})
    assert decide(world, tmp_path / "both").state is VerdictState.PASS
    world.baseline.declaration["deterministic"] = False
    decision = decide(world, tmp_path / "one")
    assert codes(decision) == {"TOO_FEW_TRIALS", "LOW_AGREEMENT"}
    assert all("baseline" in reason.expected for reason in decision.reasons)


@pytest.mark.parametrize("temperature", [0, 0.0, -0.0])
def test_temperature_zero_may_be_written_as_any_zero(tmp_path, temperature):
    world = correct_world()
    for run in (world.candidate, world.baseline):
        run.declaration.update(deterministic=True, decoding={"temperature": temperature})
    assert decide(world, tmp_path).state is VerdictState.PASS


@pytest.mark.parametrize("temperature", ["0", None, False, [0], 1e-9])
def test_what_is_no_zero_contradicts_determinism(tmp_path, temperature):
    world = correct_world()
    for run in (world.candidate, world.baseline):
        run.declaration.update(deterministic=True, decoding={"temperature": temperature})
    assert codes(decide(world, tmp_path)) == {"DETERMINISM_CONTRADICTED"}


def test_decoding_parameters_are_compared_as_values(tmp_path):
    """3.9: 1 and 1.0 are one number, and the order of keys means nothing."""
    world = correct_world()
    world.candidate.declaration["decoding"] = {"top_p": 1.0, "temperature": 0.70}
    world.baseline.declaration["decoding"] = {"temperature": 0.7, "top_p": 1}
    assert decide(world, tmp_path).state is VerdictState.PASS


def test_reasons_come_in_the_order_of_the_rule(tmp_path):
    """FORMATS: by paragraph, code, subject; 3.2 before 3.10."""
    world = correct_world()
    world.candidate.drop("pi-1")
    world.candidate.rows[3]["attack_success"] = None
    world.candidate.declaration["decoding"] = {}
    world.candidate.declaration["judge"]["resolved_digest"] = None
    paragraphs = [reason.paragraph for reason in decide(world, tmp_path).reasons]
    assert paragraphs == ["3.2", "3.5", "3.9", "3.10", "4.6", "4.6"]


def test_findings_of_all_checks_of_a_step_come_at_once(tmp_path):
    """1.2"""
    world = correct_world()
    declared = world.candidate.declaration
    declared["interface"]["tool_namespace"] = "terminal"
    declared["sandbox"]["effective_capabilities"] = []
    declared["canary"] = None
    declared["manifest_hash"] = "sha256:" + "0" * 64
    assert codes(decide(world, tmp_path)) == {
        "PROBE_SET_DRIFT",
        "TOOL_NAMESPACE_MISMATCH",
        "ENVELOPE_MISMATCH",
        "CANARY_MISSING",
    }


def test_rejection_comes_before_ineligibility(tmp_path):
    """1.1"""
    world = correct_world()
    world.candidate.drop("pi-1")
    world.candidate.declaration["canary"] = None
    decision = decide(world, tmp_path)
    assert decision.state is VerdictState.REJECTED
    assert codes(decision) == {"CANARY_MISSING"}


# -- step by step, and nothing skipped ------------------------------------------------------------------------------


def test_step_by_step_decides_as_the_whole(tmp_path):
    evidence = load(correct_world(), tmp_path)
    comparison = compare(assert_verdict_eligible(assert_admissible(evidence)))
    assert decide_on(comparison) == evaluate_gate(evidence)
    assert assert_sufficient(decide_on(comparison)).state is VerdictState.PASS


def test_the_comparison_is_a_table_of_all_its_numbers(tmp_path):
    evidence = load(correct_world(), tmp_path)
    frame = compare(assert_verdict_eligible(assert_admissible(evidence))).frame
    judged = {verdict.name: verdict.model_dump() for verdict in evaluate_gate(evidence).classes}
    assert frame["name"].to_list() == [INJECTION, MISUSE]
    for row in frame.iter_rows(named=True):
        verdict = judged[row["name"]]
        assert row == {name: verdict[name] for name in row}
        assert set(verdict) - set(row) == {"outcome", "half_width", "tolerance", "min_n", "regression_indicated"}


def test_each_step_raises_its_own_refusal(tmp_path):
    rejected, ineligible, insufficient = correct_world(), correct_world(), correct_world()
    rejected.candidate.declaration["canary"] = None
    ineligible.candidate.drop("pi-1")
    insufficient.gate["classes"][INJECTION]["tolerance"] = 0.3
    with pytest.raises(HarnessAdmissibilityError, match="CANARY_MISSING"):
        assert_admissible(load(rejected, tmp_path / "1"))
    with pytest.raises(InvalidVerdictConditions, match="POPULATION_DRIFT"):
        assert_verdict_eligible(assert_admissible(load(ineligible, tmp_path / "2")))
    with pytest.raises(InsufficientEvidence, match="INDETERMINATE"):
        assert_sufficient(decide(insufficient, tmp_path / "3"))


def test_tickets_cannot_be_forged(tmp_path):
    evidence = load(correct_world(), tmp_path)
    with pytest.raises(GateInvariantViolation):
        Admitted(evidence, evidence.gate, evidence.suite, evidence.candidate, object())
    admitted = assert_admissible(evidence)
    eligible = assert_verdict_eligible(admitted)
    with pytest.raises(GateInvariantViolation):
        Eligible(
            admitted, evidence.baseline, eligible.chain, eligible.candidate_population, eligible.baseline_population, 1
        )


@pytest.mark.parametrize(
    ("room", "name"),
    [
        (admissibility, "ADMISSIBILITY_CHECKS"),
        (contract, "CONTRACT_CHECKS"),
        (eligibility, "TRIAL_CHECKS"),
        (eligibility, "JUDGE_CHECKS"),
        (eligibility, "BASELINE_CHECKS"),
        (eligibility, "LEDGER_CHECKS"),
    ],
)
def test_an_empty_list_of_checks_admits_nothing(tmp_path, monkeypatch, room, name):
    evidence = load(correct_world(), tmp_path)
    monkeypatch.setattr(room, name, ())
    with pytest.raises((GateInvariantViolation, ValueError), match="empty list"):
        evaluate_gate(evidence)


def test_a_comparison_without_a_class_decides_nothing(tmp_path):
    comparison = compare(assert_verdict_eligible(assert_admissible(load(correct_world(), tmp_path))))
    with pytest.raises(GateInvariantViolation):
        decide_on(dataclasses.replace(comparison, classes=()))


def test_a_refusal_is_never_a_pass_and_never_silent():
    reason = found("RUN_INCOMPLETE", "3.1", "candidate", expected="complete", observed="error")
    for state in (VerdictState.PASS, VerdictState.FAIL):
        with pytest.raises(GateInvariantViolation):
            closed_by(state, (reason,), [])
    with pytest.raises(GateInvariantViolation):
        closed_by(VerdictState.NO_VERDICT, (), [])


def test_an_error_of_our_own_is_closed():
    decision = internal_error(RuntimeError("boom"))
    assert (decision.state, codes(decision), decision.classes) == (VerdictState.NO_VERDICT, {"INTERNAL_ERROR"}, ())
    assert [(reason.subject, reason.observed) for reason in decision.reasons] == [("litmus_nb", "RuntimeError: boom")]
    verdict = emit_verdict(decision, None, run_id="x", as_of="2026-11-30")
    assert not verdict.gate_open
    assert set(verdict.evidence.model_dump().values()) == {None}


def test_an_error_of_our_own_says_no_more_than_a_line_holds():
    said = [internal_error(ValueError("x" * length)).reasons[0].observed for length in (288, 289)]
    assert said == ["ValueError: " + "x" * 288] * 2


@pytest.mark.parametrize("change", [{"reasons": True}, {"classes": ()}, {"state": VerdictState.NO_VERDICT}])
def test_a_verdict_that_contradicts_itself_cannot_be_written(tmp_path, change):
    evidence = load(correct_world(), tmp_path)
    reason = found("RUN_INCOMPLETE", "3.1", "candidate", expected="complete", observed="error")
    changes = {key: (reason,) if key == "reasons" else value for key, value in change.items()}
    forged = dataclasses.replace(evaluate_gate(evidence), **changes)
    with pytest.raises(ValueError):
        emit_verdict(forged, evidence, run_id="x", as_of="2026-11-30")
