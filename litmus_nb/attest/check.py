"""The consumer's check: may this verdict be relied upon, here and now, for this artefact?

1. Read the verdict strictly; nothing else is looked at while it is not exactly a litmus-nb/verdict/v1.
2. Find the statement to rely on: signed by what the checker pins, or, where nothing is pinned, the file beside it.
3. Read the evidence at hand, with gate file and ledger as the verdict saw them.
4. Ask every check whose means were given; report all refusals, not the first.
5. Accept where nothing is refused and, as CheckResult insists, everything that is always asked was asked.
"""

from __future__ import annotations

from litmus_nb.attest.asked import Asked, refusals_of, refused
from litmus_nb.attest.at_hand import AtHand, read_at_hand
from litmus_nb.attest.checks import (
    Check,
    check_age,
    check_evidence,
    check_gate,
    check_notebook,
    check_pass,
    check_proof,
    check_recomputed,
    check_run_id,
    check_statement,
    check_subject,
)
from litmus_nb.attest.checks_of_ledger import check_ledger, check_min_length, check_record, has_ledger
from litmus_nb.attest.expectations import Expectations
from litmus_nb.attest.presented import Presented
from litmus_nb.attest.statement_at_hand import authentic_statement
from litmus_nb.contracts.canonical import digest_of_bytes
from litmus_nb.contracts.check_result import CheckedWhat, CheckResult, Refused
from litmus_nb.contracts.params import GateParams
from litmus_nb.contracts.strict_json import parse_json
from litmus_nb.contracts.verdict import Verdict
from litmus_nb.errors import GateInvariantViolation, UnreadableInput

__all__ = ["CHECKS", "checked"]


def _always(asked: Asked) -> bool:
    return True


def _has_evidence(asked: Asked) -> bool:
    return asked.at_hand is not None


def _is_decided_again(asked: Asked) -> bool:
    """Digests say what a verdict is about, not that it follows: who can write it can write them."""
    is_needed = asked.is_evidence_given and not asked.expected.asks_for_signature
    return is_needed or asked.expected.is_recomputed


CHECKS: tuple[Check, ...] = (
    Check("pass", _always, check_pass),
    Check("age", _always, check_age),
    Check("run_id", lambda asked: asked.expected.run_id is not None, check_run_id),
    Check("notebook", lambda asked: asked.expected.notebook_sha256 is not None, check_notebook),
    Check("statement", _always, check_statement),
    Check("subject", lambda asked: asked.expected.subject is not None, check_subject),
    Check("proof", _always, check_proof),
    Check("gate", lambda asked: asked.expected.gate is not None, check_gate),
    Check("evidence", _has_evidence, check_evidence),
    Check("ledger", has_ledger, check_ledger),
    Check("ledger", lambda asked: asked.expected.min_ledger_length > 0, check_min_length),
    Check("record", lambda asked: asked.expected.is_record_required, check_record),
    Check("recomputed", _is_decided_again, check_recomputed),
)
"""Every check, in the order in which they are reported."""


def checked(presented: Presented, params: GateParams | None, expected: Expectations) -> CheckResult:
    """The result of checking a verdict.

    Args:
        presented: the verdict and what lies beside it.
        params: where the evidence at hand lies; None where there is none.
        expected: what the checker asks for.

    Raises:
        GateInvariantViolation: deciding again, the gate contradicted itself. Nothing was accepted.
    """
    if not CHECKS:
        raise GateInvariantViolation("no checks: an empty list accepts everything")
    try:
        verdict = Verdict.read(parse_json(presented.verdict, file=presented.name), file=presented.name)
    except UnreadableInput as unreadable:
        return _result(presented, None, list(refusals_of("VERDICT_UNREADABLE", unreadable)), [], ())
    statement, refusals = authentic_statement(presented, expected)
    at_hand, unreadable_evidence = _at_hand(params, verdict)
    refusals += unreadable_evidence
    asked = Asked(expected, presented, verdict, at_hand, params is not None, statement)
    applying = [check for check in CHECKS if check.applies(asked)]
    refusals += [refusal for check in applying for refusal in check.look(asked)]
    names: list[CheckedWhat] = ["schema", *(check.name for check in applying)]
    signers = statement.signers if statement else ()
    if expected.asks_for_signature:
        names.append("signature")
    return _result(presented, verdict, refusals, names, signers)


def _at_hand(params: GateParams | None, verdict: Verdict) -> tuple[AtHand | None, list[Refused]]:
    if params is None:
        return None, []
    refusals = []
    if params.as_of is not None and params.as_of != verdict.execution.as_of:
        seen = verdict.execution.as_of
        refusals.append(refused("AS_OF_MISMATCH", "/execution/as_of", expected=params.as_of, observed=seen))
    try:
        return read_at_hand(params, verdict), refusals
    except UnreadableInput as unreadable:
        return None, [*refusals, *refusals_of("EVIDENCE_UNREADABLE", unreadable)]


def _result(
    presented: Presented,
    verdict: Verdict | None,
    refusals: list[Refused],
    names: list[CheckedWhat],
    signers: tuple[str, ...],
) -> CheckResult:
    digests = verdict.evidence if verdict else None
    return CheckResult(
        accepted=not refusals,  # which CheckResult believes only where all that is always asked was asked
        refusals=refusals,
        checked=list(dict.fromkeys(names)),
        policy_digest=digests.policy_digest if digests else None,
        candidate_digest=digests.candidate_digest if digests else None,
        verdict_sha256=digest_of_bytes(presented.verdict),
        signed_by=list(signers),
    )
