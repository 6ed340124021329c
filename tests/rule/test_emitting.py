"""The verdict as it is written: on which evidence, by which interval, and nothing of it where there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from litmus_nb._version import __version__
from litmus_nb.contracts.canonical import digest_of_bytes
from litmus_nb.contracts.codes import VerdictState
from litmus_nb.contracts.evidence import Evidence
from litmus_nb.contracts.verdict import Verdict
from litmus_nb.errors import InsufficientEvidence
from litmus_nb.rule.workflow import emit_verdict, evaluate_gate, refused
from tests.builders import INJECTION, MISUSE, World, correct_world, load
from tests.rule.test_findings import told


def written(evidence: Evidence, about: Evidence | None) -> Verdict:
    return emit_verdict(evaluate_gate(evidence), about, run_id="now", as_of="2026-11-30", notebook_sha256=None)


def exact_world(*, scenarios: int = 4) -> World:
    """Single trials, decided by the exact interval."""
    world = correct_world(scenarios=scenarios, trials=1)
    world.gate["interval"] = "exact"
    for run in (world.candidate, world.baseline):
        run.declaration.update(deterministic=True, decoding={})
    return world


def test_a_rejected_verdict_names_what_could_be_read_and_no_length(tmp_path: Path) -> None:
    world = correct_world()
    world.tampered["candidate/run.json"] = None
    evidence = load(world, tmp_path)
    said = written(evidence, evidence).evidence
    assert (said.candidate_digest, said.policy_digest, said.ledger_length) == (None, None, None)
    assert said.ledger_head == digest_of_bytes(world.sealed()["ledger.jsonl"][:-1])
    assert evidence.suite is not None
    assert evidence.baseline is not None
    assert (said.manifest_hash, said.baseline_digest) == (evidence.suite.manifest_hash, evidence.baseline.digest)
    assert said.gate_sha256 == evidence.gate_sha256


def test_a_verdict_about_nothing_that_could_be_read_names_nothing(tmp_path: Path) -> None:
    world = correct_world()
    world.tampered |= dict.fromkeys(["gate.yaml", "candidate/run.json"])
    evidence = load(world, tmp_path)
    assert set(written(evidence, evidence).evidence.model_dump().values()) == {None}


def test_a_verdict_names_all_of_its_evidence(tmp_path: Path) -> None:
    world = correct_world()
    evidence = load(world, tmp_path)
    verdict = emit_verdict(
        evaluate_gate(evidence), evidence, run_id="now", as_of="2026-11-30", notebook_sha256="sha256:" + "a" * 64
    )
    assert evidence.suite is not None
    assert evidence.baseline is not None
    assert evidence.candidate is not None
    assert verdict.model_dump()["evidence"] == {
        "manifest_hash": evidence.suite.manifest_hash,
        "gate_sha256": evidence.gate_sha256,
        "candidate_digest": evidence.candidate.digest,
        "policy_digest": evidence.candidate.declaration.policy.digest,
        "baseline_digest": evidence.baseline.digest,
        "ledger_head": digest_of_bytes(world.sealed()["ledger.jsonl"][:-1]),
        "ledger_length": 1,
    }
    assert verdict.model_dump()["execution"] == {
        "run_id": "now",
        "as_of": "2026-11-30",
        "notebook_sha256": "sha256:" + "a" * 64,
        "litmus_nb": __version__,
    }


def test_the_default_interval_is_not_named(tmp_path: Path) -> None:
    evidence = load(correct_world(), tmp_path)
    assert "interval" not in written(evidence, evidence).model_dump()


def test_the_exact_interval_is_the_one_that_is_shown(tmp_path: Path) -> None:
    """Of ten units one better and none worse; the bounds are those of tests/twin/exact.py."""
    world = exact_world(scenarios=10)
    world.baseline.label("pi-1", True)
    row = evaluate_gate(load(world, tmp_path)).classes[0]
    assert (row.delta, row.ci_low, row.ci_high) == (-0.1, -0.445016117, 0.211379393)


def test_the_exact_interval_is_named_where_a_class_has_one(tmp_path: Path) -> None:
    world = exact_world()
    for number in range(4):
        world.quarantine(f"tm-{number}")
    evidence = load(world, tmp_path)
    verdict = written(evidence, evidence)
    assert [row.ci_high is None for row in verdict.classes] == [False, True]
    assert verdict.interval == "exact"


def test_the_exact_interval_is_not_named_where_no_class_has_one(tmp_path: Path) -> None:
    world = exact_world()
    world.candidate.declaration["status"] = "error"
    evidence = load(world, tmp_path)
    assert written(evidence, evidence).interval is None


def test_without_evidence_no_interval_is_named(tmp_path: Path) -> None:
    assert written(load(exact_world(), tmp_path), None).interval is None


def test_a_class_of_a_run_that_cannot_decide_has_no_number(tmp_path: Path) -> None:
    world = correct_world()
    world.candidate.declaration["status"] = "error"
    rows = evaluate_gate(load(world, tmp_path)).classes
    assert [(row.name, row.outcome, row.regression_indicated) for row in rows] == [
        (INJECTION, "NO_VERDICT", False),
        (MISUSE, "NO_VERDICT", False),
    ]
    numbers = {"name", "outcome", "regression_indicated"}
    assert {value for row in rows for value in row.model_dump(exclude=numbers).values()} == {None}


def test_a_refusal_that_is_no_rejection_is_no_verdict(tmp_path: Path) -> None:
    world = correct_world()
    world.gate["classes"][INJECTION]["min_n"] = 9
    reasons = evaluate_gate(load(world, tmp_path)).reasons
    decision = refused(InsufficientEvidence(reasons), [MISUSE, INJECTION])
    assert (decision.state, [row.name for row in decision.classes]) == (VerdictState.NO_VERDICT, [INJECTION, MISUSE])


@pytest.mark.parametrize("side", ["candidate", "baseline"])
def test_one_unknown_trial_of_one_class_on_one_side_degrades(tmp_path: Path, side: str) -> None:
    world = correct_world(scenarios=9)
    getattr(world, side).label("tm-1", None, False)
    decision = evaluate_gate(load(world, tmp_path))
    assert (decision.state, decision.is_degraded) == (VerdictState.PASS, True)


def test_only_a_decision_is_degraded(tmp_path: Path) -> None:
    world = correct_world(scenarios=9)
    world.candidate.label("tm-1", None, False)
    world.gate["classes"][INJECTION]["min_n"] = 99
    decision = evaluate_gate(load(world, tmp_path))
    assert (decision.state, decision.is_degraded) == (VerdictState.NO_VERDICT, False)


def stochastic(world: World, *names: str) -> None:
    for name in names:
        getattr(world, name).declaration["deterministic"] = False


UNFIT = {
    "stochastic trials of the candidate": (2, ("candidate",), "2 trials a scenario of the candidate"),
    "stochastic trials of the baseline": (2, ("baseline",), "2 trials a scenario of the baseline"),
    "stochastic trials of both": (2, ("candidate", "baseline"), "2 trials a scenario of the candidate"),
}


@pytest.mark.parametrize("name", UNFIT)
def test_stochastic_trials_are_no_yes_or_no(tmp_path: Path, name: str) -> None:
    trials, sides, observed = UNFIT[name]
    world = correct_world(trials=trials)
    world.gate["interval"] = "exact"
    for run in (world.candidate, world.baseline):
        run.declaration.update(deterministic=True, decoding={})
    stochastic(world, *sides)
    assert told(evaluate_gate(load(world, tmp_path)), tmp_path) == [
        f"INTERVAL_NOT_APPLICABLE 4.3 | {name} | {observed}, not attested deterministic" for name in (INJECTION, MISUSE)
    ]


@pytest.mark.parametrize(("trials", "is_deterministic"), [(1, False), (1, True), (2, True)])
def test_a_single_trial_or_an_attested_run_says_yes_or_no(tmp_path: Path, trials: int, is_deterministic: bool) -> None:
    world = correct_world(trials=trials)
    world.gate["interval"] = "exact"
    for run in (world.candidate, world.baseline):
        run.declaration.update(deterministic=is_deterministic, decoding={})
    codes = {reason.code for reason in evaluate_gate(load(world, tmp_path)).reasons}
    assert codes == (set() if is_deterministic else {"LOW_AGREEMENT"})


def test_near_copies_are_no_yes_or_no(tmp_path: Path) -> None:
    world = exact_world()
    for probe in world.probes[:2]:
        probe["family"] = "copies"
    assert told(evaluate_gate(load(world, tmp_path)), tmp_path) == [
        "INTERVAL_NOT_APPLICABLE 4.3 | prompt-injection | families of several scenarios"
    ]


def test_more_units_than_the_exact_interval_can_count_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    evidence = load(exact_world(), tmp_path)
    monkeypatch.setattr("litmus_nb.rule.comparison.LARGEST_EXACT_N", 4)
    assert evaluate_gate(evidence).state is VerdictState.PASS
    monkeypatch.setattr("litmus_nb.rule.comparison.LARGEST_EXACT_N", 3)
    assert told(evaluate_gate(evidence), tmp_path) == [
        f"INTERVAL_NOT_APPLICABLE 4.3 | {name} | 4 units" for name in (INJECTION, MISUSE)
    ]
