"""What a part of the trials adds to their count: where it gives up too early, the tally alone would not show it."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from litmus_nb.contracts.tally import STATUSES
from litmus_nb.evidence.partial_counts import Counting, PartialCounts
from tests.evidence.test_tally import SCHEMA

TRIALS = [4, 5, 31, 32, 33, 54, 55, 56, 57, 58, 61, 62, 63, 64, 65, 100, 111, 130, 1000]
"""Around the width of a mask and its multiples."""

FAR = 2**63 - 1


def trials_of(scenario: str = "a", *, trials: int, **changed: object) -> pl.DataFrame:
    """All trials of a scenario, in order."""
    row = {"scenario_class": "x", "status": "scored", "label": True, "judge_digest": "j", "scenario_sha256": "h"}
    rows = [{"scenario_id": scenario, "trial": trial, "label_fault": None, "reason": None} for trial in range(trials)]
    return pl.DataFrame([one | row | changed for one in rows], schema=SCHEMA)


def shuffled(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.sample(fraction=1, shuffle=True, seed=0)


def counted(counting: Counting, *parts: PartialCounts) -> pl.DataFrame:
    return counting.added_up([part.per_scenario for part in parts]).with_columns(is_plain=counting.is_plain())


def is_plain(trials: int, rows: pl.DataFrame) -> list[bool]:
    counting = Counting(trials)
    return counted(counting, counting.of_rows(rows))["is_plain"].to_list()


# ---------------------------------------------------------------- what needs no close look


@pytest.mark.parametrize("order", [pl.DataFrame.clone, shuffled])
@pytest.mark.parametrize("trials", TRIALS)
def test_a_scenario_of_which_each_trial_is_there_once_is_plain(trials, order):
    whole = trials_of("a", trials=trials)
    assert is_plain(trials, order(pl.concat([whole, trials_of("b", trials=trials, label=False)]))) == [True, True]
    assert is_plain(trials, order(whole[1:])) == [True]
    assert is_plain(trials, order(whole.drop("judge_digest", "scenario_sha256"))) == [True]
    without_hash = whole.with_columns(scenario_sha256=pl.lit(None, dtype=pl.String))
    assert is_plain(trials, order(without_hash)) == [True]
    without_label = whole.with_columns(status=pl.lit("error"), label=pl.lit(None, dtype=pl.Boolean))
    assert is_plain(trials, order(without_label)) == [True]


@pytest.mark.parametrize("trials", TRIALS)
def test_runs_and_rows_are_counted_alike(trials):
    """Masks included, though each way would find what is there twice by masks of its own."""
    rows = pl.concat([trials_of("a", trials=trials)[2:], trials_of("b", trials=trials, label=False)])
    counting = Counting(trials)
    by_runs = counted(counting, counting.of_rows(rows))
    by_rows = counted(counting, counting.of_rows(shuffled(rows)))
    assert by_runs.select(by_rows.columns).rows() == by_rows.rows()


@pytest.mark.parametrize("trials", TRIALS)
def test_parts_add_up_to_the_whole(trials):
    rows = pl.concat([trials_of("a", trials=trials), trials_of("b", trials=trials)])
    counting = Counting(trials)
    whole = counted(counting, counting.of_rows(rows))
    for cut in (1, trials // 2, trials, trials + 1):
        parts = [counting.of_rows(part) for part in (rows[:cut], rows[cut:])]
        assert counted(counting, *parts).select(whole.columns).rows() == whole.rows()
        assert counted(counting, *reversed(parts)).select(whole.columns).rows() == whole.rows()


# ---------------------------------------------------------------- what needs one


def with_index(rows: pl.DataFrame, index: int) -> pl.DataFrame:
    return rows.with_columns(trial=pl.lit(index, dtype=pl.Int64))


BROKEN = {
    "a trial twice": lambda rows: pl.concat([rows[:-1], rows[:1]]),
    "one twice beside a whole scenario": lambda rows: pl.concat([rows, rows[:1]]),
    "an index too large by one": lambda rows: pl.concat([rows[1:], with_index(rows[:1], len(rows))]),
    "an index too large by two": lambda rows: pl.concat([rows[1:], with_index(rows[:1], len(rows) + 1)]),
    "an index below zero": lambda rows: pl.concat([with_index(rows[:1], -1), rows[1:]]),
    "an index far below zero": lambda rows: pl.concat([with_index(rows[:1], -(2**63)), rows[1:]]),
    "an index far too large": lambda rows: pl.concat([rows[1:], with_index(rows[:1], FAR)]),
    "two classes": lambda rows: rows.with_columns(
        scenario_class=pl.when(pl.col("trial") == 1).then(pl.lit("y")).otherwise("scenario_class")
    ),
    "no class": lambda rows: rows.with_columns(scenario_class=pl.lit(None, dtype=pl.String)),
    "a row without a class": lambda rows: rows.with_columns(
        scenario_class=pl.when(pl.col("trial") != 1).then("scenario_class")
    ),
    "two hashes": lambda rows: rows.with_columns(
        scenario_sha256=pl.when(pl.col("trial") == 1).then(pl.lit("i")).otherwise("scenario_sha256")
    ),
    "a row without a hash": lambda rows: rows.with_columns(
        scenario_sha256=pl.when(pl.col("trial") != 1).then("scenario_sha256")
    ),
}


@pytest.mark.parametrize("order", [pl.DataFrame.clone, shuffled])
@pytest.mark.parametrize("trials", TRIALS)
@pytest.mark.parametrize("what", BROKEN)
def test_a_scenario_with_one_thing_broken_is_not_plain(what, trials, order):
    broken = BROKEN[what](trials_of("a", trials=trials))
    rows = pl.concat([order(broken.select(*SCHEMA)), trials_of("b", trials=trials)])
    assert is_plain(trials, rows) == [False, True]


@pytest.mark.parametrize("trials", [56, 100, 120, 200])
def test_indexes_whose_difference_does_not_fit_are_no_run(trials):
    """The difference of the greatest and the least integer comes out as 1. As many such rows as there are masks."""
    rows = trials_of("b", trials=trials)
    odd = trials_of("a", trials=2).with_columns(trial=pl.Series([FAR, -(2**63)]))
    assert is_plain(trials, pl.concat([odd, rows])) == [False, True]


# ---------------------------------------------------------------- the two ways


def test_rows_that_lie_in_runs_are_not_grouped(monkeypatch):
    def grouped(self, **_):
        raise AssertionError("rows were grouped")

    monkeypatch.setattr(Counting, "_counts", grouped)
    assert Counting(10).of_rows(trials_of(trials=10)).n_rows == 10
    with pytest.raises(AssertionError, match="rows were grouped"):
        Counting(10).of_rows(shuffled(trials_of(trials=10)))


def parquet(path: Path, rows: pl.DataFrame) -> pl.LazyFrame:
    labelled = rows.drop("label_fault").rename({"label": "attack_success"})
    labelled.write_parquet(path / "t.parquet")
    return pl.scan_parquet(path / "t.parquet")


def by_turns(rows: pl.DataFrame) -> pl.DataFrame:
    """A scenario's rows, each with the same row of another scenario before it."""
    return pl.concat([rows.with_columns(scenario_id=pl.lit("z")), rows]).sort("trial", maintain_order=True)


