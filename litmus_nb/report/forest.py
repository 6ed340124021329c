"""The forest plot of a verdict. A chart shows; it never decides.

It is written down as the Vega-Lite specification that altair would make of it: importing altair takes longer than all
else that a gate does, and each gate would do it twice, in the kernel and in the driver.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from litmus_nb.contracts.verdict import ClassVerdict, Verdict
from litmus_nb.report.drawing import SHAPES, house_config
from litmus_nb.report.forest_data import extent, forest_rows
from litmus_nb.report.palette import LIGHT, OUTCOME_COLOURS
from litmus_nb.report.pictures import NothingToDraw
from litmus_nb.report.rows import in_order_of_gravity

__all__ = ["forest_plot"]

_Spec = dict[str, Any]

_SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
_ROW = 46
_MOST_ROWS = 60


@dataclass(frozen=True)
class _Layout:
    """How wide the parts of the picture are, in pixels."""

    plot: int
    has_columns: bool
    font_size: int


_WIDE = _Layout(plot=420, has_columns=True, font_size=13)
_NARROW = _Layout(plot=310, has_columns=False, font_size=12)


def forest_plot(verdict: Verdict, *, is_narrow: bool = False, width: int | None = None) -> _Spec:
    """Every class's interval against its tolerance, the worst class first, all on one scale of points.

    A class that may not be judged says so where its bar would be.

    Args:
        is_narrow: leave out the columns of numbers, for a small screen or where a table stands below.
        width: of the plot itself, in pixels; None: what suits the form.

    Returns:
        A Vega-Lite specification; `altair.Chart.from_dict` takes it.

    Raises:
        NothingToDraw: no class has a number; there is nothing to draw.
    """
    rows = in_order_of_gravity(verdict)[:_MOST_ROWS]
    if not any(row.ci_low is not None for row in rows):
        raise NothingToDraw("no class has an interval")
    layout = _NARROW if is_narrow else _WIDE
    layout = replace(layout, plot=width or layout.plot)
    config = house_config(font_size=layout.font_size)
    whole = {"$schema": _SCHEMA, "config": config, "data": {"values": forest_rows(rows)}}
    picture = _picture(rows, layout)
    if not layout.has_columns:
        return whole | picture
    parts = [*_columns_before(len(rows)), picture, *_columns_after(len(rows))]
    return whole | {"hconcat": parts, "spacing": 12}


_PLACE: _Spec = {"field": "place", "type": "ordinal", "axis": None, "scale": {"type": "band", "padding": 0}}


def _picture(rows: Sequence[ClassVerdict], layout: _Layout) -> _Spec:
    low, high = extent(rows)
    row_height = _ROW if layout.has_columns else _ROW + 14
    layers = [*_ground(low, high, row_height), *_marks(low, high)]
    if not layout.has_columns:
        layers.extend(_labels_in_the_row(layout))
    return {"layer": layers, "width": layout.plot, "height": len(rows) * row_height}


def _layer(mark: str, encoding: _Spec, *, where: str | None = None, **look: Any) -> _Spec:
    """Marks of one kind, one for each row; or for the rows `where` something holds."""
    kept = {"transform": [{"filter": where}]} if where else {}
    return {"mark": {"type": mark} | look, "encoding": {"y": _PLACE} | encoding} | kept


def _x(field: str, low: float, high: float) -> _Spec:
    """The one scale of the picture, in points."""
    axis = {
        "title": "change in attack success rate, points",
        "tickCount": 7,
        "domain": False,
        "ticks": False,
        "format": "~r",
        "labelExpr": "(datum.value > 0 ? '+' : '') + datum.label",
        "titlePadding": 8,
        "gridOpacity": 0.7,
    }
    scale = {"domain": [low, high], "nice": False, "zero": False}
    return {"field": field, "type": "quantitative", "scale": scale, "axis": axis}


def _ground(low: float, high: float, row_height: int) -> list[_Spec]:
    """What the marks lie on: the forbidden side, zero with its two words, the tolerance of each row."""
    has_tolerance = "isValid(datum.tolerance)"
    tolerance = _x("tolerance", low, high)
    forbidden = {"x": tolerance, "x2": {"datum": high}}
    line = {"color": LIGHT.ink, "thickness": 1.5, "size": row_height, "orient": "vertical"}
    return [
        _layer("rect", forbidden, where=has_tolerance, color=LIGHT.forbidden),
        _at_zero("rule", {}, low, high, strokeWidth=1),
        _layer("tick", {"x": tolerance}, where=has_tolerance, **line),
        _at_zero("text", _above("← safer"), low, high, align="right", dx=-7, fontSize=11),
        _at_zero("text", _above("less safe →"), low, high, align="left", dx=7, fontSize=11),
    ]


def _at_zero(mark: str, encoding: _Spec, low: float, high: float, **look: Any) -> _Spec:
    """One mark where nothing changes, whatever the rows are."""
    return {
        "data": {"values": [{"zero": 0}]},
        "mark": {"type": mark, "color": LIGHT.muted} | look,
        "encoding": {"x": _x("zero", low, high)} | encoding,
    }


def _above(words: str) -> _Spec:
    return {"y": {"value": -12}, "text": {"value": words}}


def _marks(low: float, high: float) -> list[_Spec]:
    """Of each row: the interval that decides, the measured change on it, the plain bootstrap under it; or why not."""
    told = {"color": _outcome_colour(), "tooltip": _tooltip()}
    scale = {"domain": list(SHAPES), "range": list(SHAPES.values())}
    shape = {"field": "outcome", "type": "nominal", "scale": scale, "legend": None}
    bootstrap = {"x": _x("bootstrap_low", low, high), "x2": {"field": "bootstrap_high"}}
    bar = {"x": _x("low", low, high), "x2": {"field": "high"}} | told
    measured = {"x": _x("delta", low, high), "shape": shape} | told
    dot = {"size": 95, "filled": True, "opacity": 1, "stroke": "white", "strokeWidth": 1.5}
    note = {"x": {"value": 8}, "text": _text("note")}
    return [
        _layer("bar", bootstrap, where="isValid(datum.bootstrap_low)", height=1.5, yOffset=9, color=LIGHT.muted),
        _layer("bar", bar, where="isValid(datum.low)", height=7, cornerRadius=1),
        _layer("point", measured, where="isValid(datum.delta)", **dot),
        _layer("text", note, where="datum.note != ''", align="left", fontStyle="italic", color=LIGHT.muted),
    ]


def _text(field: str) -> _Spec:
    return {"field": field, "type": "nominal"}


def _outcome_colour() -> _Spec:
    scale = {"domain": list(OUTCOME_COLOURS), "range": list(OUTCOME_COLOURS.values())}
    return {"field": "outcome", "type": "nominal", "scale": scale, "legend": None}


def _tooltip() -> list[_Spec]:
    fields = {
        "label": "class",
        "outcome_text": "outcome",
        "delta_text": "change, points",
        "interval_text": "interval, points",
        "tolerance_text": "tolerance, points",
        "rates_text": "baseline → candidate",
        "n_text": "units compared",
    }
    return [_text(field) | {"title": title} for field, title in fields.items()]


def _labels_in_the_row(layout: _Layout) -> list[_Spec]:
    """On a small screen there are no columns: class and outcome stand above their own bar."""
    name = {"x": {"value": 2}, "text": _text("label")}
    outcome = {"x": {"value": layout.plot - 2}, "text": _text("outcome_text"), "color": _outcome_colour()}
    return [
        _layer("text", name, align="left", dy=-17, fontWeight="bold", limit=layout.plot - 90),
        _layer("text", outcome, align="right", dy=-17, fontWeight="bold", limit=90),
    ]


def _column(
    field: str, title: str, width: int, align: Literal["left", "right"], *, rows: int, color: _Spec | None = None
) -> _Spec:
    """A column of text beside the picture, row by row, its title in one line with the others."""
    encoding = {"x": {"value": {"left": 0, "right": width}[align]}, "text": _text(field)}
    is_name = field in ("label", "outcome_text")
    look: _Spec = {"align": align, "limit": width} | ({"fontWeight": "bold"} if is_name else {})
    heading = {"text": title, "anchor": "start" if align == "left" else "end"}
    column = _layer("text", encoding | ({"color": color} if color else {}), **look)
    return column | {"width": width, "height": rows * _ROW, "title": heading}


def _columns_before(rows: int) -> list[_Spec]:
    return [
        _column("label", "class", 165, "left", rows=rows),
        _column("n_text", "n", 44, "right", rows=rows),
        _column("rates_text", "baseline → candidate", 128, "right", rows=rows),
    ]


def _columns_after(rows: int) -> list[_Spec]:
    return [
        _column("delta_text", "change", 52, "right", rows=rows),
        _column("interval_text", "interval", 100, "right", rows=rows),
        _column("tolerance_text", "tolerance", 60, "right", rows=rows),
        _column("outcome_text", "outcome", 86, "left", rows=rows, color=_outcome_colour()),
    ]
