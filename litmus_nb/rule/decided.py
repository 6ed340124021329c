"""What a decision is, and the verdict that says it. Light: a refusal before the run passes this way, without polars."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from litmus_nb._version import __version__
from litmus_nb.contracts.codes import VerdictState
from litmus_nb.contracts.evidence import Evidence
from litmus_nb.contracts.findings import Finding
from litmus_nb.contracts.verdict import Advisory, ClassVerdict, EvidenceDigests, Execution, Verdict
from litmus_nb.errors import GateInvariantViolation
from litmus_nb.rule.chain import walk_chain

__all__ = ["Decision", "closed_by", "emit_verdict"]


@dataclass(frozen=True)
class Decision:
    """What was decided and why. `decide` makes one from numbers, `closed_by` from a refusal."""

    state: VerdictState
    is_degraded: bool
    reasons: tuple[Finding, ...]
    classes: tuple[ClassVerdict, ...]
    worst_class: str | None
    mean_delta: float | None


def closed_by(state: VerdictState, reasons: tuple[Finding, ...], class_names: list[str]) -> Decision:
    """The decision of a refusal: closed, without a number.

    Args:
        state: REJECTED or NO_VERDICT.
        reasons: why; at least one.
        class_names: the suite's classes, which NO_VERDICT lists without numbers; ignored for REJECTED.

    Raises:
        GateInvariantViolation: another state, or no reason.
    """
    if state not in (VerdictState.REJECTED, VerdictState.NO_VERDICT) or not reasons:
        raise GateInvariantViolation(f"{state} with {len(reasons)} reasons is no refusal")
    names = sorted(class_names) if state is VerdictState.NO_VERDICT else []
    return Decision(state, False, reasons, tuple(_without_numbers(name) for name in names), None, None)


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
        verdict=decision.state,
        gate_open=decision.state is VerdictState.PASS,
        degraded=decision.is_degraded,
        reasons=list(decision.reasons),
        classes=list(decision.classes),
        worst_class=decision.worst_class,
        advisory=Advisory(mean_delta=decision.mean_delta),
        evidence=_digests(decision, evidence),
        execution=Execution(run_id=run_id, as_of=as_of, notebook_sha256=notebook_sha256, litmus_nb=__version__),
        **_interval(decision, evidence),
    )


def _interval(decision: Decision, evidence: Evidence | None) -> dict[str, Any]:
    """What names the interval that the bounds are of; nothing where it is the default or there is no bound."""
    has_bounds = any(row.ci_high is not None for row in decision.classes)
    gate = evidence.gate if evidence else None
    return {"interval": "exact"} if has_bounds and gate is not None and gate.interval == "exact" else {}


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


def _without_numbers(name: str) -> ClassVerdict:
    """A class of a run that cannot carry a decision: a plausible number would be the lie that this gate withholds."""
    fields: dict[str, None] = {
        field: None for field in ClassVerdict.model_fields if field not in ("name", "outcome", "regression_indicated")
    }
    return ClassVerdict(name=name, outcome="NO_VERDICT", regression_indicated=False, **fields)
