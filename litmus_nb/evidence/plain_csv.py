"""CSV that no two readers read differently, read fast: everything else is left to the reader of the standard library.

No quotation mark, no carriage return but before a newline, as many commas as complete lines have, and the bytes of the
fields add up to those of the text: then every field is what stands between two separators, and every trial is its
digits alone.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from litmus_nb.errors import UnreadableInput
from litmus_nb.evidence.trial_rows import LABEL_LENGTH, checked_rows, csv_columns, nothing, rows_of

__all__ = ["plain_columns", "plain_csv_rows", "quick_rows_of"]

_MOST_DIGITS = 18
"""Of a trial that is read here."""


def quick_rows_of(content: bytes, *, file: str) -> pl.DataFrame:
    """What `litmus_nb.evidence.trial_rows.rows_of` says of a trials file, sooner where it is a plain CSV.

    Raises:
        UnreadableInput: as `rows_of`.
    """
    if file.endswith(".csv"):
        end = content.find(b"\n") + 1
        columns = plain_columns(content[:end], file=file)
        rows = None if columns is None else plain_csv_rows(content[end:], columns, file=file)
        if rows is not None:
            return rows
    return rows_of(content, file=file)


def plain_columns(header: bytes, *, file: str) -> list[str] | None:
    """The column names of a whole first line; None where it is not plain, or not the header of a trials file."""
    if not header.endswith(b"\n") or b'"' in header or b"\r" in header.removesuffix(b"\r\n"):
        return None
    try:
        return csv_columns(header, file=file)
    except UnreadableInput:
        return None  # to be refused by the reader that sees the whole file


def plain_csv_rows(lines: bytes, columns: list[str], *, file: str) -> pl.DataFrame | None:
    """The rows of whole lines, in the form of `litmus_nb.evidence.trial_rows`; None where they are not plain.

    Args:
        lines: the lines below the header; the last one may lack its newline.
        columns: the header's names.
        file: what messages call the file.

    Raises:
        UnreadableInput: a value is absent where none may be, or a status is no known word.
    """
    if b'"' in lines:
        return None
    if b"\r" in lines:
        if lines.count(b"\r") != lines.count(b"\r\n"):
            return None
        lines = lines.replace(b"\r\n", b"\n")
    schema = dict.fromkeys(columns, pl.String) | {"trial": pl.Int64}
    try:
        fields = pl.read_csv(lines, has_header=False, schema=schema, quote_char=None)
    except pl.exceptions.PolarsError:
        return None
    # polars refuses lines that are too long, so that with as many commas as all need none is too short either.
    commas = len(fields) * (len(columns) - 1)
    if _commas_of(lines) != commas:
        return None
    newlines = len(fields) - (not lines.endswith(b"\n"))
    if _bytes_of(fields) != len(lines) - commas - newlines:
        return None
    columns_of_rows = [
        series for field in fields for series in (_labels(field) if field.name == "attack_success" else [field])
    ]
    return checked_rows(pl.DataFrame(columns_of_rows), file=file)


def _bytes_of(fields: pl.DataFrame) -> int | None:
    """How many bytes the fields have as text, each trial as its digits; None where one is absent or has too many.

    Whatever else polars reads as an integer, with a sign, zeros or white space before it, is longer than its digits;
    and what it passes over, a blank line or a byte order mark, is in no field at all.
    """
    if not (fields["trial"] < 10**_MOST_DIGITS).all(ignore_nulls=False):
        return None
    trials = fields["trial"].to_numpy()
    digits, power = len(trials), 10
    while more := np.count_nonzero(trials >= power):
        digits, power = digits + int(more), power * 10
    return digits + int(sum(fields.select(pl.col(pl.String).str.len_bytes().sum()).row(0)))


def _labels(field: pl.Series) -> list[pl.Series]:
    is_true = field == "true"
    is_known = is_true | (field == "false")
    label = is_true.zip_with(is_known, pl.Series([None], dtype=pl.Boolean)).alias("label")
    if is_known.all():
        return [label, nothing("label_fault", pl.String, field)]
    oddities = field.to_frame().select(label_fault=pl.when(~is_known).then(pl.first().str.slice(0, LABEL_LENGTH)))
    return [label, oddities.to_series()]


def _commas_of(lines: bytes) -> int:
    """How many commas there are: where they are as many as in CSV, some times faster than `bytes.count`."""
    return int(np.count_nonzero(np.frombuffer(lines, dtype=np.uint8) == ord(",")))
