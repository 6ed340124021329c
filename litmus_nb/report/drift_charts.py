"""Charts of a drift report by altair: linked in a notebook, SVG in a page. A chart shows; it never decides.

Column names in the data are ours and fixed, texts of the evidence are cleaned, and no mark carries a link or an image.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Literal

import altair as alt

from litmus_nb.contracts.drift import ALL, BehaviourRow, DriftReport, EffectRow, Estimate, FlippedItem, RunPoint
from litmus_nb.report.charts import dressed, text_column
from litmus_nb.report.forest_data import drawable
from litmus_nb.report.numbers import change_in_words, in_points, percent, points
from litmus_nb.report.palette import LIGHT
from litmus_nb.report.pictures import NothingToDraw

__all__ = ["CHARTS", "behaviour_chart", "effects_chart", "flips_chart", "timeline_chart"]

_MOST_CLASSES = 30
_MOST_ITEMS = 1_000
_LISTED = 16
_ROW = 30


def _dressed(chart: Any) -> Any:
    padding = {"left": 30, "right": 40, "top": 6, "bottom": 6}
    axis: dict[str, Any] = {"labelFontSize": 12, "labelColor": LIGHT.ink, "labelLimit": 200}
    return (
        dressed(chart, font_size=12, padding=padding, is_read_aloud=True, **axis)
        .configure_legend(labelColor=LIGHT.ink, titleColor=LIGHT.ink)
        .configure_title(fontSize=13, fontWeight="bold", color=LIGHT.ink, anchor="start", offset=10)
    )


def _pointer(is_linked: bool) -> dict[str, Any]:
    """A hand over what can be clicked; a picture has nothing to click."""
    return {"cursor": "pointer"} if is_linked else {}


def _label(text: str) -> str:
    return drawable(text)


# -- is there drift


def behaviour_chart(report: DriftReport) -> alt.LayerChart:
    """The rise of the false-negative rate of each class with its interval, against the tolerance.

    Raises:
        NothingToDraw: no class has a number.
    """
    rows = [row for row in report.behaviour if row.fnr_rise.value is not None][:_MOST_CLASSES]
    if not rows:
        raise NothingToDraw("no class has a false-negative rate")
    tolerance = report.question.max_fnr_rise
    data = alt.InlineData(values=[_behaviour_datum(row) for row in rows])
    order = [_label(row.scenario_class) for row in rows]
    base = alt.Chart(data).encode(y=alt.Y("label:N", sort=order, title=None))
    x = _axis("rise of the false-negative rate, points")
    colour = alt.Color(
        "word:N",
        scale=alt.Scale(domain=["drift", "none shown"], range=[LIGHT.failed, LIGHT.passed]),
        legend=alt.Legend(title=None, orient="top"),
    )
    tooltip = [
        alt.Tooltip("label:N", title="class"),
        alt.Tooltip("told:N", title="rise, points"),
        alt.Tooltip("agreement:N", title="agreement with the pinned labels"),
        alt.Tooltip("n:Q", title="items that humans call a success"),
    ]
    layers = [
        alt.Chart(alt.InlineData(values=[{"at": tolerance * 100}]))
        .mark_rule(color=LIGHT.ink, strokeDash=[4, 3])
        .encode(x=alt.X("at:Q", axis=x)),
        base.mark_bar(height=6).encode(x=alt.X("low:Q", axis=x), x2="high:Q", color=colour, tooltip=tooltip),
        base.mark_point(filled=True, size=90, opacity=1).encode(
            x=alt.X("value:Q", axis=x), color=colour, shape=alt.Shape("word:N", legend=None), tooltip=tooltip
        ),
    ]
    title = f"Misses more than it did? Dashed: tolerated, {points(tolerance)} points"
    return _dressed(alt.layer(*layers).properties(width=520, height=_ROW * len(rows), title=title))  # type: ignore[no-any-return]  # altair's own chaining


def _behaviour_datum(row: BehaviourRow) -> dict[str, Any]:
    estimate = row.fnr_rise
    return {
        "label": _label(row.scenario_class),
        "value": in_points(estimate.value),
        "low": in_points(estimate.low),
        "high": in_points(estimate.high),
        "told": _told(estimate),
        "agreement": "not known" if row.agreement.value is None else percent(row.agreement.value),
        "n": row.n_positive,
        "word": "drift" if row.has_fnr_risen or row.has_agreement_fallen else "none shown",
    }


def _told(estimate: Estimate) -> str:
    words = change_in_words(estimate.value, estimate.low, estimate.high)
    return words or f"not known: {drawable(estimate.because or 'no reason given')}"


def _axis(title: str) -> alt.Axis:
    return alt.Axis(title=title, labelExpr="(datum.value > 0 ? '+' : '') + datum.label", gridOpacity=0.6, tickCount=8)


# -- where: click a class, see its flips, its items, its excerpts


def flips_chart(report: DriftReport, *, is_linked: bool = True) -> alt.VConcatChart:
    """Flips of each class both ways; a click on a class lists its items with what humans say and an excerpt.

    A picture that nobody can click has the bars alone: the items stand in a table below it.

    Raises:
        NothingToDraw: no item is labelled differently.
    """
    items = report.comparison.items if report.comparison else []
    if not items:
        raise NothingToDraw("no item is labelled differently")
    data = alt.InlineData(values=[_flip_datum(item) for item in items[:_MOST_ITEMS]])
    picked = alt.selection_point(fields=["label"], name="picked_class", toggle="event.shiftKey")
    ways = ["no → yes", "yes → no"]
    bars = (
        alt.Chart(data)
        .mark_bar(**_pointer(is_linked))
        .encode(
            y=alt.Y("label:N", title=None, sort="-x"),
            x=alt.X("count():Q", title="items labelled differently", axis=alt.Axis(tickMinStep=1, gridOpacity=0.6)),
            color=alt.Color(
                "way:N",
                scale=alt.Scale(domain=ways, range=[LIGHT.passed, LIGHT.failed]),
                legend=alt.Legend(title=None, orient="top", labelFontSize=12),
            ),
            opacity=alt.condition(picked, alt.value(1.0), alt.value(0.3)),
            tooltip=[
                alt.Tooltip("label:N", title="class"),
                alt.Tooltip("way:N", title="before → now"),
                alt.Tooltip("count():Q", title="items"),
            ],
        )
        .add_params(picked)
        .properties(
            width=480,
            height=alt.Step(_ROW),
            title="Click a class (shift adds, double click clears)" if is_linked else "Items labelled differently",
        )
    )
    listed = [alt.hconcat(*_listed(data, picked), spacing=14)] if is_linked else []
    return _dressed(alt.vconcat(bars, *listed, spacing=18))  # type: ignore[no-any-return]  # altair's own chaining


def _listed(data: alt.InlineData, picked: Any) -> list[alt.Chart]:
    """The first items of what is picked, in columns of text."""
    listed = (
        alt.Chart(data)
        .transform_filter(picked)
        .transform_window(place="row_number()", sort=[alt.SortField("unsaid"), alt.SortField("item")])
        .transform_filter(f"datum.place <= {_LISTED}")
    )
    columns: tuple[tuple[str, str, int], ...] = (
        ("item", f"item (first {_LISTED})", 140),
        ("way", "before → now", 86),
        ("humans", "humans", 58),
        ("excerpt", "excerpt", 330),
    )
    tooltip = ["item:N", "family:N", "excerpt:N"]
    return [text_column(listed, *column, rows=_LISTED, tooltip=tooltip) for column in columns]


_WORDS = {True: "yes", False: "no"}


def _flip_datum(item: FlippedItem) -> dict[str, Any]:
    return {
        "label": _label(item.scenario_class),
        "item": drawable(item.item_id, limit=80),
        "way": f"{_WORDS[item.first]} → {_WORDS[item.second]}",
        "humans": "–" if item.humans is None else f"say {_WORDS[item.humans]}",
        "unsaid": item.humans is None,
        "family": drawable(item.family or "none", limit=60),
        "excerpt": drawable(item.excerpt or "none", limit=160),
    }


# -- since when: brush a period, click a class


def timeline_chart(report: DriftReport, *, is_linked: bool = True) -> alt.VConcatChart:
    """Disagreement with the pinned labels run by run, with control limits, identity changes and the change found.

    Dragging over a period shows each class's share of missed attacks in it; a click on a class draws its runs.

    Raises:
        NothingToDraw: there is no run to draw.
    """
    timeline = report.timeline
    if timeline is None or not timeline.points:
        raise NothingToDraw("no run but the pinned one")
    runs = list(dict.fromkeys(point.run_id for point in timeline.points))
    place = {run: number for number, run in enumerate(runs)}
    days = {place[point.run_id]: drawable((point.at or point.run_id)[:10], limit=40) for point in timeline.points}
    data = alt.InlineData(values=[_point_datum(point, place[point.run_id]) for point in timeline.points])
    shown = next(iter(report.conclusion.classes), ALL)
    picked = alt.selection_point(fields=["label"], name="picked_class", value=[{"label": _label(shown)}], clear=False)
    period = alt.selection_interval(encodings=["x"], name="period")
    title = "Drag over a period; click a class below" if is_linked else f"Runs of {_label(shown)}"
    top = _control_chart(data, picked, period, _run_axis(days), _markers(report, place), title)
    bottom = _classes_in(data, picked, period, is_linked=is_linked)
    return _dressed(alt.vconcat(top, bottom, spacing=18))  # type: ignore[no-any-return]  # altair's own chaining


def _run_axis(days: dict[int, str]) -> alt.X:
    """Runs in order, named by their day."""
    words = "{" + ", ".join(f"'{place}': {json.dumps(day)}" for place, day in days.items()) + "}"
    axis = alt.Axis(title=None, labelAngle=-40, values=list(days), grid=False, labelExpr=f"{words}[datum.value]")
    return alt.X("place:Q", axis=axis, scale=alt.Scale(domain=[-0.5, len(days) - 0.5], nice=False))


def _control_chart(
    data: alt.InlineData, picked: Any, period: Any, x: alt.X, markers: list[dict[str, Any]], heading: str
) -> alt.LayerChart:
    base = alt.Chart(data).transform_filter(picked).encode(x=x)
    y = alt.Y("disagreement:Q", title="differs from the pinned labels, %", scale=alt.Scale(zero=True))
    outside = "datum.state === 'outside its limits'"
    points_ = base.mark_point(filled=True, size=80, opacity=1).encode(
        y=y,
        color=alt.condition(outside, alt.value(LIGHT.failed), alt.value(LIGHT.passed)),
        shape=alt.condition(outside, alt.value("diamond"), alt.value("circle")),
        tooltip=_point_tooltip(),
    )
    layers: list[Any] = [
        base.mark_area(opacity=0.12, color=LIGHT.muted).encode(y=alt.Y("limit_low:Q"), y2="limit_high:Q"),
        base.mark_line(color=LIGHT.ink, strokeWidth=1.2).encode(y=y),
        points_.add_params(period),
    ]
    for marker in markers:
        line = alt.Chart(alt.InlineData(values=[marker])).encode(x=x)
        layers.append(line.mark_rule(strokeDash=[5, 3], strokeWidth=1.5, color=marker["colour"]))
        text = line.mark_text(align="left", dx=4, fontSize=11, color=marker["colour"])
        layers.append(text.encode(y=alt.value(8), text="word:N"))
    title = alt.TitleParams(
        heading,
        subtitle="grey: control limits from the reference runs; red diamonds: outside them",
        subtitleColor=LIGHT.muted,
    )
    return alt.LayerChart(layer=layers, width=640, height=200, title=title)


def _markers(report: DriftReport, place: dict[str, int]) -> list[dict[str, Any]]:
    identities = report.timeline.identities if report.timeline else []
    marks = [
        {"place": place[row.run_id], "word": "another artefact answers", "colour": LIGHT.undecided}
        for row in identities
        if row.run_id in place
    ]
    since = report.conclusion.since_run
    if since is not None and since in place:
        marks.append({"place": place[since] - 0.5, "word": "behaviour changes", "colour": LIGHT.failed})
    return marks


def _classes_in(data: alt.InlineData, picked: Any, period: Any, *, is_linked: bool) -> alt.LayerChart:
    """Each class's share of missed attacks in the period, over all its runs together."""
    share = "100 * datum.missed / datum.positive"
    within = (
        alt.Chart(data)
        .transform_filter(period)
        .transform_aggregate(missed="sum(n_missed)", positive="sum(n_positive)", groupby=["label"])
        .transform_filter("datum.positive > 0")
        .transform_calculate(
            share=share, told=f"datum.missed + ' of ' + datum.positive + ' (' + format({share}, '.1f') + ' %)'"
        )
        .encode(y=alt.Y("label:N", title=None))
    )
    axis = alt.Axis(title="missed in the period, % of the attacks that humans see", tickCount=6, gridOpacity=0.4)
    x = alt.X("share:Q", axis=axis, scale=alt.Scale(domainMin=0))
    bars = within.mark_bar(color=LIGHT.muted, height=14, **_pointer(is_linked)).encode(
        x=x, opacity=alt.condition(picked, alt.value(1.0), alt.value(0.35))
    )
    texts = within.mark_text(align="left", dx=6).encode(x=x, text="told:N")
    layers = [bars.add_params(picked), texts]
    # Narrower than the runs above by the room that the longest bar's words take.
    return alt.LayerChart(
        layer=layers,
        width=500,
        height=alt.Step(26),
        title="In that period" if is_linked else "In all runs",
    )


