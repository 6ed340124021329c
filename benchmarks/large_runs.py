"""`evaluate` on runs of a hundred thousand to a hundred million trials, against the barest count of the same columns.

The peer is polars' streaming group_by over the five columns of both runs (the candidate's and the baseline's): no
suite, no digest, no check. Ours reads and hashes the suite, hashes every file, proves that no trial is there twice,
checks classes, labels and counts, and decides. A size is the trials of ONE run; both commands read two.

    python benchmarks/large_runs.py FOLDER [--sizes 1e5 1e6 1e7 1e8] [--repeats 5] [--csv ROWS]
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import polars as pl

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.large_world import large_world
from benchmarks.measure import REPEATS, RESULTS, ROOT, Peer, as_installed, leave, process, row, version_of

TRIALS = 100
CHART = ROOT / "benchmarks/large-runs.svg"
BARE = """
import polars as pl, sys
for side in ("candidate", "baseline"):
    scan = pl.scan_csv if "csv" in sys.argv[1] else pl.scan_parquet
    pattern = f"{side}/trials.csv" if "csv" in sys.argv[1] else f"{side}/trials/*.parquet"
    trials = scan(pattern).group_by("scenario_id").agg(
        pl.len(), pl.col("attack_success").sum(), pl.col("trial").max(), pl.col("status").max(),
        pl.col("scenario_class").max(),
    ).collect(engine="streaming")
"""


def name_of(trials: int, kind: str) -> str:
    """The row's name."""
    return f"evaluate, {trials:,} trials, {kind}"


def rows(folder: Path, sizes: list[int], repeats: int, *, kind: str = "Parquet shards") -> Iterator[dict[str, object]]:
    """A row a size; a world that is not there yet is made, and kept for the next time."""
    for trials in sizes:
        world = folder / f"{kind.split()[0]}-{trials}"
        if not (world / "params.yaml").exists():
            large_world(world, scenarios=trials // TRIALS, trials=TRIALS, as_csv=kind == "CSV")
        ours = process([sys.executable, "-m", "litmus_nb", "evaluate", "params.yaml", "--quiet"], world)
        bare = process([sys.executable, "-c", BARE, kind.lower()], world)
        peer = Peer("polars, streaming group_by", version_of("polars"), bare)
        yield row(name_of(trials, kind), ours, peer, repeats=repeats)


def chart(path: Path = CHART) -> None:
    """Seconds against trials, both axes logarithmic, from results.json."""
    import altair as alt

    points = [
        {"trials": trials, "seconds": found[f"{side}_s"], "what": what}
        for found in json.loads(RESULTS.read_text())
        for trials in (10**5, 10**6, 10**7, 10**8)
        if found["name"] == name_of(trials, "Parquet shards")
        for side, what in (("ours", "litmus-nb evaluate"), ("peer", "polars group_by"))
    ]

    def _decades(first: int, last: int) -> alt.Axis:
        return alt.Axis(values=[10.0**power for power in range(first, last)], format="~s")

    base = alt.Chart(pl.DataFrame(points)).encode(
        x=alt.X("trials:Q", scale=alt.Scale(type="log"), axis=_decades(5, 9), title="trials in each of the two runs"),
        y=alt.Y("seconds:Q", scale=alt.Scale(type="log"), axis=_decades(-1, 3), title="seconds of processor time"),
        color=alt.Color("what:N", title=None, scale=alt.Scale(range=["#1f4e79", "#b45f06"])),
    )
    (base.mark_line() + base.mark_point(filled=True, size=60)).properties(width=460, height=300).save(str(path))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sizes", type=float, nargs="*", default=[1e5, 1e6, 1e7, 1e8])
    parser.add_argument("--repeats", type=int, default=REPEATS)
    parser.add_argument("--csv", type=float, help="trials of one run, in one CSV file")
    parser.add_argument("--keep", action="store_true", help="leave the worlds there")
    options = parser.parse_args()
    as_installed()
    for found in rows(options.folder, [int(size) for size in options.sizes], options.repeats):
        leave([found])
        print(found)
    if options.csv:
        for found in rows(options.folder, [int(options.csv)], options.repeats, kind="CSV"):
            leave([found])
            print(found)
    chart()
    if not options.keep:
        shutil.rmtree(options.folder)


if __name__ == "__main__":
    main()
