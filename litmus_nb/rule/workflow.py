"""The rule's table of contents: admit, ask whether the run can decide, compare, decide, write it down.

1. Section 2: is the measurement contract kept? If not, REJECTED.
2. Section 3 and 4.6: can the run as a whole carry a decision? If not, NO_VERDICT.
3. Section 4: the numbers of every class.
4. Section 4.5 and 1: what they mean.
"""

from __future__ import annotations

from litmus_nb._version import __version__
from litmus_nb.contracts.codes import VerdictState
from litmus_nb.contracts.evidence import Evidence
from litmus_nb.contracts.verdict import Advisory, EvidenceDigests, Execution, Verdict
from litmus_nb.errors import HarnessAdmissibilityError, InvalidVerdictConditions, Refusal
from litmus_nb.rule.admissibility import assert_admissible
from litmus_nb.rule.chain import walk_chain
from litmus_nb.rule.comparison import compare
from litmus_nb.rule.decision import Decision, closed_by, decide
from litmus_nb.rule.eligibility import assert_verdict_eligible
from litmus_nb.rule.finding import found

__all__ = ["emit_verdict", "evaluate_gate", "internal_error", "refused"]


def evaluate_gate(evidence: Evidence) -> Decision:
    """The decision on the evidence. A refusal is a decision too; an error of our own is raised.

    Raises:
        GateInvariantViolation: the gate contradicts itself. The caller leaves a NO_VERDICT with `INTERNAL_ERROR`.
    """
    try:
        admitted = assert_admissible(evidence)
    except HarnessAdmissibilityError as refusal:
        return refused(refusal, [])
    try:
        eligible = assert_verdict_eligible(admitted)
    except InvalidVerdictConditions as refusal:
        return refused(refusal, admitted.suite.file.classes)
    return decide(compare(eligible))


def refused(refusal: Refusal, class_names: list[str]) -> Decision:
    """The decision that a refusal is: REJECTED for admissibility, NO_VERDICT for everything else."""
    is_rejected = isinstance(refusal, HarnessAdmissibilityError)
    state = VerdictState.REJECTED if is_rejected else VerdictState.NO_VERDICT
    return closed_by(state, refusal.findings, class_names)


def internal_error(error: BaseException) -> Decision:
    """The decision where the gate itself failed: closed."""
    observed = f"{type(error).__name__}: {error}"[:300]
    reason = found("INTERNAL_ERROR", "1.4", "litmus_nb", expected="a decision", observed=observed)
    return closed_by(VerdictState.NO_VERDICT, (reason,), [])


def emit_verdict(
    decision: Decision, evidence: Evidence | None, *, run_id: str, as_of: str, notebook_sha256: str | None = None
) -> Verdict:
    """The verdict that says what was decided, on what, and under which circumstances.

    Args:
        decision: of `evaluate_gate`, or of a closing helper.
        evidence: what the decision is about; None where nothing could be loaded.
        run_id: names this execution of the gate.
        as_of: the day that the gate counted from.
        notebook_sha256: digest of the notebook's sources, where a notebook ran.

    Raises:
        pydantic.ValidationError: the decision contradicts itself (a PASS with a reason, and the like).
    """
    return Verdict(
        schema="litmus-nb/verdict/v1",
        verdict=decision.state,
        gate_open=decision.state is VerdictState.PASS,
        degraded=decision.is_degraded,
        reasons=list(decision.reasons),
        classes=list(decision.classes),
        worst_class=decision.worst_class,
        advisory=Advisory(mean_delta=decision.mean_delta),
        evidence=_digests(decision, evidence),
        execution=Execution(run_id=run_id, as_of=as_of, notebook_sha256=notebook_sha256, litmus_nb=__version__),
    )


def _digests(decision: Decision, evidence: Evidence | None) -> EvidenceDigests:
    if evidence is None:
        nothing = dict.fromkeys(EvidenceDigests.model_fields)
        return EvidenceDigests(**nothing)
    chain = None if evidence.ledger is None else walk_chain(evidence.ledger)
    candidate = evidence.candidate
    shows_numbers = decision.state is not VerdictState.REJECTED
    return EvidenceDigests(
        manifest_hash=evidence.suite.manifest_hash if evidence.suite else None,
        gate_sha256=evidence.gate_sha256,
        candidate_digest=candidate.digest if candidate else None,
        policy_digest=candidate.declaration.policy.digest if candidate else None,
        baseline_digest=evidence.baseline.digest if evidence.baseline else None,
        ledger_head=chain.head if chain else None,
        ledger_length=len(chain.entries) if chain and shows_numbers else None,
    )
