"""Reading what a run declares, without its trials. Light: no polars here, preflight passes this way."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from litmus_nb.contracts.evidence import RunEvidence
from litmus_nb.contracts.run import RunFile
from litmus_nb.contracts.strict_json import parse_json
from litmus_nb.errors import Fault, UnreadableInput
from litmus_nb.evidence.trials_files import DECLARATION
from litmus_nb.files import MOST_CONTRACT_BYTES, read_bytes

__all__ = ["FOLDER", "ReadRun", "declaration_of", "read_declared_only", "split_source"]

FOLDER = "folder"
"""The reader that a plain path means."""

_SOURCE = re.compile(r"(?P<reader>[a-z][a-z0-9_-]+):(?P<path>.+)", re.DOTALL)


@dataclass(frozen=True)
class ReadRun:
    """What reading a run gave: the run, or the faults of its declaration, of its trials or of its anchor labels."""

    run: RunEvidence | None
    declaration_faults: tuple[Fault, ...] = ()
    trials_faults: tuple[Fault, ...] = ()
    anchor_faults: tuple[Fault, ...] = ()


def declaration_of(content: bytes, *, file: str) -> RunFile:
    """The declaration that the bytes of a run.json hold.

    Raises:
        UnreadableInput: with every fault of the file.
    """
    return RunFile.read(parse_json(content, file=file), file=file)


def read_declared_only(folder: Path) -> ReadRun:
    """A run folder's declaration; its trials are left alone. Never raises for what the file holds."""
    path = folder / DECLARATION
    try:
        declaration = declaration_of(read_bytes(path, limit=MOST_CONTRACT_BYTES), file=str(path))
    except UnreadableInput as unreadable:
        return ReadRun(None, declaration_faults=unreadable.faults)
    return ReadRun(RunEvidence(declaration, None, None))


def split_source(source: str) -> tuple[str, str]:
    """The reader's name and the path of a run's source: `READER:PATH`, or a plain path."""
    match = _SOURCE.fullmatch(source)
    return (match["reader"], match["path"]) if match else (FOLDER, source)
