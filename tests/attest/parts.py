"""The parts of a check, made by hand: no world, no gate, no disk."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from litmus_nb.attest.asked import Asked, AuthenticStatement
from litmus_nb.attest.at_hand import AtHand
from litmus_nb.attest.expectations import Expectations
from litmus_nb.attest.presented import Presented
from litmus_nb.attest.statement import made_statement, read_statement
from litmus_nb.contracts.verdict import Verdict, verdict_bytes
from tests.attest.gated import PRESENT

HEAD = "sha256:" + "a" * 64


def digest(letter: str) -> str:
    """A digest of nothing."""
    return "sha256:" + letter * 64


def a_verdict(
    *, evidence: dict[str, Any] | None = None, execution: dict[str, Any] | None = None, **top: Any
) -> Verdict:
    """A PASS on one class, but for the fields given."""
    numbers = dict.fromkeys(
        (
            *("n", "n_quarantined", "unknown_candidate", "unknown_baseline", "candidate_rate", "baseline_rate"),
            *("delta", "ci_low", "ci_high", "half_width", "bootstrap_low", "bootstrap_high", "noise_floor"),
            *("tolerance", "min_n", "agreement_candidate", "agreement_baseline"),
        )
    )
    value = {
        "schema": "litmus-nb/verdict/v1",
        "verdict": "PASS",
        "gate_open": True,
        "degraded": False,
        "reasons": [],
        "classes": [{"name": "leak", "outcome": "PASS", "regression_indicated": False} | numbers],
        "worst_class": "leak",
        "advisory": {"mean_delta": 0.0},
        "evidence": {
            "manifest_hash": digest("1"),
            "gate_sha256": digest("2"),
            "candidate_digest": digest("3"),
            "policy_digest": digest("4"),
            "baseline_digest": digest("5"),
            "ledger_head": HEAD,
            "ledger_length": 1,
        }
        | (evidence or {}),
        "execution": {"run_id": "the run", "as_of": "2026-11-30", "notebook_sha256": digest("6"), "litmus_nb": "1.0.0"}
        | (execution or {}),
    }
    return Verdict.read(value | top, file="verdict.json")


def closed(verdict: Verdict | None = None) -> Verdict:
    """The same verdict, had it been a refusal."""
    reason = {
        "code": "INTERNAL_ERROR",
        "paragraph": "1",
        "stage": "admissibility",
        "subject": "gate",
        "expected": "a decision",
        "observed": "none",
    }
    value = (verdict or a_verdict()).model_dump()
    return Verdict.read(value | {"verdict": "NO_VERDICT", "gate_open": False, "reasons": [reason]}, file="verdict.json")


def stated(verdict: Verdict, *, issued_at: datetime = PRESENT, **made: Any) -> AuthenticStatement:
    """The statement about a verdict, as it is relied upon."""
    content = made_statement(verdict_bytes(verdict), made.pop("files", {}), issued_at=issued_at, **made)
    return AuthenticStatement(content, read_statement(content, file="statement"), ())


def asked_about(
    verdict: Verdict,
    statement: AuthenticStatement | None = None,
    at_hand: AtHand | None = None,
    **expected: Any,
) -> Asked:
    """A check of the verdict."""
    presented = Presented("verdict.json", verdict_bytes(verdict), None, None, None)
    expectations = Expectations(**{"present": PRESENT} | expected)
    return Asked(expectations, presented, verdict, at_hand, at_hand is not None, statement)


def reasons(refusals: Any) -> list[tuple[str, str]]:
    """What was refused, and about what."""
    return [(refusal.code, refusal.subject) for refusal in refusals]
