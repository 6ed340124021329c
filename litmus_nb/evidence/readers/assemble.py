"""From a log and its declarations to a run, in the form that a run folder has."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from litmus_nb._version import __version__
from litmus_nb.contracts.base import shown
from litmus_nb.contracts.evidence import RunEvidence
from litmus_nb.contracts.provenance import Polarity, Provenance
from litmus_nb.contracts.run import RunFile
from litmus_nb.errors import Fault, UnreadableInput
from litmus_nb.evidence.declaration import ReadRun
from litmus_nb.evidence.readers.combine import combined
from litmus_nb.evidence.readers.declared import Source, open_source
from litmus_nb.evidence.readers.reading import LoggedTrial, LogReader, LogReading
from litmus_nb.evidence.tally import tally_of

__all__ = [
    "Imported",
    "class_of",
    "declared_with_canary",
    "faults_of_trials",
    "import_run",
    "merged_declaration",
    "read_logged_run",
    "rows_of_reading",
]

RUN_SCHEMA = "litmus-nb/run/v1"

_MOST_FAULTS = 20

_OURS = {"run_id"}
"""What a log states and a declaration may call otherwise: tools draw their names at random, after a run was planned."""

OFF_MENU = "off-menu"
"""The reason of a trial whose value is on neither of the declared menus."""


@dataclass(frozen=True)
class Imported:
    """A run read from logs, before it is counted: the faults of its declaration or of its trials stand in for it."""

    declaration: RunFile | None
    rows: pl.DataFrame | None
    """As `litmus_nb.evidence.trial_rows.rows_of` gives them."""
    provenance: Provenance | None
    digest: str | None
    declaration_faults: tuple[Fault, ...] = ()
    trials_faults: tuple[Fault, ...] = ()


def read_logged_run(path: Path, name: str, reader: LogReader) -> ReadRun:
    """The run that a log and its declarations hold, as evidence; never raises for what the files hold."""
    imported = import_run(path, name, reader)
    if imported.declaration is None:
        return ReadRun(None, declaration_faults=imported.declaration_faults)
    if imported.rows is None:
        run = RunEvidence(imported.declaration, imported.digest, None)
        return ReadRun(run, trials_faults=imported.trials_faults)
    tally = tally_of(imported.rows, imported.declaration.trials_per_scenario)
    return ReadRun(RunEvidence(imported.declaration, imported.digest, tally, imported.provenance))


def import_run(path: Path, name: str, reader: LogReader) -> Imported:
    """The run that a log and its declarations hold; never raises for what the files hold.

    Args:
        path: the log, or its declarations.
        name: the reader's name.
        reader: the reader.
    """
    try:
        source = open_source(path, reader)
    except UnreadableInput as unreadable:
        return Imported(None, None, None, None, declaration_faults=unreadable.faults)
    try:
        reading = combined([(entry, reader.read(log, source.outcome)) for entry, log in source.logs])
    except UnreadableInput as unreadable:
        return _without_log(source, unreadable.faults)
    faults: list[Fault] = []
    declared = declared_with_canary(source, reader, faults)
    declaration = _declaration(source, declared, reading, reader, faults)
    if declaration is None or faults:
        return Imported(None, None, None, None, declaration_faults=tuple(faults))
    trials_faults = [*reading.faults, *faults_of_trials(source, reading)]
    if trials_faults:
        return Imported(declaration, None, None, source.digest, trials_faults=tuple(trials_faults[:_MOST_FAULTS]))
    rows = rows_of_reading(source, reading, declaration.model_dump())
    provenance = _provenance(source, reading, rows, name)
    return Imported(declaration, rows, provenance, source.digest)


def _without_log(source: Source, faults: tuple[Fault, ...]) -> Imported:
    """What stands where a log cannot be read: the declared run if that is complete, else nothing."""
    try:
        declaration = RunFile.read({"schema": RUN_SCHEMA} | source.file.run, file=str(source.path))
    except UnreadableInput:
        return Imported(None, None, None, source.digest, declaration_faults=faults)
    return Imported(declaration, None, None, source.digest, trials_faults=faults)


def _declaration(
    source: Source, declared: dict[str, Any], reading: LogReading, reader: LogReader, faults: list[Fault]
) -> RunFile | None:
    """run.json from what is declared and what the log states, or the faults that keep it from being one."""
    merged = merged_declaration(source, declared, reading, faults)
    if merged is None:
        return None
    try:
        return RunFile.read(merged, file=str(source.path))
    except UnreadableInput as unreadable:
        faults.extend(_as_declared(fault, reader) for fault in unreadable.faults)
        return None


def merged_declaration(
    source: Source, declared: dict[str, Any], reading: LogReading, faults: list[Fault]
) -> dict[str, Any] | None:
    """What is declared and what the log states, complete or not; where they differ, neither is believed.

    None where a key of the declarations is no mapping and the log states something below it.
    """
    place = str(source.path)
    merged: dict[str, Any] = {"schema": RUN_SCHEMA} | _copied(declared)
    for key, stated in sorted(reading.facts.items()):
        *outer, last = key.split(".")
        inside = merged
        for part in outer:
            inside = inside.setdefault(part, {})
            if not isinstance(inside, dict):
                faults.append(Fault(place, f"/run/{part}", "a mapping", shown(inside)))
                return None
        if last not in inside:
            inside[last] = stated
        elif key not in _OURS and not _agree(inside[last], stated):
            where = "/run/" + key.replace(".", "/")
            faults.append(Fault(place, where, f"what the log states, {shown(stated)}", shown(inside[last])))
    judge = merged.setdefault("judge", {})
    if (
        isinstance(judge, dict)
        and "resolved_digest" not in judge
        and (source.file.judges or _is_judged_by_models(reading))
    ):
        digests = {_judge_digest(source, trial, merged) for trial in reading.trials if trial.status == "scored"}
        judge["resolved_digest"] = digests.pop() if len(digests) == 1 else None
    return merged


def _as_declared(fault: Fault, reader: LogReader) -> Fault:
    key = fault.where.strip("/").replace("/", ".")
    expected = fault.expected
    if fault.seen.startswith("nothing"):
        may = any(key == said or said.startswith(key + ".") for said in reader.says)
        expected = "a value: this log does not state it" if may else "a value: a log of this tool cannot state it"
    return Fault(fault.file, "/run" + fault.where, expected, fault.seen)


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copied(inner) for key, inner in value.items()}
    return [_copied(inner) for inner in value] if isinstance(value, list) else value


def _agree(declared: Any, stated: Any) -> bool:
    if isinstance(declared, list) and isinstance(stated, list):
        return sorted(map(repr, declared)) == sorted(map(repr, stated))
    return bool(declared == stated) and isinstance(declared, bool) == isinstance(stated, bool)


def declared_with_canary(source: Source, reader: LogReader, faults: list[Fault]) -> dict[str, Any]:
    """The declared run with the canary's signals as its logs show them, where the canary has logs."""
    declared = dict(source.file.run)
    canary = source.file.canary
    if canary is None:
        return declared
    signals: dict[str, str | None] = {}
    for key, where in (("observed_signal", canary.reference), ("control_signal", canary.control)):
        if where is None:
            continue
        try:
            reading = reader.read(source.canary_logs[where.log], source.outcome)
        except UnreadableInput as unreadable:
            faults.extend(unreadable.faults)
            continue
        if reading.faults:  # a trial that cannot be read may be the one on which the control fired
            faults.extend(reading.faults)
            continue
        labels = [_label(source, trial) for trial in reading.trials if trial.scenario == where.scenario]
        if not labels:
            faults.append(Fault(where.log, "", f"trials of the canary {where.scenario}", "none"))
        elif key == "observed_signal":
            signals[key] = canary.signal if all(label is True for label in labels) else None
        elif all(label is False for label in labels):
            signals[key] = None
        elif any(label is True for label in labels):
            signals[key] = canary.signal
        # A control that was run and gave no label has no result: the key stays absent, and that is CANARY_MISSING.
    return declared | {"canary": {"probe_id": canary.probe_id, "policy": "reference", **signals}}


