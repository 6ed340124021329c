"""A verdict for a terminal: the first two parts of the page, in as many columns as there are."""

from __future__ import annotations

import io
from collections.abc import Mapping

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from litmus_nb.contracts.codes import VerdictState
from litmus_nb.contracts.findings import Finding
from litmus_nb.contracts.report import PowerFact
from litmus_nb.contracts.verdict import Verdict
from litmus_nb.report.numbers import MINUS, plural
from litmus_nb.report.phrases import plain
from litmus_nb.report.reasons import reason_sentence
from litmus_nb.report.rows import ClassRow, class_rows
from litmus_nb.report.sentences import NextStep, banner, is_withheld, limits, next_step, state_words, words_of
from litmus_nb.report.text import safe_text, short_digests, without_commands

__all__ = ["render_terminal"]

_WIDE = 110
_LEAST_FOR_TABLE = 72
_NARROWEST = 40
_MOST_REASONS = 12
_MOST_CLASSES = 30
_STYLES = {
    VerdictState.PASS: "bold blue",
    VerdictState.FAIL: "bold red",
    VerdictState.REJECTED: "bold magenta",
    VerdictState.NO_VERDICT: "bold yellow",
}
_SIGNS = {
    VerdictState.PASS: "[+]",
    VerdictState.FAIL: "[x]",
    VerdictState.REJECTED: "[/]",
    VerdictState.NO_VERDICT: "[?]",
}


def render_terminal(
    verdict: Verdict,
    *,
    width: int = 80,
    color: bool = False,
    confidence: float | None = None,
    paths: Mapping[str, str] | None = None,
    power: PowerFact | None = None,
    names: Mapping[str, str] | None = None,
) -> str:
    """The verdict as text: state, what happened, classes, reasons, what to do, where everything was left.

    Args:
        width: columns; what is less than 40 is taken as 40.
        color: whether to use ANSI colours; never where the output is not a terminal.
        confidence: of the intervals, 0 to 1, where the caller knows it.
        paths: what was left (`verdict`, `report`) and where.
        power: how many units would have decided the class whose reason leads, where the caller knows it.
        names: what stands for a placeholder of the next command (`PARAMS`), so that it can be run as it is shown.
    """
    width = max(width, _NARROWEST)
    parts: list[RenderableType] = [_heading(verdict), _indented(plain(banner(verdict, confidence=confidence)))]
    parts += [_indented(f"- {plain(limit)}", hang=2) for limit in limits(verdict)]
    if verdict.classes and not is_withheld(verdict):
        parts += [Text(), _classes(verdict, width)]
    elif verdict.classes:
        parts.append(_indented("The classes were not judged; their numbers are withheld."))
    if verdict.reasons:
        parts += [Text(), *_reasons(verdict)]
    parts += [Text(), *_next(next_step(verdict, power), names or {}, width), *_paths(paths or {})]
    buffer = io.StringIO()
    console = Console(
        file=buffer, width=width, force_terminal=color, color_system="standard" if color else None,
        highlight=False, markup=False, emoji=False, legacy_windows=False, _environ={},
    )  # fmt: skip
    console.print(Group(*parts), soft_wrap=False)
    lines = [line.rstrip() for line in buffer.getvalue().splitlines()]
    return without_commands("\n".join(lines).replace(MINUS, "-").replace("\N{NO-BREAK SPACE}", " ")) + "\n"


def _heading(verdict: Verdict) -> Text:
    style = _STYLES[verdict.verdict]
    return Text(f"{_SIGNS[verdict.verdict]} {state_words(verdict)}", style=style)


def _indented(text: str, *, hang: int = 0) -> RenderableType:
    if not hang:
        return Padding(Text(text), (0, 0, 0, 4))
    table = Table.grid(padding=0)
    table.add_column(width=hang)
    table.add_column()
    table.add_row(Text(text[:hang]), Text(text[hang:]))
    return Padding(table, (0, 0, 0, 4))


