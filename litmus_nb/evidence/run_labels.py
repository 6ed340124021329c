"""The labels that a run's judge gave its trials and its anchors, as a label table."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from litmus_nb.contracts.labels import LabelTable
from litmus_nb.contracts.run import RunFile
from litmus_nb.errors import Fault, UnreadableInput
from litmus_nb.evidence.declaration import FOLDER, declaration_of, split_source
from litmus_nb.evidence.labels import joined_tables, label_table, read_labels
from litmus_nb.evidence.plain_csv import quick_rows_of
from litmus_nb.evidence.readers.assemble import import_run
from litmus_nb.evidence.sources import reader_named
from litmus_nb.evidence.trials_files import ANCHOR_FILES, DECLARATION, trials_names
from litmus_nb.files import is_there, read_bytes

__all__ = ["labels_of_run", "read_label_source"]

_JUDGED = ("scored", "unparsed")
"""Trials that the judge saw: others ended before anybody could label them."""


def read_label_source(source: str, beside: Path = Path()) -> LabelTable:
    """The labels that a source holds: a label table's file, a run folder, or READER:PATH.

    Raises:
        UnreadableInput: with the faults of whatever cannot be read.
        UsageError: there is no such reader.
    """
    name, path = split_source(source)
    if name == FOLDER and path.endswith((".parquet", ".csv", ".jsonl")):
        return read_labels(beside / path)
    return labels_of_run(source, beside)


def labels_of_run(source: str, beside: Path = Path()) -> LabelTable:
    """The labels of a run: one item a trial, `POLICY/SCENARIO#TRIAL`, and its anchors where it has any.

    Two runs of one policy over the same trials, labelled by two judges, share their items. A trial that ended before
    the judge saw it (an error, a timeout) has no label; one that the judge could not make sense of has an unknown one.

    Raises:
        UnreadableInput: with the faults of whatever cannot be read.
        UsageError: there is no such reader.
    """
    name, path = split_source(source)
    declaration, rows = _folder(beside / path) if name == FOLDER else _logged(beside / path, name)
    tables = [_of_trials(declaration, rows)]
    if name == FOLDER:
        anchors = [beside / path / file for file in ANCHOR_FILES if is_there(beside / path / file)]
        tables += [_of_this_run(read_labels(file), declaration) for file in anchors]
    return joined_tables(tables, file=source)


def _folder(folder: Path) -> tuple[RunFile, pl.DataFrame]:
    path = folder / DECLARATION
    declaration = declaration_of(read_bytes(path), file=str(path))
    names = trials_names(folder)
    if not names:
        raise UnreadableInput(
            [Fault(str(folder), "", "trials", "none: the run is only planned, or they were left out")]
        )
    parts = [quick_rows_of(read_bytes(folder / name), file=str(folder / name)) for name in names]
    return declaration, pl.concat(parts, how="diagonal")


def _logged(path: Path, name: str) -> tuple[RunFile, pl.DataFrame]:
    imported = import_run(path, name, reader_named(name))
    if imported.declaration is None or imported.rows is None:
        raise UnreadableInput([*imported.declaration_faults, *imported.trials_faults])
    return imported.declaration, imported.rows


def _of_trials(run: RunFile, rows: pl.DataFrame) -> LabelTable:
    policy = run.policy.name
    digest = pl.lit(run.judge.resolved_digest, dtype=pl.String)
    judged = rows.filter(pl.col("status").is_in(_JUDGED)).unique(subset=["scenario_id", "trial", "label"])
    return label_table(
        judged.select(
            item_id=pl.concat_str(pl.lit(f"{policy}/"), "scenario_id", pl.lit("#"), pl.col("trial").cast(pl.String)),
            scenario_class="scenario_class",
            scenario_id="scenario_id",
            policy=pl.lit(policy),
            rater=pl.lit(run.judge.requested),
            rater_kind=pl.lit("judge"),
            rater_digest="judge_digest" if "judge_digest" in rows.columns else digest,
            label="label",
            run_id=pl.lit(run.run_id),
            at=pl.lit(run.finished_at, dtype=pl.String),
        ),
        file=f"trials of {run.run_id}",
    )


def _of_this_run(anchors: LabelTable, run: RunFile) -> LabelTable:
    """The anchors' labels with the run's id and time where they name none."""
    return LabelTable(
        anchors.frame.with_columns(
            run_id=pl.coalesce("run_id", pl.lit(run.run_id)),
            at=pl.coalesce("at", pl.lit(run.finished_at, dtype=pl.String)),
        )
    )
