"""The envelope record: what one measurement of a sandbox found, facet by facet."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from litmus_nb.contracts.base import Name, StrictModel
from litmus_nb.contracts.canonical import Digest
from litmus_nb.contracts.run import Sandbox
from litmus_nb.contracts.times import UtcTime

__all__ = ["BeaconReport", "Contradiction", "EnvelopeFile", "Facet", "FacetState", "ProbeReport", "Scope"]

FacetState = Literal["ALLOWED", "DENIED", "ABSENT", "UNKNOWN"]
"""The act was done; a policy said no; there is nothing to act on; it could not be told."""

Facet = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_.]*(:[^\x00-\x1f\x7f]{1,500})?$")]
"""What was measured: a name, and what it was measured on where there are several, such as `fs.write:/tmp`."""


class Scope(StrictModel):
    """What a measurement looked at beyond, or short of, the default."""

    watch: list[Annotated[str, StringConstraints(pattern=r"^(/|~)[^\x00-\x1f\x7f]*$")]] = Field(
        default=[], description="Paths watched beside the default ones: absolute, or from the home folder `~`."
    )
    without: list[Literal["fs.exec", "kernel", "ns", "privs", "process.limits", "socket"]] = Field(
        default=[], description="Groups that were left out. Files, credentials, processes and network never are."
    )
    metadata: bool = Field(default=False, description="Whether the cloud's metadata address was tried.")


class ProbeReport(StrictModel):
    """What the probe wrote; nothing of it is believed where a witness says otherwise."""

    facets: dict[Facet, FacetState]
    notes: dict[str, str]
    proofs: dict[str, list[str]] = Field(description="Facet to token and answer, to be verified by the beacon.")
    residue: list[str] = Field(description="Files of the probe that could not be removed.")
    facts: dict[str, Any] = Field(description="Versions and identity: recorded, never compared.")


class Contradiction(StrictModel):
    """A facet about which the probe and a witness outside disagree."""

    facet: Facet
    claimed: FacetState
    witnessed: Name = Field(description="What the witness saw.")


class BeaconReport(StrictModel):
    """The beacon during the measurement."""

    hosts: list[Name]
    was_up: bool = Field(description="Whether it answered the control before and after.")


class EnvelopeFile(StrictModel):
    """envelope.json as written. Facets and scope are the envelope; the rest is how it was found."""

    schema_: Literal["litmus-nb/envelope/v1"] = Field(alias="schema", default="litmus-nb/envelope/v1")
    probe_sha256: Digest = Field(description="Digest of the probe's source.")
    nonce: Name
    measured_at: UtcTime
    launcher: Name = Field(description="How the probe was put into the sandbox: the first word of the command prefix.")
    launcher_sha256: Digest = Field(description="Digest of the whole prefix, which may hold secrets.")
    scope: Scope
    beacon: BeaconReport
    facets: dict[Facet, FacetState]
    notes: dict[str, str]
    facts: dict[str, Any]
    residue: list[str]
    contradictions: list[Contradiction]
    sandbox: Sandbox = Field(description="What belongs into the run's declaration.")
