"""`litmus-nb suite init READER PATH`: the draft of a suite, from a log that is there already."""

from __future__ import annotations

import json
from pathlib import Path

import click

from litmus_nb.errors import Fault, UnreadableInput, UsageError
from litmus_nb.evidence.draft import Draft, drafted
from litmus_nb.evidence.sources import reader_named
from litmus_nb.files import replace_file
from litmus_nb.scaffold.seen import said_by_draft
from litmus_nb.scaffold.suite_text import JUDGE_TEMPLATE, TRACE_SCHEMA, open_keys, suite_text

__all__ = ["init"]


@click.command(name="init")
@click.argument("reader")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--to", "target", required=True, type=click.Path(path_type=Path), help="The folder; must not exist.")
@click.option("--name", default="drafted-suite", show_default=True, help="The suite's name.")
def init(reader: str, path: Path, target: Path, name: str) -> None:
    """Draft suite.yaml and probes.jsonl from another tool's log.

    PATH is the log; PATH.litmus.yaml beside it says which classes the scenarios have and what an outcome is (`run: {}`
    is enough). What neither says is null in the draft, and the suite cannot be used before somebody has said it.

    \b
    Example:  litmus-nb suite init inspect logs/x.eval --to suite
    Exit:     0 drafted   2 the log or its declarations cannot be used
    """
    if target.exists():
        raise UsageError(f"{target} is there already; a suite is never written over")
    draft = drafted(path, reader_named(reader))
    if not draft.classes:
        raise UnreadableInput([Fault(str(path), "", "at least one scenario", "none")])
    probes = [
        {"id": id_, "class": class_, "from_log": dict(draft.fields[id_])}
        for id_, class_ in sorted(draft.classes.items())
    ]
    lines = [json.dumps(probe, ensure_ascii=False, sort_keys=True) for probe in probes]
    replace_file(target / "probes.jsonl", ("\n".join(lines) + "\n").encode())
    replace_file(target / "suite.yaml", _suite(draft, name).encode())
    replace_file(target / "trace.schema.json", TRACE_SCHEMA)
    replace_file(target / "judge.md", JUDGE_TEMPLATE)
    still_open = open_keys(_suite(draft, name))
    click.echo(f"{target}: {len(probes)} scenarios in {len(set(draft.classes.values()))} classes, from {draft.tool}")
    click.echo(f"still to say in suite.yaml: {', '.join(still_open) or 'nothing'}")
    click.echo("look at: decision_margin, max_skip_fraction, min_agreement, trace.schema.json, judge.md")
    click.echo(f"then: litmus-nb suite freeze {target / 'suite.yaml'}")


def _suite(draft: Draft, name: str) -> str:
    return suite_text(name, said_by_draft(draft))
