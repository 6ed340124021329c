"""Times: read exactly, to the nanosecond, and written in the one form that they are read in."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litmus_nb.contracts.times import day_of, instant_of, nanoseconds_of, time_text


def test_an_instant_without_a_zone_has_no_text():
    with pytest.raises(ValueError, match="time zone"):
        time_text(datetime(2026, 11, 28, 9))


@pytest.mark.parametrize(
    ("nanoseconds", "text"),
    [
        # `date -u -d TEXT +%s` of GNU coreutils gives the seconds
        (0, "1970-01-01T00:00:00Z"),
        (1, "1970-01-01T00:00:00.000000001+00:00"),
        (-1_000_000_000, "1969-12-31T23:59:59Z"),
        (-999_999_999, "1969-12-31T23:59:59.000000001Z"),
        (1_795_856_400_000_000_000, "2026-11-28T09:00:00Z"),
        (1_795_856_400_123_456_789, "2026-11-28T09:00:00.123456789Z"),
        (1_795_856_400_123_456_789, "2026-11-28T09:00:00.123456789+00:00"),
        (1_795_856_400_500_000_000, "2026-11-28T09:00:00.5+00:00"),
        (253_402_300_799_000_000_000, "9999-12-31T23:59:59Z"),
    ],
)
def test_nanoseconds_are_counted_from_1970(nanoseconds, text):
    assert nanoseconds == nanoseconds_of(text)


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("2026-11-28T09:00:00Z", datetime(2026, 11, 28, 9, tzinfo=UTC)),
        ("2026-11-28T09:00:00.000250Z", datetime(2026, 11, 28, 9, 0, 0, 250, tzinfo=UTC)),
        ("2026-11-28T07:00:00Z", datetime(2026, 11, 28, 9, tzinfo=timezone(timedelta(hours=2)))),
    ],
)
def test_an_instant_is_written_in_utc(text, instant):
    assert text == time_text(instant)


@given(st.datetimes(timezones=st.just(UTC)))
def test_what_is_written_is_read(instant):
    assert instant == instant_of(time_text(instant))


def test_a_day_is_read():
    assert day_of("2028-02-29") == date(2028, 2, 29)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("2026-11-28 09:00:00Z", "RFC 3339"),
        ("2026-02-29T09:00:00Z", "that exist"),
        ("2026-11-28T09:60:00Z", "that exist"),
    ],
)
def test_what_is_wrong_with_a_time_is_told(text, told):
    for reader in (instant_of, nanoseconds_of):
        with pytest.raises(ValueError, match=told):
            reader(text)


@pytest.mark.parametrize(("text", "told"), [("20261130", "such as 2026-11-30"), ("2026-02-29", "a day that exists")])
def test_what_is_wrong_with_a_day_is_told(text, told):
    with pytest.raises(ValueError, match=told):
        day_of(text)
