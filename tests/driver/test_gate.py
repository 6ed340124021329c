"""The driver: its verdict is fresh, whole, and what the package decides itself; everything else is closed."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from datetime import date
from pathlib import Path
from typing import Any

import nbformat
import pytest

from litmus_nb.driver import execution, gate
from litmus_nb.driver.gate import run_gate
from litmus_nb.driver.params import requested_gate
from litmus_nb.driver.receipts import Handover, check_handover, expected_stages
from litmus_nb.outcome.decide import decided
from litmus_nb.outcome.output import claimed
from litmus_nb.shipped import notebooks, shipped_path
from litmus_nb.shipped.notebook_pins import NOTEBOOK_PINS
from litmus_nb.shipped.notebooks import pinned_sources, shipped_sources
from tests.conftest import ROOT
from tests.driver.conftest import codes_of, inserted, leave_stale_pass, verdict_in

AS_OF = date(2026, 11, 30)
GATE_NOTEBOOK = "notebooks/gate.ipynb"


def litmus(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The command line, in a process of its own."""
    command = [sys.executable, "-m", "litmus_nb", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=180, env=os.environ | environment)


@pytest.mark.kernel
@pytest.mark.parametrize(
    ("scene", "status", "state"),
    [
        ("demo", 0, "PASS"),
        ("demo-regressed", 1, "FAIL"),
        ("demo-renamed", 3, "REJECTED"),
        ("demo-timeouts", 4, "NO_VERDICT"),
    ],
)
def test_each_state_has_its_exit_status_and_equals_evaluate(demo: Path, scene: str, status: int, state: str) -> None:
    folder = demo / "reports" / scene
    leave_stale_pass(folder)
    run = litmus("gate", f"params/{scene}.yaml")
    assert (status, state) == (run.returncode, verdict_in(folder)["verdict"]), run.stderr
    assert (folder / "report.html").stat().st_size > 1000
    assert nbformat.read(folder / "report.ipynb", as_version=4).cells
    gated = verdict_in(folder)
    assert litmus("evaluate", f"params/{scene}.yaml").returncode == status
    evaluated = verdict_in(folder)
    assert not (folder / "report.html").exists()  # a page of another execution would lie about this one
    for verdict in (gated, evaluated):
        verdict["execution"] |= {"run_id": None, "notebook_sha256": None}
    assert gated == evaluated


