"""Counting in chunks is counting at once."""

from __future__ import annotations

from dataclasses import fields
from itertools import pairwise
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from litmus_nb.contracts.tally import STATUSES, TrialTally
from litmus_nb.errors import Fault, UnreadableInput
from litmus_nb.evidence import chunked_tally as chunked_module
from litmus_nb.evidence import trial_chunks
from litmus_nb.evidence.chunked_tally import chunked_tally
from litmus_nb.evidence.partial_counts import Counting
from litmus_nb.evidence.tally import tally_of
from litmus_nb.evidence.trial_chunks import chunks_of
from litmus_nb.evidence.trial_rows import rows_of
from tests.evidence.test_tally import ROWS as ODD_ROWS
from tests.evidence.test_tally import SCHEMA

rows = st.lists(
    st.tuples(
        st.sampled_from(["a", "b", "c", "d"]),
        st.sampled_from(["x", "x", "x", "y"]),
        st.integers(-1, 6),
        st.sampled_from(["scored", "scored", "scored", *STATUSES]),
        st.sampled_from([True, False, None]),
        st.sampled_from([None, None, None, "yes"]),
        st.sampled_from([None, "boot"]),
        st.sampled_from(["j", "j", None]),
        st.sampled_from(["h", "h", "i", None]),
    ).map(lambda row: row if row[5] is None else (*row[:4], None, *row[5:])),
    max_size=40,
)


def assert_same(expected: TrialTally, seen: TrialTally) -> None:
    for field in fields(TrialTally):
        left, right = getattr(expected, field.name), getattr(seen, field.name)
        if isinstance(left, pl.DataFrame):
            assert isinstance(right, pl.DataFrame), field.name
            assert_frame_equal(left, right, check_dtypes=False)
        else:
            assert left == right, field.name


@given(rows=rows, cuts=st.lists(st.integers(0, 40), max_size=4), trials=st.integers(1, 6), drop=st.booleans())
@settings(max_examples=150, deadline=None)
def test_chunks_add_up_to_the_whole(rows: list[tuple], cuts: list[int], trials: int, drop: bool) -> None:
    frame = pl.DataFrame(rows, schema=SCHEMA, orient="row")
    if drop:
        frame = frame.drop("judge_digest", "scenario_sha256")
    edges = [0, *sorted(min(cut, len(frame)) for cut in cuts), len(frame)]
    parts = [frame[start:end] for start, end in pairwise(edges)]
    assert_same(tally_of(frame, trials), chunked_tally(lambda: parts, trials, file="trials"))


@pytest.mark.parametrize("trials", [1, 55, 56, 100, 130, 1000])
def test_a_duplicate_is_found_for_any_number_of_trials(trials: int) -> None:
    """With the sum of powers of two, no other set of indexes adds up to the whole one."""
    whole = pl.DataFrame(
        [("a", "x", t, "scored", True, None, None, None, None) for t in range(trials)], schema=SCHEMA, orient="row"
    )
    assert chunked_tally(lambda: [whole], trials, file="t").duplicates.is_empty()
    twice = pl.concat([whole[:-1], whole[:1]])
    seen = chunked_tally(lambda: [twice], trials, file="t")
    assert seen.duplicates.is_empty() is (trials == 1)


def write_csv(path: Path, scenarios: int, last: str = "") -> None:
    lines = ["scenario_id,scenario_class,trial,status,attack_success,reason"]
    lines += [
        f"s-{i},c,{t},scored,{'true' if (i + t) % 3 == 0 else 'false'}," for i in range(scenarios) for t in range(3)
    ]
    path.write_text("\n".join([*lines, *([last] if last else [])]) + "\n")


