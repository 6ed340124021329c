"""results.json has the form that it is said to have, and the page is made from it. Nothing here is timed."""

from __future__ import annotations

import datetime
import json

import pytest

from benchmarks import table
from benchmarks.measure import RESULTS, Peer, Taken, row

FIELDS = {
    "name": str,
    "ours_s": float,
    "peer": str,
    "peer_version": str,
    "peer_s": float,
    "ratio": float,
    "peak_mb": (int, type(None)),
    "machine": str,
    "date": str,
}


@pytest.fixture(scope="module")
def rows() -> list[dict[str, object]]:
    return json.loads(RESULTS.read_text())


def test_every_row_has_the_fields_and_no_other(rows: list[dict[str, object]]) -> None:
    assert rows
    for found in rows:
        assert set(found) == set(FIELDS), found["name"]
        for name, kind in FIELDS.items():
            assert isinstance(found[name], kind), (found["name"], name)
        assert min(found["ours_s"], found["peer_s"]) > 0
        assert found["ratio"] == pytest.approx(found["ours_s"] / found["peer_s"], rel=0.01)
        assert datetime.date.fromisoformat(str(found["date"]))
    names = [found["name"] for found in rows]
    assert names == sorted(set(names))


def test_the_page_is_made_from_the_results(rows: list[dict[str, object]]) -> None:
    assert table.PAGE.read_text(encoding="utf-8") == table.page(rows)


def test_a_goal_that_is_missed_is_called_missed_and_one_not_measured_is_not_met() -> None:
    goal = table.GOALS[0]
    slow = {"name": goal.row, "ours_s": 1.0, "peer": "p", "peer_version": "1", "peer_s": 2.0, "ratio": 0.5}
    told = table.page([slow | {"peak_mb": None, "machine": "m", "date": "2026-11-30"}])
    assert f"| {goal.what} | 2 times | **missed** |" in told
    assert f"| {table.GOALS[1].what} | not measured | |" in told
    assert "| met |" not in told


def test_ours_and_the_peer_take_turns_and_medians_are_told() -> None:
    order: list[str] = []
    ours, theirs = iter([1.0, 5.0, 3.0]), iter([2.0, 2.0, 100.0])

    def measure_ours() -> Taken:
        order.append("ours")
        return Taken(next(ours), 10.2)

    def measure_theirs() -> Taken:
        order.append("theirs")
        return Taken(next(theirs))

    found = row("x", measure_ours, Peer("p", "1", measure_theirs), repeats=3)
    assert order == ["ours", "theirs", "theirs", "ours", "ours", "theirs"]
    assert (found["ours_s"], found["peer_s"], found["ratio"], found["peak_mb"]) == (3.0, 2.0, 1.5, 10)
