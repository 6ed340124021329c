"""Several logs of one run as one: nothing is counted twice, and nothing that was scored disappears."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from litmus_nb.contracts.base import shown
from litmus_nb.contracts.source import LogEntry
from litmus_nb.errors import Fault, UnreadableInput
from litmus_nb.evidence.readers.reading import LoggedTrial, LogReading

__all__ = ["combined"]


def combined(readings: Sequence[tuple[LogEntry, LogReading]]) -> LogReading:
    """One reading of all logs.

    A trial that ended without a label in one log and was repeated in another (a retry) is there once, as the repeated
    one; an attempt that was copied from log to log is there once. Trials that were scored twice both stay, and the
    rule finds a duplicate.

    Raises:
        UnreadableInput: the logs are of different runs, or state different facts.
    """
    if len(readings) == 1:
        entry, reading = readings[0]
        return replace(reading, trials=_shifted(reading.trials, entry.first_trial))
    identities = {reading.identity for _, reading in readings}
    if len(identities) > 1 or None in identities:
        seen = "; ".join(f"{entry.log}: {shown(reading.identity)}" for entry, reading in readings)
        raise UnreadableInput([Fault(readings[0][0].log, "", "logs of one run", seen)])
    trials, n_superseded = _once([_shifted(reading.trials, entry.first_trial) for entry, reading in readings])
    note = (f"{n_superseded} trials of an earlier log were repeated in a later one",) if n_superseded else ()
    return LogReading(
        tool=", ".join(sorted({reading.tool for _, reading in readings})),
        facts=_facts(readings),
        trials=trials,
        faults=tuple(fault for _, reading in readings for fault in reading.faults),
        identity=readings[0][1].identity,
        notes=(*note, *(text for _, reading in readings for text in reading.notes)),
    )


def _shifted(trials: list[LoggedTrial], first_trial: int) -> list[LoggedTrial]:
    return [replace(trial, trial=trial.trial + first_trial) for trial in trials] if first_trial else trials


def _once(of_each_log: list[list[LoggedTrial]]) -> tuple[list[LoggedTrial], int]:
    """The trials of all logs in order, without repetitions between logs; repetitions within a log stay."""
    kept: dict[tuple[str, int], list[LoggedTrial]] = {}
    n_superseded = 0
    for trials in of_each_log:
        earlier = {key: list(values) for key, values in kept.items()}
        for trial in trials:
            key = (trial.scenario, trial.trial)
            before = earlier.get(key, [])
            if any(_is_copy(trial, other) for other in before):
                continue
            if before and all(other.status != "scored" for other in before):
                n_superseded += len(before)
                earlier[key] = []
                kept[key] = []
            elif before and trial.status != "scored":
                continue  # a later attempt without a label takes nothing from one that has it
            kept.setdefault(key, []).append(trial)
    return [trial for values in kept.values() for trial in values], n_superseded


def _is_copy(trial: LoggedTrial, other: LoggedTrial) -> bool:
    return trial.attempt is not None and trial == other


def _facts(readings: Sequence[tuple[LogEntry, LogReading]]) -> dict[str, Any]:
    every: dict[str, list[tuple[str, Any]]] = {}
    for entry, reading in readings:
        for key, value in reading.facts.items():
            every.setdefault(key, []).append((entry.log, value))
    # Logs write times to the second; of two of the same second the one that is listed later is the retry.
    latest = max(enumerate(readings), key=lambda pair: (str(pair[1][1].facts.get("started_at", "")), pair[0]))[1][1]
    facts: dict[str, Any] = {}
    faults: list[Fault] = []
    for key, values in every.items():
        distinct = [value for index, (_, value) in enumerate(values) if value not in [v for _, v in values[:index]]]
        if key == "started_at":
            facts[key] = min(distinct)
        elif key == "finished_at":
            facts[key] = max(distinct, key=str)
        elif key == "status":
            facts[key] = latest.facts.get(key, distinct[-1])
        elif key == "interface.tools":
            facts[key] = sorted({tool for tools in distinct for tool in tools})
        elif len(distinct) == 1:
            facts[key] = distinct[0]
        else:
            seen = "; ".join(f"{log}: {shown(value)}" for log, value in values)
            faults.append(Fault(values[0][0], key, "the same in every log of the run", seen))
    if faults:
        raise UnreadableInput(faults)
    return facts
