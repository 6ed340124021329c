"""Methods too slow to ask about every table: what they decided on the tables they were asked about.

`decisions.parquet` holds their answers (`ask.py` collects them); here they become rates. Where the tables asked about
carry all but a thousandth of a cell's probability the rate is exact up to that, which is then its standard error;
otherwise they are a random sample of the cell's classes.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.calibration.exact import Tables, tables
from benchmarks.calibration.simulate import standard_error
from benchmarks.calibration.truths import TRUTHS, Cell, trinomial

FILE = Path(__file__).with_name("decisions.parquet")
TOLERANCE = 0.05
COVERED = 0.999
_ENUMERATED_UP_TO = 100
_SAMPLED = 150

CELLS = tuple(Cell(n, 0.1, reverse, 1, 1, TOLERANCE) for n in (20, 40, 100, 300, 1000) for reverse in (0.0, 0.05))


@dataclass(frozen=True)
class Asked:
    """The tables of one cell and truth that slow methods are asked about, and the weight of each answer."""

    worse: list[int]
    better: list[int]
    weights: list[float]
    is_enumeration: bool


def asked(cell: Cell, truth: str) -> Asked:
    """Which tables: the most probable ones up to n = 100, beyond it a seeded sample of classes."""
    drawn = tables(cell.n, *trinomial(cell, truth))
    if cell.n <= _ENUMERATED_UP_TO:
        last = int(np.searchsorted(np.cumsum(drawn.probabilities), COVERED)) + 1
        chosen = slice(0, last)
        return Asked(
            drawn.worse[chosen].tolist(), drawn.better[chosen].tolist(), drawn.probabilities[chosen].tolist(), True
        )
    return _sampled(drawn, cell)


def _sampled(drawn: Tables, cell: Cell) -> Asked:
    rng = np.random.Generator(np.random.PCG64(cell.n))
    chosen = rng.choice(drawn.probabilities.size, _SAMPLED, p=drawn.probabilities / drawn.probabilities.sum())
    picked, counts = np.unique(chosen, return_counts=True)
    return Asked(drawn.worse[picked].tolist(), drawn.better[picked].tolist(), (counts / _SAMPLED).tolist(), False)


def rows() -> list[dict[str, object]]:
    """The results of the slow methods, in the columns of results.parquet."""
    if not FILE.exists():
        return []
    answers = pl.read_parquet(FILE)
    found: list[dict[str, object]] = []
    for cell in CELLS:
        for truth in TRUTHS:
            wanted = asked(cell, truth)
            table = pl.DataFrame(
                {"n": cell.n, "worse": wanted.worse, "better": wanted.better, "weight": wanted.weights}
            )
            joined = answers.join(table, on=["n", "worse", "better"])
            for (name, version, nominal), answered in joined.group_by("method", "version", "nominal"):
                if answered.height == table.height:
                    found += _rates(cell, truth, wanted, answered, (name, version, nominal))
    return found


def _rates(cell: Cell, truth: str, wanted: Asked, answered: pl.DataFrame, method: tuple[object, ...]) -> list[dict]:
    found = []
    for question in TRUTHS[truth]:
        outcome = "passes" if question.endswith("pass") else "fails"
        rate = float(answered.filter(pl.col(outcome))["weight"].sum())
        error = 1 - COVERED if wanted.is_enumeration else standard_error(rate, _SAMPLED)
        found.append(row(cell, question, method[0], method[1], method[2], rate, error, exact=wanted.is_enumeration))
    return found


def row(
    cell: Cell,
    question: str,
    method: object,
    version: object,
    nominal: object,
    rate: float,
    error: float,
    *,
    exact: bool,
) -> dict[str, object]:
    """One row of results.parquet."""
    return {
        "method": method,
        "version": version,
        "n": cell.n,
        "baseline_rate": cell.baseline_rate,
        "reverse_rate": cell.reverse_rate,
        "trials": cell.trials,
        "family_size": cell.family_size,
        "tolerance": cell.tolerance,
        "question": question,
        "nominal": nominal,
        "rate": rate,
        "standard_error": error,
        "exact": exact,
    }
