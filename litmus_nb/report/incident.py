"""A replayed incident as a panel for a notebook and as text: the naive gate on one side, this one on the other."""

from __future__ import annotations

from markupsafe import Markup

from litmus_nb.contracts.incident import IncidentFacts
from litmus_nb.report.charts import as_svg
from litmus_nb.report.incident_chart import incident_chart
from litmus_nb.report.markup import page_environment
from litmus_nb.report.phrases import Phrase, plain
from litmus_nb.report.reasons import reason_sentence
from litmus_nb.report.sentences import state_words
from litmus_nb.report.states import css_class

__all__ = ["incident_html", "incident_text"]

_MOST_REASONS = 4


def incident_html(facts: IncidentFacts) -> str:
    """The panel as an HTML fragment: no script, its own style, the picture inside."""
    reasons, more = _reasons(facts)
    return (
        page_environment()
        .get_template("incident.html.j2")
        .render(
            facts=facts,
            state=state_words(facts.verdict),
            state_class=css_class(facts.verdict.verdict.value),
            reasons=reasons,
            more=more,
            picture=Markup(as_svg(incident_chart(facts))),  # noqa: S704 - drawn here, from cleaned text
        )
    )


def incident_text(facts: IncidentFacts) -> str:
    """The same for a terminal."""
    reasons, more = _reasons(facts)
    lines = [facts.title, "", f"  naive gate: {facts.answer.upper()}"]
    lines += [f"    {line}" for line in facts.arithmetic]
    lines += ["", f"  litmus_nb: {state_words(facts.verdict)}"]
    lines += [f"    {code} (§{paragraph}) {plain(sentence)}" for code, paragraph, sentence in reasons]
    lines += [f"    and {more} more"] if more else []
    return "\n".join([*lines, "", f"  {facts.moral}"])


def _reasons(facts: IncidentFacts) -> tuple[list[tuple[str, str, Phrase]], int]:
    """Code, paragraph and sentence of the first reasons, each code once, and how many findings more there are."""
    first = {reason.code: reason for reason in reversed(facts.verdict.reasons)}
    shown = [reason for reason in facts.verdict.reasons if first[reason.code] is reason][:_MOST_REASONS]
    told = [(reason.code, reason.paragraph, reason_sentence(reason)) for reason in shown]
    return told, len(facts.verdict.reasons) - len(shown)
