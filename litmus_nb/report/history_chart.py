"""The change of each class over time with its interval, against its tolerance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from litmus_nb.report.charts import dressed
from litmus_nb.report.drawing import SHAPES
from litmus_nb.report.forest_data import drawable
from litmus_nb.report.history import ClassHistory
from litmus_nb.report.palette import LIGHT, OUTCOME_COLOURS
from litmus_nb.report.pictures import NothingToDraw

__all__ = ["history_chart"]

_MOST_VERDICTS = 90
_MOST_CLASSES = 12


def history_chart(classes: Sequence[ClassHistory], *, width: int = 760) -> alt.VConcatChart:
    """One panel a class, the given order kept; the last 90 judgements of the first 12, all on one scale of time.

    Raises:
        NothingToDraw: no class was ever judged; there is nothing to draw.
    """
    shown = [history for history in classes[:_MOST_CLASSES] if history.judged]
    if not shown:
        raise NothingToDraw("no class was ever judged")
    rows = [_rows(history) for history in shown]
    days = sorted({row["day"] for of_class in rows for row in of_class})
    panels = [
        _panel(of_class, drawable(history.name), (days[0], days[-1]), width)
        for history, of_class in zip(shown, rows, strict=True)
    ]
    return dressed(alt.VConcatChart(vconcat=panels, spacing=18), font_size=12)


def _rows(history: ClassHistory) -> list[dict[str, Any]]:
    return [
        {
            "day": one.as_of,
            "delta": None if row.delta is None else row.delta * 100,
            "low": None if row.ci_low is None else row.ci_low * 100,
            "high": None if row.ci_high is None else row.ci_high * 100,
            "tolerance": None if row.tolerance is None else row.tolerance * 100,
            "outcome": row.outcome,
        }
        for one, row in history.judged[-_MOST_VERDICTS:]
    ]


def _panel(rows: list[dict[str, Any]], name: str, days: tuple[str, str], width: int) -> alt.LayerChart:
    base = alt.Chart(alt.InlineData(values=rows)).encode(x=_time(days))
    tolerated = base.transform_filter("isValid(datum.tolerance)")
    scale = alt.Scale(domain=list(OUTCOME_COLOURS), range=list(OUTCOME_COLOURS.values()))
    colour = alt.Color("outcome:N", scale=scale, legend=None)
    shape = alt.Shape("outcome:N", scale=alt.Scale(domain=list(SHAPES), range=list(SHAPES.values())), legend=None)
    zero = alt.Chart(alt.InlineData(values=[{"zero": 0}])).mark_rule(color=LIGHT.muted, strokeWidth=1)
    line = tolerated.mark_line(interpolate="step-after", color=LIGHT.ink, strokeWidth=1.2, strokeDash=[5, 3])
    point = base.mark_point(size=42, filled=True, opacity=1)
    layers = [
        zero.encode(y=_change("zero:Q")),
        line.encode(y=_change("tolerance:Q")),
        base.mark_rule(strokeWidth=2.2).encode(y=_change("low:Q"), y2="high:Q", color=colour),
        point.encode(y=_change("delta:Q"), color=colour, shape=shape),
    ]
    title = alt.TitleParams(name, anchor="start", fontSize=13, fontWeight="bold", color=LIGHT.ink)
    return alt.LayerChart(layer=layers, width=width, height=110, title=title)


def _time(days: tuple[str, str]) -> alt.X:
    axis = alt.Axis(title=None, format="%Y-%m-%d", grid=False, tickCount=6, labelOverlap=True)
    first, last = days
    if first == last:
        return alt.X("day:T", axis=axis)
    return alt.X("day:T", axis=axis, scale=alt.Scale(domain=[first, last], padding=12))


def _change(field: str) -> alt.Y:
    return alt.Y(field, axis=alt.Axis(title="points", tickCount=4, format="~r", gridOpacity=0.6))
