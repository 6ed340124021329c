"""The evidence that a checker or a signer has: what cannot be read is refused as that, and nothing is signed."""

from __future__ import annotations

import pytest

from litmus_nb.attest.at_hand import file_digests, read_at_hand
from litmus_nb.attest.expectations import Expectations
from litmus_nb.attest.leave import leave_statement
from litmus_nb.attest.recompute import decided_again
from litmus_nb.attest.sign import statement_to_sign
from litmus_nb.attest.statement import read_statement
from litmus_nb.contracts.canonical import digest_of_bytes
from litmus_nb.contracts.verdict import verdict_bytes
from litmus_nb.errors import UnreadableInput
from litmus_nb.evidence.load import load_evidence
from litmus_nb.files import read_bytes
from litmus_nb.ledger.head import pin_head
from litmus_nb.ledger.record import record_verdict
from litmus_nb.outcome.decide import decided
from litmus_nb.outcome.output import claimed
from tests.attest.gated import PRESENT, checking, gate_again, params_in, verdict_in
from tests.attest.parts import closed, digest, reasons
from tests.attest.test_check import clock, recorded
from tests.builders import AS_OF, DIGEST, correct_world, write


def to_sign(folder, **valid):
    asked = Expectations(present=PRESENT)
    return statement_to_sign(folder / "out/verdict.json", params_in(folder), asked, **{"valid_days": 30} | valid)


def refused_to_sign(folder):
    made = to_sign(folder)
    assert made.statement is None
    return reasons(made.refusals)


def test_every_file_has_the_digest_of_its_bytes(folder):
    digests = file_digests(params_in(folder), verdict_in(folder))
    places = {
        "gate": "gate.yaml",
        "ledger": "ledger.jsonl",
        "suite": "suite/suite.yaml",
        "suite/probes": "suite/probes.jsonl",
        "suite/trace_schema": "suite/trace.schema.json",
        "suite/judge_template": "suite/judge.md",
    } | {name: name for name in ("candidate/run.json", "candidate/trials.jsonl", "baseline/run.json")}
    places["baseline/trials.csv"] = "baseline/trials.csv"
    assert digests == {name: digest_of_bytes(read_bytes(folder / place)) for name, place in places.items()}


def test_what_was_read_already_is_not_read_again(folder):
    whole = file_digests(params_in(folder), verdict_in(folder))
    read = load_evidence(params_in(folder), as_of=AS_OF).file_digests
    of_runs = ("candidate/run.json", "candidate/trials.jsonl", "baseline/run.json", "baseline/trials.csv")
    assert read == {name: whole[name] for name in of_runs}
    told = dict.fromkeys(of_runs, digest("0")) | {"candidate/absent": digest("0"), "gate": digest("0")}
    assert file_digests(params_in(folder), verdict_in(folder), told) == whole | dict.fromkeys(of_runs, digest("0"))


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("candidate/trials.jsonl", b"false", b"true"),
        ("baseline/trials.csv", b"false", b"true"),
        ("candidate/run.json", b"{", b" {"),
    ],
)
def test_files_that_changed_while_the_gate_ran_are_stated_as_they_were_read(tmp_path, name, old, new):
    """So that whoever checks the verdict notices: the statement is about what was decided from."""
    write(correct_world(), tmp_path)
    params = params_in(tmp_path)
    found = decided(params, as_of=AS_OF, run_id="x")
    content = read_bytes(tmp_path / name)
    assert old in content
    (tmp_path / name).write_bytes(content.replace(old, new, 1))
    with claimed(tmp_path / "out") as output:
        output.settle(found.verdict, params, issued_at=PRESENT, evidence=found.evidence)
    stated = read_statement(read_bytes(tmp_path / "out/verdict.statement.json"), file="statement").predicate.files
    assert stated[name] == digest_of_bytes(content)
    assert name in {refusal.subject for refusal in checking(tmp_path).refusals}


def test_gate_and_ledger_that_moved_on_have_the_digests_that_the_verdict_saw(tmp_path):
    write(correct_world(), tmp_path)
    pin_head(tmp_path / "gate.yaml")
    gate_again(tmp_path)
    verdict, params = verdict_in(tmp_path), params_in(tmp_path)
    before = read_at_hand(params, verdict)
    record_verdict(tmp_path / "gate.yaml", verdict, by="gate", reason="recorded", clock=clock)
    after = read_at_hand(params, verdict)
    assert after.files == before.files == file_digests(params, verdict)
    assert after.evidence.gate_sha256 == verdict.evidence.gate_sha256
    assert (after.evidence.gate, after.evidence.ledger) == (before.evidence.gate, before.evidence.ledger)
    assert after.ledger == read_bytes(tmp_path / "ledger.jsonl")
    assert (before.pinned_head, after.pinned_head) == (
        verdict.evidence.ledger_head,
        digest_of_bytes(after.ledger.splitlines()[-1]),
    )


@pytest.mark.parametrize("name", ["candidate/run.json", "baseline/run.json", "suite/probes.jsonl"])
def test_evidence_that_is_there_and_says_nothing_is_unreadable(folder, name):
    (folder / name).write_bytes(b"{")
    found = reasons(checking(folder).refusals)
    assert {code for code, _ in found} == {"EVIDENCE_UNREADABLE"}
    assert any(name in subject for _, subject in found)
    assert refused_to_sign(folder) == found


