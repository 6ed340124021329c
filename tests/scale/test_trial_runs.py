"""Rows counted as runs are the rows counted one by one, however they lie."""

from __future__ import annotations

import random
from itertools import pairwise
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from litmus_nb.contracts.tally import STATUSES
from litmus_nb.errors import UnreadableInput
from litmus_nb.evidence import trial_chunks, trial_runs
from litmus_nb.evidence.chunked_tally import chunked_tally
from litmus_nb.evidence.partial_counts import Counting
from litmus_nb.evidence.tally import tally_of
from litmus_nb.evidence.trial_chunks import chunks_of
from litmus_nb.evidence.trial_runs import lies_in_runs, runs_of
from tests.scale.test_chunked_tally import SCHEMA, assert_same

FARTHEST = 2**63 - 1
NOTHING_ELSE = {"label_fault": None, "reason": None, "judge_digest": "j", "scenario_sha256": "h"}


def frame_of(rows: list[dict]) -> pl.DataFrame:
    return pl.DataFrame([NOTHING_ELSE | row for row in rows], schema=SCHEMA)


def row(scenario: int, trial: int, **other: object) -> dict:
    plain = {"scenario_id": f"s-{scenario}", "scenario_class": "x", "trial": trial, "status": "scored", "label": True}
    return plain | other


def in_order(scenarios: int, trials: int) -> list[dict]:
    return [row(scenario, trial, label=trial % 3 == 0) for scenario in range(scenarios) for trial in range(trials)]


ODDITIES: dict[str, dict] = {
    "no label": {"label": None},
    "an error": {"status": "error", "label": None, "reason": "boot"},
    "a label where none belongs": {"status": "timeout"},
    "another class": {"scenario_class": "y"},
    "another hash": {"scenario_sha256": "i"},
    "no hash": {"scenario_sha256": None},
    "no judge": {"judge_digest": None},
    "a negative trial": {"trial": -1},
    "a trial too many": {"trial": 7},
    "a trial far beyond": {"trial": FARTHEST},
    "a trial far before": {"trial": -FARTHEST - 1},
    "an earlier trial": {"trial": 0},
}


@st.composite
def worlds(draw: st.DrawFn) -> tuple[list[dict], int, list[int]]:
    """Rows in order with some of them odd, doubled, absent or moved; the declared trials; where parts are cut."""
    trials = draw(st.integers(1, 7))
    rows = in_order(draw(st.integers(1, 5)), trials)
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.integers(0, len(rows) - 1))
        rows[place] = rows[place] | draw(st.sampled_from(list(ODDITIES.values())))
    for _ in range(draw(st.integers(0, 2))):
        rows.insert(draw(st.integers(0, len(rows))), rows[draw(st.integers(0, len(rows) - 1))])
    for _ in range(draw(st.integers(0, 2))):
        rows.pop(draw(st.integers(0, len(rows) - 1)))
        if not rows:
            break
    if draw(st.booleans()):
        random.Random(draw(st.integers(0, 99))).shuffle(rows)
    return rows, trials, sorted(draw(st.lists(st.integers(0, len(rows)), max_size=3)))


def parts_of(frame: pl.DataFrame, cuts: list[int]) -> list[pl.DataFrame]:
    edges = [0, *cuts, len(frame)]
    return [frame[start:end] for start, end in pairwise(edges)]


