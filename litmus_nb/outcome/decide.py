"""Deciding in this process: no kernel, no report."""

from __future__ import annotations

from datetime import date

from litmus_nb.contracts.evidence import Evidence
from litmus_nb.contracts.params import GateParams
from litmus_nb.contracts.verdict import Verdict
from litmus_nb.evidence.load import load_evidence
from litmus_nb.rule.workflow import emit_verdict, evaluate_gate, internal_error

__all__ = ["Decided", "decided"]


class Decided:
    """A verdict, the evidence it is about, and the error of our own where there was one."""

    def __init__(self, verdict: Verdict, evidence: Evidence | None, error: BaseException | None) -> None:
        self.verdict = verdict
        self.evidence = evidence
        self.error = error


def decided(params: GateParams, *, as_of: date, run_id: str, notebook_sha256: str | None = None) -> Decided:
    """The verdict on what the params name. An error of our own is a NO_VERDICT with `INTERNAL_ERROR`, never raised."""
    evidence = None
    error: BaseException | None = None
    try:
        evidence = load_evidence(params, as_of=as_of)
        decision = evaluate_gate(evidence)
    except (KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as caught:
        error, decision = caught, internal_error(caught)
    verdict = emit_verdict(
        decision,
        evidence,
        run_id=run_id,
        as_of=as_of.isoformat(),
        notebook_sha256=notebook_sha256,
    )
    return Decided(verdict, evidence, error)
