"""A ledger line: one decision of a person or of the gate, chained to the one before."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter

from litmus_nb.contracts.base import Name, StrictModel
from litmus_nb.contracts.canonical import Digest
from litmus_nb.contracts.codes import VerdictState
from litmus_nb.contracts.times import UtcTime

__all__ = [
    "LEDGER_ENTRY",
    "BaselinePinEntry",
    "BaselineRebumpEntry",
    "LedgerEntry",
    "QuarantineEntry",
    "ReleaseEntry",
    "VerdictEntry",
]


class _Entry(StrictModel):
    seq: Annotated[int, Field(ge=0)] = Field(description="Counts from 0.")
    at: UtcTime = Field(description="When the entry was made.")
    by: Name = Field(description="Who made it.")
    prev: Digest = Field(description="Digest of the line before, without its newline.")


class BaselinePinEntry(_Entry):
    """The first baseline."""

    kind: Literal["baseline_pin"]
    reason: str
    run_digest: Digest


class BaselineRebumpEntry(_Entry):
    """A later baseline, which replaces the one before."""

    kind: Literal["baseline_rebump"]
    reason: str
    run_digest: Digest
    replaces: Digest


class QuarantineEntry(_Entry):
    """A scenario put aside. Reason and age are judged by paragraph 3.15, so any value may stand here."""

    kind: Literal["quarantine"]
    scenario_id: str
    reason: Any = None
    max_age_days: Any = None


class ReleaseEntry(_Entry):
    """A scenario taken out of quarantine."""

    kind: Literal["release"]
    reason: str
    scenario_id: str


class VerdictEntry(_Entry):
    """A verdict that was given."""

    kind: Literal["verdict"]
    reason: str
    policy_digest: Digest
    candidate_digest: Digest
    verdict: VerdictState = Field(strict=False)


LedgerEntry = Annotated[
    BaselinePinEntry | BaselineRebumpEntry | QuarantineEntry | ReleaseEntry | VerdictEntry, Field(discriminator="kind")
]

LEDGER_ENTRY: TypeAdapter[LedgerEntry] = TypeAdapter(LedgerEntry)
"""Reads one line's value."""
