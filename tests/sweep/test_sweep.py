"""A fleet of gates: nothing is lost, nothing reads as passed by default."""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

import fsspec
import psutil
import pytest

from litmus_nb.contracts.codes import VerdictState
from litmus_nb.contracts.sweep import CellResult, SweepCell, SweepFile, SweepMatrix
from litmus_nb.errors import UnreadableInput
from litmus_nb.shipped import shipped_path
from litmus_nb.sweep import cell as cell_module
from litmus_nb.sweep.cell import CellTask, finished_result, run_cell
from litmus_nb.sweep.matrix import matrix_of
from litmus_nb.sweep.run import run_sweep

AS_OF = date(2026, 11, 30)
GATE = "data/demo/gate.yaml"

# distributed warns about ports and about event loops that close late
pytestmark = [pytest.mark.kernel, pytest.mark.filterwarnings("ignore")]


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(shipped_path("data/demo"), tmp_path / "data/demo")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def sweep_of(output: str, candidates: dict[str, str], **fields: object) -> SweepFile:
    value = {
        "schema": "litmus-nb/sweep/v1",
        "output": output,
        "as_of": "2026-11-30",
        "gates": {"demo": GATE},
        "candidates": candidates,
    }
    return SweepFile.read(value | fields, file="sweep.yaml")


RUNS = {name: f"data/demo/runs/{name}" for name in ("candidate", "regressed", "renamed")}


def test_the_matrix_closes_for_each_closed_cell(world: Path) -> None:
    matrix = run_sweep(sweep_of("out", RUNS), as_of=AS_OF)
    states = {result.name: result.state for result in matrix.cells}
    assert states == {"candidate--demo": "PASS", "regressed--demo": "FAIL", "renamed--demo": "REJECTED"}
    assert (matrix.all_open, matrix.state) == (False, VerdictState.REJECTED)
    page = (world / "out/index.html").read_text(encoding="utf-8")
    assert 'class="banner rejected"' in page
    assert 'href="regressed--demo/report.html"' in page
    assert json.loads((world / "out/sweep.json").read_bytes())["all_open"] is False
    assert (world / "out/candidate--demo/report.html").stat().st_size > 1000
    resumed = run_sweep(sweep_of("out", RUNS), as_of=AS_OF)
    assert [result.attempts for result in resumed.cells] == [0, 0, 0]
    assert {result.name: result.state for result in resumed.cells} == states


def test_a_worker_that_is_killed_loses_no_cell(world: Path) -> None:
    """The nannies start another worker; the cell runs again."""
    killed: list[int] = []

    def kill_one() -> None:
        while not ended.is_set():
            for process in psutil.Process().children(recursive=True):
                with contextlib.suppress(psutil.Error):
                    worker = process.parent()
                    if worker and any("litmus-cell-" in word for word in process.cmdline()):
                        killed.append(worker.pid)
                        worker.kill()
                        return
            ended.wait(0.1)

    ended = threading.Event()
    killer = threading.Thread(target=kill_one)
    killer.start()
    matrix = run_sweep(sweep_of("out", {"a": RUNS["candidate"], "b": RUNS["candidate"]}), as_of=AS_OF)
    ended.set()
    killer.join()
    assert killed
    assert [result.state for result in matrix.cells] == ["PASS", "PASS"]


