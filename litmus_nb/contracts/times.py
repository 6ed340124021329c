"""Times as the files write them: RFC 3339, in UTC."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from typing import Annotated

from pydantic import AfterValidator

__all__ = ["Day", "UtcTime", "day_of", "instant_of", "nanoseconds_of", "time_text"]

_RFC_3339 = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:Z|\+00:00)", re.ASCII)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


def instant_of(text: str) -> datetime:
    """The instant that an RFC 3339 time in UTC names, to the microsecond; what is finer is cut off.

    Raises:
        ValueError: another form, another offset, or a day or time that does not exist.
    """
    return _EPOCH + timedelta(microseconds=nanoseconds_of(text) // 1000)


def nanoseconds_of(text: str) -> int:
    """The instant that an RFC 3339 time in UTC names, exactly: nanoseconds since 1970 began, leap seconds not counted.

    Raises:
        ValueError: as `instant_of`.
    """
    match = _RFC_3339.fullmatch(text)
    if not match:
        raise ValueError("an RFC 3339 time in UTC, such as 2026-11-28T09:00:00Z")
    year, month, day, hour, minute, second = (int(match[group]) for group in range(1, 7))
    try:
        whole = datetime(year, month, day, hour, minute, second, tzinfo=UTC)
    except ValueError as error:
        raise ValueError("a day and time that exist, such as 2026-11-28T09:00:00Z") from error
    return (whole - _EPOCH) // timedelta(seconds=1) * 10**9 + int((match[7] or "").ljust(9, "0"))


def time_text(instant: datetime) -> str:
    """An instant as the files write it: RFC 3339, in UTC, with microseconds where there are any.

    Raises:
        ValueError: an instant that does not say its offset from UTC.
    """
    if instant.tzinfo is None:
        raise ValueError("an instant without a time zone could be any of 26 hours")
    return instant.astimezone(UTC).isoformat().replace("+00:00", "Z")


def day_of(text: str) -> date:
    """The day that `YYYY-MM-DD` names.

    Raises:
        ValueError: another form, or a day that does not exist.
    """
    if not _DAY.fullmatch(text):
        raise ValueError("a day such as 2026-11-30")
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise ValueError("a day that exists, such as 2026-11-30") from error


def _checked_instant(text: str) -> str:
    instant_of(text)
    return text


def _checked_day(text: str) -> str:
    day_of(text)
    return text


UtcTime = Annotated[str, AfterValidator(_checked_instant)]
"""An RFC 3339 time in UTC, kept as it was written."""

Day = Annotated[str, AfterValidator(_checked_day)]
"""A day, `YYYY-MM-DD`."""
