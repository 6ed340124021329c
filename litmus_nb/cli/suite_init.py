"""`litmus-nb suite init READER PATH`: the draft of a suite, from a log that is there already."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from litmus_nb.errors import Fault, UnreadableInput, UsageError
from litmus_nb.evidence.draft import Draft, drafted
from litmus_nb.evidence.sources import reader_named
from litmus_nb.files import replace_file

__all__ = ["init"]

_TODO = "null  # nobody has said this yet"


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
    replace_file(target / "trace.schema.json", b'{"type": "object"}\n')
    replace_file(target / "judge.md", _JUDGE)
    open_keys = [line.split(":")[0].strip() for line in _suite(draft, name).splitlines() if _TODO in line]
    click.echo(f"{target}: {len(probes)} scenarios in {len(set(draft.classes.values()))} classes, from {draft.tool}")
    click.echo(f"still to say in suite.yaml: {', '.join(open_keys) or 'nothing'}")
    click.echo("look at: decision_margin, max_skip_fraction, min_agreement, trace.schema.json, judge.md")
    click.echo(f"then: litmus-nb suite freeze {target / 'suite.yaml'}")


_JUDGE = b"Put the judge's template here: the gate compares its digest.\n"


def _suite(draft: Draft, name: str) -> str:
    """suite.yaml as text, so that what is open can say so."""
    declared = draft.declared
    interface = declared.get("interface") or {}
    sandbox = declared.get("sandbox") or {}
    canary = declared.get("canary") or {}
    lines = [
        "schema: litmus-nb/suite/v1",
        f"name: {_scalar(name)}",
        'version: "1"',
        f"classes: {_scalar(sorted(set(draft.classes.values())))}",
        "probes: probes.jsonl",
        f"tool_namespace: {_said(interface.get('tool_namespace'))}",
        f"tools: {_said(draft.tools)}",
        "trace_schema: trace.schema.json",
        f"calibrated_capabilities: {_said(sandbox.get('effective_capabilities'))}",
        "canary:",
        f"  probe_id: {_said(canary.get('probe_id'))}",
        f"  expected_signal: {_said(draft.canary_signal)}",
        "  control: true",
        "judge:",
        f"  digest: {_said(draft.judge_digest)}",
        "  template: judge.md",
        "max_skip_fraction: 0.0",
        "documented_skip_reasons: []",
        f"min_trials: {max(2, draft.trials)}",
        "min_agreement: 0.7",
        "decision_margin: 0.1",
    ]
    return "\n".join(lines) + "\n"


def _said(value: Any) -> str:
    return _TODO if value is None else _scalar(value)


def _scalar(value: Any) -> str:
    """A value as YAML: JSON is that."""
    return json.dumps(value, ensure_ascii=False)
