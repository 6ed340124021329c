"""Putting what was measured into the declaration of a planned run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from litmus_nb.contracts.run import RunFile
from litmus_nb.contracts.strict_json import parse_json
from litmus_nb.errors import UsageError
from litmus_nb.files import read_bytes, replace_file

__all__ = ["declare"]


def declare(path: Path, key: str, value: dict[str, Any]) -> None:
    """Set one key of a planned run's run.json.

    The document is changed, not a model of it: a model writes defaults, and an absent control is not a quiet one.

    Raises:
        UnreadableInput: it is no declaration, before or after.
        UsageError: the run is not planned any more.
    """
    document = parse_json(read_bytes(path), file=str(path))
    status = RunFile.read(document, file=str(path)).status
    if status != "planned":
        raise UsageError(f"{path}: expected a planned run, seen one with status {status!r}")
    document[key] = value
    RunFile.read(document, file=str(path))
    replace_file(path, (json.dumps(document, indent=1, ensure_ascii=False) + "\n").encode())
