"""Where a run comes from: a run folder, or READER:PATH for another tool's log."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from litmus_nb.errors import Fault
from litmus_nb.evidence.declaration import FOLDER, ReadRun, split_source
from litmus_nb.evidence.runs import read_run

__all__ = ["READERS", "read_source"]

Reader = Callable[[Path], ReadRun]

READERS: Mapping[str, Reader] = {FOLDER: read_run}
"""Name to reader; `folder` is what a plain path means."""


def read_source(source: str, beside: Path) -> ReadRun:
    """The run that `source` names, its path taken relative to `beside`. Never raises for what the files hold."""
    name, path = split_source(source)
    reader = READERS.get(name)
    if reader is None:
        fault = Fault(source, "", f"a run folder, or one of the readers {', '.join(sorted(READERS))}", f"{name!r}")
        return ReadRun(None, declaration_faults=(fault,))
    return reader(beside / path)