def test_a_verdict_is_never_retried_and_an_unfinished_gate_is(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[int] = []

    def gate_that_dies(task: CellTask, root: Path, left: Path, params: Path) -> str | None:
        started.append(1)
        return "Killed"

    monkeypatch.setattr(cell_module, "_gate", gate_that_dies)
    task = task_of(world, RUNS["candidate"])
    result = run_cell(task)
    assert (result.state, result.attempts, result.problem) == (None, 3, "Killed")
    assert len(started) == 3
    assert json.loads((world / "out/x/verdict.json").read_bytes())["verdict"] == "NO_VERDICT"
    assert finished_result(task, lambda: world) is None


def task_of(world: Path, candidate: str) -> CellTask:
    cell = SweepCell(name="x", gate=GATE, candidate=candidate)
    return CellTask(cell, str(world), str(world / "out"), "2026-11-30", timeout_s=120, retries=2)


def test_a_failed_cell_does_not_keep_an_old_pass(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (world / "out/x").mkdir(parents=True)
    (world / "out/x/verdict.json").write_text('{"verdict": "PASS"}')
    monkeypatch.setattr(cell_module, "_gate", lambda *_: "Killed")
    run_cell(task_of(world, RUNS["candidate"]))
    assert json.loads((world / "out/x/verdict.json").read_bytes())["verdict"] == "NO_VERDICT"


def test_a_mark_of_another_question_or_verdict_is_not_resumed(world: Path) -> None:
    task = task_of(world, RUNS["regressed"])
    run_cell(task)
    assert finished_result(task, lambda: world) is not None
    assert finished_result(task_of(world, RUNS["candidate"]), lambda: world) is None
    verdict = world / "out/x/verdict.json"
    verdict.write_text(verdict.read_text().replace("FAIL", "PASS"))
    assert finished_result(task, lambda: world) is None


def _measured_anew(world: Path) -> None:
    there, other = (world / RUNS[name] / "trials.csv" for name in ("candidate", "regressed"))
    there.write_bytes(other.read_bytes())


@pytest.mark.parametrize(
    "change",
    [
        _measured_anew,
        lambda world: (world / RUNS["candidate"] / "trials.csv").unlink(),
        lambda world: (world / "data/demo/ledger.jsonl").write_bytes(b""),
        lambda world: (world / "out/x/verdict.statement.json").unlink(),
    ],
    ids=["candidate measured anew", "trials deleted", "ledger emptied", "no statement"],
)
def test_a_pass_on_evidence_that_has_changed_since_is_not_resumed(
    world: Path, change: Callable[[Path], object]
) -> None:
    task = task_of(world, RUNS["candidate"])
    assert run_cell(task).state == "PASS"
    assert finished_result(task, lambda: world) is not None
    change(world)
    assert finished_result(task, lambda: world) is None


def test_an_absent_cell_closes_the_matrix() -> None:
    cells = [SweepCell(name=name, gate="g", candidate="c") for name in ("a", "b")]
    there = CellResult(name="a", state="PASS", codes=[], attempts=1, verdict_sha256=None, candidate_digest=None)
    matrix = matrix_of(cells, [there])
    assert (matrix.all_open, matrix.state) == (False, VerdictState.NO_VERDICT)
    assert matrix.cells[1].state is None
    assert matrix_of(cells[:1], [there]).all_open
    with pytest.raises(UnreadableInput):
        SweepMatrix.read(matrix.model_dump(mode="json") | {"all_open": True}, file="sweep.json")


@pytest.mark.parametrize(
    "broken",
    [{"gates": {}}, {"cells": [{"name": "../x", "gate": "g", "candidate": "c"}]}, {"unknown": 1}],
)
def test_a_sweep_that_is_no_sweep_is_refused(broken: dict[str, object]) -> None:
    with pytest.raises(UnreadableInput):
        sweep_of("out", RUNS, **broken)


@pytest.fixture
def s3() -> Iterator[str]:
    """A real S3-compatible server on this machine."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    try:
        yield f"http://{host}:{port}"
    finally:
        server.stop()


def test_inputs_and_outputs_live_in_an_object_store(s3: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (
        ("AWS_ENDPOINT_URL", s3),
        ("AWS_ACCESS_KEY_ID", "x"),
        ("AWS_SECRET_ACCESS_KEY", "x"),
        ("AWS_DEFAULT_REGION", "us-east-1"),
    ):
        monkeypatch.setenv(name, value)
    store = fsspec.filesystem("s3", skip_instance_cache=True)
    store.mkdir("bucket")
    store.put(str(shipped_path("data/demo")) + "/", "bucket/in/data/demo/", recursive=True)
    sweep = sweep_of("s3://bucket/out", {"candidate": RUNS["candidate"]}, inputs="s3://bucket/in")
    matrix = run_sweep(sweep, as_of=AS_OF, workers=1)
    assert [result.state for result in matrix.cells] == ["PASS"], matrix
    store.invalidate_cache()
    assert json.loads(store.cat_file("bucket/out/sweep.json"))["all_open"] is True
    assert store.exists("bucket/out/candidate--demo/report.html")
    assert run_sweep(sweep, as_of=AS_OF, workers=1).cells[0].attempts == 0


def test_the_command_says_what_became_of_each_cell(world: Path) -> None:
    (world / "sweep.yaml").write_text(
        "schema: litmus-nb/sweep/v1\noutput: out\nas_of: '2026-11-30'\n"
        f"gates: {{demo: {GATE}}}\ncandidates: {{regressed: {RUNS['regressed']}}}\n"
    )
    run = subprocess.run(
        [sys.executable, "-m", "litmus_nb", "sweep", "sweep.yaml"], capture_output=True, text=True, timeout=300
    )
    assert run.returncode == 1, run.stderr
    assert "FAIL        regressed--demo  CLASS_REGRESSED" in run.stdout
