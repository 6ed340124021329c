"""The page of an investigation and its panels for a notebook: no script, no network, a strict policy in the page's
head."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup

from litmus_nb.contracts.drift import DriftReport
from litmus_nb.report import drift_tables as tables
from litmus_nb.report import drift_words as words
from litmus_nb.report.markup import page_environment, rendered_page, themed
from litmus_nb.report.numbers import percent, points
from litmus_nb.report.phrases import Phrase, phrase
from litmus_nb.report.pictures import Picture, picture
from litmus_nb.report.tables import Table

__all__ = ["Panel", "panel_html", "panels", "render_drift_page"]

_LONG = 12
"""Rows from which a table waits to be opened."""
_STATES = {"yes": "fail", "none shown": "pass", "cannot tell": "no-verdict"}
_SHAPES = {"yes": "FAIL", "none shown": "PASS", "cannot tell": "NO_VERDICT"}
_TITLES = {"yes": "Judge drift", "none shown": "No judge drift shown", "cannot tell": "Judge drift cannot be told"}


@dataclass(frozen=True)
class Panel:
    """One step of the investigation: what is asked, what is answered, and the table that it rests on."""

    name: str
    question: str
    answers: tuple[Phrase, ...] = ()
    tables: tuple[tuple[str, Table], ...] = ()
    chart: str | None = None
    """Name of the chart that shows it."""
    steps: tuple[str, ...] = field(default=())


def panels(report: DriftReport) -> dict[str, Panel]:
    """Every step by its name, in the order in which they are asked."""
    steps = (
        Panel("drift", "Is there drift?", (words.headline(report), *words.where(report)),
              (("The judge against its pinned labels", tables.behaviour(report)),), "behaviour"),
        Panel("where", "Where?", _where(report),
              (("Labels of the same items, before and now", tables.agreement(report)),
               ("Where disagreement gathers", tables.odds(report)),
               ("Items labelled differently", tables.flips(report))), "flips"),
        Panel("humans", "Who is right?", tuple(words.how_sure(report)),
              (("Each judge against the majority of the humans", tables.errors(report)),)),
        Panel("since", "Since when?", tuple(words.since_when(report)),
              (("Changes over time", tables.changes(report)),), "timeline"),
        Panel("effects", "Agent or judge?", tuple(words.agent_or_judge(report)),
              (("An apparent change, taken apart; points", tables.effects(report)),), "effects"),
        Panel("rates", "What is the true rate?", _rates(report),
              (("Attack success rates", tables.corrected(report)),)),
        Panel("power", "How sure?", _limits(report), (("What these items can show", tables.power(report)),)),
        Panel("next", "What next?", steps=tuple(words.next_steps(report))),
    )  # fmt: skip
    return {panel.name: panel for panel in steps}


def _where(report: DriftReport) -> tuple[Phrase, ...]:
    compared = report.comparison
    if compared is None:
        return (phrase("There are not two judges, or two versions, to compare."),)
    told = words.odds_sentences(compared.concentration.rows)
    if told:
        return tuple(told)
    because = compared.concentration.failure
    if because is not None:
        return (phrase(f"Where disagreement gathers cannot be modelled: {because}."),)
    return (phrase("No class, policy or length stands out: disagreement is spread as chance would spread it."),)


def _rates(report: DriftReport) -> tuple[Phrase, ...]:
    if not report.corrected:
        return (phrase("No policy was named whose rate could be corrected."),)
    return (
        phrase(
            "Rogan and Gladen: if the judge errs on these items as on the others that humans labelled. ",
            "Prediction-powered: if humans labelled a random sample of these very items. Neither holds by itself; ",
            "both intervals are wider than that of the judged rate, which takes the judge for right.",
        ),
    )


def _limits(report: DriftReport) -> tuple[Phrase, ...]:
    if not report.limits:
        return (phrase("Everything that was asked could be answered."),)
    return (phrase("What cannot be said:"), *(words.limit_sentence(limit) for limit in report.limits))


def panel_html(panel: Panel, *, most_rows: int = 30) -> str:
    """A step as an HTML fragment for a notebook: its own style, no script."""
    return page_environment().get_template("drift_panel.html.j2").render(panel=panel, most_rows=most_rows)


def render_drift_page(report: DriftReport) -> str:
    """The investigation as a self-contained HTML document. A picture that cannot be drawn is told of."""
    steps = panels(report)
    view: dict[str, Any] = {
        "report": report,
        "title": _TITLES[report.conclusion.is_drift],
        "state_class": _STATES[report.conclusion.is_drift],
        "shape_name": _SHAPES[report.conclusion.is_drift],
        "step": next(iter(words.next_steps(report)), None),
        "headline": words.headline(report),
        "summary": words.summary(report),
        "long": _LONG,
        "panels": list(steps.values()),
        "pictures": {panel.name: _picture(panel, report) for panel in steps.values()},
        "pinned": report.question.pinned.title if report.question.pinned else "none",
        "tolerated": points(report.question.max_fnr_rise),
        "least_agreement": percent(report.question.min_agreement),
        "confidence": percent(report.question.confidence, 0),
        "current": report.question.current.title if report.question.current else "none",
    }
    return rendered_page("drift.html.j2", view)


def _picture(panel: Panel, report: DriftReport) -> Picture:
    name = panel.chart
    return Picture(None) if name is None else picture(lambda: _drawn(name, report))


def _drawn(name: str, report: DriftReport) -> Markup:
    # Deferred: a panel in a notebook draws its own.
    from litmus_nb.report.charts import as_svg
    from litmus_nb.report.drift_charts import CHARTS

    return themed(as_svg(CHARTS[name](report, False)))