@pytest.mark.parametrize("name", ["trials.csv", "trials.parquet", "trials.jsonl"])
def test_a_file_in_chunks_is_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    write_csv(tmp_path / "trials.csv", 400)
    frame = pl.read_csv(tmp_path / "trials.csv", schema_overrides={"attack_success": pl.Boolean, "reason": pl.String})
    if name == "trials.parquet":
        frame.write_parquet(tmp_path / name)
    if name == "trials.jsonl":
        frame.write_ndjson(tmp_path / name)
    monkeypatch.setattr(trial_chunks, "_BLOCK_BYTES", 1000)
    monkeypatch.setattr(trial_chunks, "CHUNK_ROWS", 100)
    chunks = chunks_of(tmp_path, (name,))
    parts = list(chunks.each())
    assert len(parts) > 5
    whole = rows_of((tmp_path / name).read_bytes(), file=name)
    assert_frame_equal(whole, pl.concat(parts).select(whole.columns))
    from litmus_nb.contracts.canonical import digest_of_bytes

    assert chunks.digests == {name: digest_of_bytes((tmp_path / name).read_bytes())}


@pytest.mark.parametrize(
    ("last", "where"),
    [
        ("s-1,c,0,scored", "line 1202"),
        ("s-1,c,0,scored,true,,", "line 1202"),
        ("s-1,c,zero,scored,true,", "row 1201"),
        ("s-1,c,0,won,true,", "status"),
        (",c,0,scored,true,", "scenario_id"),
        ('s-1,c,0,scored,true,"open', "line 1202"),
    ],
)
def test_a_fault_in_a_late_chunk_is_found_where_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, last: str, where: str
) -> None:
    write_csv(tmp_path / "trials.csv", 400, last)
    monkeypatch.setattr(trial_chunks, "_BLOCK_BYTES", 1000)
    with pytest.raises(UnreadableInput) as caught:
        list(chunks_of(tmp_path, ("trials.csv",)).each())
    assert where in {fault.where for fault in caught.value.faults}


def test_a_short_row_does_not_hide_behind_a_long_one(tmp_path: Path) -> None:
    write_csv(tmp_path / "trials.csv", 2, "s-9,c,0,scored\ns-9,c,1,scored,true,,,")
    with pytest.raises(UnreadableInput):
        list(chunks_of(tmp_path, ("trials.csv",)).each())


def test_a_quoted_line_break_is_not_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_csv(tmp_path / "trials.csv", 50, 's-9,c,0,error,,"two\nlines, and ""quotes"""')
    monkeypatch.setattr(trial_chunks, "_BLOCK_BYTES", 7)
    rows = pl.concat(chunks_of(tmp_path, ("trials.csv",)).each())
    assert rows["reason"][-1] == 'two\nlines, and "quotes"'
    assert len(rows) == 151


def test_a_file_that_changes_between_two_passes_is_refused(tmp_path: Path) -> None:
    write_csv(tmp_path / "trials.csv", 5)
    chunks = chunks_of(tmp_path, ("trials.csv",))
    list(chunks.each())
    write_csv(tmp_path / "trials.csv", 6)
    with pytest.raises(UnreadableInput):
        list(chunks.each())


def test_too_many_peculiar_rows_are_no_evidence(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pl.DataFrame([("a", "x", 0, "scored", True, None, None, None, None)] * 9, schema=SCHEMA, orient="row")
    monkeypatch.setattr(chunked_module, "MOST_PECULIAR_ROWS", 8)
    with pytest.raises(UnreadableInput):
        chunked_tally(lambda: [frame], 1, file="trials")


def _repeated(n_rows: int) -> pl.DataFrame:
    """The same trial so many times."""
    row = {"scenario_id": "a", "scenario_class": "x", "trial": 0, "status": "scored", "label": True}
    columns = {name: pl.repeat(value, n_rows, dtype=SCHEMA[name]) for name, value in row.items()}
    nothing = {name: pl.lit(None, dtype=pl.String) for name in ("label_fault", "reason")}
    return pl.select(**columns).with_columns(**nothing)


def test_of_rows_that_need_a_close_look_at_most_five_million_are_looked_at() -> None:
    frame = _repeated(5_000_001)
    with pytest.raises(UnreadableInput) as refused:
        chunked_tally(lambda: [frame], 1, file="trials")
    expected = "at most 5000000 rows of scenarios with duplicate or contradictory rows"
    assert list(refused.value.faults) == [Fault("trials", "", expected, "5000001 rows of 1 scenarios")]


def test_as_many_peculiar_rows_as_are_looked_at_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunked_module, "MOST_PECULIAR_ROWS", 9)
    assert chunked_tally(lambda: [_repeated(9)], 1, file="trials").duplicates.rows() == [("a", 0, 9)]


