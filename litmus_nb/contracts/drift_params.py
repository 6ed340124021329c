"""The params file of `litmus-nb drift`: which labels, which judges, what is tolerated."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from litmus_nb.contracts.base import Name, StrictModel
from litmus_nb.contracts.drift import Question
from litmus_nb.contracts.labels import Rater

__all__ = ["DriftParams"]


class DriftParams(StrictModel):
    """One investigation. Paths are relative to the working directory."""

    labels: Annotated[list[Name], Field(min_length=1)] = Field(
        description="Label tables (.parquet, .csv, .jsonl), run folders, or READER:PATH."
    )
    output_dir: Name = Field(description="Where drift.json, report.html and report.ipynb are left.")
    pinned_judge: Name | None = Field(
        default=None, description="Requested name of the agreed judge; null: the earliest."
    )
    pinned_run: Name | None = Field(default=None, description="The run whose labels are the agreed ones.")
    current_judge: Name | None = Field(default=None, description="Requested name of the judge now; null: the latest.")
    current_run: Name | None = Field(default=None, description="The run whose labels are looked at.")
    baseline: Name | None = Field(default=None, description="The policy that an apparent change starts from.")
    candidate: Name | None = Field(default=None, description="The policy that it leads to.")
    max_fnr_rise: Annotated[float, Field(ge=0, le=1)] = 0.02
    min_agreement: Annotated[float, Field(ge=0, le=1)] = 0.95
    confidence: Annotated[float, Field(ge=0.5, lt=1)] = 0.95

    @property
    def question(self) -> Question:
        """What is asked of the labels."""
        return Question(
            pinned=_rater(self.pinned_judge, self.pinned_run),
            current=_rater(self.current_judge, self.current_run),
            baseline=self.baseline,
            candidate=self.candidate,
            max_fnr_rise=self.max_fnr_rise,
            min_agreement=self.min_agreement,
            confidence=self.confidence,
        )


def _rater(name: str | None, run_id: str | None) -> Rater | None:
    return None if name is None else Rater(name=name, run_id=run_id)
