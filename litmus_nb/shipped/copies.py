"""The shipped notebooks and the demo, copied to where a person works on them."""

from __future__ import annotations

import shutil
from pathlib import Path

from litmus_nb.shipped import shipped_path

__all__ = ["copy_shipped"]

_FOLDERS = {
    "notebooks": ".",
    "params": "params",
    "data/demo": "data/demo",
    "data/judge-drift-demo": "data/judge-drift-demo",
}
"""Shipped folder to where it goes. Notebooks lie on top, so that their relative paths find the demo beside them."""


def copy_shipped(folder: Path) -> tuple[list[Path], list[Path]]:
    """Copy everything that is not there yet; what is there already and differs is kept.

    Returns:
        The files that were copied, and the files that were kept although they differ.

    Raises:
        OSError: the folder cannot be written.
    """
    copied: list[Path] = []
    kept: list[Path] = []
    for name, into in _FOLDERS.items():
        source = shipped_path(name)
        for path in sorted(path for path in source.rglob("*") if _is_wanted(path)):
            there = folder / into / path.relative_to(source)
            if not there.exists():
                there.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, there)
                copied.append(there)
            elif there.read_bytes() != path.read_bytes():
                kept.append(there)
    return copied, kept


def _is_wanted(path: Path) -> bool:
    return path.is_file() and not any(part.startswith((".", "__pycache__")) for part in path.parts[-3:])
