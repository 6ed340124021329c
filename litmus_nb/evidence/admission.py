"""Reading the admission ticket that lies with a run, and checking its signature. Whether it fits, the rule decides."""

from __future__ import annotations

from pathlib import Path

from litmus_nb.contracts.admission import AdmissionTicket
from litmus_nb.contracts.evidence import Admission
from litmus_nb.contracts.gate import GateFile
from litmus_nb.contracts.signature import SigningUnavailable, is_signed_by
from litmus_nb.contracts.strict_json import parse_json
from litmus_nb.errors import UnreadableInput
from litmus_nb.evidence.declaration import FOLDER, split_source
from litmus_nb.files import read_bytes

__all__ = ["TICKET", "read_admission", "read_ticket", "ticket_path"]

TICKET = "admission.json"
"""The ticket's name in a run folder; beside a log it is what is appended to the log's name."""

_MAX_BYTES = 1 << 16


def ticket_path(source: str) -> Path:
    """Where the ticket of a run lies: in its folder, or beside its log."""
    reader, path = split_source(source)
    return Path(path) / TICKET if reader == FOLDER else Path(f"{path}.{TICKET}")


def read_ticket(path: Path) -> AdmissionTicket:
    """The ticket at `path`; its signature is not checked here.

    Raises:
        UnreadableInput: it is not there, or is no ticket.
    """
    return AdmissionTicket.read(parse_json(read_bytes(path, limit=_MAX_BYTES), file=str(path)), file=str(path))


def read_admission(source: str, gate: GateFile) -> Admission:
    """The ticket of a run and whether the gate's key signed it; never raises for what the files hold."""
    try:
        ticket = read_ticket(ticket_path(source))
    except UnreadableInput as unreadable:
        return Admission(None, False, fault=str(unreadable))
    if gate.admission_key is None or ticket.signature is None:
        return Admission(ticket, False)
    try:
        return Admission(ticket, is_signed_by(ticket.signed_bytes, ticket.signature, gate.admission_key))
    except SigningUnavailable as unavailable:
        return Admission(ticket, False, fault=str(unavailable))
