"""A verdict as an in-toto Statement, and the DSSE envelope that signs it.

Statement: https://github.com/in-toto/attestation/blob/main/spec/v1/statement.md
Envelope:  https://github.com/secure-systems-lab/dsse/blob/master/envelope.md
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from litmus_nb.contracts.base import Name, StrictModel
from litmus_nb.contracts.canonical import Digest
from litmus_nb.contracts.times import UtcTime
from litmus_nb.contracts.verdict import Verdict

__all__ = [
    "DSSE_ENVELOPE",
    "KEYLESS_BUNDLE",
    "PAYLOAD_TYPE",
    "PREDICATE_TYPE",
    "STATEMENT",
    "STATEMENT_TYPE",
    "DigestSet",
    "DsseEnvelope",
    "DsseSignature",
    "Material",
    "Statement",
    "Subject",
    "VerdictPredicate",
]

STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE = "urn:litmus-nb:attestation:verdict:v1"
PAYLOAD_TYPE = "application/vnd.in-toto+json"

STATEMENT = "verdict.statement.json"
"""The statement without a signature, beside verdict.json. It binds the verdict to the files; it proves no author."""

DSSE_ENVELOPE = "verdict.dsse.json"
"""The statement signed with a key, beside verdict.json."""

KEYLESS_BUNDLE = "verdict.sigstore.json"
"""The statement signed with an identity (Sigstore), beside verdict.json."""

HexDigest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


class DigestSet(StrictModel):
    """in-toto's DigestSet, of one algorithm."""

    sha256: HexDigest


class Subject(StrictModel):
    """What the statement is about."""

    name: Name
    digest: DigestSet


class LedgerLength(StrictModel):
    """How long the ledger was."""

    length: Annotated[int, Field(ge=0)]


class Material(StrictModel):
    """What the verdict was decided from."""

    name: Literal["suite", "gate", "baseline", "ledger"]
    digest: DigestSet
    annotations: LedgerLength | None = Field(default=None, description="Of the ledger: its length in entries.")


class VerdictPredicate(StrictModel):
    """The predicate `urn:litmus-nb:attestation:verdict:v1`."""

    verdict: Verdict = Field(description="The content of verdict.json. `verdict.verdict` is PASS or it is no PASS.")
    verdict_sha256: Digest = Field(alias="verdictSha256", description="Digest of the bytes of verdict.json.")
    materials: list[Material] = Field(description="Suite, gate, baseline and ledger, where they could be read.")
    files: dict[Name, Digest] = Field(description="Every file of the evidence, by what it is: digest of its bytes.")
    issued_at: UtcTime = Field(alias="issuedAt", description="When this statement was made.")
    issued_at_unix: int = Field(alias="issuedAtUnix", description="The same in seconds, for policies without dates.")
    expires_at: UtcTime = Field(alias="expiresAt", description="From when on nobody should rely on it.")
    expires_at_unix: int = Field(alias="expiresAtUnix")


class Statement(StrictModel):
    """verdict.statement.json, and the payload of the envelope."""

    type_: Literal["https://in-toto.io/Statement/v1"] = Field(alias="_type")
    subject: list[Subject] = Field(
        description="The policy's artefact and the candidate's run, and verdict.json itself."
    )
    predicate_type: Literal["urn:litmus-nb:attestation:verdict:v1"] = Field(alias="predicateType")
    predicate: VerdictPredicate


class DsseSignature(StrictModel):
    """One signature. The keyid is a hint that nothing authenticates."""

    keyid: str
    sig: str = Field(description="Base64 of the signature over the pre-authentication encoding.")


class DsseEnvelope(StrictModel):
    """verdict.dsse.json: a DSSE envelope."""

    payload: str = Field(description="Base64 of the statement's bytes.")
    payload_type: str = Field(alias="payloadType")
    signatures: list[DsseSignature]
