"""The site's pages, from what was published. Opens nothing but our own templates."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from itertools import groupby
from typing import Any

from markupsafe import Markup

from litmus_nb.contracts.codes import VerdictState
from litmus_nb.contracts.published import Published
from litmus_nb.report.history import (
    ClassHistory,
    SuiteHistory,
    by_suite,
    in_order_of_time,
    latest_of_each_candidate,
    reasons_by_month,
    states_by_month,
)
from litmus_nb.report.markup import rendered_page, template_text
from litmus_nb.report.numbers import percent, plural, points, signed_points
from litmus_nb.report.pictures import Picture
from litmus_nb.report.site.views import day_marks, suite_file, verdict_row
from litmus_nb.report.states import css_class, in_words
from litmus_nb.report.text import safe_text

__all__ = ["index_page", "suite_page", "verdicts_page"]

_STRIP_DAYS = 60
_SUITE_STRIP_DAYS = 180
_MOST_LATEST = 200
_MOST_ROWS = 200
_MOST_MONTHS = 12
_STATES = (VerdictState.PASS, VerdictState.FAIL, VerdictState.REJECTED, VerdictState.NO_VERDICT)


def index_page(published: Sequence[Published], *, title: str, today: date) -> str:
    """What a release owner asks: which candidate, which suite, state, worst class, when, why; and a strip per suite."""
    latest = latest_of_each_candidate(published)
    suites = [
        {"name": suite.name, "href": f"suites/{suite_file(suite.name)}", "days": _strip(suite, today, _STRIP_DAYS)}
        for suite in by_suite(published)
    ]
    more = len(latest) - _MOST_LATEST
    view = {
        "title": safe_text(title, limit=120),
        "total": len(published),
        "latest": [verdict_row(one) for one in latest[:_MOST_LATEST]],
        "latest_more": f"{plural(more, 'more candidate')} in the list of all verdicts." if more > 0 else "",
        "suites": suites,
        "first_day": (today - timedelta(days=_STRIP_DAYS - 1)).isoformat(),
        "last_day": today.isoformat(),
    }
    return _page("site_index.html.j2", view)


def suite_page(suite: SuiteHistory, *, site_title: str, today: date, picture: Picture) -> str:
    """One suite: its days, each class over time, states and reasons by month, its verdicts."""
    classes = suite.classes()
    newest = suite.published[::-1]
    reasons = reasons_by_month(suite.published)
    months = states_by_month(suite.published)
    shown_months = list(months)[:_MOST_MONTHS]
    view = {
        "title": f"{safe_text(suite.name or 'not named', limit=120)}: {safe_text(site_title, limit=80)}",
        "site_title": safe_text(site_title, limit=120),
        "suite_name": suite.name,
        "days": _strip(suite, today, _SUITE_STRIP_DAYS),
        "first_day": (today - timedelta(days=_SUITE_STRIP_DAYS - 1)).isoformat(),
        "last_day": today.isoformat(),
        "picture": picture.drawn,
        "picture_failure": picture.failure,
        "picture_words": "The change of each class over time with its interval; the last of each stands in the table.",
        "headroom": [_headroom(history) for history in classes[:_MOST_ROWS]],
        "months": [
            {"month": month, "counts": [counts[state] for state in _STATES], "share": _undecided(counts)}
            for month, counts in months.items()
        ],
        "reason_months": shown_months,
        "reasons": [
            {"code": code, "counts": [counts[month] for month in shown_months], "total": counts.total()}
            for code, counts in reasons.items()
        ],
        "rows": [verdict_row(one) for one in newest[:_MOST_ROWS]],
        "rows_note": _rows_note(len(newest)),
    }
    return _page("site_suite.html.j2", view)


def verdicts_page(published: Sequence[Published], *, site_title: str) -> str:
    """Every verdict in one table, with a small script of our own to filter it; a whole table without the script."""
    newest = in_order_of_time(published)[::-1]
    by_month = [
        [verdict_row(one) for one in of_month] for _, of_month in groupby(newest, key=lambda one: one.as_of[:7])
    ]
    script = template_text("site_filter.js")
    view = {
        "title": f"All verdicts: {safe_text(site_title, limit=80)}",
        "site_title": safe_text(site_title, limit=120),
        "total": len(published),
        "months": by_month,
        "script": Markup(script),  # noqa: S704 - our own file
    }
    return _page("site_verdicts.html.j2", view, script=script)


def _rows_note(count: int) -> str:
    return f"The last {_MOST_ROWS} of {count} verdicts." if count > _MOST_ROWS else f"{plural(count, 'verdict')}."


def _page(template: str, view: dict[str, Any], *, script: str | None = None) -> str:
    return rendered_page(template, view, styles=("page.css", "site.css"), script=script)


def _strip(suite: SuiteHistory, today: date, count: int) -> list[Any]:
    return list(day_marks(suite.published, today, count))


def _undecided(counts: Any) -> str:
    closed = counts[VerdictState.REJECTED] + counts[VerdictState.NO_VERDICT]
    return percent(closed / counts.total(), 0)


def _headroom(history: ClassHistory) -> dict[str, Any]:
    one, row = history.judged[-1]
    low, high, tolerance = row.ci_low, row.ci_high, row.tolerance
    return {
        "name": history.name,
        "id": one.id,
        "day": one.as_of,
        "outcome": in_words(row.outcome),
        "outcome_class": css_class(row.outcome),
        "interval": "–" if low is None or high is None else f"{points(low)} to {points(high)}",
        "tolerance": "none set" if tolerance is None else points(tolerance),
        "headroom": "–" if history.headroom is None else signed_points(history.headroom),
    }