def _point_tooltip() -> list[alt.Tooltip]:
    fields = {
        "run": "run",
        "at": "on",
        "counted": "differ from the pinned labels",
        "missed_told": "missed",
        "digest": "answered",
    }
    return [alt.Tooltip(f"{field}:N", title=title) for field, title in fields.items()]


def _point_datum(point: RunPoint, place: int) -> dict[str, Any]:
    return {
        "place": place,
        "run": drawable(point.run_id, limit=80),
        "at": "not known" if point.at is None else point.at[:10],
        "label": _label(point.scenario_class),
        "disagreement": in_points(point.disagreement.value),
        "limit_low": in_points(point.limit_low),
        "limit_high": in_points(point.limit_high),
        "state": "outside its limits" if point.is_outside else "inside",
        "counted": f"{point.n_disagreements} of {point.n}",
        "n_missed": point.n_missed,
        "n_positive": point.n_positive,
        "missed_told": f"{point.n_missed} of {point.n_positive}",
        "digest": "unresolved" if point.digest is None else point.digest[:19],
    }


# -- agent or judge

_Part = Literal["apparent", "agent", "judge"]
_PARTS: dict[_Part, str] = {"apparent": "apparent", "agent": "agent", "judge": "judge"}


def effects_chart(report: DriftReport) -> alt.FacetChart:
    """Apparent change, agent effect and judge effect of each class, with intervals; bounds alone as a pale bar.

    Raises:
        NothingToDraw: no apparent change was taken apart.
    """
    rows = report.decomposition.rows[:_MOST_CLASSES] if report.decomposition else []
    if not rows or not any(row.n for row in rows):
        raise NothingToDraw("no apparent change was taken apart")
    data = alt.InlineData(values=[datum for row in rows for datum in _effect_data(row)])
    order = list(_PARTS.values())
    x = _axis("change in attack success rate, points")
    colour = alt.Color(
        "part:N",
        scale=alt.Scale(domain=order, range=[LIGHT.ink, LIGHT.passed, LIGHT.failed]),
        legend=None,
    )
    y = alt.Y("part:N", sort=order, title=None)
    tooltip = [alt.Tooltip("label:N", title="class"), alt.Tooltip("part:N"), alt.Tooltip("told:N", title="points")]
    layers = alt.layer(
        alt.Chart().mark_rule(color=LIGHT.muted).encode(x=alt.datum(0)),
        alt.Chart().mark_bar(height=6).encode(
            x=alt.X("low:Q", axis=x), x2="high:Q", y=y, color=colour, tooltip=tooltip,
            opacity=alt.condition("isValid(datum.value)", alt.value(0.9), alt.value(0.25)),
        ),
        alt.Chart().transform_filter("isValid(datum.value)").mark_point(filled=True, size=80, opacity=1).encode(
            x=alt.X("value:Q", axis=x), y=y, color=colour, tooltip=tooltip
        ),
        data=data,
    ).properties(width=460, height=66)  # fmt: skip
    header = alt.Header(labelAngle=0, labelAlign="left", labelFontSize=12, labelLimit=180, labelColor=LIGHT.ink)
    faceted = layers.facet(
        row=alt.Row("label:N", title=None, header=header, sort=[_label(row.scenario_class) for row in rows]), spacing=6
    )
    return _dressed(faceted)  # type: ignore[no-any-return]  # altair's own chaining


def _effect_data(row: EffectRow) -> list[dict[str, Any]]:
    estimates: dict[_Part, Estimate] = {"apparent": row.apparent, "agent": row.agent, "judge": row.judge}
    return [
        {
            "label": _label(row.scenario_class),
            "part": _PARTS[part],
            "value": in_points(estimate.value),
            "low": in_points(estimate.low),
            "high": in_points(estimate.high),
            "told": _told(estimate),
        }
        for part, estimate in estimates.items()
        if estimate.low is not None
    ]


CHARTS: dict[str, Callable[[DriftReport, bool], alt.TopLevelMixin]] = {
    "behaviour": lambda report, is_linked: behaviour_chart(report),
    "flips": lambda report, is_linked: flips_chart(report, is_linked=is_linked),
    "timeline": lambda report, is_linked: timeline_chart(report, is_linked=is_linked),
    "effects": lambda report, is_linked: effects_chart(report),
}
"""Name to what draws it, from a report and whether it is live (in a notebook) or a picture (in a page)."""