@pytest.mark.kernel
def test_the_next_step_quotes_the_planner_as_evaluate_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A class that straddles its tolerance: how many scenarios like these would have decided it."""
    shutil.copytree(ROOT / "tests/conformance/cases/undecided-where-the-exact-interval-passes", tmp_path / "world")
    monkeypatch.chdir(tmp_path / "world")
    gated, evaluated = litmus("gate", "params.yaml", COLUMNS="200"), litmus("evaluate", "params.yaml", COLUMNS="200")
    assert gated.returncode == evaluated.returncode == 4, gated.stderr
    quoted = [line for line in evaluated.stdout.splitlines() if "If they are like these, " in line]
    assert len(quoted) == 1
    assert quoted[0] in gated.stdout.splitlines()


@pytest.mark.kernel
def test_the_exact_interval_decides_in_the_notebook_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(ROOT / "tests/conformance/cases/pass-by-the-exact-interval", tmp_path / "world")
    monkeypatch.chdir(tmp_path / "world")
    gated = litmus("gate", "params.yaml")
    assert gated.returncode == 0, gated.stderr
    assert "exact interval" in gated.stdout
    folder = tmp_path / "world" / requested_gate(Path("params.yaml"), ()).params.output_dir
    assert verdict_in(folder)["interval"] == "exact"
    assert "Buehler" in (folder / "report.html").read_text()
    checked = litmus("check", str(folder / "verdict.json"), "--params", "params.yaml", "--recompute")
    assert checked.returncode == 0, checked.stdout + checked.stderr


@pytest.mark.kernel
def test_a_hostile_environment_changes_nothing(demo: Path) -> None:
    """PYTHONOPTIMIZE, a shadowing file, a lying kernelspec, startup files, a sitecustomize: the verdict is the same."""
    (demo / "polars.py").write_text("raise SystemExit('shadowed')")
    (demo / "site").mkdir()
    (demo / "site/sitecustomize.py").write_text(
        "import os, sys\nif 'ipykernel_launcher' in sys.orig_argv: os._exit(0)\n"
    )
    startup = demo / "ipython/profile_default/startup"
    startup.mkdir(parents=True)
    (startup / "00-lie.py").write_text("import litmus_nb.rule.decision as d; d.decide = None")
    kernelspec = demo / "jupyter/kernels/python3"
    kernelspec.mkdir(parents=True)
    (kernelspec / "kernel.json").write_text(
        json.dumps({"argv": ["/bin/false"], "display_name": "x", "language": "python"})
    )
    run = litmus(
        "gate",
        "params/demo.yaml",
        PYTHONOPTIMIZE="1",
        PYTHONPATH=str(demo / "site"),
        IPYTHONDIR=str(demo / "ipython"),
        JUPYTER_PATH=str(demo / "jupyter"),
    )
    assert run.returncode == 0, run.stderr
    assert verdict_in(demo / "reports/demo")["verdict"] == "PASS"


@pytest.mark.kernel
@pytest.mark.parametrize("signal_", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_killed_driver_leaves_no_pass(demo: Path, signal_: signal.Signals) -> None:
    folder = demo / "reports/demo"
    leave_stale_pass(folder)
    process = subprocess.Popen(
        [sys.executable, "-m", "litmus_nb", "gate", "params/demo.yaml"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    for line in process.stderr:
        if "admissibility" in line:
            break
    process.send_signal(signal_)
    process.stderr.read()
    assert process.wait(timeout=60) != 0
    verdict = verdict_in(folder)
    assert verdict["verdict"] == "NO_VERDICT"
    assert codes_of(verdict) == {"EXECUTION_INCOMPLETE"}


@pytest.mark.kernel
def test_a_killed_kernel_is_not_a_finished_gate(demo: Path) -> None:
    """papermill's notebook then says that every cell completed."""
    params = requested_gate(Path("params/demo.yaml")).params
    assert params is not None

    def kill_kernels(step: str) -> None:
        if step.startswith("admissibility"):
            subprocess.run(["pkill", "-KILL", "-P", str(os.getpid()), "-f", "ipykernel_launcher"], check=False)

    leave_stale_pass(demo / "reports/demo")
    result = run_gate(params, as_of=AS_OF, progress=kill_kernels)
    assert result.exit_code == 4
    assert codes_of(verdict_in(demo / "reports/demo")) == {"EXECUTION_INCOMPLETE"}


@pytest.mark.kernel
def test_a_kernel_that_stands_still_is_ended(demo: Path) -> None:
    params = requested_gate(Path("params/demo.yaml")).params
    assert params is not None

    def stop_kernels(step: str) -> None:
        if step.startswith("admissibility"):
            subprocess.run(["pkill", "-STOP", "-P", str(os.getpid()), "-f", "ipykernel_launcher"], check=False)

    result = run_gate(params, as_of=AS_OF, timeout_s=6, progress=stop_kernels)
    assert result.exit_code == 4
    assert codes_of(verdict_in(demo / "reports/demo")) == {"EXECUTION_INCOMPLETE"}
    left = subprocess.run(
        ["pgrep", "-P", str(os.getpid()), "-f", "ipykernel_launcher"], capture_output=True, check=False
    )
    assert not left.stdout


