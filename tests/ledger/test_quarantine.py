"""Quarantine: one scenario, a name, a reason, an end; a cap; and what the list does to the gate."""

from __future__ import annotations

import re
from datetime import date

import pytest

from litmus_nb.errors import UsageError
from litmus_nb.evidence.sources import read_source
from litmus_nb.ledger.difficulty import difficulty_over_time
from litmus_nb.ledger.quarantine import add_quarantine, quarantine_rows, release_quarantine
from litmus_nb.rule.chain import walk_chain
from tests.builders import INJECTION, correct_world, load, write
from tests.ledger.conftest import REASON

WHO = {"by": "red-team", "reason": REASON}


def add(gate, suite, clock, scenario_id="pi-3", *, days=14, max_fraction=None, **words):
    return add_quarantine(
        gate, suite, scenario_id, max_age_days=days, max_fraction=max_fraction, clock=clock, **{**WHO, **words}
    )


@pytest.mark.parametrize("days", [0, -1, 31, 100_000])
def test_an_end_that_is_none_or_too_far_away_is_refused(gate, suite, clock, days):
    with pytest.raises(UsageError, match="--days"):
        add(gate, suite, clock, days=days)


@pytest.mark.parametrize("scenario_id", ["pi-99", "pi-*", "*", "", INJECTION])
def test_only_one_known_scenario_can_be_put_aside(gate, suite, clock, scenario_id):
    with pytest.raises(UsageError, match="scenario"):
        add(gate, suite, clock, scenario_id)


@pytest.mark.parametrize("days", [1, 30])
def test_an_end_between_a_day_and_thirty_days_away_is_written(gate, suite, clock, days):
    assert days == add(gate, suite, clock, days=days).entry.max_age_days


def test_a_reason_that_is_none_is_refused(gate, suite, clock):
    """It has fifteen characters at least, spaces around it not counted."""
    for none in ("flaky", "fourteen chars", "  fourteen chars  "):
        with pytest.raises(UsageError, match="--reason"):
            add(gate, suite, clock, reason=none)
    assert add(gate, suite, clock, reason=" fifteen chars!! ").entry.reason == "fifteen chars!!"


def test_what_is_in_no_quarantine_cannot_be_released(gate, suite, clock):
    with pytest.raises(UsageError, match=r"in quarantine \(none\); seen .?pi-3"):
        release_quarantine(gate, "pi-3", clock=clock, **WHO)
    add(gate, suite, clock, "tm-1")
    add(gate, suite, clock, "pi-1")
    with pytest.raises(UsageError, match=r"in quarantine \(pi-1, tm-1\); seen .?pi-3"):
        release_quarantine(gate, "pi-3", clock=clock, **WHO)


def test_of_many_in_quarantine_the_first_ten_are_named(tmp_path, clock):
    world = correct_world(scenarios=11)
    for number in range(11):
        world.quarantine(f"tm-{number}")
    write(world, tmp_path)
    with pytest.raises(UsageError) as refused:
        release_quarantine(tmp_path / "gate.yaml", "pi-3", clock=clock, **WHO)
    assert [f"tm-{number}" for number in (0, 1, 10, 2, 3, 4, 5, 6, 7, 8)] == re.findall(r"tm-\d+", str(refused.value))


def test_the_cap_of_the_class_holds(gate, suite, clock):
    """Two of four are 0.5."""
    add(gate, suite, clock, "pi-2", max_fraction=0.25)
    with pytest.raises(UsageError, match="max_fraction"):
        add(gate, suite, clock, "pi-3", max_fraction=0.25)
    add(gate, suite, clock, "tm-3", max_fraction=0.25)
    add(gate, suite, clock, "pi-3", max_fraction=0.5)


def test_a_renewal_is_not_one_more(gate, suite, clock, ledger):
    add(gate, suite, clock, max_fraction=0.25, days=2)
    add(gate, suite, clock, max_fraction=0.25, days=20)
    assert walk_chain(ledger.read_bytes()).active_quarantine["pi-3"].max_age_days == 20


def test_rows_say_who_why_and_how_long(gate, suite, clock, ledger):
    add(gate, suite, clock, "pi-3", days=14)
    add(gate, suite, clock, "tm-1", days=3)
    rows = quarantine_rows(walk_chain(ledger.read_bytes()), suite, date(2026, 12, 3))
    assert [(row.scenario_id, row.days_left, row.by, row.reason) for row in rows] == [
        ("tm-1", -1, "red-team", REASON),
        ("pi-3", 10, "red-team", REASON),
    ]


def test_rows_of_no_valid_age_come_first_and_then_what_is_left_least(world, tmp_path):
    """An age that is not a whole positive number is none; the day it ends on is not over yet."""
    ages = {"pi-0": 11, "pi-1": 10, "pi-2": 9, "pi-3": True, "tm-0": "7", "tm-1": 0, "tm-2": None, "tm-3": 7.5}
    for id_, age in ages.items():
        world.quarantine(id_, max_age_days=age)
    world.quarantine("gone-1", max_age_days=1)
    evidence = load(world, tmp_path)
    rows = quarantine_rows(walk_chain(evidence.ledger), evidence.suite, date(2026, 11, 30))
    assert [(row.scenario_id, row.days_left) for row in rows] == [
        *[(id_, None) for id_ in ("pi-3", "tm-0", "tm-1", "tm-2", "tm-3")],
        *[("gone-1", -9), ("pi-2", -1), ("pi-1", 0), ("pi-0", 1)],
    ]
    assert {"gone-1": None, "pi-0": INJECTION}.items() <= {row.scenario_id: row.scenario_class for row in rows}.items()


def test_a_scenario_that_the_suite_no_longer_has_is_no_step(world, tmp_path):
    world.quarantine("gone-1")
    world.quarantine("pi-0")
    evidence = load(world, tmp_path)
    rows = difficulty_over_time(walk_chain(evidence.ledger), evidence.suite, evidence.baseline)
    assert [(row.seq, row.change, row.name, row.scenarios) for row in rows] == [(2, "quarantine pi-0", INJECTION, 4)]


def test_a_list_that_absorbs_the_hard_scenarios_is_seen(gate, suite, clock, ledger, folder):
    """pi-0 alone falls to the attack: the class has 1/4, and without it 0; released, 1/4 again."""
    add(gate, suite, clock, "pi-0")
    add(gate, suite, clock, "pi-1")
    release_quarantine(gate, "pi-0", clock=clock, **WHO)
    baseline = read_source("baseline", folder).run
    rows = difficulty_over_time(walk_chain(ledger.read_bytes()), suite, baseline)
    assert [(row.change, row.quarantined, row.full_rate, row.gated_rate, row.quarantined_rate) for row in rows] == [
        ("quarantine pi-0", 1, 0.25, 0.0, 1.0),
        ("quarantine pi-1", 2, 0.25, 0.0, 0.5),
        ("release pi-0", 1, 0.25, 1 / 3, 0.0),
    ]
    assert rows[0].shift == -0.25


def test_a_class_with_nothing_left_has_no_rate_and_not_zero(gate, suite, clock, ledger, folder):
    for number in range(4):
        add(gate, suite, clock, f"pi-{number}")
    rows = difficulty_over_time(walk_chain(ledger.read_bytes()), suite, read_source("baseline", folder).run)
    assert (rows[-1].gated_rate, rows[-1].shift) == (None, None)