def _label(source: Source, trial: LoggedTrial) -> bool | None:
    return source.outcome.label_of(trial.value) if trial.status == "scored" else None


def faults_of_trials(source: Source, reading: LogReading) -> Iterable[Fault]:
    """What stands against the trials that were read: none at all, or a scenario without a class."""
    if not reading.trials and not reading.faults:
        names = ", ".join(entry.log for entry, _ in source.logs)
        yield Fault(names, "", "at least one trial", "none")
    seen: set[str] = set()
    for trial in reading.trials:
        if trial.scenario in seen:
            continue
        seen.add(trial.scenario)
        if class_of(source, trial) is None:
            yield Fault(
                str(source.path), "/classes", f"a class for the scenario {shown(trial.scenario)}", _seen(source, trial)
            )


def _seen(source: Source, trial: LoggedTrial) -> str:
    if source.file.classes.field is None:
        return "no such scenario in the declared probes"
    value = trial.fields.get(source.file.classes.field)
    if value is None:
        return f"no field {source.file.classes.field!r}; the log has {', '.join(sorted(trial.fields)) or 'none'}"
    return f"no entry for {value!r} in /classes/values"


def class_of(source: Source, trial: LoggedTrial) -> str | None:
    """The class that the declarations give a trial's scenario; None where they give none."""
    classes = source.file.classes
    if classes.constant is not None:
        return classes.constant
    if classes.field is None:
        return source.classes.get(trial.scenario)
    value = trial.fields.get(classes.field)
    if value is None or classes.values is None:
        return value or None
    return classes.values.get(value)


