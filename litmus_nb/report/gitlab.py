"""A verdict for GitLab: variables for later jobs and metrics that a merge request compares. Test cases are JUnit's."""

from __future__ import annotations

from collections.abc import Iterator

from litmus_nb.contracts.codes import VerdictState
from litmus_nb.contracts.verdict import Verdict
from litmus_nb.report.rows import in_order_of_gravity
from litmus_nb.report.text import safe_text

__all__ = ["render_dotenv", "render_metrics"]


def render_dotenv(verdict: Verdict) -> str:
    """A dotenv report. Every value is a word of ours, so nothing of the evidence becomes a variable."""
    values = {
        "LITMUS_VERDICT": verdict.verdict.value,
        "LITMUS_GATE_OPEN": str(verdict.gate_open).lower(),
        "LITMUS_DEGRADED": str(verdict.degraded).lower(),
    }
    return "".join(f"{name}={value}\n" for name, value in values.items())


def render_metrics(verdict: Verdict) -> str:
    """An OpenMetrics report: whether the gate is open, and per judged class the change and its bounds as fractions.

    A number that the verdict withholds is absent, never zero; a REJECTED verdict has no class at all.
    """
    lines = ["# TYPE litmus_gate_open gauge", f"litmus_gate_open {int(verdict.verdict is VerdictState.PASS)}"]
    for field, what in _FIELDS.items():
        samples = list(_samples(verdict, field))
        if samples:
            lines += [f"# TYPE litmus_class_{field} gauge", f"# HELP litmus_class_{field} {what}", *samples]
    return "\n".join([*lines, "# EOF"]) + "\n"


_FIELDS = {
    "delta": "Candidate minus baseline attack success rate. Positive is worse.",
    "ci_low": "Lower bound of the delta.",
    "ci_high": "Upper bound of the delta.",
    "tolerance": "Tolerated rise.",
}


def _samples(verdict: Verdict, field: str) -> Iterator[str]:
    for row in in_order_of_gravity(verdict):
        value = getattr(row, field)
        if value is not None:
            yield f'litmus_class_{field}{{class="{_label(row.name)}"}} {value!r}'


def _label(name: str) -> str:
    return safe_text(name, limit=100).replace("\\", "\\\\").replace('"', '\\"')
