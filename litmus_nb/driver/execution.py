"""papermill made strict: one notebook, one kernel of ours, everything that happened told as facts."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat

from litmus_nb.driver.isolation import IsolatedKernelManager, isolated_kernel, kernel_environment
from litmus_nb.shipped import shipped_path

__all__ = ["Execution", "execute"]

_START_TIMEOUT_S = 60


@dataclass(frozen=True)
class Execution:
    """What an execution left behind."""

    notebook: Any | None
    """The executed notebook as papermill saved it; None where there is none or it cannot be read."""
    failure: str | None
    """Why it did not run to its end: None where no cell failed."""
    failed_cell: int | None
    """The index of the cell that raised, where one did."""


def execute(
    name: str,
    executed: Path,
    parameters: dict[str, Any],
    handed: dict[str, str],
    private: Path,
    *,
    timeout_s: int,
    progress: Callable[[str], None],
    meanwhile: Callable[[], None] = lambda: None,
) -> Execution:
    """Run a shipped notebook with papermill in an isolated kernel; never raises for what the notebook does.

    Args:
        name: of the shipped notebook.
        executed: where papermill saves the executed copy.
        parameters: checked by the caller against the contract.
        handed: environment variables for the kernel.
        private: a folder that nobody else writes in.
        timeout_s: seconds a cell may take; the whole may take twice as long.
        progress: told the stages that the notebook reports.
        meanwhile: called once, as soon as the kernel's process gets ready, or could not be started; what it starts
            has a second or two of another processor.
    """
    with (
        isolated_kernel(kernel_environment(private, handed)) as manager,
        _watched(manager, private, 2 * timeout_s, progress),
    ):
        failure, failed_cell = _run(name, executed, parameters, manager, timeout_s, meanwhile)
    return Execution(_saved(executed), failure, failed_cell)


def _run(
    name: str,
    executed: Path,
    parameters: dict[str, Any],
    manager: IsolatedKernelManager,
    timeout_s: int,
    meanwhile: Callable[[], None],
) -> tuple[str | None, int | None]:
    """Why it did not run to its end, and in which cell; both None where no cell failed."""
    try:
        manager.launch()
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:500], None
    finally:
        meanwhile()
    # Deferred: papermill takes a second to import, in which the kernel gets ready.
    from papermill.exceptions import PapermillExecutionError
    from papermill.execute import execute_notebook

    try:
        execute_notebook(
            _as_it_is(shipped_path(name)),
            _as_it_is(executed),
            parameters=parameters,
            kernel_name="python3",
            progress_bar=False,
            autosave_cell_every=0,
            start_timeout=_START_TIMEOUT_S,
            execution_timeout=timeout_s,
            km=manager,
        )
    except PapermillExecutionError as error:
        return f"{error.ename}: {error.evalue}"[:500], error.cell_index
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:500], None
    return None, None


def _as_it_is(path: Path) -> str:
    """papermill takes paths for format strings and would fill braces from the parameters."""
    return str(path).replace("{", "{{").replace("}", "}}")


@contextlib.contextmanager
def _watched(
    manager: IsolatedKernelManager, private: Path, limit_s: float, progress: Callable[[str], None]
) -> Iterator[None]:
    finished = threading.Event()
    watcher = threading.Thread(
        target=_watch, args=(manager, private, finished, limit_s, progress), name="watch", daemon=True
    )
    watcher.start()
    try:
        yield
    finally:
        finished.set()
        watcher.join()


def _saved(executed: Path) -> Any | None:
    try:
        return nbformat.read(executed, as_version=4)  # type: ignore[no-untyped-call]  # nbformat has no types
    except Exception:
        return None


def _watch(
    manager: IsolatedKernelManager,
    private: Path,
    finished: threading.Event,
    limit_s: float,
    progress: Callable[[str], None],
) -> None:
    """Tell the stages as the kernel leaves their receipts, and end a kernel that takes too long."""
    told = 0
    waited_s = 0.0
    receipts = private / "receipts.jsonl"
    while not finished.wait(0.1):
        waited_s += 0.1
        if waited_s > limit_s:
            manager.kill_group()
        with contextlib.suppress(OSError):
            lines = receipts.read_text(encoding="utf-8", errors="replace").splitlines()
            for line in lines[told:]:
                progress(_STAGES.get(line.partition('"stage": "')[2].partition('"')[0], "the notebook goes on"))
            told = len(lines)


_STAGES = {
    "begin": "reading the evidence",
    "admit": "admissibility: is the measurement contract kept?",
    "eligible": "eligibility: can the run carry a decision?",
    "compare": "comparing, class by class",
    "decide": "deciding",
    "finish": "the last cell has run",
    "verdict": "the notebook has left its verdict",
}
