"""Ask the slow methods about the tables that matter: `python -m benchmarks.calibration.ask [METHOD ..]`.

scipy's bootstraps run here, the peers in `benchmarks/.venv-peers` (made from `benchmarks/requirements-peers.lock`, see
README.md). Answers are kept as they come, so that a stop loses nothing; `decisions.parquet` is written at the end.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path

import numpy as np
import polars as pl
from rich.progress import track
from scipy import stats

from benchmarks.calibration import decisions
from benchmarks.calibration.methods import CONFIDENCE, LEVEL
from benchmarks.calibration.truths import TRUTHS

WORK = Path("build/calibration/answers")
PEERS_PYTHON = Path("benchmarks/.venv-peers/bin/python")
# What each claims of a PASS, where it claims anything: statgate's 95 % interval leaves (1 - c)/2 on the side that
# ships. evalproof and llm-evalgate limit false failures, and say nothing of false passes.
NOMINAL = {"scipy percentile bootstrap": LEVEL, "scipy BCa bootstrap": LEVEL, "statgate": LEVEL}
PEERS = ("statgate", "evalproof", "llm-evalgate")
# llm-evalgate resamples in Python: a table of 300 takes the better part of a second.
LARGEST_N = {"llm-evalgate": 100}
FEWEST_N = {"evalproof": 20}  # its own `min_cases`

Table = tuple[int, int, int]
Answer = tuple[bool, bool]


def wanted() -> list[Table]:
    """Every table that some cell asks about, once."""
    found = set()
    for cell in decisions.CELLS:
        for truth in TRUTHS:
            asked = decisions.asked(cell, truth)
            found |= {(cell.n, worse, better) for worse, better in zip(asked.worse, asked.better, strict=True)}
    return sorted(found)


def scipy_bootstrap(kind: str) -> Callable[[Table], Answer]:
    def ask(table: Table) -> Answer:
        n, worse, better = table
        deltas = np.repeat([1.0, -1.0, 0.0], [worse, better, n - worse - better])
        if worse == n or better == n or worse + better == 0:
            # scipy's interval of ties is empty (BCa: undefined); a gate built on it sees the delta itself.
            return bool(deltas[0] <= decisions.TOLERANCE), bool(deltas[0] > decisions.TOLERANCE)
        interval = stats.bootstrap(
            (deltas,), np.mean, confidence_level=CONFIDENCE, method=kind, batch=500, rng=np.random.default_rng(0)
        ).confidence_interval
        return bool(interval.high <= decisions.TOLERANCE), bool(interval.low > decisions.TOLERANCE)

    return ask


def peer(name: str) -> tuple[str, Callable[[Table], Answer]]:
    """A peer's version, and how to ask it: a process in its own environment that answers line by line."""
    process = subprocess.Popen(
        [str(PEERS_PYTHON), "-W", "ignore", "benchmarks/calibration/peer_worker.py", name],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    questions, answers = process.stdin, process.stdout
    if questions is None or answers is None:
        raise RuntimeError(f"{name} did not start")
    seen = json.loads(answers.readline())["version"]

    def ask(table: Table) -> Answer:
        n, worse, better = table
        question = {"n": n, "worse": worse, "better": better, "tolerance": decisions.TOLERANCE}
        questions.write(json.dumps(question) + "\n")
        questions.flush()
        answer = json.loads(answers.readline())
        return answer["passes"], answer["fails"]

    return seen, ask


def answers(name: str) -> Iterator[dict[str, object]]:
    """All answers of one method, those of earlier runs first."""
    log = WORK / f"{name.replace(' ', '-')}.jsonl"
    log.parent.mkdir(parents=True, exist_ok=True)
    known = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    yield from known
    done = {(row["n"], row["worse"], row["better"]) for row in known}
    left = [
        table
        for table in wanted()
        if table not in done and FEWEST_N.get(name, 0) <= table[0] <= LARGEST_N.get(name, 10**9)
    ]
    if not left:
        return
    if name in PEERS:
        seen, ask = peer(name)
    else:
        seen, ask = f"scipy {version('scipy')}", scipy_bootstrap("BCa" if "BCa" in name else "percentile")
    with log.open("a") as kept:
        for table in track(left, description=name):
            passes, fails = ask(table)
            row = {"method": name, "version": seen, "nominal": NOMINAL.get(name)}
            row |= {"n": table[0], "worse": table[1], "better": table[2], "passes": passes, "fails": fails}
            kept.write(json.dumps(row) + "\n")
            kept.flush()
            yield row


def main() -> None:
    every = ("scipy percentile bootstrap", "scipy BCa bootstrap", *PEERS)
    names = tuple(sys.argv[1:]) or every
    for name in names:
        for _ in answers(name):
            pass
    schema = {"method": pl.String, "version": pl.String, "nominal": pl.Float64}
    schema |= {"n": pl.Int64, "worse": pl.Int64, "better": pl.Int64, "passes": pl.Boolean, "fails": pl.Boolean}
    rows = [
        json.loads(line)
        for name in every
        if (log := WORK / f"{name.replace(' ', '-')}.jsonl").exists()
        for line in log.read_text().splitlines()
    ]
    frame = pl.DataFrame(rows, schema=schema).unique().sort("method", "n", "worse", "better")
    frame.write_parquet(decisions.FILE, statistics=False)


if __name__ == "__main__":
    main()