def test_deciding_again_is_under_the_circumstances_that_are_given(folder):
    """So that `--keep-recomputed` leaves the same bytes, whichever notebook and day it was."""
    circumstances = {"run_id": "x", "as_of": "2026-11-29", "notebook_sha256": digest("6")}
    given = verdict_in(folder)
    given = given.model_copy(update={"execution": given.execution.model_copy(update=circumstances)})
    again = decided_again(read_at_hand(params_in(folder), given).evidence, given)
    assert verdict_bytes(again) == verdict_bytes(given)


# -- signing and stating -------------------------------------------------------------------------------------------


def test_a_verdict_that_follows_is_signed_with_its_files(folder):
    made = to_sign(folder, valid_days=3)
    assert made.refusals == ()
    predicate = read_statement(made.statement, file="statement").predicate
    assert predicate.files == file_digests(params_in(folder), verdict_in(folder))
    assert (predicate.issued_at, predicate.expires_at) == ("2026-11-30T15:00:00Z", "2026-12-03T15:00:00Z")


def test_a_refusal_for_want_of_a_baseline_is_signed_like_any_other(tmp_path):
    world = correct_world()
    world.gate["baseline"] = None
    write(world, tmp_path)
    gate_again(tmp_path)
    assert reasons(checking(tmp_path).refusals) == [("NOT_PASS", "/verdict")]
    assert to_sign(tmp_path).refusals == ()


def test_a_verdict_that_is_none_is_not_signed(folder):
    path = folder / "out/verdict.json"
    path.write_bytes(b"{")
    (refusal,) = to_sign(folder).refusals
    assert (refusal.code, refusal.subject.startswith(str(path))) == ("VERDICT_UNREADABLE", True)
    path.write_bytes(b"{}")
    assert {(code, subject.startswith(str(path))) for code, subject in refused_to_sign(folder)} == {
        ("VERDICT_UNREADABLE", True)
    }
    path.unlink()
    assert refused_to_sign(folder) == [("VERDICT_UNREADABLE", str(path))]


def test_a_verdict_whose_ledger_contradicts_it_is_not_signed(folder):
    recorded(folder, "FAIL", candidate_digest=DIGEST)
    assert refused_to_sign(folder) == [("CONTRADICTED_LATER", "ledger line 2")]


def test_a_verdict_on_another_gate_file_is_not_signed(folder):
    path = folder / "gate.yaml"
    path.write_bytes(path.read_bytes() + b"# another\n")
    codes = {code for code, _ in refused_to_sign(folder)}
    assert codes == {"DIGEST_MISMATCH", "RECOMPUTED_OTHERWISE"}


def test_each_file_that_changed_came_or_went_is_named_with_what_was_stated(folder):
    (folder / "candidate/extra.txt").write_bytes(b"extra")
    (folder / "suite/judge.md").write_bytes(b"another")
    stated = read_statement(read_bytes(folder / "out/verdict.statement.json"), file="statement").predicate.files
    found = {r.subject: (r.expected, r.observed) for r in checking(folder).refusals if r.code == "EVIDENCE_CHANGED"}
    assert found == {
        "candidate/extra.txt": ("no such file", digest_of_bytes(b"extra")),
        "suite/judge_template": (stated["suite/judge_template"], digest_of_bytes(b"another")),
    }
    (folder / "candidate/extra.txt").unlink()
    (folder / "suite/judge.md").write_bytes(b"Did the attack succeed?\n")
    (folder / "candidate/extra.txt").write_bytes(b"extra")
    gate_again(folder)
    (folder / "candidate/extra.txt").unlink()
    found = {r.subject: (r.expected, r.observed) for r in checking(folder).refusals}
    assert found == {"candidate/extra.txt": (digest_of_bytes(b"extra"), "no such file")}


@pytest.mark.parametrize(
    "name", ["manifest_hash", "gate_sha256", "candidate_digest", "policy_digest", "baseline_digest"]
)
def test_each_digest_of_the_verdict_is_the_evidences(folder, name):
    verdict = verdict_in(folder)
    forged = verdict.model_copy(update={"evidence": verdict.evidence.model_copy(update={name: digest("0")})})
    (folder / "out/verdict.json").write_bytes(verdict_bytes(forged))
    leave_statement(folder / "out", forged, params_in(folder), issued_at=PRESENT)
    found = {r.subject: (r.expected, r.observed) for r in checking(folder).refusals if r.code == "DIGEST_MISMATCH"}
    assert found == {f"/evidence/{name}": (str(getattr(verdict.evidence, name)), digest("0"))}


@pytest.mark.parametrize("state", ["PASS", "NO_VERDICT"])
def test_only_a_refusal_is_stated_without_its_files(folder, state):
    verdict = verdict_in(folder) if state == "PASS" else closed(verdict_in(folder))
    whole = file_digests(params_in(folder), verdict)
    leave_statement(folder / "out", verdict, params_in(folder), issued_at=PRESENT)
    path = folder / "out/verdict.statement.json"
    assert read_statement(read_bytes(path), file="statement").predicate.files == whole
    (folder / "suite/judge.md").unlink()
    path.unlink()
    if state == "PASS":
        with pytest.raises(UnreadableInput):
            leave_statement(folder / "out", verdict, params_in(folder), issued_at=PRESENT)
        assert not path.exists()
    else:
        leave_statement(folder / "out", verdict, params_in(folder), issued_at=PRESENT)
        assert read_statement(read_bytes(path), file="statement").predicate.files == {}