def test_a_hundred_thousand_trials_can_be_told_apart_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(
        UnreadableInput, match="trials: expected at most 100000 trials a scenario in a file of this size"
    ):
        chunked_tally(lambda: [_repeated(1)], 100_001, file="trials")
    monkeypatch.setattr(chunked_module, "_MOST_TRIALS", 6)
    assert chunked_tally(lambda: [_repeated(1)], 6, file="trials").n_rows == 1


def test_partial_counts_that_are_many_are_added_up_in_between(monkeypatch: pytest.MonkeyPatch) -> None:
    """And counted as half of themselves from then on, so that scenarios that alone are that many are not added up at
    every part."""
    monkeypatch.setattr(chunked_module, "_HELD_ROWS", 3)
    added, whole = [], Counting.added_up

    def added_up(self: Counting, partials: list[pl.DataFrame]) -> pl.DataFrame:
        added.append(len(partials))
        return whole(self, partials)

    monkeypatch.setattr(Counting, "added_up", added_up)
    part = pl.DataFrame(
        [(name, "x", t, "scored", True, None, None, None, None) for name in "ab" for t in range(2)],
        schema=SCHEMA,
        orient="row",
    )
    parts = [part.filter(pl.col("trial") == t) for t in (0, 1)] * 3
    assert_same(tally_of(pl.concat(parts), 2), chunked_tally(lambda: parts, 2, file="trials"))
    assert added == [2, 3, 3, 1]


@pytest.mark.parametrize("column", ["scenario_sha256", "judge_digest"])
@pytest.mark.parametrize("is_turned", [False, True])
@pytest.mark.parametrize("trials", [2, 1])
def test_a_column_that_one_part_has_and_another_lacks_is_null_there(column: str, is_turned: bool, trials: int) -> None:
    """Shards may differ: a hash or a judge that is told once is asked of every trial, of one too many as well."""
    whole = pl.DataFrame(
        [(name, "x", t, "scored", True, None, None, "j", "h") for name in "ab" for t in range(2)],
        schema=SCHEMA,
        orient="row",
    )
    parts = [whole[:2], whole[2:].drop(column)]
    parts = parts[::-1] if is_turned else parts
    assert_same(tally_of(pl.concat(parts, how="diagonal"), trials), chunked_tally(lambda: parts, trials, file="trials"))


@pytest.mark.parametrize("cut", range(0, len(ODD_ROWS) + 1, 3))
def test_rows_of_every_kind_are_counted_in_chunks_as_at_once(cut: int) -> None:
    whole = pl.DataFrame(ODD_ROWS, schema=SCHEMA, orient="row")
    parts = [whole[:cut], whole[cut:]]
    assert_same(tally_of(whole, 3), chunked_tally(lambda: parts, 3, file="trials"))


@pytest.mark.parametrize(
    ("status", "label", "fault"),
    [("scored", None, "yes"), ("scored", None, None), ("error", True, None), ("error", None, "0.5")],
)
def test_an_odd_label_alone_is_looked_at_closely(status: str, label: bool | None, fault: str | None) -> None:
    rows = [(name, "x", t, "scored", True, None, None, "j", "h") for name in "ab" for t in range(2)]
    frame = pl.DataFrame([*rows, ("b", "x", 2, status, label, fault, None, "j", "h")], schema=SCHEMA, orient="row")
    seen = chunked_tally(lambda: [frame], 3, file="trials")
    assert len(seen.invalid_labels) == 1
    assert_same(tally_of(frame, 3), seen)
