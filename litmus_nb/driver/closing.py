"""Leaving a closed verdict with its page, where no gate has to run to know it."""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime

from litmus_nb.contracts.codes import VerdictState
from litmus_nb.contracts.evidence import Evidence
from litmus_nb.contracts.findings import Finding, in_order_of_the_rule
from litmus_nb.contracts.params import GateParams
from litmus_nb.contracts.verdict import Verdict
from litmus_nb.errors import LitmusError
from litmus_nb.outcome.output import OutputFolder
from litmus_nb.rule.decided import closed_by, emit_verdict

__all__ = ["leave_closed", "written"]


def leave_closed(
    folder: OutputFolder,
    state: VerdictState,
    findings: list[Finding],
    evidence: Evidence | None,
    params: GateParams,
    *,
    run_id: str,
    as_of: str,
) -> Verdict:
    """Leave a REJECTED or NO_VERDICT for these findings, and its page; give back the verdict.

    Raises:
        OutputUnusable: the verdict could not be written.
        GateInvariantViolation: another state, or no finding.
    """
    classes = evidence.suite.file.classes if evidence and evidence.suite else []
    decision = closed_by(state, in_order_of_the_rule(findings), classes)
    emitted = emit_verdict(decision, evidence, run_id=run_id, as_of=as_of)
    verdict = folder.settle(emitted, params, issued_at=datetime.now(UTC), evidence=evidence)
    with contextlib.suppress(OSError, LitmusError):
        # Deferred: only a refusal needs a page.
        from litmus_nb.outcome.page import leave_report

        leave_report(folder.path, verdict, evidence, params, made_at=written(datetime.now(UTC)))
    return verdict


def written(instant: datetime) -> str:
    """The instant as files write it, to the whole second before.

    A harness that writes its start in whole seconds must not seem to have started before its ticket was issued.
    """
    return f"{instant:%Y-%m-%dT%H:%M:%SZ}"
