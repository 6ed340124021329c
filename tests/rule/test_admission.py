"""2.10 by itself: for which run a ticket is one, and up to which moment."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from litmus_nb.contracts.admission import AdmissionTicket, admitted_digest, canary_digest, envelope_digest
from litmus_nb.contracts.evidence import Admission, Evidence, Part, Unreadable
from litmus_nb.errors import Fault
from litmus_nb.rule.admissibility import check_admission_ticket
from litmus_nb.rule.admission import ticket_mismatches
from tests.admission.planned import PUBLIC
from tests.builders import DIGEST, correct_world, load

STARTED = "2026-11-28T09:00:10Z"
EARLIER, LATER = "2026-11-28T09:00:09Z", "2026-11-28T09:00:11Z"


@pytest.fixture
def evidence(tmp_path: Path) -> Evidence:
    """Of a gate that asks for a ticket."""
    world = correct_world()
    world.gate.update(require_admission=True, admission_key=PUBLIC)
    return load(world, tmp_path)


def ticket_for(evidence: Evidence, **changes: Any) -> AdmissionTicket:
    assert evidence.candidate is not None
    assert evidence.suite is not None
    declared = evidence.candidate.declaration
    fields = {
        "nonce": "n",
        "run_id": declared.run_id,
        "manifest_hash": evidence.suite.manifest_hash,
        "gate_sha256": evidence.gate_sha256,
        "declaration_sha256": admitted_digest(declared),
        "envelope_sha256": envelope_digest(declared),
        "canary_sha256": canary_digest(declared),
        "issued_at": EARLIER,
        "expires_at": LATER,
        "signature": None,
    }
    return AdmissionTicket(**(fields | changes))


def refused(evidence: Evidence, admission: Admission | None) -> list[tuple[str, str]]:
    found = check_admission_ticket(dataclasses.replace(evidence, admission=admission))
    return [(finding.subject, finding.observed) for finding in found]


def test_no_admission_at_all_is_no_ticket(evidence: Evidence) -> None:
    assert refused(evidence, None) == [("admission ticket", "none")]


def test_why_a_ticket_could_not_be_read_is_told(evidence: Evidence) -> None:
    unread = Admission(None, is_signed_by_pinned_key=False, fault="no JSON")
    assert refused(evidence, unread) == [("admission ticket", "no JSON")]


@pytest.mark.parametrize(("fault", "told"), [("", "another, or none"), ("a torn signature", "a torn signature")])
def test_a_ticket_by_nobody_is_none(evidence: Evidence, fault: str, told: str) -> None:
    unsigned = Admission(ticket_for(evidence), is_signed_by_pinned_key=False, fault=fault)
    assert refused(evidence, unsigned) == [("signature", told)]


def test_a_gate_without_a_key_accepts_no_ticket(tmp_path: Path) -> None:
    world = correct_world()
    world.gate["require_admission"] = True
    evidence = load(world, tmp_path)
    signed = Admission(ticket_for(evidence), is_signed_by_pinned_key=True)
    assert refused(evidence, signed) == [("admission_key", "none")]


@pytest.mark.parametrize(
    ("changes", "subject"),
    [
        *(({key: DIGEST}, f"ticket's {key}") for key in ("manifest_hash", "gate_sha256", "declaration_sha256")),
        *(({key: DIGEST}, f"ticket's {key}") for key in ("envelope_sha256", "canary_sha256")),
        ({"run_id": "another"}, "ticket's run_id"),
        ({"expires_at": STARTED}, "ticket's expires_at"),
        ({"issued_at": "2026-11-28T09:00:10.000001Z"}, "ticket's issued_at"),
    ],
)
def test_a_ticket_for_anything_else_is_none(evidence: Evidence, changes: dict[str, str], subject: str) -> None:
    signed = Admission(ticket_for(evidence, **changes), is_signed_by_pinned_key=True)
    assert refused(evidence, signed) == [(subject, *changes.values())]


@pytest.mark.parametrize("changes", [{}, {"issued_at": STARTED}, {"expires_at": "2026-11-28T09:00:10.000001Z"}])
def test_a_ticket_for_this_run_lasts_from_its_issue_to_just_before_its_end(
    evidence: Evidence, changes: dict[str, str]
) -> None:
    assert refused(evidence, Admission(ticket_for(evidence, **changes), is_signed_by_pinned_key=True)) == []


def test_a_planned_run_has_not_outlived_its_ticket(evidence: Evidence) -> None:
    assert evidence.candidate is not None
    planned = evidence.candidate.declaration.model_copy(update={"started_at": None})
    asked = dataclasses.replace(evidence, candidate=dataclasses.replace(evidence.candidate, declaration=planned))
    ticket = ticket_for(asked, issued_at="2026-11-29T00:00:00Z", expires_at="2026-11-30T00:00:00Z")
    assert list(ticket_mismatches(ticket, asked)) == []


@pytest.mark.parametrize("part", [Part.SUITE, Part.CANDIDATE])
def test_a_ticket_is_compared_with_what_can_be_read(evidence: Evidence, part: Part) -> None:
    """What cannot be read is refused elsewhere, and must not hide what is wrong with the ticket."""
    absent = (Unreadable(part, Fault("it", "", "a file", "nothing there")),)
    poorer = dataclasses.replace(evidence, **{part.name.lower(): None}, unreadable=absent)
    assert [found.subject for found in ticket_mismatches(ticket_for(evidence, gate_sha256=DIGEST), poorer)] == [
        "ticket's gate_sha256"
    ]


def test_a_gate_that_asks_for_no_ticket_looks_at_none(evidence: Evidence) -> None:
    assert evidence.gate is not None
    lenient = evidence.gate.model_copy(update={"require_admission": False})
    assert refused(dataclasses.replace(evidence, gate=lenient), None) == []
