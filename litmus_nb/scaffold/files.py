"""Every file of a first gate, as bytes. Nothing is opened here but our own templates."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from string import Template
from typing import Any, Literal

from litmus_nb.contracts.plain_yaml import yaml_text
from litmus_nb.report.numbers import plural
from litmus_nb.scaffold.proposal import CONFIDENCE, Proposal
from litmus_nb.scaffold.seen import Seen
from litmus_nb.scaffold.suite_text import JUDGE_TEMPLATE, TRACE_SCHEMA, open_keys, suite_text

__all__ = ["CI_FILES", "Wanted", "gate_text", "scaffold_files"]

Ci = Literal["github", "gitlab", "none"]
CI_FILES = {"github": ".github/workflows/litmus-gate.yml", "gitlab": ".gitlab/litmus-gate.yml"}


@dataclass(frozen=True)
class Wanted:
    """What the scaffold is asked for."""

    name: str
    said: Mapping[str, Any]
    """As `suite_text` takes it; what the log says, overlaid by what the user says."""
    ci: Ci
    judge_template: bytes | None = None


def scaffold_files(seen: Seen, wanted: Wanted, proposed: Sequence[Proposal]) -> dict[str, bytes]:
    """Path to content, relative to the repository; gate.yaml is not among them: it needs the frozen suite's hash."""
    suite = suite_text(wanted.name, wanted.said)
    lines = [json.dumps(probe, ensure_ascii=False, sort_keys=True) for probe in seen.probes]
    found = {
        "suite/suite.yaml": suite.encode(),
        "suite/probes.jsonl": ("\n".join(lines) + "\n").encode(),
        "suite/trace.schema.json": TRACE_SCHEMA,
        "suite/judge.md": JUDGE_TEMPLATE if wanted.judge_template is None else wanted.judge_template,
        "ledger.jsonl": b"",
        "params/gate.yaml": _params(),
        "GATE.md": _readme(seen, wanted, proposed, open_keys(suite)),
    }
    if wanted.ci != "none":
        found[CI_FILES[wanted.ci]] = _template(f"{wanted.ci}.yml").encode()
    return found


def gate_text(proposed: Sequence[Proposal], manifest_hash: str | None) -> str:
    """gate.yaml; the hash is open where the suite cannot be frozen yet."""
    frozen = "null  # litmus-nb suite freeze suite/suite.yaml --gate gate.yaml" if manifest_hash is None else None
    classes = []
    for one in proposed:
        classes += [f"  # {_comment(one.why)}", f"  {json.dumps(one.name, ensure_ascii=False)}:"]
        classes += [f"    {{tolerance: {one.tolerance}, min_n: {one.min_n}}}"]
    lines = [
        "schema: litmus-nb/gate/v1",
        "suite: suite/suite.yaml",
        f"frozen_manifest_hash: {frozen or json.dumps(manifest_hash)}",
        "baseline: null  # litmus-nb baseline pin params/gate.yaml -p candidate RUN --by YOU --reason WHY",
        "ledger: ledger.jsonl",
        f"confidence: {CONFIDENCE}",
        "# A tolerance is a risk that people accept: change it if you accept another, and say why in the commit.",
        "classes:",
        *classes,
        "quarantine:",
        "  policy: count_as_failure",
    ]
    return "\n".join(lines) + "\n"


def _comment(text: str) -> str:
    return " ".join(text.split())


def _params() -> bytes:
    head = "# What CI gates: the candidate is the run folder that your harness, or litmus-nb import, leaves.\n"
    values = {"gate": "gate.yaml", "candidate": "runs/candidate", "output_dir": "reports/gate"}
    return (head + yaml_text(values)).encode()


def _readme(seen: Seen, wanted: Wanted, proposed: Sequence[Proposal], still_open: Sequence[str]) -> bytes:
    rows = [
        f"| `{_cell(one.name)}` | {one.n} | {100 * one.tolerance:g} points | {one.min_n} | "
        f"{'yes' if one.is_enough else 'no: ' + _needs(one)} | {_cell(one.why)} |"
        for one in proposed
    ]
    return (
        Template(_template("GATE.md"))
        .substitute(
            name=_cell(wanted.name),
            source=_cell(seen.source),
            size=f"{plural(len(seen.probes), 'scenario')} in {plural(len(seen.classes), 'class', 'classes')}",
            rows="\n".join(rows),
            still_open="\n".join(f"- `{key}` in suite/suite.yaml" for key in still_open) or "- nothing in suite.yaml",
            ci=CI_FILES.get(wanted.ci, "none was asked for"),
        )
        .encode()
    )


def _needs(one: Proposal) -> str:
    return "no number would do" if one.n_to_pass is None else f"{one.n_to_pass} are needed"


def _cell(text: str) -> str:
    """Text of a log within a Markdown table: one line, and nothing that is markup."""
    shown = " ".join(text.encode("ascii", "backslashreplace").decode().split())[:200]
    return "".join(character if character not in "|`<>[]\\*#" else f"&#{ord(character)};" for character in shown)


def _template(name: str) -> str:
    return files("litmus_nb.scaffold").joinpath(f"templates/{name}").read_text(encoding="utf-8")
