"""Section 2, asked of a planned run before its first scenario. Pure; the time is passed in."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from litmus_nb.contracts.evidence import Evidence
from litmus_nb.contracts.findings import Finding, in_order_of_the_rule
from litmus_nb.contracts.times import instant_of
from litmus_nb.rule.admissibility import ADMISSIBILITY_CHECKS, check_admission_ticket
from litmus_nb.rule.finding import found

__all__ = ["preflight_findings"]

_FRESH = timedelta(hours=24)


def preflight_findings(evidence: Evidence, now: datetime) -> tuple[Finding, ...]:
    """Everything of section 2 that does not hold for the planned run; empty where it may start.

    The ticket of 2.10 is what this leads to, so it is not asked for.

    Args:
        evidence: the gate, the suite and the candidate's declaration; trials are not looked at.
        now: the present instant, timezone-aware.
    """
    checks = [check for check in ADMISSIBILITY_CHECKS if check is not check_admission_ticket]
    findings = [finding for check in checks for finding in check(evidence)]
    return in_order_of_the_rule([*findings, *_not_planned(evidence), *_not_fresh(evidence, now)])


def _not_planned(evidence: Evidence) -> Iterator[Finding]:
    if evidence.candidate is not None and evidence.candidate.declaration.status != "planned":
        seen = evidence.candidate.declaration.status
        yield found(
            "NOT_ADMITTED", "2.10", "status", expected="planned: a run is admitted before it starts", observed=seen
        )


def _not_fresh(evidence: Evidence, now: datetime) -> Iterator[Finding]:
    """2.7 for a run that has not started: it would start now at the earliest."""
    if evidence.candidate is None or (measured_at := evidence.candidate.declaration.sandbox.measured_at) is None:
        return
    age = now - instant_of(measured_at)
    if not timedelta(0) <= age <= _FRESH:
        expected = f"at most 24 hours before now, {now:%Y-%m-%dT%H:%M:%SZ}, and not after it"
        yield found("ENVELOPE_UNMEASURED", "2.7", "measured_at", expected=expected, observed=measured_at)
