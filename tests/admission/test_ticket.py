"""RULE 2.10: what a ticket is worth when it is valid, expired, foreign or forged."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import litmus_nb.driver.preflight as preflight_module
from litmus_nb.contracts.admission import AdmissionTicket, admitted_digest
from litmus_nb.contracts.params import GateParams
from litmus_nb.contracts.run import RunFile
from litmus_nb.contracts.signature import is_signed_by, new_private_key, public_key_of, signature_of
from litmus_nb.driver.preflight import run_preflight
from litmus_nb.errors import UsageError
from litmus_nb.evidence.load import load_evidence
from litmus_nb.rule.workflow import evaluate_gate
from tests.admission.planned import PRIVATE, PUBLIC, planned_world, put, run_it
from tests.builders import AS_OF, codes, placed


@pytest.fixture
def admitted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an admitted run that has not started; the working directory."""
    monkeypatch.chdir(tmp_path)
    put(planned_world(), tmp_path)
    assert preflight().ticket
    return tmp_path


def preflight(key: bytes | None = PRIVATE):
    return run_preflight(params(), as_of=AS_OF, private_key=key)


def params() -> GateParams:
    return GateParams(gate="gate.yaml", candidate="candidate", output_dir="out")


def gated() -> Any:
    day = planned_world().as_of
    return evaluate_gate(load_evidence(params(), as_of=day))


def edit_json(path: Path, edit: Callable[[dict[str, Any]], object]) -> None:
    document = json.loads(path.read_bytes())
    edit(document)
    path.write_text(json.dumps(document))


def test_a_run_with_a_valid_ticket_passes(admitted: Path) -> None:
    run_it(admitted)
    decision = gated()
    assert ("PASS", set()) == (decision.state, codes(decision))


def test_a_run_without_a_ticket_is_rejected(admitted: Path) -> None:
    (admitted / "candidate/admission.json").unlink()
    run_it(admitted)
    decision = gated()
    assert ("REJECTED", {("NOT_ADMITTED", "2.10")}) == (decision.state, placed(decision))


def subjects() -> set[str]:
    decision = gated()
    assert (decision.state, codes(decision)) == ("REJECTED", {"NOT_ADMITTED"})
    return {reason.subject for reason in decision.reasons}


def test_an_expired_ticket_is_none(admitted: Path) -> None:
    run_it(admitted, starting=25 * 3600)
    decision = gated()
    assert "ticket's expires_at" in {reason.subject for reason in decision.reasons}
    assert "NOT_ADMITTED" in codes(decision)


def test_a_ticket_that_was_short_lived_is_none_after_it(admitted: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preflight_module, "VALID_FOR", timedelta(seconds=1))
    assert preflight().ticket
    run_it(admitted, starting=2)
    assert {"ticket's expires_at"} == subjects()


def test_a_ticket_issued_after_the_start_is_none(admitted: Path) -> None:
    run_it(admitted, starting=-30)
    assert {"ticket's issued_at"} == subjects()


@pytest.mark.parametrize(
    ("edit", "subject"),
    [
        (lambda run: run.update(run_id="another"), "ticket's run_id"),
        (lambda run: run["policy"].update(digest="sha256:" + "e" * 64), "ticket's declaration_sha256"),
        (lambda run: run["interface"]["tools"].append("one.more"), "ticket's declaration_sha256"),
        (lambda run: run["decoding"].update(top_p=0.5), "ticket's declaration_sha256"),
        (lambda run: run.update(trials_per_scenario=3), "ticket's declaration_sha256"),
        (lambda run: run["sandbox"].update(measured_by="somebody else"), "ticket's envelope_sha256"),
        (lambda run: run["judge"].update(requested="another"), "ticket's declaration_sha256"),
    ],
)
def test_a_foreign_ticket_is_none(admitted: Path, edit: Callable[[dict[str, Any]], object], subject: str) -> None:
    """The ticket is of another declaration than the one that was run."""
    run_it(admitted)
    edit_json(admitted / "candidate/run.json", edit)
    decision = gated()
    assert (decision.state, decision.reasons[0].code) == ("REJECTED", "NOT_ADMITTED")
    assert subject in {reason.subject for reason in decision.reasons}


def test_a_ticket_for_another_gate_is_none(admitted: Path) -> None:
    run_it(admitted)
    gate = admitted / "gate.yaml"
    gate.write_text(gate.read_text().replace("0.9", "0.91"))
    assert {"ticket's gate_sha256"} == subjects()


