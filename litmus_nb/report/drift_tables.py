"""The tables of a drift report: rows of text as they are shown, with a reason wherever a number is absent."""

from __future__ import annotations

from litmus_nb.contracts.drift import DriftReport, Estimate
from litmus_nb.report.numbers import percent, points, signed_points
from litmus_nb.report.phrases import quoted
from litmus_nb.report.tables import Table, table

__all__ = [
    "agreement",
    "behaviour",
    "changes",
    "corrected",
    "effects",
    "errors",
    "flips",
    "odds",
    "power",
]


def _rate(estimate: Estimate) -> str:
    """A rate in % with its interval, or why there is none."""
    return _told(estimate, [percent(number) for number in _numbers(estimate)])


def _change(estimate: Estimate) -> str:
    """A change in points with its interval, or why there is none."""
    return _told(estimate, [signed_points(number) for number in _numbers(estimate)])


def _coefficient(estimate: Estimate) -> str:
    return _told(estimate, [f"{number:.2f}" for number in _numbers(estimate)])


def _numbers(estimate: Estimate) -> list[float]:
    return [number for number in (estimate.value, estimate.low, estimate.high) if number is not None]


def _told(estimate: Estimate, texts: list[str]) -> str:
    if len(texts) == 3:
        return f"{texts[0]} ({texts[1]} to {texts[2]})"
    if len(texts) == 2:
        return f"between {texts[0]} and {texts[1]}: {estimate.because}"
    return f"not known: {estimate.because}"


def behaviour(report: DriftReport) -> Table:
    """The current judge against its pinned labels."""
    return table(
        ("class", "items", "agreement with pinned labels", "rise of false negatives, points",
         "rise of false positives, points", "drift"),
        [
            (
                quoted(row.scenario_class),
                row.n,
                _rate(row.agreement),
                _change(row.fnr_rise),
                _change(row.fpr_rise),
                " and ".join(
                    word
                    for word, is_so in (
                        ("misses more", row.has_fnr_risen),
                        ("agrees less", row.has_agreement_fallen),
                    )
                    if is_so
                )
                or "none shown",
            )
            for row in report.behaviour
        ],
    )  # fmt: skip


def agreement(report: DriftReport) -> Table:
    """Two judges on the same items."""
    rows = report.comparison.rows if report.comparison else []
    return table(
        ("class", "items", "yes → no", "no → yes", "McNemar p", "agreement", "kappa", "AC1", "alpha"),
        [
            (
                quoted(row.scenario_class),
                row.n,
                row.only_first,
                row.only_second,
                "not known: no item" if row.mcnemar_p is None else f"{row.mcnemar_p:.3g}",
                _rate(row.agreement),
                _coefficient(row.kappa),
                _coefficient(row.ac1),
                _coefficient(row.alpha),
            )
            for row in rows
        ],
    )


def odds(report: DriftReport) -> Table:
    """Where disagreement gathers."""
    rows = report.comparison.concentration.rows if report.comparison else []
    return table(
        ("factor", "level", "disagreements", "items", "odds ratio", "p"),
        [
            (
                row.factor,
                quoted(row.level),
                row.n_disagreements,
                row.n,
                _coefficient(row.odds_ratio),
                "not known" if row.p_value is None else f"{row.p_value:.3g}",
            )
            for row in rows
        ],
    )


def flips(report: DriftReport, *, most: int = 200) -> Table:
    """The items that are labelled differently."""
    items = report.comparison.items if report.comparison else []
    words = {True: "yes", False: "no", None: "none, or split"}
    return table(
        ("class", "item", "before → now", "humans", "family", "excerpt"),
        [
            (
                quoted(item.scenario_class),
                quoted(item.item_id),
                f"{words[item.first]} → {words[item.second]}",
                words[item.humans],
                quoted(item.family or ""),
                quoted(item.excerpt or ""),
            )
            for item in items[:most]
        ],
        n_more=max(0, len(items) - most),
    )


def errors(report: DriftReport) -> Table:
    """Each judge against the majority of the humans."""
    return table(
        ("class", "judge", "positive", "negative", "no label", "agreement", "false negatives", "false positives"),
        [
            (
                quoted(row.scenario_class),
                quoted(row.rater.title),
                row.n_positive,
                row.n_negative,
                row.n_unlabelled,
                _rate(row.agreement),
                _rate(row.fnr),
                _rate(row.fpr),
            )
            for row in report.errors
        ],
    )


def effects(report: DriftReport) -> Table:
    """Agent and judge, in points."""
    rows = report.decomposition.rows if report.decomposition else []
    return table(
        ("class", "scenarios", "apparent", "agent (current judge)", "judge (on the baseline)", "agent (pinned judge)",
         "judge (on the candidate)"),
        [
            (
                quoted(row.scenario_class),
                row.n,
                _change(row.apparent),
                _change(row.agent),
                _change(row.judge),
                _change(row.agent_by_pinned),
                _change(row.judge_on_candidate),
            )
            for row in rows
        ],
    )  # fmt: skip


def corrected(report: DriftReport) -> Table:
    """Rates behind the judge's labels."""
    return table(
        ("policy", "class", "items", "as judged", "Rogan-Gladen", "prediction-powered"),
        [
            (
                quoted(row.policy),
                quoted(row.scenario_class),
                row.n,
                _rate(row.judged),
                _rate(row.rogan_gladen),
                _rate(row.prediction_powered),
            )
            for row in report.corrected
        ],
    )


def changes(report: DriftReport) -> Table:
    """When shares changed."""
    rows = report.timeline.changes if report.timeline else []
    return table(
        ("class", "share of", "first run after", "may have begun in", "before", "after", "p", "shown"),
        [
            (
                quoted(row.scenario_class),
                row.measure,
                quoted(row.first_run),
                quoted(", ".join(row.plausible_runs[:4]) + (" and more" if len(row.plausible_runs) > 4 else "")),
                percent(row.before),
                percent(row.after),
                f"{row.p_value:.3g}",
                "yes" if row.is_shown else "no",
            )
            for row in rows
        ],
    )


def power(report: DriftReport) -> Table:
    """What the items can show, judged once each."""
    twice = points(2 * report.question.max_fnr_rise)
    return table(
        ("class", "positive items", f"sees a rise of {twice} points", "smallest rise seen in 8 of 10", "items needed"),
        [
            (
                quoted(row.scenario_class),
                row.n_positive,
                "not known: no positive item" if row.power is None else f"in {percent(row.power)} of comparisons",
                "no rise, however large" if row.smallest_seen is None else f"{points(row.smallest_seen)} points",
                "more than 200,000" if row.n_needed is None else row.n_needed,
            )
            for row in report.power
        ],
    )
