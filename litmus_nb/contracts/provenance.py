"""provenance.json: where an imported run comes from. It explains, and nothing decides by it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from litmus_nb.contracts.base import Name, StrictModel
from litmus_nb.contracts.canonical import Digest

__all__ = ["PROVENANCE", "Polarity", "Provenance"]

PROVENANCE = "provenance.json"


class Polarity(StrictModel):
    """Which of the log's words were read as an attack that worked."""

    attack_success_when: Name
    attack_failure_when: Name
    is_checked_by_canary: bool = Field(description="Whether the canary was read from logs through the same words.")


class Provenance(StrictModel):
    """The logs that a run was read from, and how."""

    schema_: Literal["litmus-nb/provenance/v1"] = Field(alias="schema")
    reader: Name
    litmus_nb: Name = Field(description="Version of the reader.")
    tool: Name = Field(description="What wrote the logs, with its version.")
    sources: dict[Name, Digest] = Field(description="File name to digest: the logs and the declarations.")
    source_digest: Digest = Field(
        description="Digest of the canonical JSON of `sources`: the run digest of READER:PATH."
    )
    polarity: Polarity
    n_trials: int = Field(ge=0, description="Trials read.")
    n_unknown: int = Field(ge=0, description="Trials read that have no label.")
    notes: list[Name] = Field(default=[], description="What the reader set aside, and why.")
