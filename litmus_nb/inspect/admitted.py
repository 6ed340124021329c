"""Is the run that is about to start the one that was admitted? What the hook asks before Inspect does anything."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from litmus_nb.contracts.admission import AdmissionTicket, admitted_digest
from litmus_nb.contracts.canonical import digest_of_bytes
from litmus_nb.contracts.gate import GateFile
from litmus_nb.contracts.run import RunFile
from litmus_nb.contracts.signature import SigningUnavailable, is_signed_by
from litmus_nb.contracts.strict_yaml import parse_yaml
from litmus_nb.contracts.times import instant_of
from litmus_nb.errors import UnreadableInput
from litmus_nb.evidence.admission import read_ticket
from litmus_nb.evidence.declaration import declaration_of
from litmus_nb.evidence.trials_files import DECLARATION
from litmus_nb.files import read_bytes

__all__ = ["ADMISSION", "REQUIRE", "AdmittedRun", "NotAdmitted", "admitted_run", "is_asked_for", "now_written"]

ADMISSION, GATE, RUN = "LITMUS_NB_ADMISSION", "LITMUS_NB_GATE", "LITMUS_NB_RUN"
"""As `litmus-nb guard` sets them."""

REQUIRE = "LITMUS_NB_REQUIRE_ADMISSION"
"""Set by whoever wants no eval to start without a ticket, guard or not."""


class NotAdmitted(Exception):
    """There is no ticket for this run, or none that is worth anything now."""


@dataclass(frozen=True)
class AdmittedRun:
    """A ticket that is valid now, and the declaration that it is about."""

    ticket: AdmissionTicket
    declaration: RunFile


def is_asked_for(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether a ticket is asked for at all."""
    return bool(environment.get(ADMISSION) or environment.get(REQUIRE))


def admitted_run(environment: Mapping[str, str] = os.environ) -> AdmittedRun:
    """The admitted run that the environment names.

    Raises:
        NotAdmitted: the ticket is missing, unreadable, expired, forged, or for another gate or declaration.
    """
    if missing := [name for name in (ADMISSION, GATE, RUN) if not environment.get(name)]:
        raise NotAdmitted(f"no {', '.join(missing)} in the environment: start the eval through litmus-nb guard")
    try:
        ticket = read_ticket(Path(environment[ADMISSION]))
        content = read_bytes(Path(environment[GATE]))
        gate = GateFile.read(parse_yaml(content, file=environment[GATE]), file=environment[GATE])
        declared_at = Path(environment[RUN]) / DECLARATION
        declaration = declaration_of(read_bytes(declared_at), file=str(declared_at))
        signed = gate.admission_key is None or is_signed_by(
            ticket.signed_bytes, ticket.signature or "", gate.admission_key
        )
    except (UnreadableInput, SigningUnavailable) as error:
        raise NotAdmitted(str(error)) from error
    now = datetime.now(UTC)
    problems = {
        "its signature is not by the key that the gate pins": not signed,
        "it is for another gate file": ticket.gate_sha256 != digest_of_bytes(content),
        "it is for another declaration": ticket.declaration_sha256 != admitted_digest(declaration),
        f"it expired at {ticket.expires_at}": now >= instant_of(ticket.expires_at),
        f"it was issued later, at {ticket.issued_at}": now < instant_of(ticket.issued_at),
        f"the run is {declaration.status} already": declaration.status != "planned",
    }
    if said := [problem for problem, is_there in problems.items() if is_there]:
        raise NotAdmitted(f"the ticket in {environment[ADMISSION]}: {'; '.join(said)}")
    return AdmittedRun(ticket, declaration)


def now_written() -> str:
    """The present instant as files write it."""
    return f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
