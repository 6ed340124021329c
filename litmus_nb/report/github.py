"""A verdict for GitHub Actions: annotations as workflow commands, outputs for later steps. The summary is markdown."""

from __future__ import annotations

from litmus_nb.contracts.codes import VerdictState
from litmus_nb.contracts.verdict import Verdict
from litmus_nb.report.phrases import plain
from litmus_nb.report.reasons import reason_sentence
from litmus_nb.report.sentences import banner, state_words
from litmus_nb.report.text import annotation_property, annotation_text

__all__ = ["render_annotations", "render_outputs"]

_MOST_ANNOTATIONS = 9
"""GitHub keeps ten of a kind per step; one is the banner's."""


def render_annotations(verdict: Verdict) -> str:
    """Workflow commands, one a line: the banner, then the reasons. Every state but PASS is an error.

    A degraded PASS is a warning: it may ship, and somebody should see why trials are missing. Text of the evidence
    cannot end the command that carries it, nor begin another.
    """
    level = "error"
    if verdict.verdict is VerdictState.PASS:
        level = "warning" if verdict.degraded else "notice"
    lines = [_command(level, state_words(verdict), plain(banner(verdict)))]
    for reason in verdict.reasons[:_MOST_ANNOTATIONS]:
        title = f"{reason.code} §{reason.paragraph} {reason.subject}"
        lines.append(_command(level, title, plain(reason_sentence(reason))))
    return "".join(f"{line}\n" for line in lines)


def _command(level: str, title: str, message: str) -> str:
    return f"::{level} title={annotation_property(title, limit=200)}::{annotation_text(message)}"


def render_outputs(verdict: Verdict) -> str:
    """`name=value` lines for GITHUB_OUTPUT. Every value is a word of ours."""
    values = {
        "verdict": verdict.verdict.value,
        "gate-open": str(verdict.gate_open).lower(),
        "degraded": str(verdict.degraded).lower(),
    }
    return "".join(f"{name}={value}\n" for name, value in values.items())
