"""Reading a run as far as it can be read, for an exploration. Trials that cannot be read are still refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

from litmus_nb.contracts.base import shown
from litmus_nb.contracts.canonical import digest_of_bytes
from litmus_nb.contracts.loose_run import LooseRun
from litmus_nb.contracts.run import RunFile
from litmus_nb.contracts.strict_json import parse_json
from litmus_nb.errors import Fault, UnreadableInput
from litmus_nb.evidence.declaration import FOLDER, split_source
from litmus_nb.evidence.plain_csv import quick_rows_of
from litmus_nb.evidence.readers.assemble import (
    RUN_SCHEMA,
    declared_with_canary,
    faults_of_trials,
    merged_declaration,
    rows_of_reading,
)
from litmus_nb.evidence.readers.combine import combined
from litmus_nb.evidence.readers.declared import open_source
from litmus_nb.evidence.sources import reader_named
from litmus_nb.evidence.tally import tally_of
from litmus_nb.evidence.trials_files import DECLARATION, file_digest, run_digest, trials_names
from litmus_nb.files import MOST_CONTRACT_BYTES, is_there, read_bytes

__all__ = ["read_loosely"]

_MOST_TRIALS = 10**6
"""A trial index beyond this is a mistake in the log, not a number of trials."""


def read_loosely(source: str, beside: Path = Path(), *, declarations: Path | None = None) -> LooseRun:
    """The run that `source` names, its path taken relative to `beside`.

    Args:
        source: a run folder, or READER:PATH.
        beside: what a relative path is relative to.
        declarations: for a log that has none beside it.

    Raises:
        UnreadableInput: the trials, or the declarations that say how to read them, cannot be read.
        UsageError: there is no such reader.
    """
    name, path = split_source(source)
    if name == FOLDER:
        return _folder(source, beside / path)
    return _logged(source, beside / path, name, declarations)


def _folder(source: str, folder: Path) -> LooseRun:
    if not is_there(folder):
        raise UnreadableInput([Fault(str(folder), "", "a run folder, or READER:PATH for a log", "nothing there")])
    if folder.is_file():
        raise UnreadableInput([Fault(str(folder), "", "a run folder; for a log, READER:PATH", "a file")])
    declared, faults, declared_digest = _declared_in(folder / DECLARATION)
    names = trials_names(folder)
    if not names:
        raise UnreadableInput(
            [Fault(str(folder), "", "trials", "none: the run is only planned, or they were left out")]
        )
    parts = [quick_rows_of(read_bytes(folder / name), file=str(folder / name)) for name in names]
    rows = pl.concat(parts, how="diagonal")
    digest = None
    if declared_digest is not None:
        digest = run_digest({DECLARATION: declared_digest} | {name: file_digest(folder / name) for name in names})
    return _loose(source, declared, faults, rows, digest, None, None)


def _declared_in(path: Path) -> tuple[dict[str, Any], tuple[Fault, ...], str | None]:
    """What run.json says, the faults that it has, and its digest; nothing where it cannot be read at all."""
    try:
        content = read_bytes(path, limit=MOST_CONTRACT_BYTES)
        declared = parse_json(content, file=str(path))
    except UnreadableInput as unreadable:
        return {}, unreadable.faults, None
    if not isinstance(declared, dict):
        return {}, (Fault(str(path), "", "an object", shown(declared)),), None
    return declared, _faults_of(declared, str(path)), digest_of_bytes(content)


def _logged(source: str, path: Path, name: str, declarations: Path | None) -> LooseRun:
    opened = open_source(path, reader_named(name), shared=declarations)
    reader = reader_named(name)
    reading = combined([(entry, reader.read(log, opened.outcome)) for entry, log in opened.logs])
    if faults := [*reading.faults, *faults_of_trials(opened, reading)]:
        raise UnreadableInput(faults)
    open_faults: list[Fault] = []
    declared = declared_with_canary(opened, reader, open_faults)
    merged = merged_declaration(opened, declared, reading, open_faults)
    known = {"schema": RUN_SCHEMA} | declared if merged is None else merged
    rows = rows_of_reading(opened, reading, known)
    excerpts = pl.Series("excerpt", [trial.excerpt for trial in reading.trials], dtype=pl.String)
    return _loose(
        source,
        known,
        (*open_faults, *_faults_of(known, str(opened.path))),
        rows,
        opened.digest,
        opened.file.canary is not None,
        excerpts,
    )


def _faults_of(declared: dict[str, Any], file: str) -> tuple[Fault, ...]:
    try:
        RunFile.read(declared, file=file)
    except UnreadableInput as unreadable:
        return unreadable.faults
    return ()


def _loose(
    source: str,
    declared: dict[str, Any],
    faults: tuple[Fault, ...],
    rows: pl.DataFrame,
    digest: str | None,
    is_polarity_checked: bool | None,
    excerpts: pl.Series | None,
) -> LooseRun:
    count = declared.get("trials_per_scenario")
    is_declared = isinstance(count, int) and not isinstance(count, bool) and count >= 1
    seen = int(rows["trial"].max() or 0) + 1 if len(rows) else 1  # type: ignore[arg-type]  # integers, as rows_of says
    trials = int(count) if is_declared and count is not None else min(max(seen, 1), _MOST_TRIALS)
    columns = ["scenario_id", "scenario_class", "trial", "status", "label", "reason"]
    if "reason" not in rows.columns:
        rows = rows.with_columns(reason=pl.lit(None, dtype=pl.String))
    nothing = pl.Series("excerpt", [None] * len(rows), dtype=pl.String)
    return LooseRun(
        source=source,
        declared=declared,
        open_declarations=faults,
        trials_per_scenario=trials,
        is_trial_count_declared=is_declared,
        tally=tally_of(rows, trials),
        trials=rows.select(columns).with_columns(nothing if excerpts is None else excerpts),
        digest=digest,
        is_polarity_checked=is_polarity_checked,
    )
