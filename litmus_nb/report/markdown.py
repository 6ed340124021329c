"""A verdict as markdown, for a job summary or a merge request: the sentence, the class table, the reasons."""

from __future__ import annotations

from litmus_nb.contracts.codes import VerdictState
from litmus_nb.contracts.verdict import Verdict
from litmus_nb.report.numbers import plural
from litmus_nb.report.phrases import Code, Phrase, Quoted
from litmus_nb.report.reasons import reason_sentence
from litmus_nb.report.rows import class_rows
from litmus_nb.report.sentences import banner, is_withheld, limits, next_step, placeholders_in, state_words
from litmus_nb.report.text import markdown_text

__all__ = ["render_markdown"]

_SHAPES = {
    VerdictState.PASS: "✔",
    VerdictState.FAIL: "✖",
    VerdictState.REJECTED: "⊘",
    VerdictState.NO_VERDICT: "?",
}
_MOST_CLASSES = 100
_MOST_REASONS = 50


def render_markdown(verdict: Verdict, *, title: str = "Gate", confidence: float | None = None) -> str:
    """The verdict as GitHub- and GitLab-flavoured markdown, well under the summaries' limit of 1 MiB.

    Args:
        title: what was gated; untrusted.
        confidence: of the intervals, 0 to 1, where the caller knows it.
    """
    lines = [
        f"## {_SHAPES[verdict.verdict]} {state_words(verdict)}: {markdown_text(title, limit=120)}",
        "",
        _said(banner(verdict, confidence=confidence)),
        "",
        *[f"- {_said(limit)}" for limit in limits(verdict)],
        "",
        *_class_table(verdict),
        *_reasons(verdict),
        f"**Next.** {_said(next_step(verdict).text)}",
    ]
    if command := next_step(verdict).command:
        lines += ["", f"    {command}"]
        lines += ["", *(f"- `{word}`: {meaning}" for word, meaning in placeholders_in(command, {}).items())]
    return "\n".join(lines) + "\n"


def _said(sentence: Phrase) -> str:
    return "".join(_said_piece(piece) for piece in sentence)


def _said_piece(piece: str) -> str:
    return markdown_text(piece) if isinstance(piece, (Quoted, Code)) else _ours(piece)


def _ours(text: str) -> str:
    """Our own words; they hold no markup."""
    return text.replace("_", "\\_").replace("*", "\\*").replace("<", "&lt;")


def _class_table(verdict: Verdict) -> list[str]:
    if not verdict.classes:
        return []
    if is_withheld(verdict):
        return ["The classes were not judged; their numbers are withheld.", ""]
    lines = [
        "| class | outcome | n | baseline | candidate | change | interval | tolerance |",
        "|---|---|---:|---:|---:|---:|---:|---:|",
    ]
    rows = class_rows(verdict)
    for row in rows[:_MOST_CLASSES]:
        outcome = row.outcome if row.outcome == "PASS" else f"**{row.outcome}**"
        cells = (row.n, row.baseline_rate, row.candidate_rate, row.delta, row.interval, row.tolerance)
        lines.append(f"| {markdown_text(row.name, limit=80)} | {outcome} | {' | '.join(cells)} |")
    more = len(rows) - _MOST_CLASSES
    note = "Changes in points; positive is worse."
    if verdict.interval is not None:
        note += f" Decided by the {verdict.interval} interval, not the default."
    return [*lines, "", f"{note} {plural(more, 'class', 'classes')} more in verdict.json." if more > 0 else note, ""]


def _reasons(verdict: Verdict) -> list[str]:
    if not verdict.reasons:
        return []
    lines = ["### Reasons", ""]
    for reason in verdict.reasons[:_MOST_REASONS]:
        about = f"{markdown_text(reason.subject, limit=80)}: " if reason.subject else ""
        code = f"**{_ours(reason.code)}** (§{markdown_text(reason.paragraph, limit=40)})"
        lines.append(f"- {code} {about}{_said(reason_sentence(reason))}")
    more = len(verdict.reasons) - _MOST_REASONS
    return [*lines, *([f"- and {more} more, in verdict.json"] if more > 0 else []), ""]
