"""What the altair charts share. A chart shows; it never decides."""

from __future__ import annotations

from typing import Any, TypeVar

import altair as alt

from litmus_nb.report.drawing import house_config, svg_of

__all__ = ["as_svg", "dressed", "text_column"]

_AnyChart = TypeVar("_AnyChart", alt.HConcatChart, alt.VConcatChart, alt.LayerChart, alt.FacetChart)


def as_svg(chart: alt.TopLevelMixin) -> str:
    """The chart as an SVG document: no script, nothing loaded.

    Raises:
        ValueError: the chart cannot be drawn.
    """
    return svg_of(chart.to_dict())


def dressed(
    chart: _AnyChart, *, font_size: int, padding: Any = 4, is_read_aloud: bool = False, **axis: Any
) -> _AnyChart:
    """The chart in the house's typeface and colours; the arguments are those of `house_config`."""
    config = house_config(font_size=font_size, padding=padding, is_read_aloud=is_read_aloud, **axis)
    finished: _AnyChart = chart.configure(**config)
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
