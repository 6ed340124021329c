"""What cells show: lines of text, and charts, interactive where the notebook is open, pictures where it is read."""

from __future__ import annotations

import importlib.util
from typing import Any

import altair as alt
from IPython.display import SVG, display

from litmus_nb.report.charts import as_svg

__all__ = ["say", "show_chart"]

_Chart = alt.HConcatChart | alt.VConcatChart | alt.LayerChart


def say(line: str) -> None:
    """Display a line of text in the running cell."""
    display({"text/plain": line}, raw=True)  # type: ignore[no-untyped-call]  # IPython has no types here


def show_chart(chart: _Chart) -> None:
    """Display the chart in the running cell.

    JupyterLab with anywidget gets an interactive chart that needs no network, and the same output holds the SVG, which
    is what an export, a viewer or a machine without the widget shows. Without anywidget it is the SVG alone.
    """
    svg = as_svg(chart)
    widget = _widget_bundle(chart)
    if widget is None:
        display(SVG(svg))  # type: ignore[no-untyped-call]  # IPython has no types here
        return
    display({"image/svg+xml": svg, **widget}, raw=True)  # type: ignore[no-untyped-call]  # the same


def _widget_bundle(chart: _Chart) -> dict[str, Any] | None:
    """The widget's output; None where there is no anywidget or it cannot be made: the picture is there all the same."""
    if importlib.util.find_spec("anywidget") is None:
        return None
    try:
        alt.JupyterChart.enable_offline()
        bundle = alt.JupyterChart(chart)._repr_mimebundle_()
    except Exception:
        return None
    data = bundle[0] if isinstance(bundle, tuple) else bundle
    return {kind: value for kind, value in (data or {}).items() if kind.startswith("application/vnd.jupyter.widget")}
