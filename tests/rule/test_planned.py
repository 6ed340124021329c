"""Section 2 asked of a planned run at an instant that is passed in: what may start now, and what may not."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from litmus_nb.rule.preflight import preflight_findings
from tests.builders import World, correct_world, load

MEASURED = datetime(2026, 11, 28, 9, tzinfo=UTC)
DAY, INSTANT = timedelta(hours=24), timedelta(microseconds=1)


def planned() -> World:
    world = correct_world()
    world.candidate.declaration.update(status="planned", started_at=None, finished_at=None)
    world.tampered["candidate/trials.jsonl"] = None
    return world


def found(world: World, folder: Path, now: datetime = MEASURED) -> list[tuple[str, str, str, str]]:
    findings = preflight_findings(load(world, folder), now)
    return [(found.code, found.paragraph, found.subject, found.observed) for found in findings]


@pytest.mark.parametrize("now", [MEASURED - INSTANT, MEASURED + DAY + INSTANT])
def test_a_sandbox_measured_later_or_more_than_a_day_ago_is_unmeasured(tmp_path: Path, now: datetime) -> None:
    assert found(planned(), tmp_path, now) == [("ENVELOPE_UNMEASURED", "2.7", "measured_at", "2026-11-28T09:00:00Z")]


@pytest.mark.parametrize("now", [MEASURED, MEASURED + DAY])
def test_a_sandbox_measured_at_most_a_day_ago_is_measured(tmp_path: Path, now: datetime) -> None:
    assert found(planned(), tmp_path, now) == []


def test_a_sandbox_that_nobody_measured_is_told_once(tmp_path: Path) -> None:
    world = planned()
    world.candidate.declaration["sandbox"]["measured_at"] = None
    assert [code for code, *_ in found(world, tmp_path)] == ["ENVELOPE_UNMEASURED"]


def test_a_run_that_has_started_is_not_admitted(tmp_path: Path) -> None:
    world = correct_world()
    assert found(world, tmp_path) == [("NOT_ADMITTED", "2.10", "status", "complete")]


def test_a_ticket_is_what_this_leads_to(tmp_path: Path) -> None:
    world = planned()
    world.gate["require_admission"] = True
    assert found(world, tmp_path) == []


def test_a_declaration_that_cannot_be_read_is_told_once(tmp_path: Path) -> None:
    world = planned()
    world.tampered["candidate/run.json"] = None
    assert [code for code, *_ in found(world, tmp_path)] == ["CONTRACT_UNREADABLE"]


def test_all_findings_come_in_the_order_of_the_rule(tmp_path: Path) -> None:
    world = correct_world()
    world.candidate.declaration["canary"]["observed_signal"] = None
    told = found(world, tmp_path, MEASURED - INSTANT)
    assert [(code, paragraph) for code, paragraph, *_ in told] == [
        ("ENVELOPE_UNMEASURED", "2.7"),
        ("CANARY_UNDETECTED", "2.8"),
        ("NOT_ADMITTED", "2.10"),
    ]
