"""A verdict as an in-toto Statement."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from litmus_nb.contracts.attestation import PREDICATE_TYPE, STATEMENT_TYPE, Statement
from litmus_nb.contracts.canonical import canonical_json, digest_of_bytes
from litmus_nb.contracts.strict_json import parse_json
from litmus_nb.contracts.times import instant_of, time_text
from litmus_nb.contracts.verdict import EvidenceDigests, Verdict

__all__ = ["VALID_DAYS", "is_about", "made_statement", "read_statement"]

VALID_DAYS = 30
"""How long a statement may be relied upon unless its maker says otherwise."""


def made_statement(
    verdict_content: bytes, files: Mapping[str, str], *, issued_at: datetime, valid_days: int = VALID_DAYS
) -> bytes:
    """The statement about a verdict, as canonical JSON.

    Args:
        verdict_content: the bytes of verdict.json.
        files: every file of the evidence, by what it is: digest of its bytes. Empty where none could be read.
        issued_at: the present.
        valid_days: days until nobody should rely on it.

    Raises:
        UnreadableInput: the bytes are no verdict.
    """
    return _statement(verdict_content, files, issued_at, issued_at + timedelta(days=valid_days))


def read_statement(content: bytes, *, file: str) -> Statement:
    """The statement in the bytes.

    Raises:
        UnreadableInput: with every fault.
    """
    return Statement.read(parse_json(content, file=file), file=file)


def is_about(content: bytes, statement: Statement, verdict_content: bytes) -> bool:
    """Whether the statement is, byte for byte, the one that this verdict gives with its files and times."""
    predicate = statement.predicate
    issued_at, expires_at = instant_of(predicate.issued_at), instant_of(predicate.expires_at)
    return content == _statement(verdict_content, predicate.files, issued_at, expires_at)


def _statement(verdict_content: bytes, files: Mapping[str, str], issued_at: datetime, expires_at: datetime) -> bytes:
    value = parse_json(verdict_content, file="verdict.json")
    verdict = Verdict.read(value, file="verdict.json")
    sha256 = digest_of_bytes(verdict_content)
    digests = verdict.evidence
    named = {"policy": digests.policy_digest, "candidate": digests.candidate_digest, "verdict.json": sha256}
    statement = {
        "_type": STATEMENT_TYPE,
        "subject": [_described(name, digest) for name, digest in named.items() if digest is not None],
        "predicateType": PREDICATE_TYPE,
        "predicate": {
            "verdict": value,
            "verdictSha256": sha256,
            "materials": _materials(digests),
            "files": dict(files),
            "issuedAt": time_text(issued_at),
            "issuedAtUnix": int(issued_at.timestamp()),
            "expiresAt": time_text(expires_at),
            "expiresAtUnix": int(expires_at.timestamp()),
        },
    }
    Statement.read(statement, file="statement")
    return canonical_json(statement)


def _materials(digests: EvidenceDigests) -> list[dict[str, Any]]:
    named = {
        "suite": digests.manifest_hash,
        "gate": digests.gate_sha256,
        "baseline": digests.baseline_digest,
        "ledger": digests.ledger_head,
    }
    materials = [_described(name, digest) for name, digest in named.items() if digest is not None]
    for material in materials:
        if material["name"] == "ledger" and digests.ledger_length is not None:
            material["annotations"] = {"length": digests.ledger_length}
    return materials


def _described(name: str, digest: str) -> dict[str, Any]:
    """in-toto's form of a digest: the algorithm is the key."""
    return {"name": name, "digest": {"sha256": digest.removeprefix("sha256:")}}
