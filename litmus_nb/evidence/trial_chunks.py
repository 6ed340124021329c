"""Trials files that are too large to hold: read in chunks of rows, hashed as they are read.

A file is gone through once for its counts, and a second time only where something has to be looked at closely. Both
passes must see the same bytes: a text file's digest is of the bytes that were parsed, and a Parquet file may not change
its size or times between being hashed and being read.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

import polars as pl

from litmus_nb.errors import Fault, UnreadableInput
from litmus_nb.evidence.partial_counts import Counting, PartialCounts
from litmus_nb.evidence.plain_csv import plain_columns, plain_csv_rows
from litmus_nb.evidence.trial_rows import not_parquet, rows_of, rows_of_parquet_frame
from litmus_nb.evidence.trials_files import digest_of_stream
from litmus_nb.files import opened

__all__ = ["CHUNK_ROWS", "MOST_WHOLE_BYTES", "MOST_WHOLE_ROWS", "Chunks", "chunks_of", "is_small"]

MOST_WHOLE_BYTES = 8 * 2**20
"""A trials file up to this size is read whole, from one copy of its bytes; above it, blocks take less."""

MOST_WHOLE_ROWS = 4_000_000
"""A Parquet file that promises more rows is read in chunks, however small it is: few bytes may stand for many rows."""

CHUNK_ROWS = 500_000  # a column of integers stays below 4 MiB; from there on NumPy takes huge pages, cold and zeroed
_STREAMED_ROWS = 8_000_000  # counting as a stream takes memory by the rows where each scenario is there again and again
_BLOCK_BYTES = 4 * 2**20
_MOST_LINE_BYTES = 16 * 2**20


@dataclass(frozen=True)
class Chunks:
    """The rows of one or more trials files, a bounded number at a time."""

    each: Callable[[], Iterator[pl.DataFrame]]
    """Begins anew with each call. Raises UnreadableInput where a file does not say what it must, or has changed."""
    counts: Callable[[Counting], Iterator[PartialCounts]]
    """Counts all rows: Parquet without oddities as a stream, all else chunk by chunk. Raises as `each`."""
    digests: dict[str, str]
    """File name to digest; complete once `each` or `counts` has been gone through."""


def chunks_of(folder: Path, names: tuple[str, ...]) -> Chunks:
    """The rows of the named files of a run folder, in the form of `litmus_nb.evidence.trial_rows`."""
    digests: dict[str, str] = {}

    def each() -> Iterator[pl.DataFrame]:
        for name in names:
            read = _of_parquet if name.endswith(".parquet") else _of_text
            yield from read(folder / name, name, digests)

    def counts(counting: Counting) -> Iterator[PartialCounts]:
        for name in names:
            if name.endswith(".parquet"):
                yield from _counts_of_parquet(folder / name, name, digests, counting)
            else:
                yield from map(counting.of_rows, _of_text(folder / name, name, digests))

    return Chunks(each, counts, digests)


def _of_parquet(path: Path, name: str, digests: dict[str, str]) -> Iterator[pl.DataFrame]:
    with _held_still(path, name, digests):
        yield from _rows_of_parquet(pl.scan_parquet(path, glob=False), promised_rows(path), path)


def _counts_of_parquet(path: Path, name: str, digests: dict[str, str], counting: Counting) -> Iterator[PartialCounts]:
    with _held_still(path, name, digests):
        rows = promised_rows(path)
        for start, part in _parts_of_parquet(pl.scan_parquet(path, glob=False), rows, _STREAMED_ROWS):
            counts = counting.of_plain_parquet(part)
            if counts is None:
                yield from map(counting.of_rows, _rows_of_parquet(part, min(rows - start, _STREAMED_ROWS), path))
            else:
                yield counts


def _rows_of_parquet(frame: pl.LazyFrame, rows: int, path: Path) -> Iterator[pl.DataFrame]:
    for _, part in _parts_of_parquet(frame, rows, CHUNK_ROWS):
        yield rows_of_parquet_frame(part.collect(), file=str(path))


def _parts_of_parquet(frame: pl.LazyFrame, rows: int, size: int) -> Iterator[tuple[int, pl.LazyFrame]]:
    """Each part with its first row; one part, without rows, where there are none."""
    for start in range(0, max(rows, 1), size):
        yield start, frame.slice(start, size)


@contextlib.contextmanager
def _held_still(path: Path, name: str, digests: dict[str, str]) -> Iterator[None]:
    """Notes a Parquet file's digest, and refuses what changes or proves to be none while it is read."""
    with opened(path) as stream:
        before = _identity(stream)
        _note_digest(digests, name, digest_of_stream(stream), path)
        try:
            yield
        except (UnreadableInput, GeneratorExit):
            raise
        # polars raises many kinds, and its panics are no Exceptions
        except (Exception, pl.exceptions.PanicException) as error:
            raise not_parquet(str(path), error) from error
        with opened(path) as again:
            if _identity(again) != before:
                raise UnreadableInput([Fault(str(path), "", "a file that does not change while it is read", "it did")])


