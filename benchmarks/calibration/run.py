"""Run the bench: `python -m benchmarks.calibration.run [--grid small|full] [--workers 2]`. Stopped, it can go on."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict
from pathlib import Path

# Each worker has a core of its own; the matrix products must not fight over them. Before numpy is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import polars as pl
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from benchmarks.calibration import decisions, exact, simulate, summary
from benchmarks.calibration.decisions import row
from benchmarks.calibration.methods import METHODS
from benchmarks.calibration.truths import TRUTHS, Cell, cells, trinomial

HERE = Path(__file__).parent
# Classes simulated per cell and truth: most where validity is at stake.
REPLICATES = {"small": {"at_tolerance": 2_000, "other": 500}, "full": {"at_tolerance": 3_000, "other": 500}}
SCHEMA = {
    "method": pl.String,
    "version": pl.String,
    "n": pl.Int64,
    "baseline_rate": pl.Float64,
    "reverse_rate": pl.Float64,
    "trials": pl.Int64,
    "family_size": pl.Int64,
    "tolerance": pl.Float64,
    "question": pl.String,
    "nominal": pl.Float64,
    "rate": pl.Float64,
    "standard_error": pl.Float64,
    "exact": pl.Boolean,
}


def results_of(cell: Cell, grid: str) -> list[dict[str, object]]:
    """The rows of one cell: exact for a single trial of single scenarios, simulated otherwise."""
    found = []
    for truth, questions in TRUTHS.items():
        replicates = REPLICATES[grid].get(truth, REPLICATES[grid]["other"])
        for method in METHODS:
            if cell.is_single_trial:
                drawn = exact.tables(cell.n, *trinomial(cell, truth))
                passes, fails = exact.rates(method, drawn, cell.tolerance)
                rates, error = {method.name: (passes, fails)}, None
            elif method is METHODS[0]:
                rates, error = simulate.rates(cell, truth, replicates), replicates
            else:
                continue
            for name, (passed, failed) in rates.items():
                known = next(m for m in METHODS if m.name == name)
                for question in questions:
                    rate = passed if question.endswith("pass") else failed
                    spread = simulate.standard_error(rate, error) if error else 0.0
                    found.append(
                        row(cell, question, name, known.version, known.nominal, rate, spread, exact=error is None)
                    )
    return found


def already_done(path: Path) -> dict[str, list[dict[str, object]]]:
    """The cells that an earlier run finished; a line cut off by a stop is not one."""
    done = {}
    if path.exists():
        for line in path.read_text().splitlines():
            try:
                record = json.loads(line)
            except json.JSONDecodeError:
                continue
            done[record["cell"]] = record["rows"]
    return done


def _longest_first(wanted: list[Cell]) -> Iterator[Cell]:
    return iter(sorted(wanted, key=lambda cell: -(cell.trials * cell.family_size)))


def run(grid: str, workers: int, progress_file: Path) -> pl.DataFrame:
    """Every row of the grid, in a fixed order."""
    wanted = list(cells(grid))
    done = already_done(progress_file)
    progress_file.parent.mkdir(parents=True, exist_ok=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with (
        progress_file.open("a") as log,
        ProcessPoolExecutor(workers) as pool,
        Progress(*columns) as progress,
    ):
        left = [cell for cell in _longest_first(wanted) if repr(cell) not in done]
        task = progress.add_task(f"{grid} grid, cells", total=len(wanted), completed=len(wanted) - len(left))
        started = {pool.submit(results_of, cell, grid): cell for cell in left}
        for finished in as_completed(started):
            key = repr(started[finished])
            done[key] = finished.result()
            log.write(json.dumps({"cell": key, "asked": asdict(started[finished]), "rows": done[key]}) + "\n")
            log.flush()
            progress.advance(task)
    rows = [line for cell in wanted for line in done[repr(cell)]]
    return pl.DataFrame(rows + decisions.rows(), schema=SCHEMA, orient="row").sort(
        "trials", "family_size", "method", "question", "tolerance", "baseline_rate", "reverse_rate", "n"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--grid", choices=sorted(REPLICATES), default="small")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--output", type=Path, help="where results go; default: beside this file for the full grid")
    chosen = parser.parse_args()
    work = Path("build/calibration") / chosen.grid
    results = run(chosen.grid, chosen.workers, work / "cells.jsonl")
    output = chosen.output or (HERE if chosen.grid == "full" else work)
    output.mkdir(parents=True, exist_ok=True)
    results.write_parquet(output / "results.parquet", statistics=False)
    summary.write(results, output, REPLICATES[chosen.grid]["at_tolerance"])


if __name__ == "__main__":
    main()
