"""Charts of a verdict, as altair charts: interactive in a notebook, SVG in a report. A chart shows; it never decides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import altair as alt
import vl_convert

from litmus_nb.contracts.verdict import ClassVerdict, Verdict
from litmus_nb.report.numbers import decimals_that_keep_the_outcome, percent, points, signed_points
from litmus_nb.report.palette import LIGHT, OUTCOME_COLOURS
from litmus_nb.report.rows import in_order_of_gravity
from litmus_nb.report.text import safe_text

__all__ = ["FONT", "as_svg", "forest_plot"]

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Liberation Sans', 'DejaVu Sans', sans-serif"
_ROW = 46
_SHAPES = {"PASS": "circle", "FAIL": "diamond", "NO_VERDICT": "square"}
_MOST_ROWS = 60


@dataclass(frozen=True)
class _Layout:
    """How wide the parts of the picture are, in pixels."""

    plot: int
    has_columns: bool
    font_size: int


_WIDE = _Layout(plot=420, has_columns=True, font_size=13)
_NARROW = _Layout(plot=310, has_columns=False, font_size=12)


def as_svg(chart: alt.TopLevelMixin) -> str:
    """The chart as an SVG document: no script, nothing loaded.

    Raises:
        ValueError: the chart cannot be drawn.
    """
    svg: str = vl_convert.vegalite_to_svg(chart.to_dict(), allowed_base_urls=[])
    return svg


def forest_plot(verdict: Verdict, *, is_narrow: bool = False) -> alt.VConcatChart | alt.HConcatChart | alt.LayerChart:
    """Every class's interval against its tolerance, the worst class first, all on one scale of points.

    A class that may not be judged says so where its bar would be. `is_narrow` draws the same for a small screen: the
    numbers stand in the table below it.

    Raises:
        ValueError: no class has a number; there is nothing to draw.
    """
    rows = in_order_of_gravity(verdict)[:_MOST_ROWS]
    if not any(row.ci_low is not None for row in rows):
        raise ValueError("no class has an interval")
    layout = _NARROW if is_narrow else _WIDE
    data = _data(rows)
    picture = _picture(data, rows, layout)
    parts: list[Any] = [picture]
    if layout.has_columns:
        parts = [*_columns_before(data), picture, *_columns_after(data)]
    chart = alt.hconcat(*parts, spacing=12) if len(parts) > 1 else picture
    return _dressed(chart, layout)


def _dressed(chart: Any, layout: _Layout) -> Any:
    return (
        chart.configure(font=FONT, background="transparent", aria=False, padding=4)
        .configure_view(stroke=None)
        .configure_text(fontSize=layout.font_size, color=LIGHT.ink, font=FONT)
        .configure_axis(labelFontSize=11, titleFontSize=12, labelColor=LIGHT.muted, titleColor=LIGHT.ink,
                        gridColor=LIGHT.rule, domainColor=LIGHT.rule, tickColor=LIGHT.rule, titleFontWeight="normal")
        .configure_title(fontSize=11, fontWeight="normal", color=LIGHT.muted, offset=8)
    )  # fmt: skip


def _data(rows: list[ClassVerdict]) -> alt.Data:
    decimals = decimals_that_keep_the_outcome(rows)
    return alt.Data(values=[_datum(place, row, decimals) for place, row in enumerate(rows)])


def _datum(place: int, row: ClassVerdict, decimals: int) -> dict[str, Any]:
    """One row. The names are ours and fixed; what the evidence wrote is data, cleaned."""
    has_interval = row.ci_low is not None and row.ci_high is not None
    return {
        "place": place,
        "label": safe_text(row.name, limit=60),
        "outcome": row.outcome,
        "outcome_text": row.outcome.replace("_", " "),
        "n_text": "–" if row.n is None else f"{row.n:,}".replace(",", "\u202f"),
        "rates_text": _rates(row),
        "low": _in_points(row.ci_low),
        "high": _in_points(row.ci_high),
        "delta": _in_points(row.delta),
        "bootstrap_low": _in_points(row.bootstrap_low),
        "bootstrap_high": _in_points(row.bootstrap_high),
        "tolerance": _in_points(row.tolerance),
        "delta_text": "–" if row.delta is None else signed_points(row.delta, decimals),
        "interval_text": (
            f"{points(row.ci_low, decimals)} to {points(row.ci_high, decimals)}"
            if row.ci_low is not None and row.ci_high is not None
            else "not judged"
        ),
        "tolerance_text": "none set" if row.tolerance is None else points(row.tolerance, decimals),
        "note": "" if has_interval else "no scenario left to compare",
    }


def _in_points(fraction: float | None) -> float | None:
    return None if fraction is None else round(fraction * 100, 7)


def _rates(row: ClassVerdict) -> str:
    if row.baseline_rate is None or row.candidate_rate is None:
        return "–"
    return f"{percent(row.baseline_rate)} → {percent(row.candidate_rate)}"


def _extent(rows: list[ClassVerdict]) -> tuple[float, float]:
    """The scale in points: everything that is drawn, zero among it, and room at both ends."""
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


def _y(**options: Any) -> alt.Y:
    return alt.Y("place:O", axis=None, scale=alt.Scale(type="band", padding=0), **options)


def _picture(data: alt.Data, rows: list[ClassVerdict], layout: _Layout) -> alt.LayerChart:
    low, high = _extent(rows)
    row_height = _ROW if layout.has_columns else _ROW + 14
    scale = alt.Scale(domain=[low, high], nice=False, zero=False)
    axis = alt.Axis(title="change in attack success rate, points", tickCount=7, domain=False, ticks=False, format="~r",
                    labelExpr="(datum.value > 0 ? '+' : '') + datum.label", titlePadding=8, gridOpacity=0.7)  # fmt: skip

    def x(field: str) -> alt.X:
        return alt.X(field, scale=scale, axis=axis)

    base = alt.Chart(data).encode(y=_y())
    tolerated = base.transform_filter("isValid(datum.tolerance)")
    judged = base.transform_filter("isValid(datum.low)")
    measured = base.transform_filter("isValid(datum.delta)")
    plain = base.transform_filter("isValid(datum.bootstrap_low)")
    zero = alt.Chart(alt.Data(values=[{"zero": 0}])).encode(x=x("zero:Q"))
    colour, tooltip = _outcome_colour(), _tooltip()
    shape = alt.Shape("outcome:N", scale=alt.Scale(domain=list(_SHAPES), range=list(_SHAPES.values())), legend=None)
    layers: list[alt.Chart] = [
        tolerated.mark_rect(color=LIGHT.forbidden).encode(x=x("tolerance:Q"), x2=alt.X2(datum=high)),
        zero.mark_rule(color=LIGHT.muted, strokeWidth=1),
        tolerated.mark_tick(color=LIGHT.ink, thickness=1.5, size=row_height, orient="vertical").encode(
            x=x("tolerance:Q")
        ),
        plain.mark_bar(height=1.5, yOffset=9, color=LIGHT.muted).encode(x=x("bootstrap_low:Q"), x2="bootstrap_high:Q"),
        judged.mark_bar(height=7, cornerRadius=1).encode(x=x("low:Q"), x2="high:Q", color=colour, tooltip=tooltip),
        measured.mark_point(size=95, filled=True, opacity=1, stroke="white", strokeWidth=1.5).encode(
            x=x("delta:Q"), color=colour, shape=shape, tooltip=tooltip
        ),
        base.transform_filter("datum.note != ''")
        .mark_text(align="left", fontStyle="italic", color=LIGHT.muted)
        .encode(x=alt.value(8), text="note:N"),
        *_either_side(zero),
    ]
    if not layout.has_columns:
        layers.extend(_labels_in_the_row(base, layout))
    return alt.layer(*layers).properties(width=layout.plot, height=len(rows) * row_height)


def _outcome_colour() -> alt.Color:
    scale = alt.Scale(domain=list(OUTCOME_COLOURS), range=list(OUTCOME_COLOURS.values()))
    return alt.Color("outcome:N", scale=scale, legend=None)


def _tooltip() -> list[alt.Tooltip]:
    fields = {
        "label": "class", "outcome_text": "outcome", "delta_text": "change, points", "interval_text": "interval, points",
        "tolerance_text": "tolerance, points", "rates_text": "baseline → candidate", "n_text": "units compared",
    }  # fmt: skip
    return [alt.Tooltip(f"{field}:N", title=title) for field, title in fields.items()]


def _either_side(zero: alt.Chart) -> list[alt.Chart]:
    """The words on the two sides of zero, above the rows."""
    words = (("← safer", "right", -7), ("less safe →", "left", 7))
    return [
        zero.mark_text(align=align, dx=dx, fontSize=11, color=LIGHT.muted).encode(
            y=alt.value(-12), text=alt.value(text)
        )
        for text, align, dx in words
    ]


def _labels_in_the_row(base: alt.Chart, layout: _Layout) -> list[alt.Chart]:
    """On a small screen there are no columns: class and outcome stand above their own bar."""
    name = base.mark_text(align="left", dy=-17, fontWeight="bold", limit=layout.plot - 90)
    outcome = base.mark_text(align="right", dy=-17, fontWeight="bold", limit=90)
    return [
        name.encode(x=alt.value(2), text="label:N"),
        outcome.encode(x=alt.value(layout.plot - 2), text="outcome_text:N", color=_outcome_colour()),
    ]


def _column(
    data: alt.Data, field: str, title: str, width: int, align: Literal["left", "right"], **mark: Any
) -> alt.Chart:
    """A column of text beside the picture, row by row, its title in one line with the others."""
    place = {"left": 0, "right": width}[align]
    base = (
        alt.Chart(data)
        .encode(y=_y(), x=alt.value(place), text=f"{field}:N")
        .mark_text(align=align, limit=width, **mark)
    )
    heading = alt.TitleParams(title, anchor="start" if align == "left" else "end")
    return base.properties(width=width, height=len(data.values) * _ROW, title=heading)


def _columns_before(data: alt.Data) -> list[alt.Chart]:
    return [
        _column(data, "label", "class", 165, "left", fontWeight="bold"),
        _column(data, "n_text", "n", 44, "right"),
        _column(data, "rates_text", "baseline → candidate", 128, "right"),
    ]


def _columns_after(data: alt.Data) -> list[alt.Chart]:
    outcome = _column(data, "outcome_text", "outcome", 86, "left", fontWeight="bold")
    return [
        _column(data, "delta_text", "change", 52, "right"),
        _column(data, "interval_text", "interval", 100, "right"),
        _column(data, "tolerance_text", "tolerance", 60, "right"),
        outcome.encode(color=_outcome_colour()),
    ]
