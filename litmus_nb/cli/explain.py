"""`litmus-nb explain CODE`: what a reason code means and what to do."""

from __future__ import annotations

import difflib
import json
import shutil
import textwrap
from dataclasses import asdict
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from litmus_nb.contracts.codes import CODES, ReasonCode, Stage
from litmus_nb.errors import UsageError
from litmus_nb.report.phrases import plain, with_code
from litmus_nb.report.sentences import command_for
from litmus_nb.report.states import in_words
from litmus_nb.shipped.runbook import RUNBOOK, runbook_entry

__all__ = ["command"]


if TYPE_CHECKING:
    _Text = click.ParamType[str]
else:
    _Text = click.ParamType  # newer clicks make it generic, older ones are supported


class _Code(_Text):
    """A reason code in any case, with - for _ if somebody types it that way."""

    name = "code"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        name = str(value).upper().replace("-", "_")
        if name not in CODES:
            near = difflib.get_close_matches(name, CODES, n=3, cutoff=0.5)
            hint = f"; did you mean {', '.join(near)}?" if near else "; `litmus-nb explain` lists them all"
            raise UsageError(f"there is no reason code {str(value)[:60]!r}{hint}")
        return name

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return [
            CompletionItem(name, help=plain(with_code(code.meaning)))
            for name, code in sorted(CODES.items())
            if name.startswith(incomplete.upper())
        ]


@click.command()
@click.argument("code", required=False, type=_Code())
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def command(code: str | None, *, as_json: bool) -> None:
    """Say what a reason code means, where the rule has it, and what to do. Without a code: list them all.

    \b
    Example:  litmus-nb explain ENVELOPE_MISMATCH
              litmus-nb explain underpowered
    Exit:     0, or 2 for a code that there is not
    """
    asked = [CODES[code]] if code else list(CODES.values())
    if as_json:
        click.echo(json.dumps([asdict(row) for row in asked], indent=2))
    elif code:
        click.echo(_explained(asked[0]))
    else:
        click.echo("\n\n".join(_listed(stage) for stage in Stage))


def _explained(code: ReasonCode) -> str:
    paragraphs = ", ".join(f"§{paragraph}" for paragraph in code.paragraphs)
    state = in_words(code.state.value)
    entry = runbook_entry(code.name)
    facts = [
        ("means", code.meaning),
        ("leads to", f"{state} (exit {code.state.exit_code}), found at the {code.stage} stage"),
        ("the rule", f"{paragraphs} of docs/rule.md"),
        ("do", code.action),
        ("cause", entry["Candidate or environment?"]),
        ("runbook", f"{_told(entry['Do'])} ({RUNBOOK})"),
    ]
    if helpful := command_for(code.name):
        facts.append(("command", helpful))
    width = min(shutil.get_terminal_size((80, 24)).columns, 100)
    lines = [code.name, ""]
    for name, text in facts:
        lines += textwrap.wrap(plain(with_code(text)), width, initial_indent=f"  {name:10}", subsequent_indent=" " * 12)
    return "\n".join(lines)


def _told(to_do: str) -> str:
    """What follows the runbook's **Do** as a sentence of its own."""
    return f"Do {to_do}" if to_do.startswith("not ") else to_do[:1].upper() + to_do[1:]


def _listed(stage: Stage) -> str:
    codes = sorted(row.name for row in CODES.values() if row.stage is stage)
    longest = max(len(name) for name in codes)
    lines = [f"  {name:{longest}}  {', '.join('§' + p for p in CODES[name].paragraphs)}" for name in codes]
    return "\n".join([f"{stage.value}:", *lines])