@pytest.mark.kernel
def test_a_kernel_that_never_starts_leaves_no_stale_pass(demo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    params = requested_gate(Path("params/demo.yaml")).params
    assert params is not None
    leave_stale_pass(demo / "reports/demo")
    monkeypatch.setattr("litmus_nb.driver.isolation.sys.executable", "/nonexistent/python")
    assert run_gate(params, as_of=AS_OF).exit_code == 4
    assert codes_of(verdict_in(demo / "reports/demo")) == {"EXECUTION_INCOMPLETE"}


@pytest.mark.kernel
def test_a_late_thread_of_the_kernel_dies_with_it(
    demo: Path, notebook: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    source = (
        "import threading, time, pathlib\n"
        "threading.Thread(target=lambda: (time.sleep(2), pathlib.Path('late').write_text('x'))).start()"
    )
    changed = inserted(notebook, "finish", source)
    (demo / "changed.ipynb").write_text(json.dumps(changed))
    monkeypatch.setattr(execution, "shipped_path", lambda name: demo / "changed.ipynb")
    params = requested_gate(Path("params/demo.yaml")).params
    assert params is not None
    assert run_gate(params, as_of=AS_OF).exit_code == 4  # other cells than the pinned ones
    time.sleep(2.5)
    assert not (demo / "late").exists()


def test_a_changed_notebook_is_refused_before_any_kernel(
    demo: Path, notebook: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    (demo / "changed.ipynb").write_text(json.dumps(inserted(notebook, "admissibility", "exit()")))
    monkeypatch.setattr(notebooks, "shipped_path", lambda name: demo / "changed.ipynb")
    monkeypatch.setattr(gate, "_executed", lambda *_, **__: pytest.fail("a kernel was started"))
    params = requested_gate(Path("params/demo.yaml")).params
    assert params is not None
    leave_stale_pass(demo / "reports/demo")
    assert run_gate(params, as_of=AS_OF).exit_code == 4
    assert codes_of(verdict_in(demo / "reports/demo")) == {"EXECUTION_INCOMPLETE"}


def test_two_gates_do_not_share_an_output_folder(demo: Path) -> None:
    folder = demo / "reports/demo"
    with claimed(folder):
        before = sorted(path.name for path in folder.iterdir())
        second = litmus("gate", "params/demo.yaml")
        assert second.returncode == 4
        assert "another gate is running" in second.stderr
        assert sorted(path.name for path in folder.iterdir()) == before


def test_a_folder_that_cannot_be_written_is_no_pass(demo: Path) -> None:
    (demo / "reports").write_text("a file where the folder should be")
    assert litmus("evaluate", "params/demo.yaml").returncode == 4


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("-p", "candidat", "x"), "candidat"),
        (("-p", "as_of", "yesterday"), "as_of"),
        (("-p", "as_of", "2026-02-30"), "as_of"),
        (("-p", "candidate", ""), "candidate"),
    ],
)
@pytest.mark.parametrize("command", ["gate", "evaluate"])
def test_unusable_parameters_are_usage_and_leave_no_stale_pass(
    demo: Path, command: str, words: tuple[str, ...], said: str
) -> None:
    leave_stale_pass(demo / "reports/demo")
    run = litmus(command, "params/demo.yaml", *words)
    assert run.returncode == 2
    assert said in run.stderr
    assert "Traceback" not in run.stderr
    verdict = verdict_in(demo / "reports/demo")
    assert (verdict["verdict"], codes_of(verdict)) == ("NO_VERDICT", {"USAGE"})
    assert not (demo / "reports/demo/report.html").exists()


def test_an_override_is_typed_by_the_contract_and_never_guessed(demo: Path) -> None:
    asked = requested_gate(Path("params/demo.yaml"), [("candidate", "1e5"), ("as_of", "null"), ("gate", "null")])
    assert asked.params is not None
    assert (asked.params.candidate, asked.params.as_of, asked.params.gate) == ("1e5", None, "null")


def test_an_error_of_our_own_is_no_verdict(demo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    params = requested_gate(Path("params/demo.yaml")).params
    assert params is not None
    monkeypatch.setattr("litmus_nb.outcome.decide.evaluate_gate", lambda evidence: 1 / 0)
    result = decided(params, as_of=AS_OF, run_id="x")
    assert codes_of(result.verdict.model_dump(mode="json")) == {"INTERNAL_ERROR"}
    assert isinstance(result.error, ZeroDivisionError)


def test_the_pins_are_those_of_the_shipped_notebooks() -> None:
    """`python -m litmus_nb.shipped.pin_notebooks` makes them."""
    from litmus_nb.shipped.pin_notebooks import current_pins

    assert current_pins() == (Path(notebooks.__file__).with_name("notebook_pins.py")).read_text()
    assert NOTEBOOK_PINS[GATE_NOTEBOOK] == shipped_sources(GATE_NOTEBOOK).digest


# What the driver believes of a notebook: one thing broken at a time.


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Handover, Any, Any]:
    """A handover that may be believed, our own verdict, the pinned sources."""
    params = requested_gate(Path(shipped_path("params/demo.yaml"))).params
    assert params is not None
    root = shipped_path("params").parent
    there = params.model_copy(update={"gate": str(root / params.gate), "candidate": str(root / params.candidate)})
    sources = pinned_sources(GATE_NOTEBOOK)
    own = decided(there, as_of=AS_OF, run_id="r", notebook_sha256=sources.digest).verdict
    executed = nbformat.read(shipped_path(GATE_NOTEBOOK), as_version=4)
    for count, cell in enumerate([c for c in executed.cells if c.cell_type == "code"], start=1):
        cell.execution_count = count
    receipts = tuple({"stage": stage, "run_id": "r"} for stage in expected_stages(own))
    return Handover("r", executed, None, None, receipts, own, None), own, sources


