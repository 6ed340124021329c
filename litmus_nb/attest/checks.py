"""The consumer's checks, one function each (rule 6: a PASS counts only for the digests that it carries)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date, timedelta
from typing import NamedTuple

from litmus_nb.attest.asked import Asked, refused
from litmus_nb.attest.recompute import decided_again, differences
from litmus_nb.attest.rewind import gate_then
from litmus_nb.attest.statement import is_about
from litmus_nb.contracts.canonical import digest_of_bytes
from litmus_nb.contracts.check_result import CheckedWhat, Refused
from litmus_nb.contracts.codes import VerdictState
from litmus_nb.contracts.evidence import Evidence
from litmus_nb.contracts.times import day_of, instant_of, time_text

__all__ = [
    "Check",
    "check_age",
    "check_evidence",
    "check_gate",
    "check_notebook",
    "check_pass",
    "check_proof",
    "check_recomputed",
    "check_run_id",
    "check_statement",
    "check_subject",
]

_CLOCKS_DIFFER = timedelta(minutes=5)


class Check(NamedTuple):
    """One thing that is compared, where what it needs was given."""

    name: CheckedWhat
    applies: Callable[[Asked], bool]
    look: Callable[[Asked], Iterator[Refused]]


def check_pass(asked: Asked) -> Iterator[Refused]:
    """Only PASS opens the gate."""
    if asked.verdict.verdict is not VerdictState.PASS or asked.verdict.gate_open is not True:
        yield refused("NOT_PASS", "/verdict", expected="PASS", observed=asked.verdict.verdict)


def check_age(asked: Asked) -> Iterator[Refused]:
    """The day that the verdict counted from, and its statement's own times."""
    now, most = asked.expected.present, asked.expected.max_age_days
    day = day_of(asked.verdict.execution.as_of)
    yield from _check_day(day, now.date(), most)
    if asked.statement is None:
        return
    predicate = asked.statement.statement.predicate
    issued_at, expires_at = instant_of(predicate.issued_at), instant_of(predicate.expires_at)
    if issued_at > now + _CLOCKS_DIFFER:
        yield refused(
            "VERDICT_FROM_THE_FUTURE", "issuedAt", expected=f"not after {time_text(now)}", observed=predicate.issued_at
        )
    if now - issued_at > timedelta(days=most):
        yield refused("VERDICT_STALE", "issuedAt", expected=f"at most {most} days old", observed=predicate.issued_at)
    if now >= expires_at:
        yield refused(
            "ATTESTATION_EXPIRED", "expiresAt", expected=f"after {time_text(now)}", observed=predicate.expires_at
        )


def _check_day(day: date, today: date, most: int) -> Iterator[Refused]:
    if day > today:
        yield refused("VERDICT_FROM_THE_FUTURE", "/execution/as_of", expected=f"not after {today}", observed=day)
    if (today - day).days > most:
        yield refused("VERDICT_STALE", "/execution/as_of", expected=f"at most {most} days before {today}", observed=day)


def check_run_id(asked: Asked) -> Iterator[Refused]:
    """The execution that the checker started, and no earlier one."""
    seen = asked.verdict.execution.run_id
    if seen != asked.expected.run_id:
        yield refused("RUN_ID_MISMATCH", "/execution/run_id", expected=asked.expected.run_id, observed=seen)


def check_notebook(asked: Asked) -> Iterator[Refused]:
    """The notebook that gave the verdict."""
    seen = asked.verdict.execution.notebook_sha256
    if seen != asked.expected.notebook_sha256:
        wanted = asked.expected.notebook_sha256
        yield refused("NOTEBOOK_MISMATCH", "/execution/notebook_sha256", expected=wanted, observed=seen or "none")


