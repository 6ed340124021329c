"""The admission ticket: section 2 held for exactly this suite, gate and declaration, before the run started."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, model_validator

from litmus_nb.contracts.base import Name, StrictModel
from litmus_nb.contracts.canonical import Digest, canonical_json, digest_of_json
from litmus_nb.contracts.run import RunFile
from litmus_nb.contracts.times import UtcTime, instant_of

__all__ = ["AdmissionTicket", "admitted_digest", "canary_digest", "envelope_digest"]


class AdmissionTicket(StrictModel):
    """admission.json as written. Bound by its signature to the key that the gate file pins."""

    schema_: Literal["litmus-nb/admission/v1"] = Field(alias="schema", default="litmus-nb/admission/v1")
    nonce: Name = Field(description="Random; tells two tickets for the same run apart.")
    run_id: Name
    manifest_hash: Digest = Field(description="Of the suite, recomputed from its files.")
    gate_sha256: Digest = Field(description="Digest of gate.yaml's bytes.")
    declaration_sha256: Digest = Field(description="Of what the run declared, without what only its course can say.")
    envelope_sha256: Digest = Field(description="Digest of the declaration's `sandbox`.")
    canary_sha256: Digest = Field(description="Digest of the declaration's `canary`.")
    issued_at: UtcTime
    expires_at: UtcTime = Field(description="The run starts before this, or without the ticket.")
    signature: str | None = Field(description="Base64, ECDSA P-256; null where the gate pins no key.")

    @model_validator(mode="after")
    def _expires_after_it_was_issued(self) -> AdmissionTicket:
        if instant_of(self.expires_at) <= instant_of(self.issued_at):
            raise ValueError("expires_at after issued_at")
        return self

    @property
    def signed_bytes(self) -> bytes:
        """What the signature is about: everything else."""
        return canonical_json(self.model_dump(by_alias=True, exclude={"signature"}))


def admitted_digest(run: RunFile) -> str:
    """The digest of everything in a declaration that is settled before the run starts.

    Status and times are not, nor which judge will have answered; the order of tools and capabilities means nothing.
    """
    settled: dict[str, Any] = run.model_dump(
        by_alias=True, exclude={"status", "started_at", "finished_at", "judge", "canary", "interface", "sandbox"}
    )
    interface = run.interface.model_dump() | {"tools": sorted(run.interface.tools)}
    judge = run.judge.model_dump(exclude={"resolved_digest"})
    measured = {"sandbox": envelope_digest(run), "canary": canary_digest(run)}
    return digest_of_json(settled | {"interface": interface, "judge": judge} | measured)


def envelope_digest(run: RunFile) -> str:
    """The digest of what the sandbox granted and how that was measured; the order of capabilities means nothing."""
    lists = {key: sorted(getattr(run.sandbox, key)) for key in ("effective_capabilities", "unknown")}
    return digest_of_json(run.sandbox.model_dump() | lists)


def canary_digest(run: RunFile) -> str:
    """The digest of what the canary showed; a control that is absent is not one that was quiet."""
    return digest_of_json(None if run.canary is None else run.canary.model_dump(exclude_unset=True))
