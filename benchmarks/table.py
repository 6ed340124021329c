"""docs/performance.md, made from results.json: `python -m benchmarks.table`."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.measure import RESULTS, ROOT

PAGE = ROOT / "docs/performance.md"

Row = dict[str, Any]

BEFORE = """# Performance

Made from `benchmarks/results.json` by `python -m benchmarks.table`; not edited by hand. `make bench` measures anew.

Each row is a ratio to a named peer **in the same run**: medians of five repetitions (fewer where the row says so), ours
and the peer by turns, both byte-compiled, as an installer leaves them. Seconds are processor seconds (user and system,
of all threads and children), but for `gate` and the sweep, which are about working at once and are timed on the wall.
Where other work shares the cores, processor seconds come out long too; the ratios suffer less, differences more. A peer
that does less than we do, such as importing polars or an empty notebook, is there as the floor that we cannot be under.

| what | ours, s | peer | peer, s | ours / peer | peak, MB |
|---|---|---|---|---|---|
"""

AFTER = """
## Goals

| goal | measured | |
|---|---|---|
"""

CHART = """
## Large runs

![Processor seconds against the number of trials, both axes logarithmic](../benchmarks/large-runs.svg)

Two runs, the candidate's and the baseline's, of the number of trials on the axis each, in four Parquet shards each; 100
trials a scenario. What it takes for granted and what a fleet costs is in [scale.md](scale.md).
"""


@dataclass(frozen=True)
class Goal:
    """Something promised of a row."""

    what: str
    row: str
    measured: Callable[[Row], str]
    is_met: Callable[[Row], bool]


def _below(megabytes: int) -> tuple[Callable[[Row], str], Callable[[Row], bool]]:
    return lambda row: f"{row['peak_mb']:,} MB", lambda row: row["peak_mb"] < megabytes


def _quicker(times: float) -> tuple[Callable[[Row], str], Callable[[Row], bool]]:
    return lambda row: f"{1 / row['ratio']:,.0f} times", lambda row: 1 / row["ratio"] >= times


def _at_most(ratio: float) -> tuple[Callable[[Row], str], Callable[[Row], bool]]:
    return lambda row: f"{row['ratio']:.2f} times", lambda row: row["ratio"] <= ratio


def _above(seconds: float) -> tuple[Callable[[Row], str], Callable[[Row], bool]]:
    return (
        lambda row: f"{row['ours_s'] - row['peer_s']:+.2f} s",
        lambda row: row["ours_s"] - row["peer_s"] <= seconds,
    )


def _milliseconds(most: float) -> tuple[Callable[[Row], str], Callable[[Row], bool]]:
    return lambda row: f"{row['ours_s'] * 1e3:.1f} ms", lambda row: row["ours_s"] * 1e3 <= most


GOALS = (
    Goal(
        "percentile bootstrap at n = 300 at least 100 times as fast as scipy's",
        "percentile bootstrap, n = 300, against scipy.stats.bootstrap",
        *_quicker(100),
    ),
    Goal(
        "at n = 10,000 at least 1,000 times",
        "percentile bootstrap, n = 10,000, against scipy.stats.bootstrap",
        *_quicker(1000),
    ),
    Goal(
        "both bounds of a class in at most 5 ms: 5,000 distinct deltas",
        "bound, 5,000 distinct deltas",
        *_milliseconds(5),
    ),
    Goal("the same: 10,000,000 units", "bound, 10,000,000 units", *_milliseconds(5)),
    Goal("gate at most 1 s above papermill, without the report", "gate, demo, without report", *_above(1)),
    Goal("gate at most 2 s above papermill, with the report", "gate, demo, with report", *_above(2)),
    Goal("preflight under twice importing polars: admitted", "preflight, admitted", *_at_most(2)),
    Goal("the same: REJECTED", "preflight, REJECTED", *_at_most(2)),
    Goal(
        "100,000,000 trials at most twice a bare group_by",
        "evaluate, 100,000,000 trials, Parquet shards",
        *_at_most(2),
    ),
    Goal("the same as one CSV a run", "evaluate, 100,000,000 trials, CSV", *_at_most(2)),
    Goal("in less than 2 GB: Parquet", "evaluate, 100,000,000 trials, Parquet shards", *_below(2000)),
    Goal("in less than 2 GB: CSV", "evaluate, 100,000,000 trials, CSV", *_below(2000)),
    Goal(
        "a sweep on 2 workers at least 1.8 times as fast as on one",
        "sweep, 8 gates on 2 workers",
        lambda row: f"{1 / row['ratio']:.2f} times",
        lambda row: 1 / row["ratio"] >= 1.8,
    ),
)


def page(rows: list[Row]) -> str:
    """The page's text."""
    lines = [_line(row) for row in rows if not row["name"].startswith("import ")]
    imports = [_line(row) for row in rows if row["name"].startswith("import ")]
    by_name = {row["name"]: row for row in rows}
    goals = [_goal_line(goal, by_name.get(goal.row)) for goal in GOALS]
    text = BEFORE + "\n".join(lines) + "\n" + AFTER + "\n".join(goals) + "\n" + CHART
    head = "| module | ours, s | peer | peer, s | ours / peer | peak, MB |\n|---|---|---|---|---|---|\n"
    return text + "\n## Importing\n\n" + head + "\n".join(imports) + "\n"


def write(path: Path = PAGE) -> None:
    """Write the page anew."""
    path.write_text(page(json.loads(RESULTS.read_text())), encoding="utf-8")


def _line(row: Row) -> str:
    peak = "" if row["peak_mb"] is None else f"{row['peak_mb']:,}"
    peer = f"{row['peer']} {row['peer_version']}".strip()
    return (
        f"| {row['name']} | {_seconds(row['ours_s'])} | {peer} | {_seconds(row['peer_s'])} | {row['ratio']} | {peak} |"
    )


def _goal_line(goal: Goal, row: Row | None) -> str:
    if row is None:
        return f"| {goal.what} | not measured | |"
    return f"| {goal.what} | {goal.measured(row)} | {'met' if goal.is_met(row) else '**missed**'} |"


def _seconds(seconds: float) -> str:
    return f"{seconds:.5f}" if seconds < 0.01 else f"{seconds:.2f}"


if __name__ == "__main__":
    write()
