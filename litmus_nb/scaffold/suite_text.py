"""suite.yaml as text, so that what nobody has said yet can say so."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

__all__ = ["JUDGE_TEMPLATE", "OPEN", "TRACE_SCHEMA", "open_keys", "suite_text"]

OPEN = "null  # nobody has said this yet"
JUDGE_TEMPLATE = b"Put the judge's template here: the gate compares its digest.\n"
TRACE_SCHEMA = b'{"type": "object"}\n'


def suite_text(name: str, said: Mapping[str, Any]) -> str:
    """A draft of suite.yaml.

    Args:
        name: of the suite.
        said: classes, tool_namespace, tools, calibrated_capabilities, canary_probe, canary_signal, judge_digest,
            trials, decision_margin; None or absent where nobody has said it.
    """
    lines = [
        "schema: litmus-nb/suite/v1",
        f"name: {_scalar(name)}",
        'version: "1"',
        f"classes: {_scalar(said['classes'])}",
        "probes: probes.jsonl",
        f"tool_namespace: {_said(said.get('tool_namespace'))}",
        f"tools: {_said(said.get('tools'))}",
        "trace_schema: trace.schema.json",
        f"calibrated_capabilities: {_said(said.get('calibrated_capabilities'))}",
        "canary:",
        f"  probe_id: {_said(said.get('canary_probe'))}",
        f"  expected_signal: {_said(said.get('canary_signal'))}",
        "  control: true",
        "judge:",
        f"  digest: {_said(said.get('judge_digest'))}",
        "  template: judge.md",
        "max_skip_fraction: 0.0",
        "documented_skip_reasons: []",
        f"min_trials: {max(2, said.get('trials') or 2)}",
        "min_agreement: 0.7",
        f"decision_margin: {said.get('decision_margin') or 0.1}",
    ]
    return "\n".join(lines) + "\n"


def open_keys(text: str) -> list[str]:
    """The keys of a draft that nobody has said yet."""
    return [line.split(":")[0].strip() for line in text.splitlines() if OPEN in line]


def _said(value: Any) -> str:
    return OPEN if value is None else _scalar(value)


def _scalar(value: Any) -> str:
    """A value as YAML: JSON is that."""
    return json.dumps(value, ensure_ascii=False)