def _of_text(path: Path, name: str, digests: dict[str, str]) -> Iterator[pl.DataFrame]:
    with opened(path) as stream:
        digest = hashlib.sha256()
        yield from _together(_parts_of_text(stream, digest, path, is_csv=name.endswith(".csv")))
    _note_digest(digests, name, "sha256:" + digest.hexdigest(), path)


def _parts_of_text(stream: BinaryIO, digest: hashlib._Hash, path: Path, *, is_csv: bool) -> Iterator[pl.DataFrame]:
    header = _header(stream, digest, path) if is_csv else b""
    columns = plain_columns(header, file=str(path))
    lines_before = 1 if is_csv else 0
    is_empty = True
    for block in _blocks(stream, digest, path, has_quotes=is_csv):
        rows, lines = _rows_of_block(header, columns, block, path, lines_before)
        yield rows
        lines_before += lines
        is_empty = False
    if is_empty:
        yield rows_of(header, file=str(path))


def _together(parts: Iterator[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """The parts, those with the same columns joined until they have `CHUNK_ROWS` rows: small blocks are read faster,
    large ones counted faster."""
    held: list[pl.DataFrame] = []
    for rows in parts:
        if held and (rows.columns != held[0].columns or sum(map(len, held)) >= CHUNK_ROWS):
            yield pl.concat(held)
            held = []
        held.append(rows)
    yield pl.concat(held)


def _rows_of_block(
    header: bytes, columns: list[str] | None, block: bytes, path: Path, lines_before: int
) -> tuple[pl.DataFrame, int]:
    """The rows, and how many lines they are. `columns` are the header's, where it is plain."""
    plain = None if columns is None else plain_csv_rows(block, columns, file=str(path))
    if plain is not None:
        return plain, len(plain)
    try:
        return rows_of(header + block, file=str(path)), block.count(b"\n")
    except UnreadableInput as unreadable:
        shift = lines_before - (1 if header else 0)
        raise UnreadableInput([_shifted(fault, shift) for fault in unreadable.faults]) from unreadable


def _header(stream: BinaryIO, digest: hashlib._Hash, path: Path) -> bytes:
    header = stream.readline(_MOST_LINE_BYTES)
    digest.update(header)
    if not header.endswith(b"\n") and len(header) == _MOST_LINE_BYTES:
        raise UnreadableInput([Fault(str(path), "line 1", f"a line of at most {_MOST_LINE_BYTES} bytes", "more")])
    return header


def _blocks(stream: BinaryIO, digest: hashlib._Hash, path: Path, *, has_quotes: bool) -> Iterator[bytes]:
    """Whole lines, about `_BLOCK_BYTES` at a time; never cut inside quotes, where a line break is text."""
    block = b""
    while piece := _whole_lines(stream):
        digest.update(piece)
        block += piece
        # Looking for one quotation mark is a tenth of counting them.
        is_in_quotes = has_quotes and b'"' in block and block.count(b'"') % 2
        if block.endswith(b"\n") and not is_in_quotes:
            yield block
            block = b""
        elif len(block) > 2 * _BLOCK_BYTES + _MOST_LINE_BYTES:
            raise UnreadableInput([Fault(str(path), "", f"lines of at most {_MOST_LINE_BYTES} bytes", "a longer one")])
    if block:
        yield block


def _whole_lines(stream: BinaryIO) -> bytes:
    """`_BLOCK_BYTES` and what is left of the line, in one piece: joining two would copy them."""
    start = stream.tell()
    stream.seek(start + _BLOCK_BYTES)
    rest = stream.readline(_MOST_LINE_BYTES)
    stream.seek(start)
    return stream.read(_BLOCK_BYTES + len(rest))


def _shifted(fault: Fault, lines: int) -> Fault:
    match = re.fullmatch(r"(line|row) (\d+)", fault.where)
    return replace(fault, where=f"{match[1]} {int(match[2]) + lines}") if match else fault


def _note_digest(digests: dict[str, str], name: str, digest: str, path: Path) -> None:
    if digests.setdefault(name, digest) != digest:
        raise UnreadableInput([Fault(str(path), "", "a file that does not change while it is read", "it did")])


def _identity(stream: BinaryIO) -> tuple[int, ...]:
    status = os.fstat(stream.fileno())
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def is_small(folder: Path, names: tuple[str, ...]) -> bool:
    """Whether the trials are one file that may be read whole.

    Raises:
        UnreadableInput: the file cannot be opened, or is no Parquet file though its name says so.
    """
    if len(names) != 1:
        return False
    path = folder / names[0]
    with opened(path) as stream:
        if os.fstat(stream.fileno()).st_size > MOST_WHOLE_BYTES:
            return False
    return not names[0].endswith(".parquet") or promised_rows(path) <= MOST_WHOLE_ROWS


def promised_rows(path: Path) -> int:
    """How many rows a Parquet file's footer promises.

    Raises:
        UnreadableInput: it is no Parquet file.
    """
    try:
        return int(pl.scan_parquet(path, glob=False).select(pl.len()).collect().item())
    except (Exception, pl.exceptions.PanicException) as error:  # polars raises many kinds; its panics are no Exceptions
        raise not_parquet(str(path), error) from error
