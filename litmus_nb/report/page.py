"""The gate report: one self-contained page, made from facts alone. No script, no network, a strict policy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from litmus_nb.contracts.codes import VerdictState, reason_code
from litmus_nb.contracts.findings import Finding
from litmus_nb.contracts.report import DifficultyFact, EnvelopeFact, QuarantineFact, ReportFacts, UnknownFact
from litmus_nb.contracts.verdict import Verdict
from litmus_nb.report.drawing import svg_of
from litmus_nb.report.forest import forest_plot
from litmus_nb.report.markup import rendered_page, themed
from litmus_nb.report.numbers import confidence_words, percent, plural, points, signed_points
from litmus_nb.report.phrases import Phrase, plain
from litmus_nb.report.pictures import picture
from litmus_nb.report.reasons import reason_sentence
from litmus_nb.report.rows import ClassRow, class_rows
from litmus_nb.report.sentences import banner, is_withheld, limits, next_step, placeholders_in, state_words, words_of
from litmus_nb.report.states import css_class
from litmus_nb.report.text import safe_text

__all__ = ["NO_PICTURES", "GatePictures", "gate_pictures", "render_gate_page"]

_MOST_FINDINGS = 40
_MOST_ROWS = 200


@dataclass(frozen=True)
class GatePictures:
    """The forest plot for a wide and for a narrow screen; None where it is not drawn."""

    wide: Markup | None = None
    narrow: Markup | None = None
    failure: str | None = None
    """What went wrong, in a word, where drawing failed."""


NO_PICTURES = GatePictures()


def render_gate_page(facts: ReportFacts, *, pictures: GatePictures | None = None) -> str:
    """The report of one gate as an HTML document.

    A page is made from whatever is known; a fact that is None is left out or said to be unknown. For REJECTED no number
    of a result is on the page, whatever the facts hold. A picture that cannot be drawn, or is not wanted, is replaced
    by the table's numbers.

    Args:
        facts: what the page says.
        pictures: of this verdict; they are drawn where they are not given. `NO_PICTURES` for a page without.
    """
    verdict = facts.verdict
    is_rejected = verdict.verdict is VerdictState.REJECTED
    withheld = is_withheld(verdict)
    rows = class_rows(verdict)
    drawn = NO_PICTURES if withheld else pictures or gate_pictures(verdict)
    unknowns = None if is_rejected or facts.unknowns is None else [_unknown_row(row) for row in facts.unknowns]
    view: dict[str, Any] = {
        "facts": facts,
        "verdict": verdict,
        "title": f"{state_words(verdict)}: {_title(facts)}",
        "state": state_words(verdict),
        "state_class": css_class(verdict.verdict.value),
        "banner": banner(verdict, confidence=facts.confidence),
        "limits": limits(verdict),
        **_next(verdict, facts),
        "rows": rows,
        "is_withheld": withheld,
        "plot_wide": drawn.wide,
        "plot_narrow": drawn.narrow,
        "plot_failure": drawn.failure,
        "plot_words": _plot_words(rows),
        "interval_words": confidence_words(facts.confidence, verdict.interval),
        "cards": _cards(verdict),
        "mean_delta": None if verdict.advisory.mean_delta is None else signed_points(verdict.advisory.mean_delta),
        "unknowns": None if unknowns is None else unknowns[:_MOST_ROWS],
        "unknowns_more": max(len(unknowns or ()) - _MOST_ROWS, 0),
        "skip_limit": None if facts.max_skip_fraction is None else percent(facts.max_skip_fraction),
        "agreement": rows and not withheld,
        "quarantine": [_quarantine_row(entry) for entry in (facts.quarantine or ())[:_MOST_ROWS]],
        "quarantine_more": max(len(facts.quarantine or ()) - _MOST_ROWS, 0),
        "difficulty": [] if withheld else [_difficulty_row(row) for row in (facts.difficulty or ())[:_MOST_ROWS]],
        "capabilities": [] if facts.envelope is None else _capability_rows(facts.envelope)[:_MOST_ROWS],
    }
    return rendered_page("gate.html.j2", view)


def _next(verdict: Verdict, facts: ReportFacts) -> dict[str, Any]:
    """What to do now, the command for it with the names that the facts know, and what the reader has to put in."""
    step = next_step(verdict, facts.power)
    command = step.command or ""
    return {
        "next": step,
        "next_command": " ".join(safe_text(word, limit=1000) for word in words_of(command, facts.names)),
        "next_placeholders": placeholders_in(command, facts.names),
        "is_named_from_here": any(word in facts.names for word in command.split()),
    }


def _title(facts: ReportFacts) -> str:
    candidate = "unnamed candidate" if facts.candidate.policy is None else safe_text(facts.candidate.policy, limit=80)
    return candidate if facts.suite_name is None else f"{candidate} on {safe_text(facts.suite_name, limit=80)}"


def gate_pictures(verdict: Verdict) -> GatePictures:
    """The pictures of a verdict; none where there is nothing to draw or drawing fails: a chart never decides."""
    if is_withheld(verdict):
        return NO_PICTURES
    wide = picture(lambda: themed(svg_of(forest_plot(verdict))))
    narrow = picture(lambda: themed(svg_of(forest_plot(verdict, is_narrow=True))))
    if wide.drawn is None or narrow.drawn is None:
        return GatePictures(failure=wide.failure or narrow.failure)
    return GatePictures(wide.drawn, narrow.drawn)


def _plot_words(rows: list[ClassRow]) -> str:
    """The picture in words."""
    told = [
        f"{safe_text(row.name, limit=80)}: {row.outcome}, change {row.delta}, interval {row.interval}, "
        f"tolerance {row.tolerance}"
        for row in rows
    ]
    return "Forest plot, changes in points. " + "; ".join(told) + "."


@dataclass(frozen=True)
class _Card:
    """All findings of one reason code."""

    code: str
    paragraphs: str
    stage: str
    sentence: Phrase
    findings: list[Finding]
    more: int
    meaning: str
    action: str


def _cards(verdict: Verdict) -> list[_Card]:
    by_code: dict[str, list[Finding]] = {}
    for finding in verdict.reasons:
        by_code.setdefault(finding.code, []).append(finding)
    return [_card(code, findings) for code, findings in by_code.items()]


def _card(code: str, findings: list[Finding]) -> _Card:
    row = reason_code(code)
    paragraphs = list(dict.fromkeys(finding.paragraph for finding in findings))
    sentence = reason_sentence(findings[0])
    if len(findings) > 1 and all(plain(reason_sentence(finding)) != plain(sentence) for finding in findings[1:]):
        sentence = (*sentence, f" ({len(findings)} findings)")
    return _Card(
        code=code,
        paragraphs=", ".join(safe_text(paragraph, limit=40) for paragraph in paragraphs[:5]),
        stage=row.stage.value,
        sentence=sentence,
        findings=findings[:_MOST_FINDINGS],
        more=max(len(findings) - _MOST_FINDINGS, 0),
        meaning=row.meaning,
        action=row.action,
    )


def _unknown_row(row: UnknownFact) -> dict[str, Any]:
    return {**row.model_dump(), "status": safe_text(row.status, limit=40), "share": points(row.n / row.declared)}


def _quarantine_row(entry: QuarantineFact) -> dict[str, Any]:
    left = None if entry.max_age_days is None else entry.max_age_days - entry.age_days
    is_expired = left is not None and left < 0
    words = "no age given" if left is None else f"expired {plural(-left, 'day')} ago" if is_expired else str(left)
    return {**entry.model_dump(), "since": entry.since[:10], "days_left": words, "is_expired": is_expired}


def _difficulty_row(row: DifficultyFact) -> dict[str, Any]:
    def rate(value: float | None) -> str:
        return "–" if value is None else percent(value)

    return {**row.model_dump(), "gated": rate(row.baseline_rate_gated), "whole": rate(row.baseline_rate_all)}


def _capability_rows(envelope: EnvelopeFact) -> list[dict[str, Any]]:
    effective = None if envelope.effective is None else set(envelope.effective)
    calibrated, unknown = set(envelope.calibrated), set(envelope.unknown)
    rows = []
    for name in sorted(calibrated | (effective or set()) | unknown):
        seen = "not known" if effective is None or name in unknown else "granted" if name in effective else "withheld"
        agreed = "granted" if name in calibrated else "withheld"
        rows.append({"name": name, "calibrated": agreed, "effective": seen, "differs": seen != agreed})
    return sorted(rows, key=lambda row: (not row["differs"], row["name"]))
