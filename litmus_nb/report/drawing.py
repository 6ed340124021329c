"""Vega-Lite specifications as pictures: SVG for a page, live in a notebook; the house's typeface and colours."""

from __future__ import annotations

from typing import Any

from litmus_nb.report.palette import LIGHT

__all__ = ["FONT", "SHAPES", "VEGA_LITE_MIME", "house_config", "lab_bundle", "svg_of"]

VEGA_LITE_MIME = "application/vnd.vegalite.v5+json"
"""What JupyterLab draws by itself, without network and without a widget: it bundles Vega-Lite 5."""
_VEGA_LITE_SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Liberation Sans', 'DejaVu Sans', sans-serif"
SHAPES = {"PASS": "circle", "FAIL": "diamond", "NO_VERDICT": "square"}


def svg_of(spec: dict[str, Any]) -> str:
    """A specification drawn as an SVG document: no script, nothing loaded.

    Raises:
        ValueError: it cannot be drawn.
        ImportError: nothing can be drawn here.
    """
    # Deferred: where the library cannot be loaded, pages and notebooks are there all the same, without the picture.
    import vl_convert

    svg: str = vl_convert.vegalite_to_svg(spec, allowed_base_urls=[])
    return svg


def lab_bundle(spec: dict[str, Any], words: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """A chart as outputs of a notebook cell, with their metadata: live in JupyterLab, a picture anywhere else.

    altair declares Vega-Lite 6, whose type of output neither JupyterLab nor nbformat knows; the charts here use nothing
    that 5 does not have. They are drawn as SVG elements, so that their text can be selected and read aloud.

    Args:
        spec: the chart as a Vega-Lite specification.
        words: what a reader gets who sees no picture.
    """
    data = {
        VEGA_LITE_MIME: spec | {"$schema": _VEGA_LITE_SCHEMA},
        "image/svg+xml": svg_of(spec),
        "text/plain": words,
    }
    return data, {VEGA_LITE_MIME: {"embed_options": {"renderer": "svg", "actions": False}}}


def house_config(*, font_size: int, padding: Any = 4, is_read_aloud: bool = False, **axis: Any) -> dict[str, Any]:
    """The house's typeface and colours, without a background of its own, as a chart's `config`.

    Args:
        font_size: of text in the picture, in pixels.
        padding: around it, in pixels, or one number for each side.
        is_read_aloud: whether its marks have words for a screen reader, which a page says in a table instead.
        axis: what is to be otherwise about its axes than the house has it.
    """
    axes = {
        "labelFontSize": 11,
        "titleFontSize": 12,
        "labelColor": LIGHT.muted,
        "titleColor": LIGHT.ink,
        "gridColor": LIGHT.rule,
        "domainColor": LIGHT.rule,
        "tickColor": LIGHT.rule,
        "titleFontWeight": "normal",
    }
    silence = {} if is_read_aloud else {"aria": False}
    return {
        "font": FONT,
        "background": "transparent",
        "padding": padding,
        "view": {"stroke": None},
        "text": {"fontSize": font_size, "color": LIGHT.ink, "font": FONT},
        "axis": axes | axis,
        "title": {"fontSize": 11, "fontWeight": "normal", "color": LIGHT.muted, "offset": 8},
    } | silence
