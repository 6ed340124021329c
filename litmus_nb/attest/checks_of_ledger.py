"""The consumer's checks of the ledger: is it the verdict's, continued, and does what follows leave it standing?"""

from __future__ import annotations

from collections.abc import Iterator

from litmus_nb.attest.asked import Asked, refusals_of, refused
from litmus_nb.contracts.canonical import digest_of_bytes
from litmus_nb.contracts.check_result import Refused
from litmus_nb.contracts.codes import VerdictState
from litmus_nb.contracts.ledger import VerdictEntry
from litmus_nb.errors import UnreadableInput
from litmus_nb.files import read_bytes
from litmus_nb.rule.chain import Chain, walk_chain

__all__ = ["check_ledger", "check_min_length", "check_record", "has_ledger"]


def has_ledger(asked: Asked) -> bool:
    """Whether there is a ledger to compare with."""
    return asked.at_hand is not None or asked.expected.ledger is not None


def check_ledger(asked: Asked) -> Iterator[Refused]:
    """The ledger at hand begins with the verdict's, and nothing after it changes what was decided."""
    try:
        ledgers = list(_ledgers(asked))
    except UnreadableInput as unreadable:
        yield from refusals_of("EVIDENCE_UNREADABLE", unreadable)
        return
    for name, content in ledgers:
        chain = walk_chain(content)
        for fault in chain.faults:
            yield refused("LEDGER_ROLLED_BACK", f"{name} {fault.where}", expected=fault.expected, observed=fault.seen)
        if chain.is_whole:
            yield from _check_continued(asked, chain, content, name)
    yield from _check_pinned_head(asked)


def check_min_length(asked: Asked) -> Iterator[Refused]:
    """The verdict saw at least as much of the ledger as the checker has seen before."""
    least, seen = asked.expected.min_ledger_length, asked.verdict.evidence.ledger_length
    if seen is None or seen < least:
        yield refused("LEDGER_ROLLED_BACK", "/evidence/ledger_length", expected=f"at least {least}", observed=seen)


def check_record(asked: Asked) -> Iterator[Refused]:
    """The ledger has an entry for this verdict, made after it."""
    digests = asked.verdict.evidence
    wanted = f"a verdict entry for candidate {digests.candidate_digest}, {asked.verdict.verdict}"
    try:
        ledgers = list(_ledgers(asked))
    except UnreadableInput:
        return  # refused by check_ledger already
    if not ledgers:
        yield refused("NOT_RECORDED", "ledger", expected=wanted, observed="no ledger at hand")
    for name, content in ledgers:
        later = walk_chain(content).entries[digests.ledger_length :]
        is_recorded = any(
            isinstance(entry, VerdictEntry)
            and (entry.policy_digest, entry.candidate_digest, entry.verdict)
            == (digests.policy_digest, digests.candidate_digest, asked.verdict.verdict)
            for entry in later
        )
        if not is_recorded:
            yield refused("NOT_RECORDED", name, expected=wanted, observed="no such entry after the verdict")


def _ledgers(asked: Asked) -> Iterator[tuple[str, bytes]]:
    if asked.at_hand is not None:
        yield "ledger", asked.at_hand.ledger
    if asked.expected.ledger is not None:
        yield str(asked.expected.ledger), read_bytes(asked.expected.ledger)


def _check_continued(asked: Asked, chain: Chain, content: bytes, name: str) -> Iterator[Refused]:
    digests = asked.verdict.evidence
    length, lines = digests.ledger_length, content.split(b"\n")[:-1]
    if length is None or length > len(lines):
        yield refused(
            "LEDGER_ROLLED_BACK", name, expected=f"at least {length} entries, as the verdict saw", observed=len(lines)
        )
        return
    head = digest_of_bytes(lines[length - 1]) if length else None
    if head != digests.ledger_head:
        wanted = f"line {length} with the digest {digests.ledger_head}"
        yield refused("LEDGER_ROLLED_BACK", name, expected=wanted, observed=head or "no line")
        return
    yield from _check_later(asked, chain, length, name)


def _check_pinned_head(asked: Asked) -> Iterator[Refused]:
    """Where the gate file at hand pins a head, the ledger at hand ends with it: what came later was not cut off."""
    if asked.at_hand is None or asked.at_hand.pinned_head is None:
        return
    head = walk_chain(asked.at_hand.ledger).head
    if head != asked.at_hand.pinned_head:
        wanted = f"the head that gate.yaml pins, {asked.at_hand.pinned_head}"
        yield refused("LEDGER_ROLLED_BACK", "ledger", expected=wanted, observed=head or "no line")


def _check_later(asked: Asked, chain: Chain, length: int, name: str) -> Iterator[Refused]:
    for entry in chain.entries[length:]:
        where = f"{name} line {entry.seq + 1}"
        if not isinstance(entry, VerdictEntry):
            yield refused("LEDGER_MOVED_ON", where, expected="verdicts only", observed=entry.kind)
        elif entry.policy_digest == asked.verdict.evidence.policy_digest and entry.verdict is not VerdictState.PASS:
            yield refused("CONTRADICTED_LATER", where, expected="no later verdict but PASS", observed=entry.verdict)
