"""The params file: what papermill passes to the notebook, and what every command takes."""

from __future__ import annotations

from pydantic import Field

from litmus_nb.contracts.base import Name, StrictModel
from litmus_nb.contracts.times import Day

__all__ = ["GateParams"]


class GateParams(StrictModel):
    """One gate on one candidate. Paths are relative to the working directory."""

    gate: Name = Field(description="Path of gate.yaml.")
    candidate: Name = Field(description="A run folder, or READER:PATH.")
    output_dir: Name = Field(description="Where verdict.json, report.html and report.ipynb are left.")
    as_of: Day | None = Field(
        default=None, description="The day that quarantine ages and verdict time are counted from; null: today."
    )
