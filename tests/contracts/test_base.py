"""What all contracts have in common: strict, frozen, nothing unknown, and faults that say where and what."""

from __future__ import annotations

import pytest
from pydantic import Field, ValidationError

from litmus_nb.contracts.base import Count, Name, Share, StrictModel, shown
from litmus_nb.contracts.times import Day, UtcTime
from litmus_nb.errors import Fault, UnreadableInput


class Sample(StrictModel):
    """One field of each of the usual types."""

    from_: Name = Field(alias="from")
    share: Share = 0.5
    count: Count = 0
    number: float = 0.0
    at: UtcTime = "2026-11-28T09:00:00Z"
    day: Day = "2026-11-30"
    inner: dict[str, int] = Field(default={})


def faults_of(value):
    with pytest.raises(UnreadableInput) as refused:
        Sample.read(value, file="sample.yaml")
    return list(refused.value.faults)


@pytest.mark.parametrize(
    ("changes", "pointer", "expected", "seen"),
    [
        ({"from": ...}, "/from", "a value", "nothing (the key is absent)"),
        ({"a~b/c": 1}, "/a~0b~1c", "no such key", "an unknown key"),
        ({"inner": {"x/y~z": "one"}}, "/inner/x~1y~0z", "a valid integer", "'one'"),
        ({"from": ""}, "/from", "String should have at least 1 character", "''"),
        ({"count": -1}, "/count", "greater than or equal to 0", "-1"),
        ({"share": 1.5}, "/share", "less than or equal to 1", "1.5"),
        ({"number": float("nan")}, "/number", "a finite number", "nan"),
        ({"number": float("inf")}, "/number", "a finite number", "inf"),
        ({"number": "1"}, "/number", "a valid number", "'1'"),
        ({"count": True}, "/count", "a valid integer", "True"),
        ({"at": "now"}, "/at", "an RFC 3339 time in UTC, such as 2026-11-28T09:00:00Z", "'now'"),
        ({"day": "2026-02-29"}, "/day", "a day that exists, such as 2026-11-30", "'2026-02-29'"),
    ],
)
def test_a_fault_says_where_what_was_expected_and_what_was_seen(changes, pointer, expected, seen):
    value = {key: item for key, item in ({"from": "a"} | changes).items() if item is not ...}
    assert faults_of(value) == [Fault("sample.yaml", pointer, expected, seen)]


def test_a_field_is_known_by_its_name_in_the_file_alone():
    assert {fault.where for fault in faults_of({"from_": "a"})} == {"/from", "/from_"}


def test_what_was_read_is_kept_as_it_was_written():
    written = {"from": "a", "share": 1.0, "count": 2, "number": -1.5, "day": "2026-01-01", "inner": {"k": 1}}
    written["at"] = "2026-11-28T09:00:00.25+00:00"
    assert Sample.read(written, file="x").model_dump() == written


def test_what_was_read_does_not_change():
    sample = Sample.read({"from": "a"}, file="x")
    with pytest.raises(ValidationError, match="frozen"):
        sample.count = 1


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a", "'a'"),
        ("x" * 118, "'" + "x" * 118 + "'"),
        ("x" * 119, "'" + "x" * 116 + "..."),
        ([None, True], "[None, True]"),
    ],
)
def test_a_value_is_shown_in_at_most_120_characters(value, text):
    assert text == shown(value)
    assert len(text) <= 120
