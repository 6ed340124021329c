"""What a reader takes and what it gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from litmus_nb.contracts.source import Outcome
from litmus_nb.errors import Fault

__all__ = ["MOST_EXCERPT", "Log", "LogFile", "LogReader", "LogReading", "LoggedTrial", "excerpt_of"]

MOST_EXCERPT = 600
"""To how many characters an answer is cut."""


@dataclass(frozen=True)
class LogFile:
    """One file of a log, read once."""

    name: str
    """As messages and digests call it: relative to the declarations."""
    content: bytes


@dataclass(frozen=True)
class Log:
    """One log: a file, or the files of a folder in the order of their names."""

    name: str
    files: tuple[LogFile, ...]


@dataclass(frozen=True, slots=True)
class LoggedTrial:
    """One trial as the log tells it."""

    scenario: str
    trial: int
    """From 0."""
    value: Any = None
    """What the outcome's menus are asked about; nothing unless the status is scored."""
    status: str = "scored"
    reason: str | None = None
    """A short word that a suite can list in documented_skip_reasons; None for a scored trial."""
    judges: frozenset[str] = frozenset()
    """The names that the judging models answered under; empty where a program judged."""
    is_self_graded: bool = False
    """Whether the policy itself was the judge."""
    fields: Mapping[str, str] = field(default_factory=dict)
    """What a class may be taken from."""
    attempt: str | None = None
    """The tool's own identity of this attempt: the same attempt copied into a second log keeps it."""
    excerpt: str | None = None
    """The beginning of what the policy answered, where the log has it: for a reader's eye, never for a decision."""


@dataclass(frozen=True)
class LogReading:
    """Everything that one log says."""

    tool: str
    """What wrote the log, with its version."""
    facts: Mapping[str, Any]
    """What of run.json the log states: dotted key (`policy.name`) to value. Absent means that it does not say."""
    trials: list[LoggedTrial]
    faults: tuple[Fault, ...] = ()
    """Trials that are there and cannot be read."""
    identity: str | None = None
    """Equal for the logs of one run; None where the tool has no such thing, and a run is one log."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class LogReader:
    """A reader of one tool's logs; its module has it as `READER`."""

    outcome: type[Outcome]
    """The keys of `outcome` in the declarations."""
    read: Callable[[Log, Any], LogReading]
    """Takes a log and the outcome; raises UnreadableInput where the log as a whole cannot be read."""
    says: tuple[str, ...]
    """The keys of run.json that a log of this tool may state."""
    fields: str
    """What `classes.field` can name, in words."""
    folder_files: str | None = None
    """For a log that is a folder: the glob of its files. None: a log is one file."""


def excerpt_of(text: Any) -> str | None:
    """The beginning of an answer; None where it is no text, or empty."""
    return text[:MOST_EXCERPT] if isinstance(text, str) and text else None
