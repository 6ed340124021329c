"""Every notebook of the repository, as it is committed: no outputs, stable ids, nothing that skips or swallows."""

from __future__ import annotations

import ast
import json
import re
import subprocess
from pathlib import Path
from typing import Any

import nbformat
import pytest

ROOT = Path(__file__).parents[2]


def committed() -> list[Path]:
    """The notebooks under version control; all below the usual folders where there is no git."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "*.ipynb"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode == 0:
        return [ROOT / line for line in listed.stdout.splitlines() if (ROOT / line).exists()]
    return sorted((ROOT / "notebooks").glob("*.ipynb"))


NOTEBOOKS = committed()


def cells_of(path: Path) -> list[dict[str, Any]]:
    cells: list[dict[str, Any]] = json.loads(path.read_bytes())["cells"]
    return cells


def test_there_are_notebooks_to_check() -> None:
    assert {"gate.ipynb", "history.ipynb"} <= {path.name for path in NOTEBOOKS}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_no_output_and_no_count_is_committed(path: Path) -> None:
    for cell in cells_of(path):
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [], f"cell {cell.get('id')}: clear its outputs before committing"
            assert cell["execution_count"] is None


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_its_form_is_the_houses(path: Path) -> None:
    parsed = json.loads(path.read_bytes())
    nbformat.validate(nbformat.from_dict(parsed))
    assert (parsed["nbformat"], parsed["nbformat_minor"]) == (4, 5)
    assert parsed["metadata"]["kernelspec"]["name"] == "python3"
    assert set(parsed["metadata"]) <= {"kernelspec", "language_info"}
    assert set(parsed["metadata"].get("language_info", {})) <= {"name"}
    ids = [cell["id"] for cell in parsed["cells"]]
    assert len(ids) == len(set(ids))
    assert all(re.fullmatch(r"[a-z0-9-]{2,60}", id_) for id_ in ids), "ids are chosen by hand and stay"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_nothing_in_it_skips_swallows_or_leaves(path: Path) -> None:
    for cell in cells_of(path):
        assert cell["cell_type"] in ("code", "markdown")
        assert {"raises-exception", "skip-execution"}.isdisjoint(cell["metadata"].get("tags", []))
        if cell["cell_type"] == "code":
            source = "".join(cell["source"])
            tree = ast.parse(source)  # a magic or a shell line does not parse
            names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
            assert {"exit", "quit", "get_ipython", "exec", "eval"}.isdisjoint(names)
            assert not [node for node in ast.walk(tree) if isinstance(node, ast.Assert)]
            assert not [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.ClassDef))]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_at_most_one_cell_takes_parameters(path: Path) -> None:
    tagged = [cell for cell in cells_of(path) if "parameters" in cell["metadata"].get("tags", [])]
    assert len(tagged) <= 1
