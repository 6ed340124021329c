"""What the checks of `check` look at: everything parsed once, and what could not be, as refusals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from litmus_nb.attest.at_hand import AtHand
from litmus_nb.attest.expectations import Expectations
from litmus_nb.attest.presented import Presented
from litmus_nb.contracts.attestation import Statement
from litmus_nb.contracts.check_result import Refused
from litmus_nb.contracts.verdict import Verdict
from litmus_nb.errors import UnreadableInput

__all__ = ["Asked", "AuthenticStatement", "refusals_of", "refused"]


@dataclass(frozen=True)
class AuthenticStatement:
    """The statement that is relied upon: the signed payload where a signature was asked for, else the file."""

    content: bytes
    statement: Statement
    signers: tuple[str, ...]


@dataclass(frozen=True)
class Asked:
    """One check."""

    expected: Expectations
    presented: Presented
    verdict: Verdict
    at_hand: AtHand | None
    """None where no evidence was given, or it cannot be read (which is refused already)."""
    is_evidence_given: bool
    """Whether there are params that say where the evidence lies."""
    statement: AuthenticStatement | None
    """None where there is none to rely on (which is refused already)."""


def refused(code: str, subject: str, *, expected: object, observed: object) -> Refused:
    """A refusal of that code."""
    return Refused(code=code, subject=subject, expected=str(expected), observed=str(observed))


def refusals_of(code: str, unreadable: UnreadableInput) -> Iterator[Refused]:
    """One refusal per fault."""
    for fault in unreadable.faults:
        yield refused(code, f"{fault.file} {fault.where}".strip(), expected=fault.expected, observed=fault.seen)
