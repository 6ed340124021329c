"""A folder of Parquet shards is a run, counted in chunks, and closed where anything is wrong with it."""

from __future__ import annotations

import json
import shutil
from datetime import date
from pathlib import Path

import polars as pl
import pytest

import litmus_nb
from litmus_nb.contracts.canonical import digest_of_bytes, digest_of_json
from litmus_nb.evidence.inventory import folder_digest
from litmus_nb.evidence.runs import read_run
from litmus_nb.shipped import shipped_path


@pytest.fixture
def sharded(tmp_path: Path) -> Path:
    """The demo's candidate with its trials in three shards."""
    run = tmp_path / "run"
    shutil.copytree(shipped_path("data/demo/runs/candidate"), run)
    frame = pl.read_csv(run / "trials.csv", schema_overrides={"attack_success": pl.Boolean, "reason": pl.String})
    (run / "trials.csv").unlink()
    (run / "trials").mkdir()
    for index in range(3):
        frame[index::3].write_parquet(run / "trials" / f"{index}.parquet")
    return run


def test_shards_are_the_same_run_with_a_digest_over_all_of_them(sharded: Path) -> None:
    whole = read_run(shipped_path("data/demo/runs/candidate"))
    read = read_run(sharded)
    assert read.trials_faults == ()
    assert read.run is not None
    assert whole.run is not None
    assert read.run.tally is not None
    assert whole.run.tally is not None
    assert read.run.tally.per_scenario.equals(whole.run.tally.per_scenario)
    names = ["run.json", *(f"trials/{index}.parquet" for index in range(3))]
    assert read.run.digest == digest_of_json({name: digest_of_bytes((sharded / name).read_bytes()) for name in names})
    assert read.run.digest == folder_digest(sharded)


def test_a_gate_decides_on_shards(sharded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(shipped_path("data/demo").parent.parent)
    params = litmus_nb.read_params(Path("params/demo.yaml")).model_copy(update={"candidate": str(sharded)})
    evidence = litmus_nb.load_evidence(params, as_of=date(2026, 11, 30))
    assert litmus_nb.evaluate_gate(evidence).state == "PASS"


def _stray_file(run: Path) -> None:
    (run / "trials/notes.txt").write_text("x")


def _link(run: Path) -> None:
    (run / "trials/3.parquet").symlink_to(run / "trials/0.parquet")


def _empty(run: Path) -> None:
    for shard in (run / "trials").iterdir():
        shard.unlink()


def _beside_a_file(run: Path) -> None:
    shutil.copy(run / "trials/0.parquet", run / "trials.parquet")


def _not_parquet(run: Path) -> None:
    (run / "trials/1.parquet").write_bytes(b"PAR1 nothing PAR1")


@pytest.mark.parametrize("breakage", [_stray_file, _link, _empty, _beside_a_file, _not_parquet])
def test_shards_that_are_not_clean_are_unreadable(sharded: Path, breakage) -> None:
    breakage(sharded)
    read = read_run(sharded)
    assert read.trials_faults
    assert read.run is not None
    assert read.run.tally is None


def test_a_shard_that_is_there_twice_is_duplicate_trials(sharded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(sharded / "trials/0.parquet", sharded / "trials/9.parquet")
    monkeypatch.chdir(shipped_path("data/demo").parent.parent)
    params = litmus_nb.read_params(Path("params/demo.yaml")).model_copy(update={"candidate": str(sharded)})
    decision = litmus_nb.evaluate_gate(litmus_nb.load_evidence(params, as_of=date(2026, 11, 30)))
    assert "DUPLICATE_TRIAL" in {reason.code for reason in decision.reasons}


def test_a_lost_shard_is_population_drift(sharded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (sharded / "trials/1.parquet").unlink()
    monkeypatch.chdir(shipped_path("data/demo").parent.parent)
    params = litmus_nb.read_params(Path("params/demo.yaml")).model_copy(update={"candidate": str(sharded)})
    decision = litmus_nb.evaluate_gate(litmus_nb.load_evidence(params, as_of=date(2026, 11, 30)))
    assert "POPULATION_DRIFT" in {reason.code for reason in decision.reasons}


def test_a_small_file_that_promises_many_rows_is_counted_in_chunks(tmp_path: Path) -> None:
    """A few bytes may stand for more rows than the memory holds."""
    run = tmp_path / "run"
    run.mkdir()
    declared = json.loads(shipped_path("data/demo/runs/candidate/run.json").read_bytes())
    (run / "run.json").write_text(json.dumps(declared))
    row = pl.LazyFrame({"scenario_id": ["s"], "scenario_class": ["c"], "trial": [0], "status": ["scored"]})
    row.with_columns(attack_success=pl.lit(value=True)).select(pl.all().repeat_by(4_500_000).explode()).sink_parquet(
        run / "trials.parquet"
    )
    assert (run / "trials.parquet").stat().st_size < 2**20
    read = read_run(run)
    assert read.run is not None
    assert read.run.tally is not None
    assert read.run.tally.n_rows == 4_500_000
