"""Trials files as rows of one form, whatever they were written as.

The form: scenario_id, scenario_class (text), trial (integer), status (text), label (boolean or null), label_fault
(the text of a label that is neither true, false nor null), reason, and judge_digest and scenario_sha256 where the file
has them. Labels are not judged here, only told apart; anything that is not a row at all is a fault.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from typing import Any

import polars as pl

from litmus_nb.contracts.base import shown
from litmus_nb.contracts.strict_json import decode_text, parse_json_lines
from litmus_nb.contracts.tally import MANDATORY_COLUMNS, OPTIONAL_COLUMNS, STATUSES
from litmus_nb.errors import Fault, UnreadableInput

__all__ = [
    "LABEL_LENGTH",
    "MOST_ROWS",
    "checked_rows",
    "csv_columns",
    "not_parquet",
    "nothing",
    "rows_of",
    "rows_of_parquet_frame",
]

MOST_ROWS = 100_000_000
"""The longest trials file that is read."""

_MOST_FAULTS = 20
LABEL_LENGTH = 80
"""So many characters of a label that is none are told."""

_INTEGER = re.compile(r"-?(0|[1-9][0-9]*)", re.ASCII)
_MOST_DIGITS = 18  # of an integer that surely fits 64 bits
_BEYOND = 2**63 - 1  # stands for every index that does not fit: out of range, whatever it is exactly


def rows_of(content: bytes, *, file: str) -> pl.DataFrame:
    """The rows of a trials file, in the form that this module's docstring gives.

    Args:
        content: the file's bytes.
        file: its name; the ending says which format it is.

    Raises:
        UnreadableInput: the bytes are no such format; a mandatory column is absent, from the file or from a row; a
            column is unknown; a value other than the label has the wrong type; a status is no known word.
    """
    if file.endswith(".parquet"):
        return _from_parquet(content, file)
    if file.endswith(".csv"):
        return _from_csv(content, file)
    return _from_json_lines(content, file)


def _from_parquet(content: bytes, file: str) -> pl.DataFrame:
    try:
        _refuse_length(pl.scan_parquet(io.BytesIO(content)).select(pl.len()).collect().item(), file)
        return rows_of_parquet_frame(pl.read_parquet(io.BytesIO(content)), file=file)
    except UnreadableInput:
        raise
    # polars raises many kinds, and its panics are no Exceptions
    except (Exception, pl.exceptions.PanicException) as error:
        raise not_parquet(file, error) from error


def not_parquet(file: str, error: BaseException) -> UnreadableInput:
    """What polars raised over a file, as a refusal of it in a line."""
    return UnreadableInput([Fault(file, "", "a Parquet file", f"{type(error).__name__}: {error}"[:200])])


def rows_of_parquet_frame(frame: pl.DataFrame, *, file: str) -> pl.DataFrame:
    """The rows of a frame that a Parquet file, or a part of one, was read as.

    Raises:
        UnreadableInput: as `rows_of`.
    """
    return checked_rows(pl.DataFrame(_columns_of(frame, file)), file)


def _refuse_length(rows: int, file: str) -> None:
    """The footer says how many rows there are: a few bytes may stand for more than the memory holds."""
    if rows > MOST_ROWS:
        raise UnreadableInput([Fault(file, "", f"at most {MOST_ROWS} rows", f"{rows} rows")])


def _columns_of(frame: pl.DataFrame, file: str) -> list[pl.Series]:
    _refuse_columns(frame.columns, file)
    faults: list[Fault] = []
    columns: list[pl.Series] = []
    for name in frame.columns:
        series = frame[name]
        if name == "attack_success":
            columns.extend(_label_columns(series))
        elif name == "trial" and series.dtype.is_integer():
            columns.append(_indexes(series))
        elif name != "trial" and series.dtype in (pl.String, pl.Categorical, pl.Enum, pl.Null):
            columns.append(series.cast(pl.String))
        else:
            faults.append(Fault(file, name, "integers" if name == "trial" else "text", str(series.dtype)))
    if faults:
        raise UnreadableInput(faults)
    return columns


def _indexes(series: pl.Series) -> pl.Series:
    """Trial indexes as 64-bit integers; what does not fit is out of range whatever it is exactly."""
    indexes = series.cast(pl.Int64, strict=False)
    return indexes.set(indexes.is_null() & series.is_not_null(), _BEYOND)


def _label_columns(series: pl.Series) -> list[pl.Series]:
    if series.dtype == pl.Boolean:
        return [series.alias("label"), nothing("label_fault", pl.String, series)]
    texts = [None if value is None else str(value)[:LABEL_LENGTH] for value in series]
    return [nothing("label", pl.Boolean, series), pl.Series("label_fault", texts, dtype=pl.String)]


def nothing(name: str, dtype: type[pl.DataType], beside: pl.Series) -> pl.Series:
    """Nulls beside another column, in pieces as long as its own: polars copies frames with columns cut elsewhere."""
    null = pl.Series(name, [None], dtype=dtype)
    return pl.concat([null.new_from_index(0, length) for length in beside.chunk_lengths()])


def _from_csv(content: bytes, file: str) -> pl.DataFrame:
    text = decode_text(content, file=file)
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    faults: list[Fault] = []
    rows: list[list[str]] = []
    try:
        header = next(reader, [])
        _refuse_columns(header, file)
        for row in reader:
            if len(row) == len(header):
                rows.append(row)
            elif len(faults) < _MOST_FAULTS:
                faults.append(Fault(file, f"line {reader.line_num}", f"{len(header)} fields", f"{len(row)} fields"))
    except csv.Error as error:
        raise UnreadableInput([Fault(file, f"line {reader.line_num}", "CSV", str(error))]) from error
    if faults:
        raise UnreadableInput(faults)
    columns: list[pl.Series] = []
    by_name = dict(zip(header, zip(*rows, strict=True), strict=True)) if rows else dict.fromkeys(header, ())
    for name, values in by_name.items():
        present = [value or None for value in values]
        if name == "attack_success":
            columns.append(pl.Series("label", [_CSV_LABELS.get(value) for value in values], dtype=pl.Boolean))
            oddities = [None if value in _CSV_LABELS else value[:LABEL_LENGTH] for value in values]
            columns.append(pl.Series("label_fault", oddities, dtype=pl.String))
        elif name == "trial":
            columns.append(_integers(present, file))
        else:
            columns.append(pl.Series(name, present, dtype=pl.String))
    return checked_rows(pl.DataFrame(columns), file)


_CSV_LABELS = {"true": True, "false": False, "": None}


def csv_columns(header: bytes, *, file: str) -> list[str]:
    """The column names of a CSV file's first line.

    Raises:
        UnreadableInput: it is no CSV, or lacks, repeats or adds a column.
    """
    try:
        names = next(csv.reader(io.StringIO(decode_text(header, file=file), newline=""), strict=True), [])
    except csv.Error as error:
        raise UnreadableInput([Fault(file, "line 1", "CSV", str(error))]) from error
    _refuse_columns(names, file)
    return names


def _integers(values: list[str | None], file: str) -> pl.Series:
    faults = [
        Fault(file, f"row {number}", "trial: an integer", shown(value))
        for number, value in enumerate(values, start=1)
        if value is None or not _INTEGER.fullmatch(value)
    ]
    if faults:
        raise UnreadableInput(faults[:_MOST_FAULTS])
    return pl.Series("trial", [_clipped(value) for value in values if value is not None], dtype=pl.Int64)


def _clipped(digits: str) -> int:
    return int(digits) if len(digits) <= _MOST_DIGITS else _BEYOND


def _from_json_lines(content: bytes, file: str) -> pl.DataFrame:
    values = parse_json_lines(content, file=file)
    faults = [
        Fault(file, f"line {number}", expected, seen)
        for number, value in enumerate(values, start=1)
        for expected, seen in _faults_of_row(value)
    ]
    if faults:
        raise UnreadableInput(faults[:_MOST_FAULTS])
    columns = [
        pl.Series("scenario_id", [row["scenario_id"] for row in values], dtype=pl.String),
        pl.Series("scenario_class", [row["scenario_class"] for row in values], dtype=pl.String),
        pl.Series("trial", [row["trial"] for row in values], dtype=pl.Int64),
        pl.Series("status", [row["status"] for row in values], dtype=pl.String),
    ]
    labels = [row["attack_success"] for row in values]
    columns.append(pl.Series("label", [x if isinstance(x, bool) else None for x in labels], dtype=pl.Boolean))
    oddities = [None if x is None or isinstance(x, bool) else shown(x)[:LABEL_LENGTH] for x in labels]
    columns.append(pl.Series("label_fault", oddities, dtype=pl.String))
    columns.extend(
        pl.Series(name, [row.get(name) for row in values], dtype=pl.String)
        for name in OPTIONAL_COLUMNS
        if any(name in row for row in values)
    )
    return checked_rows(pl.DataFrame(columns), file)


def _faults_of_row(value: Any) -> Iterable[tuple[str, str]]:
    if not isinstance(value, dict):
        yield "an object", shown(value)
        return
    for key in MANDATORY_COLUMNS:
        if key not in value:
            yield f"the key {key}", "no such key"
    for key, item in value.items():
        if key in ("scenario_id", "scenario_class", "status") and not isinstance(item, str):
            yield f"{key}: text", shown(item)
        elif key == "trial" and (not isinstance(item, int) or isinstance(item, bool)):
            yield "trial: an integer", shown(item)
        elif key in OPTIONAL_COLUMNS and not (item is None or isinstance(item, str)):
            yield f"{key}: text or null", shown(item)
        elif key not in MANDATORY_COLUMNS and key not in OPTIONAL_COLUMNS:
            yield "no such key", shown(key)


def _refuse_columns(names: list[str], file: str) -> None:
    faults = [
        Fault(file, "", f"the column {name}", "no such column") for name in MANDATORY_COLUMNS if name not in names
    ]
    known = (*MANDATORY_COLUMNS, *OPTIONAL_COLUMNS)
    faults.extend(Fault(file, "", "known columns only", f"the column {shown(n)}") for n in names if n not in known)
    faults.extend(
        Fault(file, "", "each column once", f"the column {shown(name)} twice")
        for name in sorted(set(names))
        if names.count(name) > 1
    )
    if faults:
        raise UnreadableInput(faults)


def checked_rows(frame: pl.DataFrame, file: str) -> pl.DataFrame:
    """The frame with a reason column, once nothing mandatory is null and every status is a known word.

    Raises:
        UnreadableInput: with a fault for every such column and for the first unknown words.
    """
    faults = [
        Fault(file, name, "a value in every row", f"{nulls} rows without one")
        for name in ("scenario_id", "scenario_class", "trial", "status")
        if (nulls := frame[name].null_count())
    ]
    is_scored = frame["status"] == "scored"
    if not is_scored.all():  # one comparison before the list of all words: nearly every trial is scored
        seldom = frame["status"].filter(~is_scored)
        odd = seldom.filter(~seldom.is_in(STATUSES)).unique().sort()
        faults.extend(
            Fault(file, "status", f"one of {', '.join(STATUSES)}", shown(word)) for word in odd[:_MOST_FAULTS]
        )
    if faults:
        raise UnreadableInput(faults)
    return frame if "reason" in frame.columns else frame.hstack([nothing("reason", pl.String, frame["status"])])
