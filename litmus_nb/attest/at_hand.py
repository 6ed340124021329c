"""The evidence that a checker has before them: its files, its digests, and what a decision is made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from litmus_nb.attest.rewind import gate_then, ledger_then
from litmus_nb.contracts.canonical import digest_of_bytes
from litmus_nb.contracts.evidence import Evidence
from litmus_nb.contracts.gate import GateFile
from litmus_nb.contracts.params import GateParams
from litmus_nb.contracts.strict_yaml import parse_yaml
from litmus_nb.contracts.times import day_of
from litmus_nb.contracts.verdict import Verdict
from litmus_nb.errors import UnreadableInput
from litmus_nb.evidence.inventory import GATE, LEDGER, evidence_files
from litmus_nb.evidence.load import load_evidence
from litmus_nb.evidence.trials_files import file_digest
from litmus_nb.files import read_bytes

__all__ = ["AtHand", "file_digests", "read_at_hand"]


@dataclass(frozen=True)
class AtHand:
    """The evidence at hand, with gate file and ledger taken back to what the verdict saw of them."""

    files: Mapping[str, str]
    """Every file by what it is: digest of its bytes."""
    evidence: Evidence
    ledger: bytes
    """The whole ledger as it is now."""
    pinned_head: str | None
    """The ledger's head that the gate file pins now; None where it pins none."""


def file_digests(params: GateParams, verdict: Verdict, read: Mapping[str, str] | None = None) -> dict[str, str]:
    """The digest of every file of the evidence, gate file and ledger as the verdict saw them.

    Args:
        params: where the evidence lies.
        verdict: what was decided from it.
        read: digests of files that were read already, by what they are: these are not read again. What a decision was
            made from is what was read then; whoever checks it notices a file that has changed since.

    Raises:
        UnreadableInput: with every file that is absent, a symbolic link, or unreadable.
    """
    digests = {}
    for file in evidence_files(params):
        if file.name == LEDGER:
            digests[LEDGER] = digest_of_bytes(ledger_then(read_bytes(file.path), verdict.evidence))
        elif file.name == GATE:
            then = gate_then(read_bytes(file.path), verdict.evidence, file=str(file.path))
            digests[GATE] = digest_of_bytes(then)
        else:
            digests[file.name] = (read or {}).get(file.name) or file_digest(file.path)
    return digests


def read_at_hand(params: GateParams, verdict: Verdict) -> AtHand:
    """The evidence that the params name, to be compared with a verdict and decided again.

    Raises:
        UnreadableInput: with every file that is absent, a symbolic link, or unreadable.
    """
    files = file_digests(params, verdict)
    evidence = load_evidence(params, as_of=day_of(verdict.execution.as_of))
    if evidence.unreadable or evidence.ledger is None or evidence.gate is None:  # absent is only what is unreadable
        raise UnreadableInput([part.fault for part in evidence.unreadable])
    gate_path = Path(params.gate)
    gate_content = gate_then(read_bytes(gate_path), verdict.evidence, file=str(gate_path))
    then = replace(
        evidence,
        gate=GateFile.read(parse_yaml(gate_content, file=str(gate_path)), file=str(gate_path)),
        gate_sha256=digest_of_bytes(gate_content),
        ledger=ledger_then(evidence.ledger, verdict.evidence),
    )
    return AtHand(files, then, evidence.ledger, evidence.gate.ledger_head)
