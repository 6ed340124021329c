"""Section 2: may anything be scored at all? Asked before the first probe, and again before scoring."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from litmus_nb.contracts.evidence import Evidence, Part, RunEvidence, SuiteEvidence
from litmus_nb.contracts.findings import Finding, in_order_of_the_rule
from litmus_nb.contracts.gate import GateFile
from litmus_nb.errors import GateInvariantViolation, HarnessAdmissibilityError
from litmus_nb.rule.admission import ticket_findings
from litmus_nb.rule.contract import contract_findings
from litmus_nb.rule.finding import found, listed

__all__ = ["ADMISSIBILITY_CHECKS", "Admitted", "assert_admissible"]

_TICKET = object()

_CONTRACT_PARTS = (Part.GATE, Part.SUITE, Part.CANDIDATE, Part.BASELINE)


@dataclass(frozen=True)
class Admitted:
    """Evidence that keeps the measurement contract. Only `assert_admissible` makes one."""

    evidence: Evidence
    gate: GateFile
    suite: SuiteEvidence
    candidate: RunEvidence
    ticket: Any

    def __post_init__(self) -> None:
        if self.ticket is not _TICKET:
            raise GateInvariantViolation("Admitted is made by assert_admissible alone")


def assert_admissible(evidence: Evidence) -> Admitted:
    """The evidence, once everything of section 2 holds.

    Raises:
        HarnessAdmissibilityError: with every finding; the state is REJECTED and nothing may be scored.
    """
    if not ADMISSIBILITY_CHECKS:
        raise GateInvariantViolation("no admissibility checks: an empty list admits everything")
    findings = [finding for check in ADMISSIBILITY_CHECKS for finding in check(evidence)]
    if findings:
        raise HarnessAdmissibilityError(in_order_of_the_rule(findings))
    if evidence.gate is None or evidence.suite is None or evidence.candidate is None:
        raise GateInvariantViolation("a part is absent and no check said so")
    return Admitted(evidence, evidence.gate, evidence.suite, evidence.candidate, _TICKET)


def check_readable(evidence: Evidence) -> Iterator[Finding]:
    """1.4: gate, suite and both declarations can be read."""
    for unreadable in evidence.unreadable:
        if unreadable.part in _CONTRACT_PARTS:
            fault = unreadable.fault
            place = f"{fault.file} {fault.where}".strip()
            yield found("CONTRACT_UNREADABLE", "1.4", place, expected=fault.expected, observed=fault.seen)


def check_thresholds_are_about_the_suite(evidence: Evidence) -> Iterator[Finding]:
    """4.5: the gate sets no threshold for a class that the suite does not have."""
    if evidence.gate is None or evidence.suite is None:
        return
    for name in sorted(set(evidence.gate.classes) - set(evidence.suite.file.classes)):
        yield found(
            "CONTRACT_UNREADABLE",
            "4.5",
            f"gate file /classes/{name}",
            expected=f"a class of the suite: {listed(evidence.suite.file.classes)}",
            observed=name,
        )


def check_manifest(evidence: Evidence) -> Iterator[Finding]:
    """2.1: the suite's files are the frozen ones, and the candidate says that it ran them."""
    if evidence.gate is None:
        return
    frozen = evidence.gate.frozen_manifest_hash
    if evidence.suite is not None and evidence.suite.manifest_hash != frozen:
        changes = f": {evidence.changes_since_frozen}" if evidence.changes_since_frozen else ""
        observed = f"{evidence.suite.manifest_hash}{changes}"
        yield found("PROBE_SET_DRIFT", "2.1", "suite", expected=frozen, observed=observed)
    if evidence.candidate is not None and evidence.candidate.declaration.manifest_hash != frozen:
        recorded = evidence.candidate.declaration.manifest_hash
        yield found("PROBE_SET_DRIFT", "2.1", "candidate's manifest_hash", expected=frozen, observed=recorded)


def check_contract(evidence: Evidence) -> Iterator[Finding]:
    """2.2 to 2.9, for the candidate."""
    if evidence.gate is not None and evidence.suite is not None and evidence.candidate is not None:
        yield from contract_findings(evidence.gate, evidence.suite, evidence.candidate)


def check_admission_ticket(evidence: Evidence) -> Iterator[Finding]:
    """2.10: where the gate asks for it, a ticket for exactly this run was issued before it started."""
    if evidence.gate is not None and evidence.gate.require_admission:
        yield from ticket_findings(evidence.gate, evidence)


def check_suite_is_not_empty(evidence: Evidence) -> Iterator[Finding]:
    """2.11: the suite declares a class, and each declared class has a scenario."""
    if evidence.suite is None:
        return
    if not evidence.suite.file.classes:
        yield found("EMPTY_SUITE", "2.11", "classes", expected="at least one class", observed="none")
    populated = {scenario.scenario_class for scenario in evidence.suite.scenarios}
    for name in sorted(set(evidence.suite.file.classes) - populated):
        yield found("EMPTY_SUITE", "2.11", name, expected="at least one scenario", observed="none")


ADMISSIBILITY_CHECKS: tuple[Callable[[Evidence], Iterator[Finding]], ...] = (
    check_readable,
    check_thresholds_are_about_the_suite,
    check_manifest,
    check_contract,
    check_admission_ticket,
    check_suite_is_not_empty,
)