def test_what_only_the_run_itself_can_say_does_not_make_a_ticket_foreign(admitted: Path) -> None:
    run_it(admitted)
    before = RunFile.read(json.loads((admitted / "candidate/run.json").read_bytes()), file="run.json")
    edit_json(admitted / "candidate/run.json", lambda run: run["interface"]["tools"].reverse())
    edit_json(admitted / "candidate/run.json", lambda run: run["judge"].update(resolved_digest=None))
    after = RunFile.read(json.loads((admitted / "candidate/run.json").read_bytes()), file="run.json")
    assert admitted_digest(before) == admitted_digest(after)


def test_an_absent_control_is_another_declaration_than_a_quiet_one(admitted: Path) -> None:
    run_it(admitted)
    edit_json(admitted / "candidate/run.json", lambda run: run["canary"].pop("control_signal"))
    decision = gated()
    assert {"NOT_ADMITTED", "CANARY_MISSING"} == codes(decision)


@pytest.mark.parametrize(
    "forge",
    [
        lambda ticket: ticket.update(signature=None),
        lambda ticket: ticket.update(signature=""),
        lambda ticket: ticket.update(signature="AAAA"),
        lambda ticket: ticket.update(nonce="0" * 32),
        lambda ticket: ticket.update(issued_at="2026-01-01T00:00:00Z"),
        lambda ticket: ticket.update(expires_at="2999-01-01T00:00:00Z"),
        lambda ticket: ticket.update(signature=signature_of(_signed(ticket), new_private_key())),
    ],
)
def test_a_forged_ticket_is_none(admitted: Path, forge: Callable[[dict[str, Any]], object]) -> None:
    edit_json(admitted / "candidate/admission.json", forge)
    run_it(admitted)
    assert "signature" in subjects()


def _signed(ticket: dict[str, Any]) -> bytes:
    return AdmissionTicket.read(ticket, file="ticket").signed_bytes


@pytest.mark.parametrize("content", [b"", b"{}", b"[]", b"\xff", b'{"schema": "litmus-nb/admission/v2"}'])
def test_what_is_no_ticket_is_none(admitted: Path, content: bytes) -> None:
    (admitted / "candidate/admission.json").write_bytes(content)
    run_it(admitted)
    assert {"admission ticket"} == subjects()


def test_a_gate_that_asks_for_tickets_and_pins_no_key_admits_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    world = planned_world()
    del world.gate["admission_key"]
    put(world, tmp_path)
    assert preflight(None).ticket
    run_it(tmp_path)
    assert {"admission_key"} == subjects()


@pytest.mark.parametrize("key", [None, new_private_key()])
def test_a_ticket_is_not_issued_without_the_pinned_key(admitted: Path, key: bytes | None) -> None:
    with pytest.raises(UsageError, match="the private half of the gate's admission_key"):
        preflight(key)
    assert not (admitted / "candidate/admission.json").exists(), "the older ticket is gone too"


def test_a_gate_that_asks_for_no_ticket_looks_at_none(admitted: Path) -> None:
    gate = admitted / "gate.yaml"
    gate.write_text(gate.read_text().replace("require_admission: true", "require_admission: false"))
    run_it(admitted)
    assert gated().state == "PASS"


def test_without_cryptography_a_ticket_is_not_believed(admitted: Path) -> None:
    run_it(admitted)
    program = """
import sys
sys.modules["cryptography"] = sys.modules["cryptography.hazmat.primitives"] = None
from litmus_nb.cli import main
main(["evaluate", "params.yaml"])
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=admitted)
    assert ended.returncode == 3, ended.stdout + ended.stderr
    assert "NOT_ADMITTED" in ended.stdout


@given(content=st.binary(max_size=40), other=st.binary(max_size=40))
def test_a_signature_is_about_its_bytes_and_by_its_key(content: bytes, other: bytes) -> None:
    signature = signature_of(content, PRIVATE)
    assert is_signed_by(content, signature, PUBLIC)
    assert is_signed_by(other, signature, PUBLIC) == (content == other)
    assert not is_signed_by(content, signature, public_key_of(new_private_key()))


@pytest.mark.parametrize("key", ["", "AAAA", "not base64!"])
def test_an_odd_key_or_signature_is_a_no(key: str) -> None:
    assert not is_signed_by(b"x", signature_of(b"x", PRIVATE), key)
    assert not is_signed_by(b"x", key, PUBLIC)
