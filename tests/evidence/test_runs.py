"""Reading a run folder: what is there is counted and hashed, what is not or cannot be is said and never guessed."""

from __future__ import annotations

import json
import os

import polars as pl
import pytest

from litmus_nb.contracts.canonical import digest_of_bytes, digest_of_json
from litmus_nb.errors import Fault, UnreadableInput
from litmus_nb.evidence.declaration import ReadRun
from litmus_nb.evidence.inventory import folder_digest
from litmus_nb.evidence.runs import read_run
from litmus_nb.evidence.trials_files import file_digest, run_digest, trials_names
from tests.builders import DIGEST, correct_world, give_anchors, parquet_of, write

TRIALS = "exactly one of trials.parquet, trials.csv, trials.jsonl, or the folder trials"
PROVENANCE = {
    "schema": "litmus-nb/provenance/v1",
    "reader": "table",
    "litmus_nb": "0.1.0",
    "tool": "a table",
    "sources": {"table.csv": DIGEST},
    "source_digest": DIGEST,
    "polarity": {"attack_success_when": "yes", "attack_failure_when": "no", "is_checked_by_canary": True},
    "n_trials": 16,
    "n_unknown": 0,
}


@pytest.fixture
def run(tmp_path):
    """The folder of a correct run with anchor labels."""
    world = correct_world()
    give_anchors(world, per_class=2)
    write(world, tmp_path)
    return tmp_path / "candidate"


def declared(run, **changes):
    value = json.loads((run / "run.json").read_bytes()) | changes
    (run / "run.json").write_text(json.dumps(value))


# ---------------------------------------------------------------- the declaration


def test_a_correct_run_has_no_faults(run):
    read = read_run(run)
    assert read == ReadRun(read.run)
    assert len(read.run.tally.per_scenario) == 8
    assert read.run.provenance is None
    assert read.run.anchor_labels is not None
    names = ("run.json", "trials.jsonl", "anchors.jsonl")
    digests = {name: digest_of_bytes((run / name).read_bytes()) for name in names}
    assert (read.run.digest, read.run.file_digests) == (digest_of_json(digests), digests)


@pytest.mark.parametrize(
    ("content", "where", "expected", "seen"),
    [
        (None, "", "a file", "nothing there"),
        (b"", "line 1", "JSON", "Expecting value (column 1)"),
        (b"[]", "", "a valid dictionary or instance of RunFile", "[]"),
    ],
)
def test_a_run_without_a_declaration_is_none(run, content, where, expected, seen):
    (run / "run.json").unlink()
    if content is not None:
        (run / "run.json").write_bytes(content)
    assert read_run(run) == ReadRun(None, (Fault(str(run / "run.json"), where, expected, seen),))


def test_a_declaration_of_more_than_16_mib_is_not_read(run):
    content = (run / "run.json").read_bytes()
    (run / "run.json").write_bytes(content.ljust(16 * 2**20))
    assert read_run(run).run is not None
    (run / "run.json").write_bytes(content.ljust(16 * 2**20 + 1))
    fault = Fault(str(run / "run.json"), "", "at most 16777216 bytes", "16777217 bytes")
    assert read_run(run) == ReadRun(None, (fault,))


# ---------------------------------------------------------------- trials


def test_a_run_without_trials_is_told_and_has_no_digest(run):
    (run / "trials.jsonl").unlink()
    read = read_run(run)
    assert read.trials_faults == (Fault(str(run), "", TRIALS, "none of them"),)
    assert (read.run.tally, read.run.digest, read.run.file_digests) == (None, None, {})


def test_a_planned_run_has_no_trials_yet(run):
    (run / "trials.jsonl").unlink()
    declared(run, status="planned", started_at=None, finished_at=None)
    read = read_run(run)
    assert read == ReadRun(read.run)
    assert (read.run.tally, read.run.digest) == (None, None)


def test_trials_of_a_planned_run_are_counted_all_the_same(run):
    declared(run, status="planned", started_at=None, finished_at=None)
    read = read_run(run)
    assert len(read.run.tally.per_scenario) == 8
    assert read.run.digest == folder_digest(run)


