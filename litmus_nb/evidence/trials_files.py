"""Which files hold a run's trials: exactly one trials file, or a folder of Parquet shards. Light: no polars here."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from io import BufferedReader
from pathlib import Path

from litmus_nb.contracts.canonical import digest_of_json
from litmus_nb.errors import Fault, UnreadableInput
from litmus_nb.files import is_there, opened

__all__ = [
    "ANCHOR_FILES",
    "DECLARATION",
    "SHARDS",
    "TRIALS_FILES",
    "file_digest",
    "run_digest",
    "trials_names",
]

DECLARATION = "run.json"

TRIALS_FILES = ("trials.parquet", "trials.csv", "trials.jsonl")
"""The names that a run folder's one trials file may have."""

ANCHOR_FILES = ("anchors.parquet", "anchors.csv", "anchors.jsonl")
"""The names that the file of a run's anchor labels may have."""

SHARDS = "trials"
"""The folder that may stand in a trials file's place; it holds Parquet files and nothing else."""


def trials_names(folder: Path) -> tuple[str, ...]:
    """The names of a run's trials files relative to its folder, in order; empty where there are none.

    Raises:
        UnreadableInput: there is more than one kind of trials, or the shards' folder holds anything but Parquet files.
    """
    present = [name for name in (*TRIALS_FILES, SHARDS) if is_there(folder / name)]
    if len(present) > 1:
        expected = f"exactly one of {', '.join(TRIALS_FILES)}, or the folder {SHARDS}"
        raise UnreadableInput([Fault(str(folder), "", expected, " and ".join(present))])
    if present == [SHARDS]:
        return _shard_names(folder / SHARDS)
    return tuple(present)


def _shard_names(folder: Path) -> tuple[str, ...]:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        raise UnreadableInput([Fault(str(folder), "", "a folder of Parquet files", str(error))]) from error
    faults = [
        Fault(str(folder / entry.name), "", "a Parquet file and nothing else in this folder", _kind_of(entry))
        for entry in entries
        if not entry.name.endswith(".parquet") or not entry.is_file(follow_symlinks=False)
    ]
    if not entries:
        faults.append(Fault(str(folder), "", "at least one Parquet file", "an empty folder"))
    if faults:
        raise UnreadableInput(faults)
    return tuple(f"{SHARDS}/{entry.name}" for entry in entries)


def _kind_of(entry: os.DirEntry[str]) -> str:
    if entry.is_symlink():
        return "a symbolic link"
    return "a folder" if entry.is_dir() else "another file"


def run_digest(digests: Mapping[str, str]) -> str:
    """The run digest: of the canonical JSON of `{file name: digest of its bytes}`, shards as `trials/NAME`.

    The files are run.json, the trials and, where the run has them, the anchor labels.
    """
    return digest_of_json(dict(digests))


def file_digest(path: Path) -> str:
    """The digest of a regular file's bytes, read a block at a time.

    Raises:
        UnreadableInput: it is absent, no regular file, or cannot be read.
    """
    with opened(path) as stream:
        return digest_of_stream(stream)


def digest_of_stream(stream: BufferedReader) -> str:
    """The digest of what is left of a stream."""
    return "sha256:" + hashlib.file_digest(stream, "sha256").hexdigest()
