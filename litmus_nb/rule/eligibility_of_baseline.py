"""3.9, 3.12, 3.13, 3.17 and section 2 for the baseline: is this the agreed thing to compare with?"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from litmus_nb.contracts.canonical import canonical_json
from litmus_nb.contracts.evidence import Part
from litmus_nb.contracts.findings import Finding
from litmus_nb.rule.contract import contract_findings
from litmus_nb.rule.finding import found
from litmus_nb.rule.questioned import Questioned

__all__ = ["BASELINE_CHECKS"]


def check_pinned(asked: Questioned) -> Iterator[Finding]:
    """3.12: a baseline is pinned and there."""
    if asked.gate.baseline is None:
        yield found("BASELINE_MISSING", "3.12", "gate file", expected="a pinned baseline", observed="none")
    for unreadable in asked.admitted.evidence.unreadable:
        if unreadable.part is Part.BASELINE_FOLDER:
            fault = unreadable.fault
            yield found("BASELINE_MISSING", "3.12", fault.file, expected=fault.expected, observed=fault.seen)


def check_pinned_digest(asked: Questioned) -> Iterator[Finding]:
    """3.12: the baseline's files are the pinned ones."""
    baseline, pin = asked.sides.get("baseline"), asked.gate.baseline
    if baseline is not None and pin is not None and baseline.digest != pin.sha256:
        observed = baseline.digest or "no digest: its trials are not there"
        yield found("BASELINE_HASH_MISMATCH", "3.12", "baseline", expected=pin.sha256, observed=observed)


def check_recorded(asked: Questioned) -> Iterator[Finding]:
    """3.12: the ledger's latest baseline entry names the pinned baseline."""
    if asked.gate.baseline is None or asked.chain is None or not asked.chain.is_whole:
        return
    in_force = asked.chain.baseline_in_force
    if in_force is None or in_force.run_digest != asked.gate.baseline.sha256:
        observed = "no baseline entry" if in_force is None else in_force.run_digest
        yield found("BASELINE_UNRECORDED", "3.12", "ledger", expected=asked.gate.baseline.sha256, observed=observed)


def check_manifest(asked: Questioned) -> Iterator[Finding]:
    """3.13: the baseline was measured on the same scenarios under the same contract."""
    baseline, own = asked.sides.get("baseline"), asked.admitted.suite.manifest_hash
    if baseline is not None and baseline.declaration.manifest_hash != own:
        recorded = baseline.declaration.manifest_hash
        yield found("BASELINE_MANIFEST_MISMATCH", "3.13", "baseline", expected=own, observed=recorded)


def check_admissible(asked: Questioned) -> Iterator[Finding]:
    """2.2 to 2.9 hold for the baseline's record too."""
    baseline = asked.sides.get("baseline")
    if baseline is None:
        return
    for finding in contract_findings(asked.gate, asked.admitted.suite, baseline):
        yield found(
            "BASELINE_INADMISSIBLE",
            finding.paragraph,
            f"baseline: {finding.subject}",
            expected=finding.expected,
            observed=f"{finding.code}: {finding.observed}",
        )


def check_decoding(asked: Questioned) -> Iterator[Finding]:
    """3.9: both runs were sampled with exactly the same parameters."""
    baseline = asked.sides.get("baseline")
    if baseline is None:
        return
    used = canonical_json(asked.admitted.candidate.declaration.decoding)
    agreed = canonical_json(baseline.declaration.decoding)
    if used != agreed:
        yield found("DECODING_MISMATCH", "3.9", "decoding", expected=agreed.decode(), observed=used.decode())


def check_distinct(asked: Questioned) -> Iterator[Finding]:
    """3.17: candidate and baseline are two runs."""
    baseline, candidate = asked.sides.get("baseline"), asked.admitted.candidate
    if baseline is None:
        return
    if candidate.digest is not None and candidate.digest == baseline.digest:
        yield found("CANDIDATE_IS_BASELINE", "3.17", "run digest", expected="two runs", observed=candidate.digest)
    if candidate.declaration.run_id == baseline.declaration.run_id:
        run_id = candidate.declaration.run_id
        yield found("CANDIDATE_IS_BASELINE", "3.17", "run_id", expected="two runs", observed=run_id)


BASELINE_CHECKS: tuple[Callable[[Questioned], Iterator[Finding]], ...] = (
    check_pinned,
    check_pinned_digest,
    check_recorded,
    check_manifest,
    check_admissible,
    check_decoding,
    check_distinct,
)
