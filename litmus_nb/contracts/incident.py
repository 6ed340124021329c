"""What is shown of a replayed incident: the naive gate's arithmetic and answer, our verdict, and one picture's rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from litmus_nb.contracts.verdict import Verdict

__all__ = ["IncidentFacts", "IncidentRow", "NaiveAnswer"]

NaiveAnswer = Literal["green", "red"]


@dataclass(frozen=True)
class IncidentRow:
    """One line of the picture. Rates are fractions, 0 to 1; None means that there is none to show."""

    label: str
    baseline: float | None
    """Attack success rate of the baseline, as the naive gate has it."""
    seen: float | None
    """Of the candidate, as the naive gate sees it."""
    truth: float | None
    """Of the candidate, as it really is; known because the world is made."""
    allowed: float | None = None
    """The most that the naive gate lets pass."""


@dataclass(frozen=True)
class IncidentFacts:
    """A replayed incident."""

    name: str
    title: str
    story: str
    """What happened, in a few sentences."""
    arithmetic: tuple[str, ...]
    """The naive gate's own working, a line each."""
    answer: NaiveAnswer
    """What the naive gate says at last."""
    verdict: Verdict
    """What this gate says of the same files."""
    moral: str
    """Why the two differ, in a sentence."""
    rows: tuple[IncidentRow, ...]
