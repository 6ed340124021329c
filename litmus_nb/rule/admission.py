"""2.10: the admission ticket. Valid is what was signed by the pinned key for exactly this, before the run started."""

from __future__ import annotations

from collections.abc import Iterator

from litmus_nb.contracts.admission import AdmissionTicket, admitted_digest, canary_digest, envelope_digest
from litmus_nb.contracts.evidence import Evidence
from litmus_nb.contracts.findings import Finding
from litmus_nb.contracts.gate import GateFile
from litmus_nb.contracts.times import instant_of
from litmus_nb.rule.finding import found

__all__ = ["ticket_findings", "ticket_mismatches"]


def ticket_findings(gate: GateFile, evidence: Evidence) -> Iterator[Finding]:
    """Everything that keeps the candidate's ticket from being one for this run, which the gate asks for."""
    admission = evidence.admission
    if admission is None or admission.ticket is None:
        observed = admission.fault if admission else "none"
        yield _refused("admission ticket", "a ticket for this suite, gate and declaration", observed)
        return
    if gate.admission_key is None:
        yield _refused("admission_key", "a key in the gate file, which tickets are signed with", "none")
    elif not admission.is_signed_by_pinned_key:
        yield _refused("signature", "one by the key that the gate file pins", admission.fault or "another, or none")
    yield from ticket_mismatches(admission.ticket, evidence)


def ticket_mismatches(ticket: AdmissionTicket, evidence: Evidence) -> Iterator[Finding]:
    """Where a ticket that is known to be genuine is not one for this suite, gate, declaration and time."""
    yield from _not_about_this(ticket, evidence)
    yield from _not_in_time(ticket, evidence)


def _not_about_this(ticket: AdmissionTicket, evidence: Evidence) -> Iterator[Finding]:
    expected = {"gate_sha256": evidence.gate_sha256}
    if evidence.suite is not None:
        expected["manifest_hash"] = evidence.suite.manifest_hash
    if evidence.candidate is not None:
        declared = evidence.candidate.declaration
        expected |= {
            "run_id": declared.run_id,
            "declaration_sha256": admitted_digest(declared),
            "envelope_sha256": envelope_digest(declared),
            "canary_sha256": canary_digest(declared),
        }
    for key, value in expected.items():
        seen = getattr(ticket, key)
        if seen != value:
            yield _refused(f"ticket's {key}", value, seen)


def _not_in_time(ticket: AdmissionTicket, evidence: Evidence) -> Iterator[Finding]:
    if evidence.candidate is None or evidence.candidate.declaration.started_at is None:
        return  # a planned run has not started: preflight asks, and RUN_INCOMPLETE refuses to gate it
    started_at = evidence.candidate.declaration.started_at
    started = instant_of(started_at)
    if started < instant_of(ticket.issued_at):
        yield _refused("ticket's issued_at", f"not after the run's start, {started_at}", ticket.issued_at)
    if started >= instant_of(ticket.expires_at):
        yield _refused("ticket's expires_at", f"after the run's start, {started_at}", ticket.expires_at)


def _refused(subject: str, expected: object, observed: object) -> Finding:
    return found("NOT_ADMITTED", "2.10", subject, expected=expected, observed=observed)
