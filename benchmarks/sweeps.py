"""A sweep of cells that compute, on two workers against one. On the wall: it is about working at once.

A cell is a gate of its own (a process, a kernel), which uses a second processor where there is one. What adding workers
gains is therefore measured as a fleet adds them, a processor with each: one worker has one, two workers have two.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from datetime import date
from pathlib import Path

from benchmarks.measure import Peer, row, version_of, wall
from litmus_nb.contracts.sweep import SweepFile
from litmus_nb.shipped import shipped_path
from litmus_nb.sweep.run import run_sweep

CELLS = 8


def rows(repeats: int) -> Iterator[dict[str, object]]:
    """The row."""
    with tempfile.TemporaryDirectory() as folder:
        inputs = Path(folder) / "inputs"
        shutil.copytree(shipped_path("data/demo"), inputs / "data/demo")

        def sweep(workers: int) -> None:
            output = Path(folder) / f"out-{workers}"
            shutil.rmtree(output, ignore_errors=True)
            candidates = {f"c{number}": "data/demo/runs/candidate" for number in range(CELLS)}
            asked = {
                "schema": "litmus-nb/sweep/v1",
                "inputs": str(inputs),
                "output": str(output),
                "as_of": "2026-11-30",
                "gates": {"demo": "data/demo/gate.yaml"},
                "candidates": candidates,
            }
            with _processors(workers):
                matrix = run_sweep(SweepFile.read(asked, file="sweep"), as_of=date(2026, 11, 30), workers=workers)
            if not matrix.all_open:
                raise RuntimeError("a cell is closed")

        one = Peer("the same on one worker", version_of("distributed"), wall(lambda: sweep(1)))
        yield row(f"sweep, {CELLS} gates on 2 workers", wall(lambda: sweep(2)), one, repeats=repeats)


@contextlib.contextmanager
def _processors(count: int) -> Iterator[None]:
    """So many processors for this process and every one that it starts."""
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(allowed)[:count])
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)
