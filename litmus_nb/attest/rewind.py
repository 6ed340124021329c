"""Gate file and ledger as they were when a verdict was given: both move on without making the verdict wrong."""

from __future__ import annotations

from litmus_nb.contracts.canonical import digest_of_bytes
from litmus_nb.contracts.gate import GateFile
from litmus_nb.contracts.gate_edit import with_pins
from litmus_nb.contracts.strict_yaml import parse_yaml
from litmus_nb.contracts.verdict import EvidenceDigests
from litmus_nb.errors import UnreadableInput

__all__ = ["gate_then", "ledger_then"]


def ledger_then(content: bytes, digests: EvidenceDigests) -> bytes:
    """The lines of a ledger that the verdict saw; all of them where the verdict does not say how many it saw."""
    if digests.ledger_length is None:
        return content
    lines = content.split(b"\n")
    return b"".join(line + b"\n" for line in lines[: min(digests.ledger_length, len(lines) - 1)])


def gate_then(content: bytes, digests: EvidenceDigests, *, file: str) -> bytes:
    """The gate file that the verdict saw, where it differs from this one by nothing but a `ledger_head` that moved on.

    Recording a verdict moves the pinned head. That nothing else changed is not believed but shown: with the old head
    put back, the bytes must have the digest that the verdict carries. Where they have not, the file is given as it is.
    So is a file that pins no head: a pin that is gone has not moved on, and nothing shows where the ledger ended.
    """
    try:
        if GateFile.read(parse_yaml(content, file=file), file=file).ledger_head is None:
            return content
        earlier = with_pins(content, file=file, ledger_head=digests.ledger_head)
    except UnreadableInput:
        return content
    return earlier if digest_of_bytes(earlier) == digests.gate_sha256 else content