def test_a_whole_handover_is_believed(whole: tuple[Handover, Any, Any]) -> None:
    handover, own, sources = whole
    assert check_handover(handover, own, sources) == ()


def _with(handover: Handover, **changes: Any) -> Handover:
    return Handover(**(vars(handover) | changes))


def _broken_notebook(handover: Handover, change: Any) -> Handover:
    notebook = nbformat.from_dict(json.loads(json.dumps(handover.notebook)))
    change(next(cell for cell in notebook.cells if cell.id == "eligibility"))
    return _with(handover, notebook=notebook)


BREAKAGES = {
    "no verdict": lambda h: _with(h, verdict=None),
    "a verdict of another execution": lambda h: _with(h, run_id="s"),
    "another verdict": lambda h: _with(h, verdict=h.verdict.model_copy(update={"worst_class": "x"})),
    "no receipt": lambda h: _with(h, receipts=()),
    "a receipt is missing": lambda h: _with(h, receipts=h.receipts[:2] + h.receipts[3:]),
    "receipts in another order": lambda h: _with(h, receipts=h.receipts[::-1]),
    "a receipt of another execution": lambda h: _with(h, receipts=({"stage": "begin", "run_id": "s"}, *h.receipts[1:])),
    "no notebook": lambda h: _with(h, notebook=None),
    "a failed cell": lambda h: _with(h, failure="ValueError: x", failed_cell=3),
    "a dead kernel": lambda h: _with(h, failure="DeadKernelError: Kernel died", failed_cell=None),
    "a cell without a count": lambda h: _broken_notebook(h, lambda cell: cell.update(execution_count=None)),
    "a cell out of order": lambda h: _broken_notebook(h, lambda cell: cell.update(execution_count=99)),
    "another source": lambda h: _broken_notebook(h, lambda cell: cell.update(source="pass")),
    "an error among the outputs": lambda h: _broken_notebook(
        h, lambda c: c.update(outputs=[nbformat.v4.new_output("error", ename="E", evalue="e", traceback=[])])
    ),
}


@pytest.mark.parametrize("how", BREAKAGES)
def test_a_broken_handover_is_not_believed(whole: tuple[Handover, Any, Any], how: str) -> None:
    handover, own, sources = whole
    assert check_handover(BREAKAGES[how](handover), own, sources)


def test_a_handover_of_another_notebook_is_not_believed(whole: tuple[Handover, Any, Any]) -> None:
    handover, own, sources = whole
    execution_ = own.execution.model_copy(update={"notebook_sha256": "sha256:" + "0" * 64})
    other = own.model_copy(update={"execution": execution_})
    assert check_handover(_with(handover, verdict=other), other, sources)


def test_a_closed_gate_needs_its_refusal_in_the_notebook(whole: tuple[Handover, Any, Any]) -> None:
    """A closed verdict beside a notebook that ran to its end says that the notebook is not what it seems."""
    handover, own, sources = whole
    closed = own.model_copy(update={"verdict": type(own.verdict).FAIL, "gate_open": False})
    assert check_handover(_with(handover, verdict=closed), closed, sources)


def test_threads_of_the_driver_do_not_outlive_it() -> None:
    assert not [thread for thread in threading.enumerate() if thread.name in ("watch", "decide")]
