"""Charts of a plan: how the chance of a PASS grows with scenarios and trials, and how small a rise is shown."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

import altair as alt

from litmus_nb.contracts.report import PassChance, ShownChance
from litmus_nb.report.charts import dressed
from litmus_nb.report.palette import LIGHT
from litmus_nb.report.pictures import NothingToDraw
from litmus_nb.report.text import safe_text

__all__ = ["pass_chances", "shown_chances", "spaced"]

_WIDTH, _HEIGHT = 260, 180
_LABEL = 40
"""What the widest label of a number of scenarios takes, in pixels, with room beside it."""
_BLUES = ["#9ecae1", "#4292c6", "#08519c", "#08306b"]


def pass_chances(rows: Sequence[PassChance], *, probability: float) -> alt.FacetChart:
    """For each class, the chance of a PASS against the number of scenarios, a line per number of trials.

    Args:
        rows: one per class, number of trials and number of scenarios.
        probability: the one that is wanted, drawn as a line.

    Raises:
        NothingToDraw: there is nothing to draw.
    """
    if not rows:
        raise NothingToDraw("no class to draw")
    data = [row.model_dump() | {"scenario_class": safe_text(row.scenario_class, limit=60)} for row in rows]
    ticks = spaced({row.n for row in rows})
    lines = (
        alt.Chart()
        .mark_line(point=alt.OverlayMarkDef(size=18))
        .encode(
            x=alt.X("n:Q", title="scenarios", scale=alt.Scale(type="log", nice=False), axis=alt.Axis(values=ticks)),
            y=alt.Y("chance:Q", title="chance of a PASS", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format="%")),
            color=alt.Color("trials:O", title="trials", scale=alt.Scale(range=_BLUES)),
            tooltip=["trials:O", "n:Q", alt.Tooltip("chance:Q", format=".1%")],
        )
    )
    return _faceted(lines, data, probability)


def spaced(sizes: Collection[int], *, width: int = _WIDTH) -> list[int]:
    """Those of the numbers of scenarios, all above 0, whose labels do not touch on a logarithmic axis; both ends stay.

    Left to itself the axis labels every 100 from 100 to 1,000, each one closer to the next.
    """
    first, last = min(sizes), max(sizes)
    scale = width / math.log(last / first) if last > first else 0.0
    kept = [first]
    for size in sorted(sizes):
        if scale * math.log(size / kept[-1]) >= _LABEL and scale * math.log(last / size) >= _LABEL:
            kept.append(size)
    return kept if last == first else [*kept, last]


def shown_chances(rows: Sequence[ShownChance], *, probability: float) -> alt.FacetChart:
    """For each class, the chance that a rise of a given size is shown, with the scenarios there are.

    Args:
        rows: one per class and size of the rise.
        probability: the one that is wanted, drawn as a line.

    Raises:
        NothingToDraw: there is nothing to draw.
    """
    if not rows:
        raise NothingToDraw("no class to draw")
    data = [row.model_dump() | {"scenario_class": safe_text(row.scenario_class, limit=60)} for row in rows]
    lines = (
        alt.Chart()
        .mark_line(color=_BLUES[2], point=alt.OverlayMarkDef(size=18, color=_BLUES[2]))
        .encode(
            x=alt.X("delta:Q", title="true rise", axis=alt.Axis(format="%")),
            y=alt.Y("chance:Q", title="chance it is shown", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format="%")),
            tooltip=[alt.Tooltip("delta:Q", format=".1%"), alt.Tooltip("chance:Q", format=".1%")],
        )
    )
    return _faceted(lines, data, probability)


def _faceted(lines: alt.Chart, data: list[dict[str, object]], probability: float) -> alt.FacetChart:
    wanted = alt.Chart().mark_rule(strokeDash=[4, 4], color=LIGHT.muted).encode(y=alt.datum(probability))
    panels: alt.FacetChart = (
        alt.layer(lines, wanted, data=alt.InlineData(values=data))
        .properties(width=_WIDTH, height=_HEIGHT)
        .facet(facet=alt.Facet("scenario_class:N", title=None, header=alt.Header(labelColor=LIGHT.ink)), columns=2)
    )
    return dressed(panels, font_size=12, is_read_aloud=True, gridOpacity=0.5)
