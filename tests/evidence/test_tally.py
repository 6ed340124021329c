"""Counting trials: every field of a tally, over rows of every kind."""

from __future__ import annotations

import polars as pl

from litmus_nb.evidence.tally import tally_of

SCHEMA = {
    "scenario_id": pl.String,
    "scenario_class": pl.String,
    "trial": pl.Int64,
    "status": pl.String,
    "label": pl.Boolean,
    "label_fault": pl.String,
    "reason": pl.String,
    "judge_digest": pl.String,
    "scenario_sha256": pl.String,
}
ROWS = [
    # b: all is well; two of its three trials are successes
    ("b", "x", 0, "scored", True, None, None, "j", "h"),
    ("b", "x", 1, "scored", False, None, None, "j", "h"),
    ("b", "x", 2, "scored", True, None, None, None, "h"),
    # a: unknowns, with and without a reason, and what should have no label or a label
    ("a", "x", 2, "error", None, None, "boot", "k", "h"),
    ("a", "x", 1, "error", None, None, "boot", None, "h"),
    ("a", "x", 0, "scored", None, "yes", None, "j", "i"),
    ("c", "y", 2, "timeout", True, None, None, None, "h"),
    ("c", "x", 1, "skipped", None, "0.5", None, None, "h"),
    ("c", "y", 0, "scored", None, None, None, "j", None),
    # d: equal rows of one trial, differing rows of another, three times
    ("d", "x", 0, "scored", True, None, None, "j", "h"),
    ("d", "x", 0, "scored", True, None, None, "j", "h"),
    ("d", "x", 1, "scored", True, None, "r", "j", "h"),
    ("d", "x", 1, "scored", False, None, "r", "j", "h"),
    ("d", "x", 1, "error", None, None, "r", "j", "h"),
    ("d", "x", 2, "scored", False, None, None, "j", "h"),
    ("d", "y", 2, "scored", False, None, None, "j", "h"),
    # e: out of range, twice on one side
    ("e", "x", 3, "scored", True, None, None, "j", "h"),
    ("e", "x", 3, "scored", True, None, None, "j", "h"),
    ("e", "x", -1, "scored", False, None, None, "j", "h"),
]


def tally(rows=ROWS, trials=3, without=()):
    return tally_of(pl.DataFrame(rows, schema=SCHEMA, orient="row").drop(*without), trials)


def test_every_row_is_counted_as_what_it_is():
    seen = tally()
    assert seen.n_rows == len(ROWS)
    assert seen.per_scenario.rows() == [("a", 0, 0, 3), ("b", 3, 2, 0), ("c", 0, 0, 3), ("d", 1, 1, 2)]
    assert seen.per_scenario.columns == ["scenario_id", "n_scored", "n_success", "n_unlabelled"]
    assert set(seen.per_scenario.dtypes[1:]) == {pl.Int64}
    assert seen.unlabelled.rows() == [
        ("a", "error", "boot", 2),
        ("a", "scored", None, 1),
        ("c", "scored", None, 1),
        ("c", "skipped", None, 1),
        ("c", "timeout", None, 1),
        ("d", "contradicted", None, 2),
    ]
    assert seen.classes_seen.rows() == [
        ("a", "x", 3),
        ("b", "x", 3),
        ("c", "x", 1),
        ("c", "y", 2),
        ("d", "x", 6),
        ("d", "y", 1),
        ("e", "x", 3),
    ]


def test_what_is_odd_is_listed():
    seen = tally()
    assert seen.duplicates.rows() == [("d", 0, 2), ("d", 1, 3), ("d", 2, 2), ("e", 3, 2)]
    assert seen.out_of_range.rows() == [("e", -1, 1), ("e", 3, 2)]
    assert seen.invalid_labels.rows() == [
        ("a", 0, "scored", "yes"),
        ("c", 0, "scored", None),
        ("c", 1, "skipped", "0.5"),
        ("c", 2, "timeout", "true"),
    ]


def test_judges_and_hashes_are_counted_where_there_are_columns_of_them():
    seen = tally()
    assert seen.judge_digests.rows() == [(None, 1), ("j", 13)]
    assert seen.scenario_hashes.rows() == [
        ("a", "h", 2),
        ("a", "i", 1),
        ("b", "h", 3),
        ("c", None, 1),
        ("c", "h", 2),
        ("d", "h", 7),
        ("e", "h", 3),
    ]
    seen = tally(without=("judge_digest", "scenario_sha256"))
    assert (seen.judge_digests, seen.scenario_hashes) == (None, None)


def test_the_first_and_the_last_declared_trial_are_in_range():
    assert tally(ROWS[:3], trials=3).out_of_range.is_empty()
    assert tally(ROWS[:3], trials=2).out_of_range.rows() == [("b", 2, 1)]


def test_without_rows_there_is_nothing_to_count():
    seen = tally([])
    assert seen.n_rows == 0
    assert all(value.is_empty() for value in vars(seen).values() if isinstance(value, pl.DataFrame))
