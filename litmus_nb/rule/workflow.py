"""The rule's table of contents: admit, ask whether the run can decide, compare, decide, write it down.

1. Section 2: is the measurement contract kept? If not, REJECTED.
2. Section 3 and 4.6: can the run as a whole carry a decision? If not, NO_VERDICT.
3. Section 4: the numbers of every class.
4. Section 4.5 and 1: what they mean.
"""

from __future__ import annotations

from litmus_nb.contracts.codes import VerdictState
from litmus_nb.contracts.evidence import Evidence
from litmus_nb.errors import HarnessAdmissibilityError, InvalidVerdictConditions, Refusal
from litmus_nb.rule.admissibility import assert_admissible
from litmus_nb.rule.comparison import compare
from litmus_nb.rule.decided import Decision, closed_by, emit_verdict
from litmus_nb.rule.decision import decide
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
