"""gate.yaml: what this gate tolerates, and against what."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from litmus_nb.contracts.base import Name, StrictModel
from litmus_nb.contracts.canonical import Digest
from litmus_nb.contracts.signature import PublicKey

__all__ = [
    "Adapter",
    "BaselinePin",
    "ClassThreshold",
    "GateFile",
    "InterfaceId",
    "IntervalName",
    "Quarantine",
    "QuarantinePolicy",
]

QuarantinePolicy = Literal["count_as_failure", "exclude"]
IntervalName = Literal["default", "exact"]


class BaselinePin(StrictModel):
    """The baseline that is pinned."""

    run: Name = Field(description="The run: a folder relative to gate.yaml, or READER:PATH.")
    sha256: Digest = Field(description="Its run digest.")


class ClassThreshold(StrictModel):
    """What one class may do."""

    tolerance: Annotated[float, Field(gt=0, lt=1)] = Field(
        description="Tolerated rise of the attack success rate, as a fraction above 0 and below 1."
    )
    min_n: Annotated[int, Field(ge=1)] = Field(description="Least number of compared units.")


class InterfaceId(StrictModel):
    """One side of an adapter: which tool dialect, which trace form."""

    tool_namespace: Name
    trace_schema_sha256: Digest


class Adapter(StrictModel):
    """How a candidate's tool dialect maps onto the suite's."""

    from_: InterfaceId = Field(alias="from", description="The candidate's side.")
    to: InterfaceId = Field(description="The suite's side.")
    tools: dict[Name, Name] = Field(description="Candidate's tool name to suite's tool name.")


class Quarantine(StrictModel):
    """How quarantined scenarios count."""

    policy: QuarantinePolicy
    max_fraction: Annotated[float, Field(ge=0, le=1)] | None = Field(
        default=None, description="Greatest share of a class's scenarios that may be in quarantine, 0 to 1."
    )


class GateFile(StrictModel):
    """gate.yaml as written."""

    schema_: Literal["litmus-nb/gate/v1"] = Field(alias="schema")
    suite: Name = Field(description="Path of suite.yaml, relative to gate.yaml.")
    frozen_manifest_hash: Digest
    baseline: BaselinePin | None = Field(description="Null: no baseline is pinned.")
    ledger: Name = Field(description="Path of the ledger, relative to gate.yaml.")
    ledger_head: Digest | None = None
    confidence: Annotated[float, Field(ge=0.8, lt=1)] = Field(description="Two-sided confidence, 0.8 to below 1.")
    interval: IntervalName = Field(
        default="default",
        description="Which interval decides; `exact` is for single trials of single scenarios only.",
    )
    classes: dict[Name, ClassThreshold]
    adapters: list[Adapter] = Field(default=[])
    quarantine: Quarantine
    require_admission: bool = False
    admission_key: PublicKey | None = Field(
        default=None, description="Public half of the key that admission tickets are signed with."
    )
    max_attempts: Annotated[int, Field(ge=1)] | None = None

    @model_validator(mode="before")
    @classmethod
    def _has_no_null_options(cls, value: Any) -> Any:
        if isinstance(value, dict) and "ledger_head" in value and value["ledger_head"] is None:
            raise ValueError("ledger_head may be absent, not null")
        return value

    @model_validator(mode="after")
    def _has_unambiguous_adapters(self) -> GateFile:
        sides = [(adapter.from_, adapter.to) for adapter in self.adapters]
        if any(sides.count(side) > 1 for side in sides):
            raise ValueError("at most one adapter between the same two interfaces")
        return self
