"""Running a sweep on dask.distributed: a cluster of this machine, or any scheduler's address."""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path

from distributed import Client, KilledWorker, LocalCluster, as_completed

from litmus_nb.contracts.strict_yaml import parse_yaml
from litmus_nb.contracts.sweep import CellResult, SweepFile, SweepMatrix
from litmus_nb.files import read_bytes
from litmus_nb.report.sweep_page import render_sweep_page
from litmus_nb.sweep.cell import CellTask, finished_result, run_cell
from litmus_nb.sweep.matrix import matrix_of
from litmus_nb.sweep.storage import Storage

__all__ = ["read_sweep", "run_sweep"]

MATRIX = "sweep.json"
PAGE = "index.html"

Told = Callable[[CellResult, int, int], None]
"""Told each cell's result, how many are done, and how many there are."""


def read_sweep(path: Path) -> SweepFile:
    """The sweep file at `path`.

    Raises:
        UnreadableInput: with every fault of the file.
    """
    return SweepFile.read(parse_yaml(read_bytes(path), file=str(path)), file=str(path))


def run_sweep(
    sweep: SweepFile, *, as_of: date, workers: int = 2, scheduler: str | None = None, told: Told = lambda *_: None
) -> SweepMatrix:
    """Run every cell that is not finished yet, and leave the matrix in the output: sweep.json, and index.html to read.

    Each cell is a gate in a process and a kernel of its own. A worker that dies takes no cell with it: the cell runs
    again elsewhere. What has no verdict in the end is absent, which closes the matrix.

    Args:
        as_of: the day that every cell counts from, where the file names none.
        workers: of the local cluster; with `scheduler` ignored.
        scheduler: address of a dask scheduler, such as `tcp://10.0.0.1:8786`.
        told: of each result as it comes.
    """
    tasks = _tasks(sweep, as_of)
    output = Storage(_absolute(sweep.output))
    _leave(sweep, matrix_of(sweep.all_cells, []), output)  # closed until the sweep has ended
    results: list[CellResult] = []

    def note(result: CellResult) -> None:
        results.append(result)
        told(result, len(results), len(tasks))

    finished = _finished(tasks)
    for result in finished.values():
        note(result)
    if waiting := [task for task in tasks if task.cell.name not in finished]:
        with _client(scheduler, min(workers, len(waiting))) as client:
            for result in _results(client, waiting):
                note(result)
    matrix = matrix_of(sweep.all_cells, results)
    _leave(sweep, matrix, output)
    return matrix


def _tasks(sweep: SweepFile, as_of: date) -> list[CellTask]:
    return [
        CellTask(
            cell=cell,
            inputs=_absolute(sweep.inputs),
            output=_absolute(sweep.output),
            as_of=sweep.as_of or as_of.isoformat(),
            timeout_s=sweep.cell_timeout_s,
            retries=sweep.infrastructure_retries,
        )
        for cell in sweep.all_cells
    ]


def _finished(tasks: list[CellTask]) -> dict[str, CellResult]:
    """The results that stand from an earlier sweep, by the name of the cell."""
    with tempfile.TemporaryDirectory(prefix="litmus-sweep-", ignore_cleanup_errors=True) as scratch:
        # Fetched once for all cells, and not at all where nothing was finished before.
        inputs = functools.cache(lambda: Storage(tasks[0].inputs).fetch_all(Path(scratch) / "inputs"))
        found = {task.cell.name: finished_result(task, inputs) for task in tasks}
    return {name: result for name, result in found.items() if result is not None}


def _leave(sweep: SweepFile, matrix: SweepMatrix, output: Storage) -> None:
    """The page before the matrix: what machines read never says more than the page."""
    output.leave(PAGE, render_sweep_page(sweep, matrix).encode())
    output.leave(MATRIX, (matrix.model_dump_json(indent=2) + "\n").encode())


def _results(client: Client, tasks: list[CellTask]) -> Iterator[CellResult]:
    futures = {client.submit(run_cell, task, pure=False, retries=task.retries): task for task in tasks}
    for future in as_completed(futures):  # type: ignore[no-untyped-call]  # distributed has no types
        task = futures[future]
        if future.status == "finished":
            yield future.result()
        else:
            yield _lost(task, future.exception())


def _lost(task: CellTask, error: BaseException | None) -> CellResult:
    reason = "its workers died" if isinstance(error, KilledWorker) else f"{type(error).__name__}: {error}"
    return CellResult(
        name=task.cell.name,
        state=None,
        codes=[],
        attempts=task.retries + 1,
        verdict_sha256=None,
        candidate_digest=None,
        problem=f"no result: {reason}"[:300],
    )


@contextmanager
def _client(scheduler: str | None, workers: int) -> Iterator[Client]:
    if scheduler is not None:
        with Client(scheduler) as client:  # type: ignore[no-untyped-call]  # distributed has no types
            yield client
        return
    options = {"n_workers": workers, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with LocalCluster(**options) as cluster, Client(cluster) as client:  # type: ignore[no-untyped-call]  # as above
        yield client


def _absolute(place: str) -> str:
    return place if "://" in place else str(Path(place).resolve())
