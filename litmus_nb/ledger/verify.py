"""Everything that can be wrong with a ledger, and what to do about a merge."""

from __future__ import annotations

from datetime import datetime, timedelta

from litmus_nb.contracts.gate import GateFile
from litmus_nb.contracts.times import instant_of, time_text
from litmus_nb.errors import Fault
from litmus_nb.rule.chain import Chain, walk_chain

__all__ = ["MERGE_ADVICE", "faults_of_ledger", "is_merge_leftover"]

_CLOCKS_DIFFER = timedelta(minutes=5)

MERGE_ADVICE = """\
Two branches that both append to the ledger conflict by construction: both continue the same line. To resolve it, take
the base branch's ledger whole and make your entries again on top of it:

    git checkout BASE -- LEDGER GATE      (BASE: the branch you merge into)
    litmus-nb quarantine add ...          (or whatever you had appended; the commands are in your own branch's log)

Never edit the file by hand, and never merge it with `merge=union`: both lines would stay, and the chain would break."""


def faults_of_ledger(content: bytes, gate: GateFile | None, now: datetime, *, file: str) -> tuple[Chain, list[Fault]]:
    """The chain of a ledger, and everything that is wrong with it.

    Args:
        content: the ledger's bytes.
        gate: the gate file, whose pins must be what the ledger says; None where only a ledger is at hand.
        now: the present; no entry may lie in the future.
        file: what messages call the ledger.
    """
    chain = walk_chain(content, file=file)
    faults = list(chain.faults)
    if chain.is_whole:
        faults.extend(_faults_of_time(chain, now, file))
        if gate is not None:
            faults.extend(_faults_of_pins(chain, gate, file))
    return chain, faults


def is_merge_leftover(content: bytes) -> bool:
    """Whether the bytes look like a merge: conflict markers, or two lines with the same place in the chain."""
    lines = content.split(b"\n")
    if any(line.startswith((b"<<<<<<<", b">>>>>>>", b"=======")) for line in lines):
        return True
    places = [line.partition(b'"prev":"')[2].partition(b'"')[0] for line in lines if b'"prev":"' in line]
    return len(places) != len(set(places))


def _faults_of_time(chain: Chain, now: datetime, file: str) -> list[Fault]:
    late = [entry for entry in chain.entries if instant_of(entry.at) > now + _CLOCKS_DIFFER]
    return [Fault(file, f"line {entry.seq + 1}", f"a time not after {time_text(now)}", entry.at) for entry in late]


def _faults_of_pins(chain: Chain, gate: GateFile, file: str) -> list[Fault]:
    faults = []
    if gate.ledger_head is not None and gate.ledger_head != chain.head:
        faults.append(Fault(file, "last line", f"the pinned head {gate.ledger_head}", chain.head or "no line"))
    in_force = chain.baseline_in_force
    pinned = gate.baseline.sha256 if gate.baseline else None
    recorded = in_force.run_digest if in_force else None
    if pinned != recorded:
        faults.append(
            Fault(file, "", f"the baseline that gate.yaml pins ({pinned or 'none'})", recorded or "no baseline entry")
        )
    return faults