def _classes(verdict: Verdict, width: int) -> RenderableType:
    """Worst first. 80 columns get what decides, a wide terminal the whole row, a very narrow one a line or two each."""
    rows = class_rows(verdict)
    shown = rows[:_MOST_CLASSES]
    note = "changes in points, positive is worse"
    if verdict.interval is not None:
        note += f"; {verdict.interval} interval"
    if len(rows) > len(shown):
        note += f"; {plural(len(rows) - len(shown), 'more class', 'more classes')} in verdict.json"
    listed = _class_table(shown, is_wide=width >= _WIDE) if width >= _LEAST_FOR_TABLE else _class_lines(shown)
    return Group(listed, Text(f"    {note}", style="dim"))


def _class_table(rows: list[ClassRow], *, is_wide: bool) -> RenderableType:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1), show_edge=False)
    table.add_column("class", overflow="fold", min_width=12)
    table.add_column("outcome", no_wrap=True)
    numbers = ["n", "change", "interval", "tolerance", *(("baseline", "candidate", "noise") if is_wide else ())]
    for name in numbers:
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        cells = [row.n, row.delta, row.interval, row.tolerance]
        if is_wide:
            cells += [row.baseline_rate, row.candidate_rate, row.noise_floor]
        name = Text(safe_text(row.name, limit=60))
        table.add_row(name, _outcome(row), *(Text(cell) for cell in cells))
    return Padding(table, (0, 0, 0, 3))


def _class_lines(rows: list[ClassRow]) -> RenderableType:
    lines: list[RenderableType] = []
    for row in rows:
        lines.append(_indented(f"{safe_text(row.name, limit=60)}: {row.outcome}"))
        lines.append(_indented(f"- n {row.n}, change {row.delta} ({row.interval}), tolerance {row.tolerance}", hang=2))
    return Group(*lines)


def _outcome(row: ClassRow) -> Text:
    return Text(row.outcome, style={"FAIL": "red", "PASS": "blue"}.get(row.outcome, "yellow"))


def _reasons(verdict: Verdict) -> list[RenderableType]:
    shown = [_reason(finding) for finding in verdict.reasons[:_MOST_REASONS]]
    more = len(verdict.reasons) - _MOST_REASONS
    return [*shown, Text(f"and {plural(more, 'more reason')}, in verdict.json")] if more > 0 else list(shown)


def _reason(finding: Finding) -> RenderableType:
    head = Text(f"{finding.code} ", style="bold").append(f"§{safe_text(finding.paragraph, limit=40)} ", style="dim")
    head.append(safe_text(finding.subject, limit=120))
    sentence = plain(reason_sentence(finding))
    observed = short_digests(safe_text(finding.observed))
    if observed in sentence:
        return Group(head, _indented(sentence))
    seen = short_digests(f"expected {safe_text(finding.expected)}; seen {observed}")
    return Group(head, _indented(sentence), _indented(seen))


def _next(step: NextStep, names: Mapping[str, str], width: int) -> list[RenderableType]:
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column()
    table.add_row(Text("next", style="bold"), Text(plain(step.text)))
    if step.command:
        words = [safe_text(word, limit=1000) for word in words_of(step.command, names)]
        table.add_row(Text(), Text(_command(words, width - len("next  "))))
    return [table]


def _command(words: list[str], width: int) -> str:
    """A command line that can be copied: broken between words only, with a backslash where it goes on."""
    lines = words[:1]
    for word in words[1:]:
        if cell_len(f"{lines[-1]} {word} \\") <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(f"  {word}")
    return " \\\n".join(lines)


def _paths(paths: Mapping[str, str]) -> list[RenderableType]:
    if not paths:
        return []
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for what, path in paths.items():
        table.add_row(Text(safe_text(what, limit=40), style="dim"), Text(safe_text(path, limit=1000)))
    return [Text(), table]
