"""Small worlds on disk, and the shipped gate notebook to be tampered with."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from litmus_nb.shipped import shipped_path


@pytest.fixture
def demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the demo's data and params, as the working directory."""
    shutil.copytree(shipped_path("data/demo"), tmp_path / "data/demo")
    shutil.copytree(shipped_path("params"), tmp_path / "params")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def notebook() -> dict[str, Any]:
    """The shipped gate notebook, parsed."""
    parsed: dict[str, Any] = json.loads(shipped_path("notebooks/gate.ipynb").read_bytes())
    return parsed


def verdict_in(folder: Path) -> dict[str, Any]:
    """The verdict that a folder holds."""
    parsed: dict[str, Any] = json.loads((folder / "verdict.json").read_bytes())
    return parsed


def codes_of(verdict: dict[str, Any]) -> set[str]:
    """The reason codes of a verdict."""
    return {reason["code"] for reason in verdict["reasons"]}


def leave_stale_pass(folder: Path) -> None:
    """Last week's PASS."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "verdict.json").write_text('{"verdict": "PASS", "gate_open": true}')
    (folder / "report.html").write_text("<p>PASS</p>")


def cell(notebook: dict[str, Any], id_: str) -> dict[str, Any]:
    """The notebook's cell with that id."""
    found: dict[str, Any] = next(cell for cell in notebook["cells"] if cell["id"] == id_)
    return found


def inserted(notebook: dict[str, Any], before: str, source: str, tags: tuple[str, ...] = ()) -> dict[str, Any]:
    """The notebook with a code cell before the one with that id."""
    index = notebook["cells"].index(cell(notebook, before))
    foreign = {
        "cell_type": "code",
        "execution_count": None,
        "id": "foreign",
        "metadata": {"tags": list(tags)},
        "outputs": [],
        "source": source,
    }
    return notebook | {"cells": [*notebook["cells"][:index], foreign, *notebook["cells"][index:]]}
