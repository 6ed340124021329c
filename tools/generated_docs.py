"""Documents made from the code, so that they cannot lie. `python tools/generated_docs.py` writes them anew; with
`--check` it names those that are stale, and exits 1.

A document more: one function that returns its text, one row in DOCUMENTS.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from pathlib import Path

import click

import litmus_nb
from litmus_nb.cli import COMMANDS
from litmus_nb.contracts.check_codes import CHECK_CODES
from litmus_nb.contracts.codes import CODES, Stage
from litmus_nb.contracts.schemas import SCHEMAS

ROOT = Path(__file__).parents[1]

_STAGES = {
    Stage.ADMISSIBILITY: (
        "Admissibility",
        "The measurement contract is violated: nothing may be scored. REJECTED, exit 3.",
    ),
    Stage.ELIGIBILITY: ("Eligibility", "The run as a whole cannot carry a decision. NO_VERDICT, exit 4."),
    Stage.CLASS: ("Class", "What one class says: FAIL (exit 1) or NO_VERDICT (exit 4)."),
    Stage.EXECUTION: ("Execution", "Our own work did not come to an end. Closed: exit 2 for USAGE, else 4."),
}


def reason_codes() -> str:
    """docs/codes.md."""
    lines = [
        "# Reason codes",
        "",
        "Made from `litmus_nb/contracts/codes.py` by `python tools/generated_docs.py`; not edited by hand.",
        "The paragraphs are those of [the rule](rule.md). Codes are for ever: added, deprecated, never reused.",
    ]
    for stage, (title, what) in _STAGES.items():
        lines += [
            "",
            f"## {title}",
            "",
            what,
            "",
            "| code | § | leads to | what it means | what to do |",
            "|---|---|---|---|---|",
        ]
        lines += [
            f'| <a id="{code.name.lower().replace("_", "-")}"></a>`{code.name}` | {", ".join(code.paragraphs)} '
            f"| {code.state.value} | {code.meaning} | {code.action} |"
            for code in sorted(CODES.values(), key=lambda code: code.name)
            if code.stage is stage
        ]
    return "\n".join(lines) + "\n"


def check_codes() -> str:
    """docs/check-codes.md."""
    lines = [
        "# Codes of the consumer's check",
        "",
        "Made from `litmus_nb/contracts/check_codes.py` by `python tools/generated_docs.py`; not edited by hand.",
        "These are the reasons with which `litmus-nb check` refuses. They never stand in a verdict: its reasons are",
        "about the evidence ([codes.md](codes.md)), these about whether a verdict may be relied upon here and now.",
        "Codes are for ever: added, deprecated, never reused.",
        "",
        "| code | what it means | what to do |",
        "|---|---|---|",
    ]
    lines += [
        f'| <a id="{code.name.lower().replace("_", "-")}"></a>`{code.name}` | {code.meaning} | {code.action} |'
        for code in CHECK_CODES.values()
    ]
    return "\n".join(lines) + "\n"


def command_line() -> str:
    """docs/cli.md."""
    lines = [
        "# The command line",
        "",
        "Made from the commands' own help by `python tools/generated_docs.py`; not edited by hand.",
        "",
        "Exit status of whatever decides: 0 `PASS`, 1 `FAIL`, 2 unusable parameters, 3 `REJECTED`, 4 `NO_VERDICT`.",
        "Only 0 opens the gate.",
        "",
        "| command | what it does |",
        "|---|---|",
        *(f"| [`{name}`](#{name}) | {what} |" for name, (_, what) in COMMANDS.items()),
    ]
    for name, (module, _) in COMMANDS.items():
        lines += _help_of(importlib.import_module(module).command, (name,))
    return "\n".join(lines) + "\n"


def _help_of(command: click.Command, words: tuple[str, ...]) -> list[str]:
    """A command's help as a section, and those of its commands below it."""
    context = click.Context(
        command, info_name=" ".join(("litmus-nb", *words)), max_content_width=100, terminal_width=100
    )
    text = "\n".join(line.rstrip() for line in click.unstyle(command.get_help(context)).splitlines())
    lines = ["", f"{'#' * (1 + len(words))} {' '.join(words)}", "", "```text", text, "```"]
    for name, inner in getattr(command, "commands", {}).items():
        lines += _help_of(inner, (*words, name))
    return lines


def python_api() -> str:
    """docs/api.md."""
    lines = [
        "# Python",
        "",
        "Made from `litmus_nb.__all__` by `python tools/generated_docs.py`; not edited by hand.",
        "",
        "What `import litmus_nb` gives. Names are loaded when they are first used. Everything else is private to the",
        "package, or public by its module where a page of these docs says so.",
    ]
    for name in sorted(set(litmus_nb.__all__) - {"__version__"}, key=str.casefold):
        thing = getattr(litmus_nb, name)
        lines += ["", f"::: {thing.__module__}.{thing.__name__}"]
    return "\n".join(lines) + "\n"


def schemas() -> str:
    """docs/schemas.md."""
    lines = [
        "# Schemas",
        "",
        "Made from `litmus_nb.contracts.schemas` by `python tools/generated_docs.py`; not edited by hand.",
        "`litmus-nb schema NAME` prints a file's JSON Schema; [formats.md](formats.md) says what each holds and why.",
        "",
        "| name | file |",
        "|---|---|",
        *(f"| `{name}` | {schema.description} |" for name, schema in sorted(SCHEMAS.items())),
    ]
    return "\n".join(lines) + "\n"


def decisions() -> str:
    """docs/decisions/index.md."""
    lines = [
        "# Decisions",
        "",
        "One page each: the question, what pulled which way, the options, the choice, what it costs.",
        "Made from the pages' titles by `python tools/generated_docs.py`; not edited by hand.",
        "",
    ]
    for path in sorted((ROOT / "docs/decisions").glob("[0-9]*.md")):
        title = path.read_text(encoding="utf-8").splitlines()[0].removeprefix("# ")
        lines.append(f"- [{title.split('. ', 1)[-1]}]({path.name})")
    return "\n".join(lines) + "\n"


DOCUMENTS: dict[str, Callable[[], str]] = {
    "docs/api.md": python_api,
    "docs/check-codes.md": check_codes,
    "docs/cli.md": command_line,
    "docs/codes.md": reason_codes,
    "docs/decisions/index.md": decisions,
    "docs/schemas.md": schemas,
}


def stale() -> list[str]:
    """The documents that are not what the code says."""
    return [
        name
        for name, text in DOCUMENTS.items()
        if not (ROOT / name).is_file() or (ROOT / name).read_text(encoding="utf-8") != text()
    ]


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit("\n".join(stale()) or None)
    for document, made in DOCUMENTS.items():
        (ROOT / document).write_text(made(), encoding="utf-8")
        sys.stderr.write(f"{document}\n")
