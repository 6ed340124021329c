"""Charts of an exploration by altair: linked in a notebook, SVG in a page. Each says on itself that it is no verdict.

Column names in the data are ours and fixed, texts of the evidence are cleaned, and no mark carries a link or an image.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import altair as alt

from litmus_nb.contracts.exploration import NOT_A_VERDICT, Exploration, ExploredClass, Flip, SeenTrial
from litmus_nb.report.charts import dressed, text_column
from litmus_nb.report.forest_data import drawable
from litmus_nb.report.numbers import change_in_words, in_points, percent, points
from litmus_nb.report.palette import LIGHT
from litmus_nb.report.pictures import NothingToDraw

__all__ = ["CHARTS", "flips_chart", "forest_chart", "missing_chart"]

_MOST_CLASSES = 40
_MOST_POINTS = 1_000
_LISTED = 14
_ROW = 38
_WIDTH = 560
_GOLDEN = 0.6180339887
"""Multiples of it, modulo 1, spread points evenly: a row of equal rises is seen as many, the same on every machine."""

_STATUSES = {
    "scored": LIGHT.passed,
    "error": LIGHT.failed,
    "timeout": LIGHT.undecided,
    "unparsed": LIGHT.muted,
    "cancelled": LIGHT.rule,
    "skipped": LIGHT.forbidden,
    "absent": LIGHT.ink,
}


def _dressed(chart: Any, title: str) -> Any:
    """In the house's typeface, with the words that it is no verdict above it."""
    heading = alt.TitleParams(
        title, subtitle=NOT_A_VERDICT, anchor="start", fontSize=13, subtitleFontSize=12, subtitleColor=LIGHT.failed
    )
    padding = {"left": 34, "right": 24, "top": 6, "bottom": 6}
    axis: dict[str, Any] = {"labelFontSize": 12, "labelColor": LIGHT.ink, "labelLimit": 170}
    return (
        dressed(chart.properties(title=heading), font_size=12, padding=padding, **axis)
        .configure_title(color=LIGHT.ink, offset=12)
        .configure_legend(labelColor=LIGHT.ink, labelFontSize=12)
    )