@pytest.fixture(scope="module", autouse=True)
def _as_runs() -> object:
    """All rows are counted as runs here, even where none is longer than a row."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trial_runs, "_ROWS_OF_A_RUN", 0)
        yield


@given(world=worlds(), has_optional=st.booleans(), declares=st.integers(1, 130))
@settings(max_examples=100, deadline=None)
def test_runs_give_the_sums_that_rows_give(
    world: tuple[list[dict], int, list[int]], has_optional: bool, declares: int
) -> None:
    frame = frame_of(world[0])
    frame = frame if has_optional else frame.drop("judge_digest", "scenario_sha256")
    counting = Counting(declares)
    runs = [counting.of_rows(part) for part in parts_of(frame, world[2])]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trial_runs, "_ROWS_OF_A_RUN", len(frame) + 1)
        by_row = counting.of_rows(frame)
    seen = counting.added_up([run.per_scenario for run in runs])
    assert_frame_equal(counting.added_up([by_row.per_scenario]), seen)
    assert by_row.n_rows == sum(run.n_rows for run in runs)
    assert by_row.n_judged == sum(run.n_judged for run in runs)


@given(world=worlds(), has_optional=st.booleans())
@settings(max_examples=60, deadline=None)
def test_the_tally_of_runs_is_the_tally(world: tuple[list[dict], int, list[int]], has_optional: bool) -> None:
    rows, trials, cuts = world
    frame = frame_of(rows)
    frame = frame if has_optional else frame.drop("judge_digest", "scenario_sha256")
    parts = parts_of(frame, cuts)
    assert_same(tally_of(frame, trials), chunked_tally(lambda: parts, trials, file="trials"))


@pytest.mark.parametrize("oddity", ODDITIES.values(), ids=ODDITIES)
def test_one_odd_row_is_seen_in_a_run(oddity: dict) -> None:
    rows = in_order(3, 5)
    rows[7] |= oddity
    frame = frame_of(rows)
    whole, seen = tally_of(frame, 5), chunked_tally(lambda: [frame], 5, file="trials")
    assert_same(whole, seen)
    plain = chunked_tally(lambda: [frame_of(in_order(3, 5))], 5, file="trials")
    with pytest.raises(AssertionError):
        assert_same(plain, seen)


def test_a_trial_that_follows_the_greatest_by_overflow_is_in_no_mask() -> None:
    frame = frame_of([row(0, FARTHEST), row(0, -FARTHEST - 1), row(1, 0)])
    runs = runs_of(frame)
    assert runs is not None
    assert_same(tally_of(frame, 2), chunked_tally(lambda: [frame], 2, file="trials"))


def test_runs_are_told_from_where_they_begin_and_end() -> None:
    runs = runs_of(frame_of(in_order(2, 3)))
    assert runs is not None
    assert runs.rows() == [("s-0", "x", "h", 0, 2, 3, 3, 1), ("s-1", "x", "h", 0, 2, 3, 3, 1)]


def test_nothing_is_no_run() -> None:
    assert runs_of(frame_of([])) is None


@pytest.mark.parametrize(("rows_of_a_run", "expected"), [(4, False), (3, True)])
def test_short_runs_are_left_to_grouping(monkeypatch: pytest.MonkeyPatch, rows_of_a_run: int, expected: bool) -> None:
    monkeypatch.setattr(trial_runs, "_ROWS_OF_A_RUN", rows_of_a_run)
    frame = frame_of(in_order(5, 3))
    assert expected is lies_in_runs(frame["scenario_id"])
    assert expected is (runs_of(frame) is not None)


def shards(folder: Path, frame: pl.DataFrame, cuts: list[int]) -> tuple[str, ...]:
    names = []
    for index, part in enumerate(parts_of(frame, cuts)):
        names.append(f"{index}.parquet")
        part.rename({"label": "attack_success"}).drop("label_fault").write_parquet(folder / names[-1])
    return tuple(names)


@pytest.mark.parametrize("is_shuffled", [False, True])
def test_shards_give_the_tally_of_their_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_shuffled: bool
) -> None:
    """In order they are counted as runs, a scenario cut by an edge of a shard or chunk among them; shuffled they
    stream."""
    monkeypatch.setattr(trial_chunks, "CHUNK_ROWS", 64)
    monkeypatch.setattr(trial_runs, "_ROWS_OF_A_RUN", 4)
    rows = in_order(60, 9)
    rows[100] |= {"status": "error", "label": None, "reason": "boot"}
    frame = frame_of(rows)
    frame = frame.sample(fraction=1, shuffle=True, seed=1) if is_shuffled else frame
    chunks = chunks_of(tmp_path, shards(tmp_path, frame, [85, 270]))
    streamed: list[bool] = []
    of_plain = Counting.of_plain_parquet

    def noted(self: Counting, file: pl.LazyFrame) -> object:
        counts = of_plain(self, file)
        streamed.append(counts is not None)
        return counts

    monkeypatch.setattr(Counting, "of_plain_parquet", noted)
    assert_same(tally_of(frame, 9), chunked_tally(chunks.each, 9, file="trials", parts=chunks.counts))
    assert [is_shuffled] * 3 == streamed


@pytest.mark.parametrize("column", ["scenario_id", "scenario_class", "trial", "status"])
def test_a_missing_value_in_a_run_is_a_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, column: str) -> None:
    monkeypatch.setattr(trial_runs, "_ROWS_OF_A_RUN", 4)
    rows = in_order(20, 9)
    rows[55] |= {column: None}
    chunks = chunks_of(tmp_path, shards(tmp_path, frame_of(rows), []))
    with pytest.raises(UnreadableInput, match=column):
        chunked_tally(chunks.each, 9, file="trials", parts=chunks.counts)


def test_an_unknown_status_in_a_run_is_a_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial_runs, "_ROWS_OF_A_RUN", 4)
    rows = in_order(20, 9)
    rows[55] |= {"status": "won"}
    chunks = chunks_of(tmp_path, shards(tmp_path, frame_of(rows), []))
    with pytest.raises(UnreadableInput, match="won"):
        chunked_tally(chunks.each, 9, file="trials", parts=chunks.counts)


def test_every_known_status_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial_runs, "_ROWS_OF_A_RUN", 4)
    rows = in_order(20, 9)
    for place, status in enumerate(STATUSES):
        rows[place * 9] |= {"status": status}
    frame = frame_of(rows)
    chunks = chunks_of(tmp_path, shards(tmp_path, frame, []))
    assert_same(tally_of(frame, 9), chunked_tally(chunks.each, 9, file="trials", parts=chunks.counts))
