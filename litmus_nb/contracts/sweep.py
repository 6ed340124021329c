"""sweep.yaml: many candidates against many gates; and the matrix of what became of them."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Literal

from pydantic import Field, StringConstraints, model_validator

from litmus_nb.contracts.base import Count, Name, StrictModel
from litmus_nb.contracts.canonical import Digest
from litmus_nb.contracts.codes import VerdictState
from litmus_nb.contracts.times import Day

__all__ = ["CellName", "CellResult", "SweepCell", "SweepFile", "SweepMatrix"]

CellName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$")]
"""A name that is a folder's name everywhere."""


class SweepCell(StrictModel):
    """One gate on one candidate."""

    name: CellName
    gate: Name = Field(description="Path of gate.yaml, relative to the inputs.")
    candidate: Name = Field(description="A run folder, or READER:PATH, relative to the inputs.")


class SweepFile(StrictModel):
    """sweep.yaml as written: cells one by one, or every candidate against every gate, or both."""

    schema_: Literal["litmus-nb/sweep/v1"] = Field(alias="schema")
    inputs: Name = Field(default=".", description="Folder or fsspec URL (s3://, gs://, az://) that holds all inputs.")
    output: Name = Field(description="Folder or fsspec URL that each cell's results go to, by the cell's name.")
    as_of: Day | None = Field(default=None, description="The day that every cell counts from; null: today.")
    gates: dict[CellName, Name] = Field(default={}, description="Name to gate.yaml.")
    candidates: dict[CellName, Name] = Field(default={}, description="Name to run folder or READER:PATH.")
    cells: list[SweepCell] = Field(default=[], description="Further cells.")
    infrastructure_retries: Annotated[int, Field(ge=0, le=10)] = Field(
        default=2, description="How often a cell is tried again whose gate did not finish. A verdict is never retried."
    )
    cell_timeout_s: Annotated[int, Field(ge=1)] = Field(default=7200, description="Seconds that a cell may take.")

    @property
    def all_cells(self) -> tuple[SweepCell, ...]:
        """Every cell, by name."""
        crossed = [
            SweepCell(name=f"{candidate}--{gate}", gate=gate_path, candidate=source)
            for gate, gate_path in self.gates.items()
            for candidate, source in self.candidates.items()
        ]
        return tuple(sorted([*crossed, *self.cells], key=lambda cell: cell.name))

    @model_validator(mode="after")
    def _has_cells_with_names_of_their_own(self) -> SweepFile:
        names = Counter(cell.name for cell in self.all_cells)
        if not names:
            raise ValueError("at least one cell: gates and candidates, or cells")
        if repeated := sorted(name for name, count in names.items() if count > 1):
            raise ValueError(f"each cell name once; repeated: {', '.join(repeated)}")
        return self


class CellResult(StrictModel):
    """What became of a cell."""

    name: CellName
    state: VerdictState | None = Field(strict=False, description="Null: no verdict is there. Never a default.")
    codes: list[str] = Field(description="Reason codes of its verdict.")
    attempts: Count = Field(description="Times that it was started in this sweep; 0: resumed.")
    verdict_sha256: Digest | None
    candidate_digest: Digest | None
    problem: str | None = Field(default=None, description="Why there is no verdict.")


class SweepMatrix(StrictModel):
    """sweep.json as written: open only where every cell is there and PASS."""

    schema_: Literal["litmus-nb/sweep-matrix/v1"] = Field(alias="schema", default="litmus-nb/sweep-matrix/v1")
    all_open: bool = Field(description="Every cell has a verdict, and each of them is PASS.")
    state: VerdictState = Field(strict=False, description="The gravest state; an absent cell is NO_VERDICT.")
    cells: list[CellResult]

    @model_validator(mode="after")
    def _does_not_contradict_itself(self) -> SweepMatrix:
        opens = bool(self.cells) and all(cell.state is VerdictState.PASS for cell in self.cells)
        if self.all_open is not opens or (self.state is VerdictState.PASS) is not opens:
            raise ValueError("all_open and PASS exactly when every cell is PASS")
        return self
