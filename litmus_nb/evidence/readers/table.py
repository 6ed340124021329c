"""Tables of outcomes: CSV, Parquet or JSON Lines; a row a trial (long), or a row a scenario (wide).

A cell is what the file says: text in CSV (the empty cell is null), typed in Parquet and JSON Lines. So the menus of a
CSV list texts: `equals: ["1"]`.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Any

import polars as pl
from pydantic import Field, model_validator

from litmus_nb.contracts.base import Name, shown
from litmus_nb.contracts.source import Outcome
from litmus_nb.contracts.strict_json import decode_text, parse_json_lines
from litmus_nb.contracts.tally import STATUSES
from litmus_nb.errors import Fault, UnreadableInput
from litmus_nb.evidence.readers.reading import (
    Log,
    LogFile,
    LoggedTrial,
    LogReader,
    LogReading,
    excerpt_of,
)

__all__ = ["READER", "TableOutcome"]

MOST_ROWS = 5_000_000
"""A Parquet file of a few hundred kilobytes can claim a hundred million rows; its footer is asked first."""

MOST_BYTES_A_CELL = 64 * 1024

_MOST_FAULTS = 20


class TableOutcome(Outcome):
    """Which columns say what."""

    scenario: Name | list[Name] = Field(description="The column of the scenario's id, or several, joined by a slash.")
    label: Name | list[Name] = Field(
        description="Long: the column that the menus are asked about. Wide: such a column per trial, in order."
    )
    trial: Name | None = Field(default=None, description="Long: the column of the trial's index. Null: one trial each.")
    first_index: int = Field(default=0, description="What the table's trial column counts from.")
    status: Name | None = Field(default=None, description="Long: the column of the status. Null: a label is scored.")
    statuses: dict[Name, Name] | None = Field(default=None, description="The table's words for status to ours.")
    reason: Name | None = Field(default=None, description="The column of the reason why a trial has no label.")
    judge: Name | None = Field(default=None, description="The column of the name that the judge answered under.")
    excerpt: Name | None = Field(default=None, description="The column of what the policy answered; for people.")
    rows: dict[Name, Any] = Field(default={}, description="Only the rows whose columns have these values.")

    @model_validator(mode="after")
    def _is_long_or_wide(self) -> TableOutcome:
        if isinstance(self.label, list) and (self.trial or self.status or not self.label):
            raise ValueError("a wide table has a label column per trial, and no trial or status column")
        if odd := sorted(set((self.statuses or {}).values()) - set(STATUSES)):
            raise ValueError(f"statuses maps to {', '.join(STATUSES)}, not {odd[0]!r}")
        return self

    @property
    def columns(self) -> list[str]:
        """All columns that must be there."""
        of_id = self.scenario if isinstance(self.scenario, list) else [self.scenario]
        of_label = self.label if isinstance(self.label, list) else [self.label]
        others = [name for name in (self.trial, self.status, self.reason, self.judge, self.excerpt) if name]
        return [*of_id, *of_label, *others, *self.rows]


def read_table(log: Log, outcome: TableOutcome) -> LogReading:
    """The trials of a table.

    Raises:
        UnreadableInput: no such format, a column that is absent or there twice, a cell of another type than its column.
    """
    file = log.files[0]
    kind, columns, rows = _table_of(file)
    faults = [
        Fault(file.name, "", f"the column {shown(name)}", f"the columns {shown(columns)}")
        for name in dict.fromkeys(outcome.columns)
        if name not in columns
    ]
    faults.extend(
        Fault(file.name, "", "each column once", f"{shown(name)} twice")
        for name in sorted(set(columns))
        if columns.count(name) > 1
    )
    if faults:
        raise UnreadableInput(faults)
    trials: list[LoggedTrial] = []
    n_other = 0
    for where, row in rows:
        if any(not _equal(row[name], value) for name, value in outcome.rows.items()):
            n_other += 1
            continue
        try:
            trials.extend(_trials_of(row, outcome, file.name, where))
        except UnreadableInput as unreadable:
            faults.extend(unreadable.faults)
            if len(faults) >= _MOST_FAULTS:
                break
    note = (f"{n_other} rows are not about this run (rows: {outcome.rows})",) if n_other else ()
    return LogReading(f"a table ({kind})", {}, trials, tuple(faults), identity="table", notes=note)


def _table_of(file: LogFile) -> tuple[str, list[str], Iterator[tuple[str, dict[str, Any]]]]:
    ending = file.name.rpartition(".")[2].lower()
    if ending == "csv":
        return "CSV", *_csv(file)
    if ending == "parquet":
        return "Parquet", *_parquet(file)
    if ending in ("jsonl", "ndjson"):
        return "JSON Lines", *_json_lines(file)
    raise UnreadableInput([Fault(file.name, "", "a name that ends in .csv, .parquet, .jsonl or .ndjson", f".{ending}")])


def _csv(file: LogFile) -> tuple[list[str], Iterator[tuple[str, dict[str, Any]]]]:
    reader = csv.reader(io.StringIO(decode_text(file.content, file=file.name), newline=""), strict=True)
    rows: list[tuple[str, dict[str, Any]]] = []
    faults: list[Fault] = []
    header: list[str] = []
    try:
        header = next(reader, [])
        for cells in reader:
            if len(cells) == len(header):
                rows.append((f"line {reader.line_num}", {k: v or None for k, v in zip(header, cells, strict=True)}))
            elif len(faults) < _MOST_FAULTS:
                seen = f"{len(cells)} fields"
                faults.append(Fault(file.name, f"line {reader.line_num}", f"{len(header)} fields", seen))
    except csv.Error as error:
        faults.append(Fault(file.name, f"line {reader.line_num}", "CSV", str(error)))
    if faults:
        raise UnreadableInput(faults)
    return header, iter(rows)


def _parquet(file: LogFile) -> tuple[list[str], Iterator[tuple[str, dict[str, Any]]]]:
    try:
        lazy = pl.scan_parquet(io.BytesIO(file.content))
        schema = lazy.collect_schema()
        n_rows = lazy.select(pl.len()).collect().item()
        if n_rows > MOST_ROWS:
            raise UnreadableInput([Fault(file.name, "", f"at most {MOST_ROWS} rows", f"{n_rows} rows")])
        texts = [name for name, kind in schema.items() if kind == pl.String]
        longest = lazy.select(pl.col(texts).str.len_bytes().max()).collect().row(0) if texts and n_rows else ()
        if any(length is not None and length > MOST_BYTES_A_CELL for length in longest):
            expected = f"cells of at most {MOST_BYTES_A_CELL} bytes"
            raise UnreadableInput([Fault(file.name, "", expected, f"{max(x or 0 for x in longest)} bytes")])
        plain = [name for name, kind in schema.items() if kind in (pl.String, pl.Boolean) or kind.is_numeric()]
        frame = lazy.select(plain).collect()
    except UnreadableInput:
        raise
    except BaseException as error:  # polars raises many kinds; its panics are no Exception
        if isinstance(error, (KeyboardInterrupt, SystemExit)):
            raise
        seen = f"{type(error).__name__}: {error}"[:200]
        raise UnreadableInput([Fault(file.name, "", "a Parquet file", seen)]) from error
    return frame.columns, ((f"row {n}", row) for n, row in enumerate(frame.iter_rows(named=True), start=1))


def _json_lines(file: LogFile) -> tuple[list[str], Iterator[tuple[str, dict[str, Any]]]]:
    values = parse_json_lines(file.content, file=file.name)
    faults = [
        Fault(file.name, f"line {number}", "an object", shown(value))
        for number, value in enumerate(values, start=1)
        if not isinstance(value, dict)
    ]
    if faults:
        raise UnreadableInput(faults[:_MOST_FAULTS])
    columns = list(dict.fromkeys(key for value in values for key in value))
    rows = ((f"line {n}", dict.fromkeys(columns) | value) for n, value in enumerate(values, start=1))
    return columns, rows


def _trials_of(row: dict[str, Any], outcome: TableOutcome, file: str, where: str) -> Iterator[LoggedTrial]:
    of_id = outcome.scenario if isinstance(outcome.scenario, list) else [outcome.scenario]
    parts = [row[name] for name in of_id]
    if any(part is None or isinstance(part, (bool, float, list, dict)) for part in parts):
        raise UnreadableInput([Fault(file, where, f"a scenario in {', '.join(of_id)}", shown(parts))])
    scenario = "/".join(str(part) for part in parts)
    fields = {name: str(value) for name, value in row.items() if isinstance(value, (str, int))}
    judge = row[outcome.judge] if outcome.judge else None
    judges = frozenset() if judge is None else frozenset({str(judge)})
    reason = row[outcome.reason] if outcome.reason else None
    excerpt = excerpt_of(row[outcome.excerpt]) if outcome.excerpt else None
    if isinstance(outcome.label, list):
        for trial, name in enumerate(outcome.label):
            status = "scored" if row[name] is not None else "unparsed"
            why = None if status == "scored" else _reason(reason, "no-label")
            yield LoggedTrial(scenario, trial, row[name], status, why, judges, fields=fields, excerpt=excerpt)
        return
    trial = _trial(row[outcome.trial], outcome, file, where) if outcome.trial else 0
    value = row[outcome.label]
    status = _status(row, outcome, file, where)
    if outcome.status is None and value is None:
        status = "unparsed"
    if status != "scored" and value is not None and outcome.label_of(value) is not None:
        raise UnreadableInput([Fault(file, where, f"no label on a trial that is {status}", shown(value))])
    why = None if status == "scored" else _reason(reason, "no-label" if status == "unparsed" else status)
    yield LoggedTrial(scenario, trial, value, status, why, judges, fields=fields, excerpt=excerpt)


def _status(row: dict[str, Any], outcome: TableOutcome, file: str, where: str) -> str:
    if outcome.status is None:
        return "scored"
    word = row[outcome.status]
    known = outcome.statuses if outcome.statuses is not None else {status: status for status in STATUSES}
    if not isinstance(word, str) or word not in known:
        raise UnreadableInput([Fault(file, where, f"a status, one of {', '.join(sorted(known))}", shown(word))])
    return known[word]


def _trial(value: Any, outcome: TableOutcome, file: str, where: str) -> int:
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 15:
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 10**15:
        raise UnreadableInput([Fault(file, where, f"{outcome.trial}: an index of a trial", shown(value))])
    return value - outcome.first_index


def _reason(value: Any, otherwise: str) -> str:
    return value if isinstance(value, str) and value else otherwise


def _equal(value: Any, wanted: Any) -> bool:
    return type(value) is type(wanted) and bool(value == wanted)


READER = LogReader(
    outcome=TableOutcome,
    read=read_table,
    says=(),
    fields="any column",
)
