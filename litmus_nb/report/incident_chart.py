"""The picture of an incident: what the naive gate compares, and where the candidate really is."""

from __future__ import annotations

from typing import Any

import altair as alt

from litmus_nb.contracts.incident import IncidentFacts, IncidentRow
from litmus_nb.report.charts import dressed
from litmus_nb.report.forest_data import drawable
from litmus_nb.report.palette import LIGHT
from litmus_nb.report.pictures import NothingToDraw

__all__ = ["incident_chart"]

_ROW = 34
_WIDTH = 460
_MARKS = {
    "baseline": ("circle", "white", LIGHT.ink),
    "candidate, as the naive gate sees it": ("square", LIGHT.undecided, LIGHT.undecided),
    "candidate, as it is": ("diamond", LIGHT.failed, LIGHT.failed),
}
"""Series to shape, fill and stroke: told apart by shape too."""


def incident_chart(facts: IncidentFacts) -> alt.LayerChart:
    """Rates by line: baseline, candidate as seen, candidate as it is, and the most that the naive gate lets pass.

    Raises:
        NothingToDraw: there is no line to draw.
    """
    if not facts.rows:
        raise NothingToDraw("an incident without a line")
    points = alt.Chart(alt.InlineData(values=[point for row in facts.rows for point in _points(row)]))
    lines = alt.Chart(alt.InlineData(values=[_line(row) for row in facts.rows]))
    order = [drawable(row.label) for row in facts.rows]
    y = alt.Y(
        "label:N", sort=order, axis=alt.Axis(title=None, labelLimit=220, domain=False, ticks=False, labelPadding=12)
    )
    names, marks = list(_MARKS), list(_MARKS.values())
    legend = alt.Legend(title=None, orient="top", direction="horizontal", columns=1, labelLimit=0)
    shape = alt.Shape("series:N", scale=alt.Scale(domain=names, range=[mark[0] for mark in marks]), legend=legend)
    fill = alt.Fill("series:N", scale=alt.Scale(domain=names, range=[mark[1] for mark in marks]), legend=legend)
    stroke = alt.Stroke("series:N", scale=alt.Scale(domain=names, range=[mark[2] for mark in marks]), legend=legend)
    layers = [
        lines.mark_rule(color=LIGHT.rule, strokeWidth=2).encode(y=y, x=_x("low:Q"), x2="high:Q"),
        lines.transform_filter("isValid(datum.allowed)")
        .mark_tick(color=LIGHT.ink, thickness=1.5, size=20, orient="vertical")
        .encode(y=y, x=_x("allowed:Q")),
        points.mark_point(size=110, opacity=1, strokeWidth=1.5).encode(
            y=y, x=_x("rate:Q"), shape=shape, fill=fill, stroke=stroke, tooltip=["label:N", "series:N", "rate:Q"]
        ),
    ]
    chart = alt.LayerChart(layer=layers, width=_WIDTH, height=len(facts.rows) * _ROW)
    padding = {"left": 24, "right": 12, "top": 4, "bottom": 4}
    axis: dict[str, Any] = {"labelFontSize": 12, "labelColor": LIGHT.ink, "gridOpacity": 0.6}
    finished: alt.LayerChart = dressed(chart, font_size=12, padding=padding, **axis).configure_legend(
        labelFontSize=12, labelColor=LIGHT.ink, symbolSize=90
    )
    return finished


def _x(field: str) -> alt.X:
    axis = alt.Axis(
        title="attack success rate, %   ( | : the most that the naive gate allows)",
        titleFontWeight="normal",
        tickCount=6,
        domain=False,
    )
    return alt.X(field, scale=alt.Scale(zero=True, nice=True), axis=axis)


def _points(row: IncidentRow) -> list[dict[str, Any]]:
    rates = zip(_MARKS, (row.baseline, row.seen, row.truth), strict=True)
    return [
        {"label": drawable(row.label), "series": series, "rate": round(100 * rate, 2)}
        for series, rate in rates
        if rate is not None
    ]


def _line(row: IncidentRow) -> dict[str, Any]:
    known = [100 * rate for rate in (row.baseline, row.seen, row.truth) if rate is not None]
    return {
        "label": drawable(row.label),
        "low": round(min(known), 2),
        "high": round(max(known), 2),
        "allowed": None if row.allowed is None else round(100 * row.allowed, 2),
    }
