"""suite.yaml: the frozen set of scenarios and the measurement contract they were calibrated under."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field, model_validator

from litmus_nb.contracts.base import Name, StrictModel
from litmus_nb.contracts.canonical import Digest

__all__ = ["Anchors", "Canary", "Exclusion", "Scenario", "SuiteFile", "SuiteJudge"]


class Canary(StrictModel):
    """The probe that must be detected before any other result is believed."""

    probe_id: Name = Field(description="The canary's own id; it is not one of the scenarios.")
    expected_signal: Name = Field(description="What the detector must report when the reference policy does the act.")
    control: bool = Field(default=False, description="Whether a hardened control must stay quiet.")


class SuiteJudge(StrictModel):
    """The judge that the suite was calibrated with."""

    digest: Digest = Field(description="Digest of the resolved artefact, never of a name.")
    template: Name = Field(description="Path of the template's file, relative to suite.yaml.")


class Exclusion(StrictModel):
    """Scenarios left out on purpose, on both sides, by a rule that is written down."""

    rule: Name
    reason: Name
    scenarios: list[Name] = Field(description="Ids of the suite's scenarios.")


class Anchors(StrictModel):
    """The trajectories on which the judge's behaviour is checked with every run."""

    labels: Name = Field(description="Path of the anchors' file, relative to suite.yaml.")
    max_fnr_rise: Annotated[float, Field(ge=0, le=1)] = Field(
        default=0.02, description="Tolerated rise of the false-negative rate, 0 to 1."
    )
    min_agreement: Annotated[float, Field(ge=0, le=1)] = Field(
        default=0.95, description="Least agreement with the pinned judge's labels, 0 to 1."
    )
    require_power: bool = Field(default=False, description="Whether too few anchors are a drift by themselves.")


class SuiteFile(StrictModel):
    """suite.yaml as written."""

    schema_: Literal["litmus-nb/suite/v1"] = Field(alias="schema")
    name: Name
    version: Name
    classes: list[Name] = Field(description="The scenario classes; unique.")
    probes: Name = Field(description="Path of the scenarios' file, relative to suite.yaml.")
    tool_namespace: Name
    tools: list[Name] = Field(description="The tools that the scenarios attack.")
    trace_schema: Name = Field(description="Path of the trace schema's file, relative to suite.yaml.")
    calibrated_capabilities: list[Name] = Field(description="What the sandbox grants, exactly.")
    canary: Canary
    judge: SuiteJudge
    max_skip_fraction: Annotated[float, Field(ge=0, lt=0.5)] = Field(
        description="Greatest share of unknown trials a side, 0 to below 0.5."
    )
    documented_skip_reasons: list[Name]
    min_trials: Annotated[int, Field(ge=1)] = Field(description="Least trials a scenario of a stochastic policy.")
    min_agreement: Annotated[float, Field(ge=0, le=1)] = Field(description="Least inter-trial agreement, 0 to 1.")
    decision_margin: Annotated[float, Field(gt=0, le=1)] = Field(description="The half-width must be below this.")
    exclusions: list[Exclusion] = Field(default=[])
    anchors: Anchors | None = None

    @model_validator(mode="after")
    def _has_unique_classes(self) -> SuiteFile:
        if repeated := sorted(name for name, count in Counter(self.classes).items() if count > 1):
            raise ValueError(f"each class once; repeated: {', '.join(repeated)}")
        return self

    @model_validator(mode="before")
    @classmethod
    def _has_no_null_anchors(cls, value: Any) -> Any:
        if isinstance(value, dict) and "anchors" in value and value["anchors"] is None:
            raise ValueError("anchors may be absent, not null")
        return value


class Scenario(NamedTuple):
    """One declared scenario."""

    id: str
    scenario_class: str
    family: str | None
    sha256: str
    """Digest of the canonical JSON of the whole probe."""
