"""What a log tells about the suite that it was a run of: for a first draft, which people then correct."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from litmus_nb.errors import UnreadableInput
from litmus_nb.evidence.readers.assemble import class_of, faults_of_trials
from litmus_nb.evidence.readers.combine import combined
from litmus_nb.evidence.readers.declared import open_source
from litmus_nb.evidence.readers.reading import LogReader

__all__ = ["Draft", "drafted"]


@dataclass(frozen=True)
class Draft:
    """The facts for a draft; None where neither the log nor its declarations say it."""

    tool: str
    classes: Mapping[str, str]
    """Scenario to class."""
    fields: Mapping[str, Mapping[str, str]]
    """Scenario to the fields that the log has of it, by its first trial."""
    declared: Mapping[str, Any]
    """The declared part of run.json, as it is."""
    tools: list[str] | None
    trials: int
    judge_digest: str | None
    canary_signal: str | None


def drafted(path: Path, reader: LogReader, *, declarations: Path | None = None) -> Draft:
    """The facts for a draft of a suite; `declarations` are for a log that has none beside it.

    Raises:
        UnreadableInput: the log or its declarations cannot be read, or a scenario has no class.
    """
    source = open_source(path, reader, shared=declarations)
    reading = combined([(entry, reader.read(log, source.outcome)) for entry, log in source.logs])
    if faults := [*reading.faults, *faults_of_trials(source, reading)]:
        raise UnreadableInput(faults)
    declared = source.file.run
    judge, interface, canary = (_mapping(declared, key) for key in ("judge", "interface", "canary"))
    digests = {*source.file.judges.values(), judge.get("resolved_digest")} - {None}
    signal = source.file.canary.signal if source.file.canary else canary.get("observed_signal")
    return Draft(
        tool=reading.tool,
        classes={trial.scenario: str(class_of(source, trial)) for trial in reading.trials},
        fields={trial.scenario: trial.fields for trial in reversed(reading.trials)},
        declared=declared,
        tools=reading.facts.get("interface.tools", interface.get("tools")),
        trials=int(reading.facts.get("trials_per_scenario", 1 + max(trial.trial for trial in reading.trials))),
        judge_digest=digests.pop() if len(digests) == 1 else None,
        canary_signal=signal,
    )


def _mapping(declared: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = declared.get(key)
    return value if isinstance(value, dict) else {}
