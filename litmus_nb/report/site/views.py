"""What the site's tables and strips show of each verdict, written out."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from litmus_nb.contracts.codes import VerdictState
from litmus_nb.contracts.published import Published
from litmus_nb.report.history import days_of
from litmus_nb.report.numbers import points, signed_points
from litmus_nb.report.states import css_class, in_words

__all__ = ["DayMark", "VerdictRow", "day_marks", "state_text", "suite_file", "verdict_row"]

_LETTERS = {
    VerdictState.PASS: "P",
    VerdictState.FAIL: "F",
    VerdictState.REJECTED: "R",
    VerdictState.NO_VERDICT: "N",
}
_MOST_CODES = 3


@dataclass(frozen=True)
class VerdictRow:
    """One verdict in a table. Names are untrusted as they came."""

    id: str
    when: str
    when_exactly: str
    suite: str | None
    suite_href: str
    candidate: str | None
    state: str
    state_name: str
    state_class: str
    worst: str | None
    numbers: str
    why: str


def verdict_row(one: Published) -> VerdictRow:
    """The row of a verdict."""
    worst = next((row for row in one.classes if row.name == one.worst_class), None)
    numbers = ""
    if worst and worst.ci_low is not None and worst.ci_high is not None:
        change = "" if worst.delta is None else f"{signed_points(worst.delta)} "
        numbers = f"{change}({points(worst.ci_low)} to {points(worst.ci_high)})"
    more = len(one.codes) - _MOST_CODES
    return VerdictRow(
        id=one.id,
        when=(one.made_at or one.as_of)[:16].replace("T", " "),
        when_exactly=one.made_at or one.as_of,
        suite=one.suite,
        suite_href=f"suites/{suite_file(one.suite)}",
        candidate=one.candidate,
        state=state_text(one),
        state_name=one.state.value,
        state_class=css_class(one.state.value),
        worst=worst.name if worst and numbers else None,
        numbers=numbers,
        why=", ".join(one.codes[:_MOST_CODES]) + (f" and {more} more" if more > 0 else ""),
    )


def state_text(one: Published) -> str:
    """`PASS, degraded`, `NO VERDICT`."""
    return in_words(one.state.value, is_degraded=one.degraded)


def suite_file(name: str | None) -> str:
    """The file of a suite's page: a name that any file system takes, and that no other suite has."""
    if name is None:
        return "not-named.html"
    readable = re.sub(r"[^a-z0-9]+", "-", name[:200].lower()).strip("-")[:40] or "suite"
    return f"{readable}-{hashlib.sha256(name.encode()).hexdigest()[:8]}.html"


@dataclass(frozen=True)
class DayMark:
    """One day of a strip: the last verdict of the day, or a gap."""

    title: str
    letter: str
    id: str | None
    state_class: str


def day_marks(published: Sequence[Published], last: date, count: int) -> list[DayMark]:
    """The strip of the `count` days up to `last`."""
    return [_mark(day, one) for day, one in days_of(published, last, count)]


def _mark(day: date, one: Published | None) -> DayMark:
    if one is None:
        return DayMark(f"{day}: no gate", "·", None, "gap")
    return DayMark(f"{day}: {state_text(one)}", _LETTERS[one.state], one.id, css_class(one.state.value))
