"""The rows of the forest plot as plain data: our own column names, the evidence's words cleaned."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from litmus_nb.contracts.verdict import ClassVerdict
from litmus_nb.report.numbers import decimals_that_keep_the_outcome, in_points, percent, points, signed_points
from litmus_nb.report.states import in_words
from litmus_nb.report.text import safe_text

__all__ = ["drawable", "extent", "forest_rows"]


def forest_rows(rows: Sequence[ClassVerdict]) -> list[dict[str, Any]]:
    """One mapping per class, in the order given. Positions are in points; null where undefined."""
    decimals = decimals_that_keep_the_outcome(rows)
    return [_positions(row) | _texts(row, decimals) | {"place": place} for place, row in enumerate(rows)]


def _positions(row: ClassVerdict) -> dict[str, Any]:
    return {
        "low": in_points(row.ci_low),
        "high": in_points(row.ci_high),
        "delta": in_points(row.delta),
        "bootstrap_low": in_points(row.bootstrap_low),
        "bootstrap_high": in_points(row.bootstrap_high),
        "tolerance": in_points(row.tolerance),
    }


def _texts(row: ClassVerdict, decimals: int) -> dict[str, Any]:
    low, high = row.ci_low, row.ci_high
    has_interval = low is not None and high is not None
    return {
        "label": drawable(row.name),
        "outcome": row.outcome,
        "outcome_text": in_words(row.outcome),
        "n_text": "–" if row.n is None else f"{row.n:,}".replace(",", "\N{NARROW NO-BREAK SPACE}"),
        "rates_text": _rates(row),
        "delta_text": "–" if row.delta is None else signed_points(row.delta, decimals),
        "interval_text": "not judged" if low is None or high is None else _interval(low, high, decimals),
        "tolerance_text": "none set" if row.tolerance is None else points(row.tolerance, decimals),
        "note": "" if has_interval else "no scenario is left to compare",
    }


def drawable(text: str, *, limit: int = 60) -> str:
    """Untrusted text as a label of a chart.

    The drawing library shortens labels by UTF-16 units and fails on half a pair, so what needs a pair is escaped too.
    """
    shown = safe_text(text, limit=limit)
    return "".join(c if ord(c) < 0x10000 else f"\\U{ord(c):08x}" for c in shown)


def _rates(row: ClassVerdict) -> str:
    if row.baseline_rate is None or row.candidate_rate is None:
        return "–"
    return f"{percent(row.baseline_rate)} → {percent(row.candidate_rate)}"


def _interval(low: float, high: float, decimals: int) -> str:
    return f"{points(low, decimals)} to {points(high, decimals)}"


def extent(rows: Sequence[ClassVerdict]) -> tuple[float, float]:
    """The ends of the common scale, in points: everything that is drawn, zero among it, and room on both sides."""
    drawn = [0.0]
    for row in rows:
        values = (row.ci_low, row.ci_high, row.bootstrap_low, row.bootstrap_high, row.tolerance)
        drawn.extend(value * 100 for value in values if value is not None)
    low, high = min(drawn), max(drawn)
    room = max((high - low) * 0.08, 1.0)
    low, high = low - room, high + room
    # "safer" and "less safe" stand on either side of zero: both need their room.
    least = (high - low) * 0.2
    return min(low, -least), max(high, least)