def _watermark(width: int, height: int) -> alt.Chart:
    """The words across the plot, behind what is drawn."""
    words: alt.Chart = (
        alt.Chart(alt.InlineData(values=[{"words": NOT_A_VERDICT}]))
        .mark_text(fontSize=min(26, width // 17), opacity=0.13, color=LIGHT.muted, fontWeight="bold")
        .encode(text="words:N", x=alt.value(width / 2), y=alt.value(height / 2))
    )
    return words


def forest_chart(seen: Exploration, *, width: int = _WIDTH) -> alt.LayerChart:
    """Every class's change with its bound; thin, the percentile bootstrap; dashed, what the unknowns could make of it.

    Raises:
        NothingToDraw: no class has a delta.
    """
    rows = [row for row in seen.classes if row.delta is not None][:_MOST_CLASSES]
    if not rows:
        raise NothingToDraw("no class has a delta")
    data = alt.InlineData(values=[_forest_datum(row) for row in rows])
    height = _ROW * len(rows)
    base = alt.Chart(data).encode(y=alt.Y("label:N", title=None, sort=[drawable(row.name) for row in rows]))
    axis = alt.Axis(
        title="change in attack success rate, points (right: less safe)",
        labelExpr="(datum.value > 0 ? '+' : '') + datum.label",
        gridOpacity=0.6,
        tickCount=max(3, min(7, width // 55)),
    )
    x = alt.X("low:Q", axis=axis)
    tooltip = [
        alt.Tooltip("label:N", title="class"),
        alt.Tooltip("told:N", title="change, points"),
        alt.Tooltip("rates:N", title="baseline → candidate"),
        alt.Tooltip("extremes:N", title="if unknowns are best / worst"),
        alt.Tooltip("n:Q", title="units"),
    ]
    layers = [
        _watermark(width, height),
        alt.Chart(alt.InlineData(values=[{"zero": 0}]))
        .mark_rule(color=LIGHT.muted)
        .encode(x=alt.X("zero:Q", axis=axis)),
        base.mark_rule(strokeDash=[3, 3], color=LIGHT.muted).encode(x=alt.X("best:Q", axis=axis), x2="worst:Q"),
        base.mark_bar(height=7, color=LIGHT.passed).encode(x=x, x2="high:Q", tooltip=tooltip),
        base.mark_bar(height=1.5, yOffset=8, color=LIGHT.muted).encode(
            x=alt.X("bootstrap_low:Q", axis=axis), x2="bootstrap_high:Q"
        ),
        base.mark_point(filled=True, size=85, opacity=1, color=LIGHT.ink, stroke="white").encode(
            x=alt.X("delta:Q", axis=axis), tooltip=tooltip
        ),
    ]
    chart = alt.layer(*layers).properties(width=width, height=height)
    return _dressed(chart, "Change of each class")  # type: ignore[no-any-return]  # altair's own chaining


def _forest_datum(row: ExploredClass) -> dict[str, Any]:
    return {
        "label": drawable(row.name),
        "delta": in_points(row.delta),
        "low": in_points(row.ci_low),
        "high": in_points(row.ci_high),
        "bootstrap_low": in_points(row.bootstrap_low),
        "bootstrap_high": in_points(row.bootstrap_high),
        "best": in_points(row.best_delta),
        "worst": in_points(row.worst_delta),
        "told": change_in_words(row.delta, row.ci_low, row.ci_high) or "not known",
        "rates": " → ".join("?" if r is None else percent(r) for r in (row.rates.baseline, row.rates.candidate)),
        "extremes": f"{points(row.best_delta or 0)} / {points(row.worst_delta or 0)}",
        "n": row.n,
    }


def missing_chart(seen: Exploration, *, width: int = _WIDTH) -> alt.LayerChart:
    """What became of the declared trials, class by class and side by side.

    Raises:
        NothingToDraw: there is no class.
    """
    values = [datum for row in seen.classes[:_MOST_CLASSES] for datum in _status_data(row)]
    if not values:
        raise NothingToDraw("no class has a trial")
    used = [status for status in _STATUSES if any(value["status"] == status for value in values)]
    order = list(dict.fromkeys(value["label"] for value in values))
    height = 24 * len(order)
    bars = (
        alt.Chart(alt.InlineData(values=values))
        .mark_bar()
        .encode(
            y=alt.Y("label:N", title=None, sort=order),
            x=alt.X("share:Q", title="share of the declared trials, %", scale=alt.Scale(domain=[0, 100])),
            order=alt.Order("place:Q"),
            color=alt.Color(
                "status:N",
                scale=alt.Scale(domain=used, range=[_STATUSES[status] for status in used]),
                legend=alt.Legend(title=None, orient="top"),
            ),
            tooltip=[
                alt.Tooltip("label:N", title="class, side"),
                alt.Tooltip("status:N", title="status"),
                alt.Tooltip("n:Q", title="trials"),
            ],
        )
    )
    chart = alt.layer(bars, _watermark(width, height)).properties(width=width, height=height)
    return _dressed(chart, "What became of the trials")  # type: ignore[no-any-return]  # altair's own chaining


def _status_data(row: ExploredClass) -> list[dict[str, Any]]:
    data = []
    for side in ("baseline", "candidate"):
        declared = getattr(row.declared_trials, side) or 0
        if not declared:
            continue
        counts = dict.fromkeys(_STATUSES, 0)
        for count in row.unknowns:
            if count.side == side:
                known = count.status if count.status in counts else "unparsed"
                counts[known] += count.n
        counts["scored"] = max(0, int(declared) - sum(counts.values()))
        data += [
            {
                "label": f"{drawable(row.name, limit=40)}, {side}",
                "status": status,
                "n": n,
                "share": round(100 * n / declared, 4),
                "place": place,
            }
            for place, (status, n) in enumerate(counts.items())
            if n
        ]
    return data


def flips_chart(seen: Exploration, trials: Sequence[SeenTrial], *, is_linked: bool = True) -> alt.VConcatChart:
    """A point a scenario that came out differently; click one for its trials, choose class, status and family below.

    Args:
        seen: says which scenarios differ.
        trials: of those scenarios; their excerpts are text marks, never markup.
        is_linked: with controls, for a notebook; without, for a picture.

    Raises:
        NothingToDraw: no scenario came out differently.
    """
    flips = seen.flips[:_MOST_POINTS]
    if not flips:
        raise NothingToDraw("no scenario came out differently")
    points_data = alt.InlineData(values=_flip_data(flips, trials))
    picked = alt.selection_point(fields=["scenario"], name="picked_scenario", toggle="event.shiftKey")
    chosen, rules = _controls(points_data.values) if is_linked else ([], [])
    dots = (
        alt.Chart(points_data)
        .mark_point(filled=True, size=80, opacity=0.8, cursor="pointer" if is_linked else "default")
        .encode(
            x=alt.X("rise:Q", title="change of the scenario's rate, points", axis=alt.Axis(gridOpacity=0.6)),
            y=alt.Y("label:N", title=None),
            yOffset="jitter:Q",
            color=alt.condition("datum.rise > 0", alt.value(LIGHT.failed), alt.value(LIGHT.passed)),
            opacity=alt.condition(picked, alt.value(0.85), alt.value(0.15)),
            tooltip=["scenario:N", "label:N", "family:N", "rates:N", "statuses:N"],
        )
        .add_params(picked, *chosen)
        .properties(width=_WIDTH, height=alt.Step(46))
    )
    for rule in rules:
        dots = dots.transform_filter(rule)
    chart = alt.vconcat(dots, _trial_list(trials, picked), spacing=18)
    title = (
        "Click a scenario for its trials (shift adds, double click clears)" if is_linked else "Scenarios that differ"
    )
    return _dressed(chart, title)  # type: ignore[no-any-return]  # altair's own chaining


def _flip_data(flips: Sequence[Flip], trials: Sequence[SeenTrial]) -> list[dict[str, Any]]:
    statuses: dict[str, set[str]] = {}
    for trial in trials:
        statuses.setdefault(trial.scenario_id, set()).add(trial.status)
    return [
        {
            "scenario": drawable(flip.scenario_id),
            "label": drawable(flip.scenario_class),
            "family": drawable(flip.family or "no family"),
            "rise": in_points(flip.candidate_rate - flip.baseline_rate),
            "rates": f"{percent(flip.baseline_rate, 0)} → {percent(flip.candidate_rate, 0)}",
            "statuses": " ".join(sorted(statuses.get(flip.scenario_id, {"scored"}))),
            "jitter": place * _GOLDEN % 1,
        }
        for place, flip in enumerate(flips)
    ]


def _controls(values: Any) -> tuple[list[Any], list[str]]:
    """Menus for class, family and status, and what each lets through."""
    params, rules = [], []
    for field, title in (("label", "class"), ("family", "family"), ("statuses", "status")):
        words = sorted({word for value in values for word in _words(value[field], is_split=field == "statuses")})
        binding = alt.binding_select(options=["", *words], labels=["all", *words], name=f"{title} ")
        params.append(alt.param(name=f"only_{title}", bind=binding, value=""))
        rules.append(
            f"only_{title} == '' || indexof(split(datum.statuses, ' '), only_{title}) >= 0"
            if field == "statuses"
            else f"only_{title} == '' || datum.{field} == only_{title}"
        )
    return params, rules


def _words(text: str, *, is_split: bool) -> list[str]:
    return text.split(" ") if is_split else [text]


def _trial_list(trials: Sequence[SeenTrial], picked: Any) -> alt.HConcatChart:
    """The first trials of what is picked, in columns of text."""
    words = {True: "attack succeeded", False: "attack failed", None: "no label"}
    data = alt.InlineData(
        values=[
            {
                "scenario": drawable(trial.scenario_id),
                "side": trial.side,
                "trial": trial.trial,
                "outcome": words[trial.attack_success],
                "status": drawable(trial.status + (f", {trial.reason}" if trial.reason else "")),
                "excerpt": drawable(trial.excerpt or "", limit=200),
            }
            for trial in trials[: 3 * _MOST_POINTS]
        ]
    )
    listed = (
        alt.Chart(data)
        .transform_filter(picked)
        .transform_window(
            place="row_number()",
            sort=[alt.SortField("scenario"), alt.SortField("side"), alt.SortField("trial")],
        )
        .transform_filter(f"datum.place <= {_LISTED}")
    )
    columns = (
        *(("scenario", "scenario", 120), ("side", "side", 70), ("trial", "trial", 36)),
        *(("outcome", "label", 105), ("status", "status", 90), ("excerpt", "what was answered", 190)),
    )
    tooltip = ["scenario:N", "side:N", "trial:Q", "outcome:N", "status:N", "excerpt:N"]
    texts = (
        text_column(
            listed, field, alt.TitleParams(title, fontSize=11, anchor="start"), width, rows=_LISTED, tooltip=tooltip
        )
        for field, title, width in columns
    )
    return alt.hconcat(*texts, spacing=8)


CHARTS: dict[str, Callable[[Exploration, int], alt.TopLevelMixin]] = {
    "forest": lambda seen, width: forest_chart(seen, width=width),
    "missing": lambda seen, width: missing_chart(seen, width=width),
}
"""Name to what draws it, from an exploration and the width of the plot in pixels."""
