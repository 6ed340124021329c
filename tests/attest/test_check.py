"""What else a consumer asks: how old, whose, on which ledger, and whether anything of theirs was compared."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from litmus_nb.attest import check as check_module
from litmus_nb.attest.expectations import PinnedGate
from litmus_nb.attest.statement import read_statement
from litmus_nb.contracts.canonical import digest_of_bytes
from litmus_nb.contracts.check_result import CheckResult
from litmus_nb.errors import Fault, GateInvariantViolation, UnreadableInput
from litmus_nb.ledger.append import append_entry
from litmus_nb.ledger.head import pin_head
from litmus_nb.ledger.record import record_verdict
from tests.attest.gated import PRESENT, checking, codes, gate_again, params_in, verdict_in
from tests.builders import DIGEST, correct_world, write

OTHER = "sha256:" + "0" * 64


def clock():
    return datetime(2026, 11, 30, 13, tzinfo=UTC)


def append(folder, **fields):
    append_entry(folder / "gate.yaml", lambda chain: fields, clock=clock)


# -- age -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("later", "expected"),
    [
        (timedelta(0), set()),
        (timedelta(days=7), set()),
        (timedelta(days=8), {"VERDICT_STALE"}),
        (timedelta(days=31), {"VERDICT_STALE", "ATTESTATION_EXPIRED"}),
        (timedelta(days=-1), {"VERDICT_FROM_THE_FUTURE"}),
    ],
)
def test_a_verdict_has_its_time(folder, later, expected):
    assert codes(checking(folder, present=PRESENT + later)) == expected


def test_a_limit_of_ones_own(folder):
    assert codes(checking(folder, present=PRESENT + timedelta(days=8), max_age_days=10)) == set()
    assert codes(checking(folder, present=PRESENT + timedelta(days=1), max_age_days=0)) == {"VERDICT_STALE"}


def test_the_verdict_of_this_execution(folder):
    assert codes(checking(folder, run_id="the run")) == set()
    assert codes(checking(folder, run_id="another run")) == {"RUN_ID_MISMATCH"}


def test_the_day_that_the_params_pin(folder):
    params = params_in(folder).model_copy(update={"as_of": "2026-11-29"})
    presented = check_module_presented(folder)
    expected = checking_expectations()
    (refusal,) = check_module.checked(presented, params, expected).refusals
    assert (refusal.code, refusal.subject) == ("AS_OF_MISMATCH", "/execution/as_of")


def check_module_presented(folder):
    from litmus_nb.attest.presented import read_presented

    return read_presented(folder / "out/verdict.json")


def checking_expectations():
    from litmus_nb.attest.expectations import Expectations

    return Expectations(present=PRESENT, is_evidence_own=True, is_recomputed=True)


# -- whose ---------------------------------------------------------------------------------------------------------


def test_a_verdict_by_itself_proves_nothing(folder):
    assert codes(checking(folder, with_evidence=False)) == {"UNPROVEN"}


def test_the_gate_that_the_checker_means(folder):
    content = (folder / "gate.yaml").read_bytes()
    subject = verdict_in(folder).evidence.policy_digest
    mine = {"subject": subject}
    assert codes(checking(folder, gate=PinnedGate("gate.yaml", content, digest_of_bytes(content)), **mine)) == set()
    assert codes(checking(folder, gate=PinnedGate("gate", None, OTHER), **mine)) == {"DIGEST_MISMATCH"}
    changed = content.replace(b"0.9", b"0.95")
    gate = PinnedGate("gate.yaml", changed, digest_of_bytes(changed))
    assert codes(checking(folder, gate=gate, **mine)) == {"DIGEST_MISMATCH"}


def test_a_gate_and_an_artefact_without_evidence_or_signature_prove_nothing(folder):
    """Whoever forges a verdict can copy both digests."""
    gate = PinnedGate("gate", None, digest_of_bytes((folder / "gate.yaml").read_bytes()))
    subject = verdict_in(folder).evidence.policy_digest
    assert codes(checking(folder, gate=gate, subject=subject, with_evidence=False)) == {"UNPROVEN"}


def test_what_nobody_signed_is_decided_again_whether_asked_or_not(folder):
    assert "recomputed" in checking(folder, is_recomputed=False).checked


def test_another_artefact_is_refused(folder):
    assert codes(checking(folder, subject=verdict_in(folder).evidence.policy_digest)) == set()
    assert codes(checking(folder, subject=DIGEST)) == {"SUBJECT_MISMATCH"}


def test_the_run_is_not_the_artefact(folder):
    """The statement names the run too; what ships is the policy."""
    assert codes(checking(folder, subject=verdict_in(folder).evidence.candidate_digest)) == {"SUBJECT_MISMATCH"}


# -- the ledger ----------------------------------------------------------------------------------------------------


def recorded(folder, verdict="PASS", **fields):
    digests = verdict_in(folder).evidence
    parts = {"policy_digest": digests.policy_digest, "candidate_digest": digests.candidate_digest}
    append(folder, kind="verdict", by="gate", reason="recorded", verdict=verdict, **{**parts, **fields})


def test_a_ledger_that_got_a_record_of_this_verdict_leaves_it_standing(folder):
    recorded(folder)
    assert codes(checking(folder, is_record_required=True)) == set()


def test_without_a_record_where_one_is_asked_for(folder):
    assert codes(checking(folder, is_record_required=True)) == {"NOT_RECORDED"}
    recorded(folder, candidate_digest=DIGEST)
    assert codes(checking(folder, is_record_required=True)) == {"NOT_RECORDED"}


def test_a_record_before_the_verdict_is_of_another_attempt(folder):
    recorded(folder)
    gate_again(folder)
    assert codes(checking(folder, is_record_required=True)) == {"NOT_RECORDED"}


@pytest.mark.parametrize("state", ["FAIL", "NO_VERDICT", "REJECTED"])
def test_a_later_attempt_that_did_not_pass_takes_it_back(folder, state):
    recorded(folder, state, candidate_digest=DIGEST)
    assert codes(checking(folder)) == {"CONTRADICTED_LATER"}


def test_a_later_attempt_of_another_policy_says_nothing(folder):
    recorded(folder, "FAIL", policy_digest=DIGEST, candidate_digest=DIGEST)
    assert codes(checking(folder)) == set()


def test_a_later_quarantine_asks_for_a_new_decision(folder):
    append(folder, kind="quarantine", scenario_id="pi-1", max_age_days=3, by="me", reason="flaky since Tuesday")
    assert codes(checking(folder)) == {"LEDGER_MOVED_ON"}


def longer_world(folder):
    """A world whose verdict saw a ledger of two entries."""
    write(correct_world(), folder)
    append(folder, kind="release", scenario_id="pi-1", by="me", reason="for its length alone")
    gate_again(folder)
    return folder


def test_a_ledger_that_lost_its_end_is_rolled_back(tmp_path):
    folder = longer_world(tmp_path)
    path = folder / "ledger.jsonl"
    path.write_bytes(path.read_bytes().splitlines(keepends=True)[0])
    assert "LEDGER_ROLLED_BACK" in codes(checking(folder))


def test_a_verdict_on_a_shorter_ledger_than_was_seen_is_of_the_past(folder):
    assert codes(checking(folder, min_ledger_length=1)) == set()
    assert codes(checking(folder, min_ledger_length=2)) == {"LEDGER_ROLLED_BACK"}


def test_a_ledger_of_the_checkers_own(folder, tmp_path):
    own = tmp_path / "own.jsonl"
    own.write_bytes((folder / "ledger.jsonl").read_bytes())
    assert codes(checking(folder, ledger=own)) == set()
    own.write_bytes(b"")
    assert codes(checking(folder, ledger=own)) == {"LEDGER_ROLLED_BACK"}
    assert codes(checking(folder, ledger=tmp_path / "none.jsonl")) == {"EVIDENCE_UNREADABLE"}


def test_a_pinned_head_that_moved_with_the_record_leaves_the_verdict_standing(tmp_path):
    """gate.yaml changed since the verdict, by its pin alone: putting the old head back gives the old bytes."""
    write(correct_world(), tmp_path)
    pin_head(tmp_path / "gate.yaml")
    gate_again(tmp_path)
    before = (tmp_path / "gate.yaml").read_bytes()
    record_verdict(tmp_path / "gate.yaml", verdict_in(tmp_path), by="gate", reason="recorded", clock=clock)
    assert before != (tmp_path / "gate.yaml").read_bytes()
    assert codes(checking(tmp_path, is_record_required=True)) == set()


def test_a_pinned_head_shows_that_the_end_was_cut_off(tmp_path):
    """The record of the failed second attempt is gone; gate.yaml still names it."""
    write(correct_world(), tmp_path)
    pin_head(tmp_path / "gate.yaml")
    gate_again(tmp_path)
    recorded(tmp_path, "FAIL", candidate_digest=DIGEST)
    assert codes(checking(tmp_path)) == {"CONTRADICTED_LATER"}
    path = tmp_path / "ledger.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))
    assert codes(checking(tmp_path)) == {"LEDGER_ROLLED_BACK"}


def test_a_gate_that_changed_by_more_than_its_pin_is_another_gate(tmp_path):
    write(correct_world(), tmp_path)
    pin_head(tmp_path / "gate.yaml")
    gate_again(tmp_path)
    record_verdict(tmp_path / "gate.yaml", verdict_in(tmp_path), by="gate", reason="recorded", clock=clock)
    path = tmp_path / "gate.yaml"
    path.write_bytes(path.read_bytes().replace(b"tolerance: 0.9", b"tolerance: 0.8", 1))
    assert codes(checking(tmp_path)) >= {"DIGEST_MISMATCH", "EVIDENCE_CHANGED"}


# -- the check itself ----------------------------------------------------------------------------------------------


def test_no_checks_accept_nothing(folder, monkeypatch):
    monkeypatch.setattr(check_module, "CHECKS", ())
    with pytest.raises(GateInvariantViolation):
        checking(folder)


def test_a_result_cannot_accept_what_it_refuses_or_did_not_look_at():
    parts = {"policy_digest": None, "candidate_digest": None, "verdict_sha256": None, "signed_by": []}
    for checked, accepted in (([], True), (["schema", "pass"], True), (["schema"], False)):
        with pytest.raises(ValueError, match="Value error"):
            CheckResult(accepted=accepted, refusals=[], checked=checked, **parts)


def test_a_pass_whose_evidence_vanished_before_it_was_stated_is_none(folder):
    """The output folder closes the gate instead of leaving a PASS that nothing binds to its evidence."""
    from litmus_nb.outcome.output import claimed

    verdict = verdict_in(folder)
    (folder / "candidate/run.json").unlink()
    (folder / "candidate/trials.jsonl").unlink()
    (folder / "candidate").rmdir()
    with claimed(folder / "out") as output:
        left = output.settle(verdict, params_in(folder), issued_at=PRESENT)
    assert left.verdict == "NO_VERDICT"
    assert verdict_in(folder).verdict == "NO_VERDICT"


def test_a_closed_gate_whose_statement_cannot_be_made_is_an_error_and_not_a_circle(folder, monkeypatch):
    from litmus_nb.outcome import output as output_module

    def unmade(*_: object, **__: object) -> None:
        raise UnreadableInput([Fault("verdict.json", "", "a verdict", "none")])

    monkeypatch.setattr(output_module, "leave_statement", unmade)
    with output_module.claimed(folder / "out") as output:
        for verdict in (verdict_in(folder), output_module.incomplete("run", "2026-11-30", "it did not finish")):
            with pytest.raises(output_module.OutputUnusable, match="the statement could not be made"):
                output.settle(verdict, params_in(folder), issued_at=PRESENT)


def test_the_statement_names_every_file_and_the_digests_of_the_rule(folder):
    statement = read_statement((folder / "out/verdict.statement.json").read_bytes(), file="statement")
    digests = verdict_in(folder).evidence
    assert set(statement.predicate.files) == {
        "gate",
        "ledger",
        "suite",
        "suite/probes",
        "suite/trace_schema",
        "suite/judge_template",
        "candidate/run.json",
        "candidate/trials.jsonl",
        "baseline/run.json",
        "baseline/trials.csv",
    }
    subjects = {subject.name: f"sha256:{subject.digest.sha256}" for subject in statement.subject}
    assert subjects == {
        "policy": digests.policy_digest,
        "candidate": digests.candidate_digest,
        "verdict.json": digest_of_bytes((folder / "out/verdict.json").read_bytes()),
    }
    materials = {material.name: material for material in statement.predicate.materials}
    assert set(materials) == {"suite", "gate", "baseline", "ledger"}
    assert materials["ledger"].annotations.length == 1
