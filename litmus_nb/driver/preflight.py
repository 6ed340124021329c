"""`preflight`: may the planned run start at all? A ticket, or a REJECTED verdict with its report. No kernel."""

from __future__ import annotations

import secrets
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from litmus_nb.contracts.admission import AdmissionTicket, admitted_digest, canary_digest, envelope_digest
from litmus_nb.contracts.codes import VerdictState
from litmus_nb.contracts.evidence import Evidence
from litmus_nb.contracts.findings import Finding
from litmus_nb.contracts.params import GateParams
from litmus_nb.contracts.signature import public_key_of, signature_of
from litmus_nb.contracts.verdict import Verdict
from litmus_nb.driver.closing import leave_closed, written
from litmus_nb.errors import GateInvariantViolation, UsageError
from litmus_nb.evidence.admission import ticket_path
from litmus_nb.evidence.load import load_evidence
from litmus_nb.files import replace_file
from litmus_nb.outcome.output import claimed, incomplete
from litmus_nb.rule.decided import closed_by, emit_verdict
from litmus_nb.rule.finding import found
from litmus_nb.rule.preflight import preflight_findings

__all__ = ["Preflight", "run_preflight", "ticket_for"]

VALID_FOR = timedelta(hours=24)
"""How long after its issue a run may start on a ticket: as long as 2.7 believes a measurement of the sandbox."""


@dataclass(frozen=True)
class Preflight:
    """What a preflight left."""

    verdict: Verdict
    """REJECTED; or, admitted, NO_VERDICT `RUN_INCOMPLETE`: nothing was run yet, and only PASS opens the gate."""
    ticket: AdmissionTicket | None
    """None: the run may not start."""
    ticket_path: Path | None


def run_preflight(
    params: GateParams, *, as_of: date, private_key: bytes | None, also: Sequence[Finding] = ()
) -> Preflight:
    """Ask section 2 of the planned run that the params name, and leave a ticket with it, or a REJECTED verdict.

    An older ticket of the run is removed first, whatever comes of it.

    Args:
        params: paths are relative to the working directory.
        as_of: the day that the verdict names.
        private_key: PEM of the key whose public half the gate pins; None where the gate pins none.
        also: what the caller found already, such as a sandbox that could not be measured.

    Raises:
        UsageError: the gate pins a key, and this is not its private half.
        OutputUnusable: the output folder is claimed by another gate or cannot be written.
    """
    run_id, day = uuid.uuid4().hex, as_of.isoformat()
    with claimed(Path(params.output_dir)) as folder:
        folder.open_with(incomplete(run_id, day, "preflight started and has not finished"))
        where = ticket_path(params.candidate)
        where.unlink(missing_ok=True)
        evidence = load_evidence(params, as_of=as_of, with_trials=False)
        now = datetime.now(UTC)
        findings = [*also, *preflight_findings(evidence, now)]
        if findings:
            state = VerdictState.REJECTED
            verdict = leave_closed(folder, state, findings, evidence, params, run_id=run_id, as_of=day)
            return Preflight(verdict, None, None)
        ticket = ticket_for(evidence, now, private_key)
        replace_file(where, (ticket.model_dump_json(by_alias=True, indent=1) + "\n").encode())
        nothing_yet = found("RUN_INCOMPLETE", "3.1", "status", expected="complete", observed="planned, and admitted")
        classes = evidence.suite.file.classes if evidence.suite else []
        decision = closed_by(VerdictState.NO_VERDICT, (nothing_yet,), classes)
        verdict = emit_verdict(decision, evidence, run_id=run_id, as_of=day)
        return Preflight(folder.settle(verdict, params, issued_at=now), ticket, where)


def ticket_for(evidence: Evidence, now: datetime, private_key: bytes | None) -> AdmissionTicket:
    """The ticket for exactly this suite, gate and declaration. Whether they deserve one was asked before.

    Raises:
        UsageError: the gate pins a key, and `private_key` is not its private half.
        GateInvariantViolation: a part of the evidence is absent.
    """
    gate, suite, run = evidence.gate, evidence.suite, evidence.candidate
    if gate is None or suite is None or run is None or evidence.gate_sha256 is None:
        raise GateInvariantViolation("a ticket for evidence that is not whole")
    if gate.admission_key is not None and (private_key is None or public_key_of(private_key) != gate.admission_key):
        seen = "none" if private_key is None else "another key"
        raise UsageError(f"the admission key: expected the private half of the gate's admission_key, seen {seen}")
    unsigned = AdmissionTicket(
        nonce=secrets.token_hex(16),
        run_id=run.declaration.run_id,
        manifest_hash=suite.manifest_hash,
        gate_sha256=evidence.gate_sha256,
        declaration_sha256=admitted_digest(run.declaration),
        envelope_sha256=envelope_digest(run.declaration),
        canary_sha256=canary_digest(run.declaration),
        issued_at=written(now),
        expires_at=written(now + VALID_FOR),
        signature=None,
    )
    if gate.admission_key is None or private_key is None:
        return unsigned
    return unsigned.model_copy(update={"signature": signature_of(unsigned.signed_bytes, private_key)})