@pytest.mark.parametrize("status", ["complete", "planned"])
def test_two_trials_files_are_no_trials(run, status):
    if status == "planned":
        declared(run, status="planned", started_at=None, finished_at=None)
    (run / "trials.csv").write_bytes(b"")
    read = read_run(run)
    assert read.trials_faults == (Fault(str(run), "", TRIALS, "trials.csv and trials.jsonl"),)
    assert (read.run.tally, read.run.digest) == (None, None)


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [("trials.jsonl", b"{}\n", "the key scenario_id"), ("trials.csv", b"\n", "the column scenario_id")],
)
def test_trials_that_are_no_rows_are_in_the_digest_all_the_same(run, name, content, expected):
    (run / "trials.jsonl").unlink()
    (run / name).write_bytes(content)
    read = read_run(run)
    assert {str(run / name)} == {fault.file for fault in read.trials_faults}
    assert expected == read.trials_faults[0].expected
    assert read.run.tally is None
    assert read.run.digest == folder_digest(run)


@pytest.mark.parametrize("content", [b"", b"PAR1 nothing PAR1", b"PAR1"])
def test_a_parquet_file_that_is_none_is_in_the_digest_all_the_same(run, content):
    (run / "trials.jsonl").unlink()
    (run / "trials.parquet").write_bytes(content)
    read = read_run(run)
    assert [(str(run / "trials.parquet"), "a Parquet file")] == [(f.file, f.expected) for f in read.trials_faults]
    assert read.run.tally is None
    assert read.run.digest == folder_digest(run)


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo])
@pytest.mark.parametrize("name", ["trials.jsonl", "trials.parquet"])
def test_trials_whose_bytes_cannot_be_read_leave_no_digest(run, name, make):
    (run / "trials.jsonl").unlink()
    make(run / name)
    read = read_run(run)
    assert [fault.expected for fault in read.trials_faults] == ["a regular file"]
    assert (read.run.tally, read.run.digest) == (None, None)


# ---------------------------------------------------------------- shards


@pytest.fixture
def sharded(run):
    """The run with its trials in two shards, and its rows as the first has them."""
    rows = [json.loads(line) for line in (run / "trials.jsonl").read_text().splitlines()]
    (run / "trials.jsonl").unlink()
    (run / "trials").mkdir()
    for index in range(2):
        (run / f"trials/{index}.parquet").write_bytes(parquet_of(rows[index::2]))
    return run


def test_shards_are_one_run(sharded):
    read = read_run(sharded)
    assert read == ReadRun(read.run)
    assert (len(read.run.tally.per_scenario), read.run.tally.n_rows) == (8, 16)
    assert trials_names(sharded) == ("trials/0.parquet", "trials/1.parquet")
    assert read.run.digest == folder_digest(sharded)


def test_a_shard_that_is_none_is_in_the_digest_all_the_same(sharded):
    (sharded / "trials/1.parquet").write_bytes(b"PAR1")
    read = read_run(sharded)
    assert [str(sharded / "trials/1.parquet")] == [fault.file for fault in read.trials_faults]
    assert read.run.tally is None
    assert read.run.digest == folder_digest(sharded)


def test_more_trials_than_can_be_told_apart_in_shards_are_refused(sharded):
    declared(sharded, trials_per_scenario=100_001)
    fault = Fault(str(sharded), "", "at most 100000 trials a scenario in a file of this size", "more")
    assert read_run(sharded).trials_faults == (fault,)


def test_what_is_no_parquet_file_among_shards_is_told_by_its_kind(sharded):
    folder = sharded / "trials"
    (folder / "2.parquet").symlink_to("0.parquet")
    (folder / "3.parquet").mkdir()
    (folder / "4.csv").write_bytes(b"")
    os.mkfifo(folder / "5.parquet")
    kinds = {
        "2.parquet": "a symbolic link",
        "3.parquet": "a folder",
        "4.csv": "another file",
        "5.parquet": "another file",
    }
    expected = "a Parquet file and nothing else in this folder"
    read = read_run(sharded)
    assert read.trials_faults == tuple(Fault(str(folder / n), "", expected, kind) for n, kind in kinds.items())
    assert (read.run.tally, read.run.digest) == (None, None)


def test_shards_without_any_are_no_trials(sharded):
    for shard in (sharded / "trials").iterdir():
        shard.unlink()
    fault = Fault(str(sharded / "trials"), "", "at least one Parquet file", "an empty folder")
    assert read_run(sharded).trials_faults == (fault,)


