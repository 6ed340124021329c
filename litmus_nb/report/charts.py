"""Charts of a verdict by altair: interactive in a notebook, SVG in a report. A chart shows; it never decides."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, TypeVar

import altair as alt
import vl_convert

from litmus_nb.contracts.verdict import ClassVerdict, Verdict
from litmus_nb.report.forest_data import extent, forest_rows
from litmus_nb.report.palette import LIGHT, OUTCOME_COLOURS
from litmus_nb.report.rows import in_order_of_gravity

__all__ = ["FONT", "SHAPES", "VEGA_LITE_MIME", "as_svg", "dressed", "forest_plot", "lab_bundle", "text_column"]

VEGA_LITE_MIME = "application/vnd.vegalite.v5+json"
"""What JupyterLab draws by itself, without network and without a widget: it bundles Vega-Lite 5."""
_VEGA_LITE_SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Liberation Sans', 'DejaVu Sans', sans-serif"
_ROW = 46
SHAPES = {"PASS": "circle", "FAIL": "diamond", "NO_VERDICT": "square"}
_MOST_ROWS = 60

_AnyChart = TypeVar("_AnyChart", alt.HConcatChart, alt.VConcatChart, alt.LayerChart)


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


def lab_bundle(chart: alt.TopLevelMixin, words: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """A chart as outputs of a notebook cell, with their metadata: live in JupyterLab, a picture anywhere else.

    altair declares Vega-Lite 6, whose type of output neither JupyterLab nor nbformat knows; the charts here use nothing
    that 5 does not have. They are drawn as SVG elements, so that their text can be selected and read aloud.
    """
    data = {
        VEGA_LITE_MIME: chart.to_dict() | {"$schema": _VEGA_LITE_SCHEMA},
        "image/svg+xml": as_svg(chart),
        "text/plain": words,
    }
    return data, {VEGA_LITE_MIME: {"embed_options": {"renderer": "svg", "actions": False}}}


def forest_plot(
    verdict: Verdict, *, is_narrow: bool = False, width: int | None = None
) -> alt.HConcatChart | alt.LayerChart:
    """Every class's interval against its tolerance, the worst class first, all on one scale of points.

    A class that may not be judged says so where its bar would be.

    Args:
        is_narrow: leave out the columns of numbers, for a small screen or where a table stands below.
        width: of the plot itself, in pixels; None: what suits the form.

    Raises:
        ValueError: no class has a number; there is nothing to draw.
    """
    rows = in_order_of_gravity(verdict)[:_MOST_ROWS]
    if not any(row.ci_low is not None for row in rows):
        raise ValueError("no class has an interval")
    layout = _NARROW if is_narrow else _WIDE
    layout = replace(layout, plot=width or layout.plot)
    data = alt.InlineData(values=forest_rows(rows))
    picture = _picture(data, rows, layout)
    if not layout.has_columns:
        return dressed(picture, font_size=layout.font_size)
    parts = [*_columns_before(data), picture, *_columns_after(data)]
    return dressed(alt.HConcatChart(hconcat=parts, spacing=12), font_size=layout.font_size)


def dressed(
    chart: _AnyChart, *, font_size: int, padding: Any = 4, is_read_aloud: bool = False, **axis: Any
) -> _AnyChart:
    """The chart in the house's typeface and colours, without a background of its own.

    Args:
        font_size: of text in the picture, in pixels.
        padding: around it, as altair takes it.
        is_read_aloud: whether its marks have words for a screen reader, which a page says in a table instead.
        axis: what is to be otherwise about its axes than the house has it.
    """
    axes: dict[str, Any] = {
        "labelFontSize": 11,
        "titleFontSize": 12,
        "labelColor": LIGHT.muted,
        "titleColor": LIGHT.ink,
        "gridColor": LIGHT.rule,
        "domainColor": LIGHT.rule,
        "tickColor": LIGHT.rule,
        "titleFontWeight": "normal",
    }
    aria = alt.Undefined if is_read_aloud else False
    finished: _AnyChart = (
        chart.configure(font=FONT, background="transparent", aria=aria, padding=padding)
        .configure_view(stroke=None)
        .configure_text(fontSize=font_size, color=LIGHT.ink, font=FONT)
        .configure_axis(**axes | axis)
        .configure_title(fontSize=11, fontWeight="normal", color=LIGHT.muted, offset=8)
    )
    return finished


def text_column(
    base: alt.Chart, field: str, title: str | alt.TitleParams, width: int, *, rows: int, tooltip: list[str]
) -> alt.Chart:
    """A column of text in a chart, so that what an attacker wrote is never HTML.

    Args:
        base: rows with their `place`, from 1.
        field: what is written.
        title: above it.
        width: in pixels; longer texts are cut.
        rows: how many places there are.
        tooltip: what a pointer on a text shows.
    """
    column: alt.Chart = (
        base.mark_text(align="left", limit=width, fontSize=11)
        .encode(
            y=alt.Y("place:O", axis=None, scale=alt.Scale(domain=list(range(1, rows + 1)))),
            x=alt.value(0),
            text=f"{field}:N",
            tooltip=tooltip,
        )
        .properties(width=width, height=rows * 17, title=title)
    )
    return column


def _y(**options: Any) -> alt.Y:
    return alt.Y("place:O", axis=None, scale=alt.Scale(type="band", padding=0), **options)


def _picture(data: alt.InlineData, rows: list[ClassVerdict], layout: _Layout) -> alt.LayerChart:
    low, high = extent(rows)
    row_height = _ROW if layout.has_columns else _ROW + 14
    base = alt.Chart(data).encode(y=_y())
    layers = [*_ground(base, low, high, row_height), *_marks(base, low, high)]
    if not layout.has_columns:
        layers.extend(_labels_in_the_row(base, layout))
    return alt.LayerChart(layer=layers, width=layout.plot, height=len(rows) * row_height)


def _x(field: str, low: float, high: float) -> alt.X:
    """The one scale of the picture, in points."""
    axis = alt.Axis(
        title="change in attack success rate, points",
        tickCount=7,
        domain=False,
        ticks=False,
        format="~r",
        labelExpr="(datum.value > 0 ? '+' : '') + datum.label",
        titlePadding=8,
        gridOpacity=0.7,
    )
    return alt.X(field, scale=alt.Scale(domain=[low, high], nice=False, zero=False), axis=axis)


def _ground(base: alt.Chart, low: float, high: float, row_height: int) -> list[alt.Chart]:
    """What the marks lie on: the forbidden side, zero with its two words, the tolerance of each row."""
    tolerated = base.transform_filter("isValid(datum.tolerance)")
    zero = alt.Chart(alt.InlineData(values=[{"zero": 0}])).encode(x=_x("zero:Q", low, high))
    line = tolerated.mark_tick(color=LIGHT.ink, thickness=1.5, size=row_height, orient="vertical")
    safer = zero.mark_text(align="right", dx=-7, fontSize=11, color=LIGHT.muted)
    less_safe = zero.mark_text(align="left", dx=7, fontSize=11, color=LIGHT.muted)
    above = alt.value(-12)
    return [
        tolerated.mark_rect(color=LIGHT.forbidden).encode(x=_x("tolerance:Q", low, high), x2=alt.X2(datum=high)),
        zero.mark_rule(color=LIGHT.muted, strokeWidth=1),
        line.encode(x=_x("tolerance:Q", low, high)),
        safer.encode(y=above, text=alt.value("← safer")),
        less_safe.encode(y=above, text=alt.value("less safe →")),
    ]


def _marks(base: alt.Chart, low: float, high: float) -> list[alt.Chart]:
    """Of each row: the interval that decides, the measured change on it, the plain bootstrap under it; or why not."""
    colour, tooltip = _outcome_colour(), _tooltip()
    shape = alt.Shape("outcome:N", scale=alt.Scale(domain=list(SHAPES), range=list(SHAPES.values())), legend=None)
    plain = base.transform_filter("isValid(datum.bootstrap_low)").mark_bar(height=1.5, yOffset=9, color=LIGHT.muted)
    bar = base.transform_filter("isValid(datum.low)").mark_bar(height=7, cornerRadius=1)
    measured = base.transform_filter("isValid(datum.delta)")
    point = measured.mark_point(size=95, filled=True, opacity=1, stroke="white", strokeWidth=1.5)
    note = base.transform_filter("datum.note != ''").mark_text(align="left", fontStyle="italic", color=LIGHT.muted)
    return [
        plain.encode(x=_x("bootstrap_low:Q", low, high), x2="bootstrap_high:Q"),
        bar.encode(x=_x("low:Q", low, high), x2="high:Q", color=colour, tooltip=tooltip),
        point.encode(x=_x("delta:Q", low, high), color=colour, shape=shape, tooltip=tooltip),
        note.encode(x=alt.value(8), text="note:N"),
    ]


def _outcome_colour() -> alt.Color:
    scale = alt.Scale(domain=list(OUTCOME_COLOURS), range=list(OUTCOME_COLOURS.values()))
    return alt.Color("outcome:N", scale=scale, legend=None)


def _tooltip() -> list[alt.Tooltip]:
    fields = {
        "label": "class",
        "outcome_text": "outcome",
        "delta_text": "change, points",
        "interval_text": "interval, points",
        "tolerance_text": "tolerance, points",
        "rates_text": "baseline → candidate",
        "n_text": "units compared",
    }
    return [alt.Tooltip(f"{field}:N", title=title) for field, title in fields.items()]


def _labels_in_the_row(base: alt.Chart, layout: _Layout) -> list[alt.Chart]:
    """On a small screen there are no columns: class and outcome stand above their own bar."""
    name = base.mark_text(align="left", dy=-17, fontWeight="bold", limit=layout.plot - 90)
    outcome = base.mark_text(align="right", dy=-17, fontWeight="bold", limit=90)
    return [
        name.encode(x=alt.value(2), text="label:N"),
        outcome.encode(x=alt.value(layout.plot - 2), text="outcome_text:N", color=_outcome_colour()),
    ]


def _column(
    data: alt.InlineData, field: str, title: str, width: int, align: Literal["left", "right"], **mark: Any
) -> alt.Chart:
    """A column of text beside the picture, row by row, its title in one line with the others."""
    text = alt.Chart(data).mark_text(align=align, limit=width, **mark)
    place = alt.value({"left": 0, "right": width}[align])
    column: alt.Chart = text.encode(y=_y(), x=place, text=f"{field}:N")
    heading = alt.TitleParams(title, anchor="start" if align == "left" else "end")
    return column.properties(width=width, height=len(data.values) * _ROW, title=heading)


def _columns_before(data: alt.InlineData) -> list[alt.Chart]:
    return [
        _column(data, "label", "class", 165, "left", fontWeight="bold"),
        _column(data, "n_text", "n", 44, "right"),
        _column(data, "rates_text", "baseline → candidate", 128, "right"),
    ]


def _columns_after(data: alt.InlineData) -> list[alt.Chart]:
    outcome = _column(data, "outcome_text", "outcome", 86, "left", fontWeight="bold")
    return [
        _column(data, "delta_text", "change", 52, "right"),
        _column(data, "interval_text", "interval", 100, "right"),
        _column(data, "tolerance_text", "tolerance", 60, "right"),
        outcome.encode(color=_outcome_colour()),
    ]
