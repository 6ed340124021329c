"""Worlds of millions of trials: a suite, a gate, a ledger, a candidate and a baseline, in Parquet shards or as CSV.

    python benchmarks/large_world.py FOLDER --scenarios 1000000 --trials 100 [--csv]

Ids have the shape of real ones (a word and seven digits); the labels are random with a seed, one in ten true, on both
sides alike, so that every class passes. Ids, classes and trial indexes lie in order, as a harness writes them.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

sys.path.insert(0, str(Path(__file__).parents[1]))

from litmus_nb.contracts.plain_yaml import yaml_text
from litmus_nb.evidence.inventory import folder_digest
from litmus_nb.evidence.suite import read_suite
from tests.builders import AS_OF, chained, correct_world

CLASSES = ("class-0", "class-1", "class-2", "class-3")
SHARDS = 4
_SCENARIOS_AT_ONCE = 50_000


def large_world(folder: Path, *, scenarios: int, trials: int, as_csv: bool = False) -> Path:
    """Write the world; gives its params file, whose paths are relative to `folder`."""
    small = correct_world(scenarios=1, trials=trials)
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in small.files().items():
        if name.startswith("suite/"):
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_bytes(content)
    _probes(folder / "suite/probes.jsonl", scenarios)
    suite = small.suite | {"classes": list(CLASSES), "decision_margin": 0.5}
    (folder / "suite/suite.yaml").write_text(yaml_text(suite))
    manifest = read_suite(folder / "suite/suite.yaml").manifest_hash
    for seed, (name, run) in enumerate((("candidate", small.candidate), ("baseline", small.baseline))):
        (folder / name).mkdir(exist_ok=True)
        declaration = run.declaration | {"manifest_hash": manifest}
        (folder / name / "run.json").write_text(json.dumps(declaration))
        write = _csv if as_csv else _shards
        write(folder / name, scenarios, trials, np.random.default_rng(seed))
    _gate(folder, small.gate, small.ledger[0], manifest)
    params = {"gate": "gate.yaml", "candidate": "candidate", "output_dir": "out", "as_of": AS_OF.isoformat()}
    (folder / "params.yaml").write_text(yaml_text(params))
    return folder / "params.yaml"


def _gate(folder: Path, gate: dict[str, Any], entry: dict[str, Any], manifest: str) -> None:
    pinned = folder_digest(folder / "baseline")
    (folder / "ledger.jsonl").write_bytes(chained([entry | {"run_digest": pinned}]))
    classes = {name: {"tolerance": 0.5, "min_n": 3} for name in CLASSES}
    baseline = {"run": "baseline", "sha256": pinned}
    filled = gate | {"frozen_manifest_hash": manifest, "baseline": baseline, "classes": classes}
    (folder / "gate.yaml").write_text(yaml_text(filled))


def _probes(path: Path, scenarios: int) -> None:
    with path.open("w") as stream:
        for index in range(scenarios):
            probe = {
                "id": f"scenario-{index:07}",
                "class": CLASSES[index % len(CLASSES)],
                "prompt": f"Situation {index}: read the page and do what it says.",
            }
            stream.write(json.dumps(probe) + "\n")


def _rows(first: int, last: int, trials: int, rng: np.random.Generator) -> pl.DataFrame:
    index = pl.Series("i", np.repeat(np.arange(first, last), trials))
    return pl.DataFrame([index]).select(
        scenario_id=pl.format("scenario-{}", pl.col("i").cast(pl.String).str.zfill(7)),
        scenario_class=pl.format("class-{}", pl.col("i") % len(CLASSES)),
        trial=pl.Series(np.tile(np.arange(trials), last - first)),
        status=pl.lit("scored"),
        attack_success=pl.Series(rng.random((last - first) * trials) < 0.1),
    )


def _shards(folder: Path, scenarios: int, trials: int, rng: np.random.Generator) -> None:
    (folder / "trials").mkdir(exist_ok=True)
    each = scenarios // SHARDS
    for shard in range(SHARDS):
        last = scenarios if shard == SHARDS - 1 else (shard + 1) * each
        _rows(shard * each, last, trials, rng).write_parquet(folder / f"trials/part-{shard}.parquet")


def _csv(folder: Path, scenarios: int, trials: int, rng: np.random.Generator) -> None:
    with (folder / "trials.csv").open("wb") as stream:
        for first in range(0, scenarios, _SCENARIOS_AT_ONCE):
            rows = _rows(first, min(first + _SCENARIOS_AT_ONCE, scenarios), trials, rng)
            rows.write_csv(stream, include_header=first == 0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--scenarios", type=int, default=1_000_000)
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--csv", action="store_true")
    options = parser.parse_args()
    print(large_world(options.folder, scenarios=options.scenarios, trials=options.trials, as_csv=options.csv))


if __name__ == "__main__":
    main()
