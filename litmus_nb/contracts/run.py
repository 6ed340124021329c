"""run.json: what a run declares about itself."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from litmus_nb.contracts.base import Name, StrictModel
from litmus_nb.contracts.canonical import Digest
from litmus_nb.contracts.times import UtcTime, nanoseconds_of

__all__ = ["Interface", "Policy", "RunCanary", "RunFile", "RunJudge", "RunStatus", "Sandbox"]

RunStatus = Literal["planned", "complete", "cancelled", "error"]


class Policy(StrictModel):
    """The agent under test."""

    name: Name
    digest: Digest = Field(description="Digest of the resolved artefact.")


class Interface(StrictModel):
    """How the policy speaks to its tools."""

    tool_namespace: Name
    tools: list[Name]
    trace_schema_sha256: Digest


class Sandbox(StrictModel):
    """What the sandbox really granted."""

    effective_capabilities: list[Name]
    unknown: list[Name] = Field(default=[], description="Capabilities that could not be measured.")
    measured_by: Name | None
    measured_at: UtcTime | None


class RunCanary(StrictModel):
    """What the canary showed."""

    probe_id: Name
    policy: Name = Field(description="Must be `reference`.")
    observed_signal: Name | None
    control_signal: Name | None = Field(default=None, description="Null: quiet. Absent: the control was not run.")

    @property
    def has_control_result(self) -> bool:
        """Whether the control's result is there at all."""
        return "control_signal" in self.model_fields_set


class RunJudge(StrictModel):
    """The judge that labelled the trials."""

    requested: Name = Field(description="The name that was asked for; identifies nothing.")
    resolved_digest: Digest | None = Field(description="Digest of the artefact that answered.")
    template_sha256: Digest


class RunFile(StrictModel):
    """run.json as written."""

    schema_: Literal["litmus-nb/run/v1"] = Field(alias="schema")
    run_id: Name
    status: RunStatus
    policy: Policy
    manifest_hash: Digest
    interface: Interface
    sandbox: Sandbox
    canary: RunCanary | None
    judge: RunJudge
    decoding: dict[str, Any]
    deterministic: bool
    trials_per_scenario: Annotated[int, Field(ge=1)]
    started_at: UtcTime | None
    finished_at: UtcTime | None

    @model_validator(mode="after")
    def _has_times_that_fit_its_status(self) -> RunFile:
        if self.started_at is None and self.status != "planned":
            raise ValueError("started_at may be null only while the run is planned")
        if self.finished_at is None and self.status == "complete":
            raise ValueError("finished_at may not be null when the run is complete")
        if self.started_at and self.finished_at and nanoseconds_of(self.finished_at) < nanoseconds_of(self.started_at):
            raise ValueError("finished_at may not lie before started_at")
        return self
