"""The notebook under papermill without our driver: whatever happens in it, exit 0 and PASS only come of a whole run."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from litmus_nb.shipped import shipped_path
from tests.driver.conftest import cell, codes_of, inserted, leave_stale_pass, verdict_in

pytestmark = pytest.mark.kernel

Notebook = dict[str, Any]


def papermill(notebook: Path, params: str | None, *words: str) -> int:
    """papermill's exit status on the notebook."""
    command = [sys.executable, "-m", "papermill", str(notebook), "executed.ipynb", "--no-progress-bar", *words]
    if params:
        command += ["-f", params]
    return subprocess.run(command, capture_output=True, timeout=120).returncode


@pytest.mark.parametrize(
    ("scene", "status", "state"),
    [
        ("demo", 0, "PASS"),
        ("demo-regressed", 1, "FAIL"),
        ("demo-renamed", 1, "REJECTED"),
        ("demo-timeouts", 1, "NO_VERDICT"),
    ],
)
def test_each_state_is_left_and_only_pass_exits_zero(demo: Path, scene: str, status: int, state: str) -> None:
    assert papermill(shipped_path("notebooks/gate.ipynb"), f"params/{scene}.yaml") == status
    verdict = verdict_in(demo / "reports" / scene)
    assert verdict["verdict"] == state
    assert (demo / "reports" / scene / "report.html").stat().st_size > 1000


def _tag(id_: str, tag: str) -> Callable[[Notebook], Notebook]:
    def change(notebook: Notebook) -> Notebook:
        cell(notebook, id_)["metadata"]["tags"] = [tag]
        return notebook

    return change


def _kind(id_: str, kind: str) -> Callable[[Notebook], Notebook]:
    def change(notebook: Notebook) -> Notebook:
        changed = cell(notebook, id_)
        changed["cell_type"] = kind
        del changed["outputs"], changed["execution_count"]
        return notebook

    return change


def _insert(before: str, source: str) -> Callable[[Notebook], Notebook]:
    return lambda notebook: inserted(notebook, before, source)


def _prefix(id_: str, magic: str) -> Callable[[Notebook], Notebook]:
    def change(notebook: Notebook) -> Notebook:
        changed = cell(notebook, id_)
        changed["source"] = magic + "".join(changed["source"])
        return notebook

    return change


def _untagged_parameters(notebook: Notebook) -> Notebook:
    cell(notebook, "parameters")["metadata"].pop("tags")
    return notebook


TAMPERED = {
    "the guard may raise": _tag("admissibility", "raises-exception"),
    "the guard is skipped": _tag("admissibility", "skip-execution"),
    "the guard is a raw cell": _kind("admissibility", "raw"),
    "the guard is markdown": _kind("admissibility", "markdown"),
    "the eligibility cell is skipped": _tag("eligibility", "skip-execution"),
    "the last cell is skipped": _tag("finish", "skip-execution"),
    "the first cell is skipped": _tag("start", "skip-execution"),
    "sys.exit(0) before the guard": _insert("admissibility", "import sys\nsys.exit(0)"),
    "sys.exit(0) before anything": _insert("verdict", "import sys\nsys.exit(0)"),
    "exit() before the guard": _insert("admissibility", "exit()"),
    "the guard's error is captured": _prefix("admissibility", "%%capture\n"),
    "the guard's error is tried away": _insert("eligibility", "try:\n    session.admit()\nexcept Exception:\n    pass"),
    "the guard is replaced": _insert("admissibility", "session.admit = lambda: None"),
    "parameters lost their tag": _untagged_parameters,
    "an error is shown and cleared": _insert(
        "eligibility", "from IPython.display import clear_output\nget_ipython().run_cell('1/0')\nclear_output()"
    ),
}


@pytest.mark.parametrize("how", TAMPERED)
def test_a_tampered_notebook_never_opens_the_gate(demo: Path, notebook: Notebook, how: str) -> None:
    (demo / "tampered.ipynb").write_text(json.dumps(TAMPERED[how](notebook)))
    folder = demo / "reports/demo-renamed"
    status = papermill(demo / "tampered.ipynb", "params/demo-renamed.yaml")
    says_pass = (folder / "verdict.json").exists() and verdict_in(folder)["gate_open"]
    default_folder = demo / "reports/demo"
    says_pass = says_pass or ((default_folder / "verdict.json").exists() and verdict_in(default_folder)["gate_open"])
    assert not says_pass
    if how != "the last cell is skipped" and how != "exit() before the guard":
        # papermill cannot be made to fail by a cell that does not run; docs say so, `litmus-nb check` closes it
        assert status != 0


def test_a_tampered_notebook_does_not_open_the_gate_on_good_evidence_either(demo: Path, notebook: Notebook) -> None:
    """A guard that was skipped is no guard, whatever it would have said."""
    cell(notebook, "eligibility")["metadata"]["tags"] = ["skip-execution"]
    cell(notebook, "comparison")["source"] = (
        "from litmus_nb.rule.eligibility import assert_verdict_eligible\n"
        "eligible = assert_verdict_eligible(admitted)\n"
        "comparison = session.compare(eligible)\n"
    )
    (demo / "tampered.ipynb").write_text(json.dumps(notebook))
    assert papermill(demo / "tampered.ipynb", "params/demo.yaml") != 0
    assert not verdict_in(demo / "reports/demo")["gate_open"]


@pytest.mark.parametrize(
    "words",
    [
        ("-r", "candidat", "data/demo/runs/regressed"),
        ("-y", '{"as_of = None; import os; x": 1}'),
        ("-y", '{"x=1\\nimport sys\\nsys.exit(0)\\ny": 1}'),
        ("-y", '{"!touch owned; true ": 1}'),
        ("-y", "{gate: .nan}"),
        ("-p", "as_of", "1e5"),
        ("-y", "{candidate: [a, b]}"),
    ],
    ids=["misspelt", "key is code", "key exits", "key is a shell command", "nan", "guessed float", "list"],
)
def test_parameters_that_are_not_declared_data_are_refused(demo: Path, words: tuple[str, ...]) -> None:
    leave_stale_pass(demo / "reports/demo")
    assert papermill(shipped_path("notebooks/gate.ipynb"), "params/demo.yaml", *words) != 0
    assert not (demo / "owned").exists()
    verdict = verdict_in(demo / "reports/demo")
    assert verdict["verdict"] == "NO_VERDICT"
    assert codes_of(verdict) == {"USAGE"}


def test_a_stale_pass_does_not_survive_a_refusal(demo: Path) -> None:
    leave_stale_pass(demo / "reports/demo-renamed")
    assert papermill(shipped_path("notebooks/gate.ipynb"), "params/demo-renamed.yaml") == 1
    assert verdict_in(demo / "reports/demo-renamed")["verdict"] == "REJECTED"
    assert "PASS" not in (demo / "reports/demo-renamed/report.html").read_text()[:20]
