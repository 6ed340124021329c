"""What may be signed: a verdict that follows, field by field, from the evidence at hand."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from litmus_nb.attest.asked import Asked, refusals_of
from litmus_nb.attest.at_hand import read_at_hand
from litmus_nb.attest.checks import check_evidence, check_recomputed
from litmus_nb.attest.checks_of_ledger import check_ledger
from litmus_nb.attest.expectations import Expectations
from litmus_nb.attest.presented import read_presented
from litmus_nb.attest.statement import made_statement
from litmus_nb.contracts.check_result import Refused
from litmus_nb.contracts.params import GateParams
from litmus_nb.contracts.strict_json import parse_json
from litmus_nb.contracts.verdict import Verdict
from litmus_nb.errors import UnreadableInput

__all__ = ["ToSign", "statement_to_sign"]


@dataclass(frozen=True)
class ToSign:
    """The bytes of a statement that may be signed, or why there is none."""

    statement: bytes | None
    refusals: tuple[Refused, ...]


def statement_to_sign(path: Path, params: GateParams, expected: Expectations, *, valid_days: int) -> ToSign:
    """The statement about the verdict at `path`, if deciding again from the params' evidence gives that verdict.

    Any verdict may be signed, not only a PASS: a signed refusal is a record too. Its age is not asked.
    """
    try:
        presented = read_presented(path)
        verdict = Verdict.read(parse_json(presented.verdict, file=presented.name), file=presented.name)
    except UnreadableInput as unreadable:
        return ToSign(None, tuple(refusals_of("VERDICT_UNREADABLE", unreadable)))
    try:
        at_hand = read_at_hand(params, verdict)
    except UnreadableInput as unreadable:
        return ToSign(None, tuple(refusals_of("EVIDENCE_UNREADABLE", unreadable)))
    asked = Asked(expected, presented, verdict, at_hand, True, None)
    looked = (check_evidence, check_recomputed, check_ledger)
    refusals = tuple(refusal for look in looked for refusal in look(asked))
    if refusals:
        return ToSign(None, refusals)
    statement = made_statement(presented.verdict, at_hand.files, issued_at=expected.present, valid_days=valid_days)
    return ToSign(statement, ())