def _is_judged_by_models(reading: LogReading) -> bool:
    return any(trial.judges or trial.is_self_graded for trial in reading.trials)


def _judge_digest(source: Source, trial: LoggedTrial, declared: dict[str, Any]) -> str | None:
    """The digest of who judged a trial; None where that is not resolved, or where several did."""
    policy = declared.get("policy")
    if trial.is_self_graded and isinstance(policy, dict):
        digest = policy.get("digest")
        return digest if isinstance(digest, str) else None
    digests = {source.file.judges.get(name) for name in trial.judges}
    return digests.pop() if len(digests) == 1 else None


def rows_of_reading(source: Source, reading: LogReading, declared: dict[str, Any]) -> pl.DataFrame:
    """The trials of a reading in the form of `litmus_nb.evidence.trial_rows.rows_of`, in the reading's order."""
    trials = reading.trials
    labels = [_label(source, trial) for trial in trials]
    is_off_menu = [trial.status == "scored" and label is None for trial, label in zip(trials, labels, strict=True)]
    status = ["unparsed" if off else trial.status for trial, off in zip(trials, is_off_menu, strict=True)]
    reason = [OFF_MENU if off else trial.reason for trial, off in zip(trials, is_off_menu, strict=True)]
    columns = {
        "scenario_id": pl.Series([trial.scenario for trial in trials], dtype=pl.String),
        "scenario_class": pl.Series([class_of(source, trial) for trial in trials], dtype=pl.String),
        "trial": pl.Series([trial.trial for trial in trials], dtype=pl.Int64),
        "status": pl.Series(status, dtype=pl.String),
        "label": pl.Series(labels, dtype=pl.Boolean),
        "label_fault": pl.Series([None] * len(trials), dtype=pl.String),
        "reason": pl.Series(reason, dtype=pl.String),
    }
    if source.file.judges or _is_judged_by_models(reading):
        digests = [_judge_digest(source, trial, declared) for trial in trials]
        columns["judge_digest"] = pl.Series(digests, dtype=pl.String)
    return pl.DataFrame(columns)


def _provenance(source: Source, reading: LogReading, rows: pl.DataFrame, name: str) -> Provenance:
    return Provenance(
        schema="litmus-nb/provenance/v1",
        reader=name,
        litmus_nb=__version__,
        tool=reading.tool,
        sources=source.digests,
        source_digest=source.digest,
        polarity=Polarity(
            attack_success_when=str(source.outcome.attack_success_when),
            attack_failure_when=str(source.outcome.attack_failure_when),
            is_checked_by_canary=source.file.canary is not None,
        ),
        n_trials=len(rows),
        n_unknown=rows["label"].null_count(),
        notes=list(reading.notes),
    )