def test_shards_are_in_a_folder(run):
    (run / "trials.jsonl").rename(run / "trials")
    (fault,) = read_run(run).trials_faults
    assert (fault.file, fault.expected) == (str(run / "trials"), "a folder of Parquet files")


# ---------------------------------------------------------------- anchor labels


def test_a_run_may_have_no_anchor_labels(run):
    (run / "anchors.jsonl").unlink()
    read = read_run(run)
    assert read == ReadRun(read.run)
    assert read.run.anchor_labels is None
    assert read.run.digest == folder_digest(run)


def test_two_files_of_anchor_labels_are_none(run):
    (run / "anchors.csv").write_bytes(b"")
    expected = "at most one of anchors.parquet, anchors.csv, anchors.jsonl"
    read = read_run(run)
    assert read.anchor_faults == (Fault(str(run), "", expected, "anchors.csv and anchors.jsonl"),)
    assert (read.run.anchor_labels, read.run.digest) == (None, None)
    assert read.run.tally is not None


@pytest.mark.parametrize("name", ["anchors.parquet", "anchors.csv", "anchors.jsonl"])
def test_anchor_labels_that_are_none_are_in_the_digest_all_the_same(run, name):
    (run / "anchors.jsonl").unlink()
    (run / name).write_bytes(b"junk\n")
    read = read_run(run)
    assert {str(run / name)} == {fault.file for fault in read.anchor_faults}
    assert read.run.anchor_labels is None
    assert read.run.digest == folder_digest(run)


def test_anchor_labels_whose_bytes_cannot_be_read_leave_no_digest(run):
    (run / "anchors.jsonl").unlink()
    (run / "anchors.jsonl").mkdir()
    read = read_run(run)
    assert [fault.expected for fault in read.anchor_faults] == ["a regular file"]
    assert (read.run.anchor_labels, read.run.digest) == (None, None)
    assert read.run.tally is not None


# ---------------------------------------------------------------- provenance


def test_where_an_imported_run_comes_from_is_read(run):
    (run / "provenance.json").write_text(json.dumps(PROVENANCE))
    assert read_run(run).run.provenance.model_dump() == PROVENANCE | {"notes": []}


@pytest.mark.parametrize(
    "content", [b"", b"{}", json.dumps(PROVENANCE).encode().ljust(16 * 2**20 + 1)], ids=["empty", "{}", "too long"]
)
def test_a_provenance_that_cannot_be_read_is_none_and_no_fault(run, content):
    (run / "provenance.json").write_bytes(content)
    read = read_run(run)
    assert read == ReadRun(read.run)
    assert read.run.provenance is None


# ---------------------------------------------------------------- digests


def test_a_file_has_the_digest_of_its_bytes(tmp_path):
    content = bytes(range(256)) * 40_000
    (tmp_path / "file").write_bytes(content)
    assert file_digest(tmp_path / "file") == digest_of_bytes(content)
    with pytest.raises(UnreadableInput, match="nothing there"):
        file_digest(tmp_path / "nothing")


def test_a_run_digest_is_of_names_and_digests():
    """A golden value: printf '{"run.json":"sha256:a","trials/0.parquet":"sha256:b"}' | sha256sum"""
    expected = "sha256:b8e20ca589b39a9710aee1dd550f7827b1e4bb8941376dd6d509eafd021c791b"
    assert expected == run_digest({"run.json": "sha256:a", "trials/0.parquet": "sha256:b"})


def test_a_parquet_file_of_many_rows_is_no_small_file(run, monkeypatch):
    """Counted in chunks it says the same as counted at once."""
    from litmus_nb.evidence import trial_chunks

    frame = pl.read_ndjson(run / "trials.jsonl")
    (run / "trials.jsonl").unlink()
    frame.write_parquet(run / "trials.parquet")
    whole = read_run(run).run
    monkeypatch.setattr(trial_chunks, "MOST_WHOLE_ROWS", len(frame) - 1)
    monkeypatch.setattr("litmus_nb.evidence.runs._small_trials", lambda *arguments: pytest.fail("read whole"))
    chunked = read_run(run).run
    assert chunked.tally.per_scenario.equals(whole.tally.per_scenario)
    assert chunked.digest == whole.digest