def check_statement(asked: Asked) -> Iterator[Refused]:
    """The statement is, byte for byte, this verdict's."""
    relied_on = asked.statement
    if relied_on is None:
        return
    if not is_about(relied_on.content, relied_on.statement, asked.presented.verdict):
        yield refused(
            "STATEMENT_MISMATCH",
            "statement",
            expected=f"the statement of the verdict {digest_of_bytes(asked.presented.verdict)}",
            observed=f"one of {relied_on.statement.predicate.verdict_sha256}, or with other fields",
        )


def check_subject(asked: Asked) -> Iterator[Refused]:
    """The artefact about to ship is the policy that was tried."""
    seen = asked.verdict.evidence.policy_digest
    if seen != asked.expected.subject:
        yield refused("SUBJECT_MISMATCH", "policy_digest", expected=asked.expected.subject, observed=seen or "none")


def check_proof(asked: Asked) -> Iterator[Refused]:
    """Something of the checker's own was compared. A verdict, a statement and a bundle can be made by anybody."""
    expected = asked.expected
    is_own = expected.is_evidence_own and asked.is_evidence_given
    if expected.trusts_bundle and asked.is_evidence_given:
        return
    if not (expected.asks_for_signature or is_own):
        yield refused(
            "UNPROVEN",
            "verdict",
            expected="--params, or --key (or --identity); for an audit of a bundle, --trust-bundle",
            observed="none of them",
        )
    elif not (is_own or expected.subject):
        yield refused("UNPROVEN", "artefact", expected="--subject: the artefact about to ship", observed="none")


def check_gate(asked: Asked) -> Iterator[Refused]:
    """The gate that the checker means, with its suite and its baseline."""
    gate, digests = asked.expected.gate, asked.verdict.evidence
    if gate is None:
        return
    sha256 = gate.sha256
    if gate.content is not None:
        sha256 = digest_of_bytes(gate_then(gate.content, digests, file=gate.name))
    if sha256 != digests.gate_sha256:
        yield refused("DIGEST_MISMATCH", gate.name, expected=sha256, observed=digests.gate_sha256 or "none")


def check_evidence(asked: Asked) -> Iterator[Refused]:
    """Every file has the bytes that the statement names, and every digest of the verdict is the evidence's."""
    at_hand = asked.at_hand
    if at_hand is None:
        return
    if asked.statement is not None:
        stated = asked.statement.statement.predicate.files
        for name in sorted({*stated, *at_hand.files}):
            if stated.get(name) != at_hand.files.get(name):
                wanted, seen = stated.get(name, "no such file"), at_hand.files.get(name, "no such file")
                yield refused("EVIDENCE_CHANGED", name, expected=wanted, observed=seen)
    recomputed = _digests_of(at_hand.evidence)
    given = asked.verdict.evidence.model_dump()
    for name, digest in recomputed.items():
        if digest != given[name]:
            yield refused("DIGEST_MISMATCH", f"/evidence/{name}", expected=digest, observed=given[name])


def _digests_of(evidence: Evidence) -> dict[str, object]:
    """The digests of the evidence, under the verdict's own names; the ledger's are checked apart."""
    candidate, baseline, suite = evidence.candidate, evidence.baseline, evidence.suite
    return {
        "manifest_hash": suite.manifest_hash if suite else None,
        "gate_sha256": evidence.gate_sha256,
        "candidate_digest": candidate.digest if candidate else None,
        "policy_digest": candidate.declaration.policy.digest if candidate else None,
        "baseline_digest": baseline.digest if baseline else None,
    }


def check_recomputed(asked: Asked) -> Iterator[Refused]:
    """Deciding again gives the same verdict, field by field."""
    if not asked.is_evidence_given:
        wanted = "evidence to decide from: --params, or a bundle"
        yield refused("RECOMPUTED_OTHERWISE", "evidence", expected=wanted, observed="none")
    if asked.at_hand is None:
        return
    for difference in differences(decided_again(asked.at_hand.evidence, asked.verdict), asked.verdict):
        yield refused(
            "RECOMPUTED_OTHERWISE", difference.pointer, expected=difference.recomputed, observed=difference.given
        )
