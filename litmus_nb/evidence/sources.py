"""Where a run comes from: a run folder, or READER:PATH for another tool's log."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from pathlib import Path

from litmus_nb.errors import Fault, UnreadableInput, UsageError
from litmus_nb.evidence.declaration import FOLDER, ReadRun, split_source
from litmus_nb.evidence.readers.assemble import read_logged_run
from litmus_nb.evidence.readers.declared import declarations_path, open_source
from litmus_nb.evidence.readers.reading import LogReader
from litmus_nb.evidence.runs import read_run

__all__ = ["READERS", "ReaderRow", "read_files_of", "read_source", "reader_named"]


@dataclass(frozen=True)
class ReaderRow:
    """A reader of another tool's logs. Its module is loaded when it is used: some need the tool itself."""

    module: str
    """Where the reader is; the module has it as `READER`."""
    reads: str
    """What it reads, in a line."""


READERS: dict[str, ReaderRow] = {
    "agentdojo": ReaderRow("litmus_nb.evidence.readers.agentdojo", "AgentDojo: the folder of a pipeline under runs/"),
    "garak": ReaderRow("litmus_nb.evidence.readers.garak", "garak: NAME.report.jsonl"),
    "inspect": ReaderRow("litmus_nb.evidence.readers.inspect_log", "Inspect: NAME.eval, or NAME.json"),
    "promptfoo": ReaderRow("litmus_nb.evidence.readers.promptfoo", "promptfoo: eval -o NAME.json or NAME.jsonl"),
    "table": ReaderRow("litmus_nb.evidence.readers.table", "a table of outcomes: CSV, Parquet or JSONL, long or wide"),
}
"""Name to reader of a log. A plain path is a run folder and needs no row."""


def reader_named(name: str) -> LogReader:
    """The reader of that name.

    Raises:
        UsageError: there is no such reader.
        ImportError: the reader's module needs a package that is not installed.
    """
    if name not in READERS:
        raise UsageError(f"no reader {name!r}; there are {', '.join(sorted(READERS))}")
    reader = importlib.import_module(READERS[name].module).READER
    if not isinstance(reader, LogReader):
        raise TypeError(f"{READERS[name].module}.READER is no LogReader")
    return reader


def read_files_of(name: str, path: Path) -> dict[str, Path]:
    """The files that a reader reads for a log or its declarations: path from the declarations' folder to the file.

    Raises:
        UnreadableInput: there is no such reader, or the declarations or a file that they name cannot be read.
    """
    if name not in READERS:
        raise UnreadableInput([Fault(str(path), "", f"one of the readers {', '.join(sorted(READERS))}", repr(name))])
    beside = declarations_path(path).parent
    return {inside: beside / inside for inside in open_source(path, reader_named(name)).digests}


def read_source(source: str, beside: Path) -> ReadRun:
    """The run that `source` names, its path taken relative to `beside`. Never raises for what the files hold."""
    name, path = split_source(source)
    if name == FOLDER:
        return read_run(beside / path)
    if name not in READERS:
        fault = Fault(source, "", f"a run folder, or one of the readers {', '.join(sorted(READERS))}", f"{name!r}")
        return ReadRun(None, declaration_faults=(fault,))
    return read_logged_run(beside / path, name, reader_named(name))
