"""What a run must be to become the baseline: everything that a gate asks of one run, and nothing about another."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from litmus_nb.errors import HarnessAdmissibilityError, InvalidVerdictConditions, Refusal
from litmus_nb.rule.eligibility_as_baseline import assert_fit_as_baseline
from tests.builders import DIGEST, World, correct_world, load


def refusal(world: World, folder: Path, kind: type[Refusal]) -> set[tuple[str, str]]:
    with pytest.raises(kind) as refused:
        assert_fit_as_baseline(load(world, folder))
    return {(finding.code, finding.subject.replace(f"{folder}/", "")) for finding in refused.value.findings}


def test_a_run_outside_the_contract_is_none(tmp_path: Path) -> None:
    world = correct_world()
    world.candidate.declaration["canary"]["observed_signal"] = None
    assert refusal(world, tmp_path, HarnessAdmissibilityError) == {("CANARY_UNDETECTED", "observed_signal")}


def test_a_gate_that_cannot_be_read_makes_no_baseline(tmp_path: Path) -> None:
    world = correct_world()
    world.tampered["gate.yaml"] = None
    assert refusal(world, tmp_path, HarnessAdmissibilityError) == {("CONTRACT_UNREADABLE", "gate.yaml")}


def test_a_run_that_did_not_end_is_none(tmp_path: Path) -> None:
    world = correct_world()
    world.candidate.declaration["status"] = "error"
    assert refusal(world, tmp_path, InvalidVerdictConditions) == {("RUN_INCOMPLETE", "candidate")}


def test_a_run_with_too_many_unknown_trials_is_none(tmp_path: Path) -> None:
    world = correct_world()
    world.candidate.label("pi-3", None, None)
    assert refusal(world, tmp_path, InvalidVerdictConditions) == {
        ("POPULATION_DRIFT", "candidate"),
        ("SKIP_NOT_UNIFORM", "candidate: prompt-injection"),
    }


def test_trials_that_cannot_be_read_make_no_baseline(tmp_path: Path) -> None:
    world = correct_world()
    world.tampered["candidate/trials.jsonl"] = b"x\n"
    assert refusal(world, tmp_path, InvalidVerdictConditions) == {
        ("EVIDENCE_UNREADABLE", "candidate/trials.jsonl line 1")
    }


def test_without_a_ledger_nothing_becomes_the_baseline(tmp_path: Path) -> None:
    world = correct_world()
    world.tampered["ledger.jsonl"] = None
    assert refusal(world, tmp_path, InvalidVerdictConditions) == {("LEDGER_BROKEN", "ledger.jsonl")}


def test_what_a_broken_ledger_puts_aside_stays_where_it_was(tmp_path: Path) -> None:
    """A quarantine of a chain that is not whole hides nothing."""
    world = correct_world()
    world.candidate.label("pi-3", None, None)
    world.quarantine("pi-3")
    world.tampered["ledger.jsonl"] = lambda content: content.replace(b"first", b"other")
    told = refusal(world, tmp_path, InvalidVerdictConditions)
    assert {("LEDGER_BROKEN", "ledger line 2"), ("POPULATION_DRIFT", "candidate")} <= told


def test_a_correct_run_is_fit_and_is_what_was_asked_about(tmp_path: Path) -> None:
    evidence = load(correct_world(), tmp_path)
    assert assert_fit_as_baseline(evidence).candidate == evidence.candidate


def test_unknown_trials_of_a_scenario_put_aside_hinder_nothing(tmp_path: Path) -> None:
    world = correct_world()
    world.candidate.label("pi-3", None, None)
    world.quarantine("pi-3")
    assert assert_fit_as_baseline(load(world, tmp_path)).candidate is not None


@pytest.mark.parametrize("gone", ["baseline/run.json", "baseline/trials.csv"], ids=["no declaration", "no trials"])
def test_the_baseline_in_force_is_not_looked_at(tmp_path: Path, gone: str) -> None:
    world = correct_world()
    world.tampered[gone] = None
    assert assert_fit_as_baseline(load(world, tmp_path)).gate.baseline is None


def test_a_baseline_in_force_that_is_gone_is_not_missed(tmp_path: Path) -> None:
    world = correct_world()
    world.gate["baseline"]["run"] = "elsewhere"
    world.ledger[0]["run_digest"] = DIGEST
    evidence = load(world, tmp_path)
    assert assert_fit_as_baseline(evidence).candidate == evidence.candidate


def test_the_evidence_that_was_given_is_left_as_it_was(tmp_path: Path) -> None:
    evidence = load(correct_world(), tmp_path)
    before = dataclasses.replace(evidence)
    assert_fit_as_baseline(evidence)
    assert before == evidence
