"""Many verdicts over time: how often which state, which reasons, how near each class is to its tolerance."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from litmus_nb.contracts.codes import VerdictState
from litmus_nb.contracts.published import Published, PublishedClass

__all__ = [
    "ClassHistory",
    "SuiteHistory",
    "by_suite",
    "days_of",
    "in_order_of_time",
    "latest_of_each_candidate",
    "reasons_by_month",
    "states_by_month",
]


def in_order_of_time(published: Iterable[Published]) -> list[Published]:
    """The oldest first."""
    return sorted(published, key=lambda one: (one.as_of, one.made_at or "", one.id))


@dataclass(frozen=True)
class ClassHistory:
    """One class over the verdicts that judged it, the oldest first."""

    name: str
    judged: tuple[tuple[Published, PublishedClass], ...]

    @property
    def headroom(self) -> float | None:
        """Tolerance minus upper bound at the last judgement, as a fraction; below 0 is no PASS. None: never judged."""
        if not self.judged:
            return None
        last = self.judged[-1][1]
        return None if last.ci_high is None or last.tolerance is None else last.tolerance - last.ci_high


@dataclass(frozen=True)
class SuiteHistory:
    """The verdicts of one suite, the oldest first."""

    name: str | None
    """None: the reports did not say which suite."""
    published: tuple[Published, ...]

    @property
    def latest(self) -> Published:
        """The last verdict."""
        return self.published[-1]

    def classes(self) -> list[ClassHistory]:
        """Each class that was ever judged, the one with the least headroom first."""
        judged: dict[str, list[tuple[Published, PublishedClass]]] = defaultdict(list)
        for one in self.published:
            for row in one.classes:
                if row.ci_low is not None and row.ci_high is not None:
                    judged[row.name].append((one, row))
        histories = [ClassHistory(name, tuple(rows)) for name, rows in judged.items()]
        return sorted(histories, key=lambda one: (one.headroom is None, one.headroom or 0.0, one.name))


def by_suite(published: Iterable[Published]) -> list[SuiteHistory]:
    """The suites, the one with the latest verdict first."""
    suites: dict[str | None, list[Published]] = defaultdict(list)
    for one in in_order_of_time(published):
        suites[one.suite].append(one)
    histories = [SuiteHistory(name, tuple(of_suite)) for name, of_suite in suites.items()]
    return sorted(histories, key=lambda one: (one.latest.as_of, one.latest.made_at or "", one.name or ""), reverse=True)


def latest_of_each_candidate(published: Iterable[Published]) -> list[Published]:
    """The last verdict of each candidate on each suite, the newest first."""
    latest = {(one.suite, one.candidate): one for one in in_order_of_time(published)}
    return in_order_of_time(latest.values())[::-1]


def days_of(published: Sequence[Published], last: date, count: int) -> list[tuple[date, Published | None]]:
    """The `count` days up to `last`, each with its last verdict, or None: nothing was gated that day."""
    of_day = {one.as_of: one for one in in_order_of_time(published)}
    days = [last - timedelta(days=back) for back in range(count - 1, -1, -1)]
    return [(day, of_day.get(day.isoformat())) for day in days]


def states_by_month(published: Iterable[Published]) -> dict[str, Counter[VerdictState]]:
    """Month (`2026-11`) to how many verdicts of each state, the newest month first."""
    months: dict[str, Counter[VerdictState]] = defaultdict(Counter)
    for one in published:
        months[one.as_of[:7]][one.state] += 1
    return dict(sorted(months.items(), reverse=True))


def reasons_by_month(published: Iterable[Published]) -> dict[str, Counter[str]]:
    """Reason code to month to how many verdicts it closed, the most frequent code first."""
    codes: dict[str, Counter[str]] = defaultdict(Counter)
    for one in published:
        for code in one.codes:
            codes[code][one.as_of[:7]] += 1
    return dict(sorted(codes.items(), key=lambda item: (-item[1].total(), item[0])))
