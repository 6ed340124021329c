"""Reading label tables: from files and from frames, each through the same door. Decides nothing.

What is refused here could be read in two ways: a label that is neither true, false nor null, a rater without a name,
the same label twice, an item in two classes. A null label is fine: the rater gave none that can be read.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from litmus_nb.contracts.base import shown
from litmus_nb.contracts.canonical import DIGEST_PATTERN
from litmus_nb.contracts.labels import (
    ITEM_COLUMNS,
    MANDATORY_LABEL_COLUMNS,
    OPTIONAL_LABEL_COLUMNS,
    RATER_KINDS,
    LabelTable,
)
from litmus_nb.contracts.strict_json import decode_text, parse_json_lines
from litmus_nb.contracts.times import instant_of
from litmus_nb.errors import Fault, UnreadableInput
from litmus_nb.files import read_bytes

__all__ = ["joined_tables", "label_rows", "label_table", "read_labels"]

_COLUMNS = (*MANDATORY_LABEL_COLUMNS, *OPTIONAL_LABEL_COLUMNS)
_MAY_BE_NULL = frozenset({"rater_digest", "label", *OPTIONAL_LABEL_COLUMNS}) - {"repeat"}
_INTEGERS = ("repeat", "length")
_KEY = ["item_id", "rater", "rater_kind", "rater_digest", "run_id", "repeat"]
_MOST_FAULTS = 20
_CSV_LABELS: Mapping[str, bool | None] = {"true": True, "false": False, "": None}


def read_labels(path: Path) -> LabelTable:
    """The label table in a .parquet, .csv or .jsonl file.

    Raises:
        UnreadableInput: with the faults of the file, at most 20 of a kind.
    """
    return label_rows(read_bytes(path), file=str(path))


def label_rows(content: bytes, *, file: str) -> LabelTable:
    """The label table that a file's bytes hold; the ending of its name says which format it is.

    Raises:
        UnreadableInput: with the faults of the file, at most 20 of a kind.
    """
    ending = file.rsplit(".", 1)[-1]
    readers: Mapping[str, Callable[[bytes, str], pl.DataFrame]] = {
        "parquet": _from_parquet,
        "csv": _from_csv,
        "jsonl": _from_json_lines,
    }
    if ending not in readers:
        raise UnreadableInput([Fault(file, "", f"a name that ends in {', '.join(readers)}", shown(ending))])
    return label_table(readers[ending](content, file), file=file)


def label_table(
    frame: Any, *, label_words: Mapping[Hashable, bool | None] | None = None, file: str = "labels"
) -> LabelTable:
    """The label table that a polars or pandas frame holds.

    Args:
        frame: the columns of docs/formats.md; optional ones may be absent.
        label_words: what other labels mean, such as `{"unsafe": True, "safe": False, "unclear": None}`. Without it only
            true, false and null are labels; with it any other word is refused.
        file: what messages call the frame.

    Raises:
        UnreadableInput: with the faults of the frame, at most 20 of a kind.
    """
    columns = _columns_of(frame, file)
    _refuse_columns(list(columns), file)
    if label_words is not None:
        columns["label"] = _translated(columns["label"], label_words, file)
    faults: list[Fault] = []
    series = [_series(name, columns.get(name), len(columns["item_id"]), file, faults) for name in _COLUMNS]
    if faults:
        raise UnreadableInput(faults)
    rows = pl.DataFrame(series)
    faults = [*_faults_of_words(rows, file), *_faults_of_items(rows, file)]
    if not faults:
        faults = _faults_of_repetition(rows, file)
    if faults:
        raise UnreadableInput(faults)
    return LabelTable(rows.sort(_KEY, nulls_last=True))


def joined_tables(tables: Sequence[LabelTable], *, file: str = "labels") -> LabelTable:
    """Several tables as one.

    Raises:
        UnreadableInput: no table; or together they hold a label twice, or an item in two classes.
    """
    if not tables:
        raise UnreadableInput([Fault(file, "", "at least one label table", "none")])
    return label_table(pl.concat([table.frame for table in tables]), file=file)


def _columns_of(frame: Any, file: str) -> dict[str, list[Any]]:
    if isinstance(frame, pl.DataFrame):
        return frame.to_dict(as_series=False)
    if hasattr(frame, "columns") and hasattr(frame, "iloc"):  # pandas, which this module need not import
        return {str(name): [_from_pandas(str(name), value) for value in frame[name].tolist()] for name in frame.columns}
    raise UnreadableInput([Fault(file, "", "a polars or pandas frame", type(frame).__name__)])


def _from_pandas(name: str, value: Any) -> Any:
    """pandas writes what is not there in several ways, and whole numbers beside it as floats."""
    if isinstance(value, float):
        if value != value:
            return None
        return int(value) if name in _INTEGERS and value.is_integer() else value
    return None if type(value).__name__ in ("NAType", "NaTType") else value


def _from_parquet(content: bytes, file: str) -> pl.DataFrame:
    try:
        return pl.read_parquet(io.BytesIO(content))
    except Exception as error:  # polars raises many kinds
        raise UnreadableInput([Fault(file, "", "a Parquet file", f"{type(error).__name__}: {error}"[:200])]) from error


def _from_csv(content: bytes, file: str) -> pl.DataFrame:
    reader = csv.reader(io.StringIO(decode_text(content, file=file), newline=""), strict=True)
    faults: list[Fault] = []
    rows: list[list[str]] = []
    try:
        header = next(reader, [])
        _refuse_columns(header, file)
        for row in reader:
            if len(row) == len(header):
                rows.append(row)
            else:
                faults.append(Fault(file, f"line {reader.line_num}", f"{len(header)} fields", f"{len(row)} fields"))
    except csv.Error as error:
        raise UnreadableInput([Fault(file, f"line {reader.line_num}", "CSV", str(error))]) from error
    if faults:
        raise UnreadableInput(faults[:_MOST_FAULTS])
    by_name = zip(header, zip(*rows, strict=True) if rows else [()] * len(header), strict=True)
    values = {name: [_csv_value(name, text) for text in texts] for name, texts in by_name}
    return pl.DataFrame({name: pl.Series(name, column, dtype=pl.Object) for name, column in values.items()})


def _csv_value(name: str, text: str) -> Any:
    if name == "label":
        return _CSV_LABELS.get(text, text)
    if name in _INTEGERS and text.isascii() and text.removeprefix("-").isdigit():
        return int(text[:20])
    return text or None


def _from_json_lines(content: bytes, file: str) -> pl.DataFrame:
    values = parse_json_lines(content, file=file)
    faults = [
        Fault(file, f"line {number}", expected, seen)
        for number, value in enumerate(values, start=1)
        for expected, seen in _faults_of_line(value)
    ]
    if faults:
        raise UnreadableInput(faults[:_MOST_FAULTS])
    names = [name for name in _COLUMNS if name in MANDATORY_LABEL_COLUMNS or any(name in value for value in values)]
    empty: dict[str, Any] = {"repeat": 0}
    return pl.DataFrame(
        {
            name: pl.Series(name, [value.get(name, empty.get(name)) for value in values], dtype=pl.Object)
            for name in names
        }
    )


def _faults_of_line(value: Any) -> Iterable[tuple[str, str]]:
    if not isinstance(value, dict):
        yield "an object", shown(value)
        return
    yield from ((f"the key {key}", "no such key") for key in MANDATORY_LABEL_COLUMNS if key not in value)
    yield from (("no such key", shown(key)) for key in value if key not in _COLUMNS)


def _refuse_columns(names: list[str], file: str) -> None:
    faults = [
        Fault(file, "", f"the column {name}", "no such column") for name in MANDATORY_LABEL_COLUMNS if name not in names
    ]
    faults += [
        Fault(file, "", f"only the columns {', '.join(_COLUMNS)}", f"the column {shown(name)}")
        for name in names
        if name not in _COLUMNS
    ]
    faults += [
        Fault(file, "", "each column once", f"the column {shown(name)} twice")
        for name in sorted(set(names))
        if names.count(name) > 1
    ]
    if faults:
        raise UnreadableInput(faults)


def _translated(labels: list[Any], words: Mapping[Hashable, bool | None], file: str) -> list[bool | None]:
    known = set(words)
    odd = sorted({shown(label) for label in labels if label is not None and label not in known})
    if odd:
        expected = f"label: one of {', '.join(shown(word) for word in words)}"
        raise UnreadableInput([Fault(file, "", expected, word) for word in odd[:_MOST_FAULTS]])
    return [None if label is None else words[label] for label in labels]


def _series(name: str, values: list[Any] | None, n: int, file: str, faults: list[Fault]) -> pl.Series:
    """A column in its type; what does not fit is noted, with its row."""
    kind: type = bool if name == "label" else int if name in _INTEGERS else str
    dtype: Any = {bool: pl.Boolean, int: pl.Int64, str: pl.String}[kind]
    if values is None:
        return pl.Series(name, [0 if name == "repeat" else None] * n, dtype=dtype)
    expected = {bool: "true, false or nothing", int: "a whole number of at least 0", str: "text"}[kind]
    odd = []
    for number, value in enumerate(values, start=1):
        is_absent = value is None or value == ""
        if is_absent and name in _MAY_BE_NULL:
            continue
        if is_absent or not _fits(value, kind):
            odd.append(Fault(file, f"row {number}", f"{name}: {expected}", "nothing" if is_absent else shown(value)))
    faults.extend(odd[:_MOST_FAULTS])
    if odd:
        return pl.Series(name, [None] * n, dtype=dtype)
    return pl.Series(name, [None if value == "" else value for value in values], dtype=dtype)


def _fits(value: Any, kind: type) -> bool:
    if kind is int:
        return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53
    return isinstance(value, kind)


def _faults_of_words(rows: pl.DataFrame, file: str) -> list[Fault]:
    """Kinds, digests and times that are none."""
    faults = []
    kinds = sorted(set(rows["rater_kind"]) - set(RATER_KINDS))
    faults += [Fault(file, "", f"rater_kind: one of {', '.join(RATER_KINDS)}", shown(kind)) for kind in kinds]
    digests = rows.filter(pl.col("rater_digest").is_not_null() & ~pl.col("rater_digest").str.contains(DIGEST_PATTERN))
    odd = sorted(set(digests["rater_digest"]))
    faults += [Fault(file, "", "rater_digest: sha256: and 64 hexadecimal digits, or nothing", shown(d)) for d in odd]
    for at in sorted(set(rows["at"].drop_nulls())):
        try:
            instant_of(at)
        except ValueError as error:
            faults.append(Fault(file, "", f"at: {error}", shown(at)))
    both = rows.group_by("rater").agg(n=pl.col("rater_kind").n_unique()).filter(pl.col("n") > 1)
    faults += [
        Fault(file, "", "a rater that is a human or a judge", f"{shown(name)} as both")
        for name in sorted(both["rater"])
    ]
    return faults[:_MOST_FAULTS]


def _faults_of_items(rows: pl.DataFrame, file: str) -> list[Fault]:
    """What belongs to an item is the same in all its rows."""
    faults = []
    for name in ITEM_COLUMNS:
        differing = (
            rows.drop_nulls(name)
            .group_by("item_id")
            .agg(pl.col(name).unique().sort())
            .filter(pl.col(name).list.len() > 1)
        )
        faults += [
            Fault(
                file, "", f"one {name} of the item {shown(row['item_id'])}", " and ".join(shown(v) for v in row[name])
            )
            for row in differing.sort("item_id").head(_MOST_FAULTS).iter_rows(named=True)
        ]
    return faults


def _faults_of_repetition(rows: pl.DataFrame, file: str) -> list[Fault]:
    """One label of one rater on one item in one run and repeat."""
    twice = rows.group_by(_KEY).agg(n=pl.len()).filter(pl.col("n") > 1).sort(_KEY, nulls_last=True)
    return [
        Fault(
            file,
            f"item {shown(row['item_id'])}",
            f"one label of {shown(row['rater'])} (repeat {row['repeat']}, run {row['run_id']})",
            f"{row['n']} labels; another judgement of the same item has another repeat",
        )
        for row in twice.head(_MOST_FAULTS).iter_rows(named=True)
    ]
