"""Recording a verdict, so that running again until green leaves a trace (3.18)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from litmus_nb.contracts.canonical import digest_of_bytes
from litmus_nb.contracts.verdict import Verdict
from litmus_nb.errors import Fault, UnreadableInput
from litmus_nb.ledger.append import Appended, Clock, append_entry, open_ledger
from litmus_nb.rule.chain import Chain

__all__ = ["record_verdict"]


def record_verdict(gate_path: Path, verdict: Verdict, *, by: str, reason: str, clock: Clock) -> Appended:
    """Add a `verdict` entry for a verdict that was given on this gate's ledger.

    Raises:
        UnreadableInput: the verdict does not say which run of which policy it is about, or it was not given on this
            ledger; otherwise as `append_entry`.
        UsageError: as `append_entry`.
    """

    def propose(chain: Chain) -> Mapping[str, Any]:
        digests = verdict.evidence
        missing = [name for name in ("policy_digest", "candidate_digest") if getattr(digests, name) is None]
        if missing:
            raise UnreadableInput(
                [Fault("verdict", f"/evidence/{name}", "a digest, to say what was tried", "null") for name in missing]
            )
        return {
            "kind": "verdict",
            "by": by,
            "reason": reason,
            "policy_digest": digests.policy_digest,
            "candidate_digest": digests.candidate_digest,
            "verdict": verdict.verdict.value,
        }

    with open_ledger(gate_path) as opened:
        _refuse_other_ledger(opened.content, verdict)
    return append_entry(gate_path, propose, clock=clock)


def _refuse_other_ledger(content: bytes, verdict: Verdict) -> None:
    """The head that the verdict saw must be a line of this ledger; the ledger may have grown since."""
    head = verdict.evidence.ledger_head
    heads = {digest_of_bytes(line) for line in content.split(b"\n")[:-1]}
    if head is not None and head not in heads:
        raise UnreadableInput(
            [Fault("verdict", "/evidence/ledger_head", "a line of this gate's ledger", f"{head}, which is none")]
        )