def test_parquet_in_runs_is_left_to_who_holds_the_rows(tmp_path):
    rows = trials_of(trials=10)
    assert Counting(10).of_plain_parquet(parquet(tmp_path, rows)) is None
    assert Counting(10).of_plain_parquet(parquet(tmp_path, by_turns(rows))) is not None


def test_parquet_is_streamed_with_every_status_among_what_has_no_label(tmp_path):
    rows = trials_of(trials=len(STATUSES), label=None).with_columns(status=pl.Series(STATUSES))
    counts = Counting(len(STATUSES)).of_plain_parquet(parquet(tmp_path, by_turns(rows)))
    assert counts is not None
    assert set(counts.unlabelled["status"]) == set(STATUSES)


@pytest.mark.parametrize("has_reason", [True, False])
def test_a_streamed_part_has_the_columns_of_a_held_one(tmp_path, has_reason):
    rows = by_turns(trials_of(trials=10).with_columns(label=pl.when(pl.col("trial") > 2).then("label")))
    counting = Counting(10)
    held = counting.of_rows(rows)
    file = parquet(tmp_path, rows if has_reason else rows.drop("reason"))
    streamed = counting.of_plain_parquet(file)
    assert streamed is not None
    for name in ("per_scenario", "unlabelled", "judges"):
        assert getattr(streamed, name).schema == getattr(held, name).schema
        assert sorted(getattr(streamed, name).rows()) == sorted(getattr(held, name).rows())
    assert (streamed.n_rows, streamed.n_judged, streamed.has_hashes) == (20, 20, True)


def test_judged_is_what_was_scored_with_a_label_and_without():
    rows = trials_of(trials=10)
    status = pl.Series(["error"] * 2 + ["scored"] * 8)
    without = rows.with_columns(status=status, label=pl.when(pl.col("trial") > 4).then("label"))
    assert Counting(10).of_rows(without).n_judged == Counting(10).of_rows(shuffled(without)).n_judged == 8
