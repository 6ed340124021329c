"""The supply chain of the gate itself: what may change which code decides, and what then happens."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.torture.scenes import ACTS, LITMUS, read_verdict, set_up, state_of

GATE_BAD = next(act for act in ACTS if act.name == "gate, bad")
EVALUATE_BAD = next(act for act in ACTS if act.name == "evaluate, bad")

LIE = """
import importlib.abc, importlib.machinery, sys

class Liar(importlib.abc.MetaPathFinder):
    '''Every interval that is computed in this process is good news.'''

    def find_spec(self, name, path=None, target=None):
        if name != "litmus_nb.stats.bound":
            return None
        sys.meta_path.remove(self)
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        load = spec.loader.exec_module

        def and_lie(module):
            load(module)
            module.gaffke_bounds = lambda upper, lower, confidence: module.Bounds(low=-0.001, high=0.001)

        spec.loader.exec_module = and_lie
        return spec

sys.meta_path.insert(0, Liar())
"""


def run(folder: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **variables}
    return subprocess.run([*LITMUS, *words], cwd=folder, capture_output=True, text=True, env=environment)


@pytest.mark.kernel
def test_a_driver_that_was_made_to_lie_disagrees_with_its_kernel(tmp_path: Path) -> None:
    """A sitecustomize on PYTHONPATH runs in the driver, and not in the kernel: the two must agree, so nothing opens."""
    set_up(GATE_BAD, tmp_path)
    (tmp_path / "site").mkdir()
    (tmp_path / "site/sitecustomize.py").write_text(LIE)
    ended = run(tmp_path, "gate", "params.yaml", "--quiet", PYTHONPATH=str(tmp_path / "site"))
    assert ended.returncode == 4, ended.stderr
    verdict = read_verdict(tmp_path)
    assert verdict is not None
    assert [reason.code for reason in verdict.reasons] == ["EXECUTION_INCOMPLETE"]
    assert "not what the package decides" in verdict.reasons[0].observed


def test_the_lie_works_where_nobody_contradicts(tmp_path: Path) -> None:
    """The test above is about something: `evaluate` in a process that lies says PASS. `check` elsewhere does not.

    This is the hole that the threat model names: whoever controls the driver's environment controls the driver.
    """
    set_up(EVALUATE_BAD, tmp_path)
    (tmp_path / "site").mkdir()
    (tmp_path / "site/sitecustomize.py").write_text(LIE)
    assert run(tmp_path, "evaluate", "params.yaml", PYTHONPATH=str(tmp_path / "site")).returncode == 0
    checked = run(tmp_path, "check", "out/verdict.json", "--params", "params.yaml", "--max-age-days", "100000")
    assert checked.returncode == 1
    assert "RECOMPUTED_OTHERWISE" in checked.stdout


@pytest.mark.parametrize("flag", ["-O", "-OO"])
def test_optimised_python_decides_the_same(tmp_path: Path, flag: str) -> None:
    set_up(EVALUATE_BAD, tmp_path)
    command = [sys.executable, flag, "-m", "litmus_nb", "evaluate", "params.yaml"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert ended.returncode != 0, ended.stdout
    assert state_of(tmp_path) in ("FAIL", "NO_VERDICT")


@pytest.mark.parametrize("name", ["polars", "yaml", "json", "statsmodels"])
def test_a_file_in_the_working_directory_shadows_no_package(tmp_path: Path, name: str) -> None:
    set_up(EVALUATE_BAD, tmp_path)
    (tmp_path / f"{name}.py").write_text("raise SystemExit(0)")
    assert run(tmp_path, "evaluate", "params.yaml").returncode not in (0, 2)
    assert state_of(tmp_path) in ("FAIL", "NO_VERDICT")


def test_no_assert_decides_anything() -> None:
    """An assert vanishes under -O."""
    asserts = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in (ROOT / "litmus_nb").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Assert)
    ]
    assert asserts == []


@pytest.mark.parametrize("lock", sorted(path.name for path in ROOT.glob("requirements*.lock")))
def test_each_locked_package_has_its_version_and_hashes_and_no_address(lock: str) -> None:
    text = (ROOT / lock).read_text()
    requirements = [line for line in text.splitlines() if line and not line.startswith((" ", "#"))]
    assert requirements
    blocks = re.split(r"\n(?=[A-Za-z0-9])", text.strip())
    unpinned = [block.splitlines()[0] for block in blocks if "==" not in block or "--hash=sha256:" not in block]
    assert unpinned == []
    assert not re.search(r"https?://|--index-url|--extra-index-url|--find-links|--trusted-host", text)


def test_evidence_is_never_unpickled_or_executed() -> None:
    """Nothing in the package can turn bytes of evidence into code."""
    forbidden = {"pickle", "marshal", "shelve", "joblib", "dill", "cloudpickle", "torch"}
    found = []
    for path in (ROOT / "litmus_nb").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            found += [f"{path.name}: {name}" for name in names if name.split(".")[0] in forbidden]
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("eval", "exec", "compile", "__import__"):
                found.append(f"{path.name}:{node.lineno}: {node.func.id}")
            if isinstance(node, ast.keyword) and node.arg == "allow_pickle":
                found.append(f"{path.name}:{node.value.lineno}: allow_pickle")
    assert found == []
