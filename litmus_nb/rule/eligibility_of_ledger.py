"""3.14, 3.15, 3.16 and 3.18: is the record of decisions whole, current, and not worn out?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from fractions import Fraction
from typing import NamedTuple

from litmus_nb.contracts.base import shown
from litmus_nb.contracts.evidence import Part, SuiteEvidence
from litmus_nb.contracts.findings import Finding
from litmus_nb.contracts.gate import GateFile
from litmus_nb.contracts.ledger import QuarantineEntry
from litmus_nb.contracts.times import instant_of
from litmus_nb.rule.chain import Chain, attempts_of
from litmus_nb.rule.finding import exact, found
from litmus_nb.rule.questioned import Questioned

__all__ = ["LEDGER_CHECKS", "QuarantineRoom", "quarantine_findings", "quarantine_room"]


def check_chain(asked: Questioned) -> Iterator[Finding]:
    """3.14: the chain is whole."""
    for unreadable in asked.admitted.evidence.unreadable:
        if unreadable.part is Part.LEDGER:
            fault = unreadable.fault
            yield found("LEDGER_BROKEN", "1.4", fault.file, expected=fault.expected, observed=fault.seen)
    for fault in asked.chain.faults if asked.chain else ():
        yield found("LEDGER_BROKEN", "3.14", f"ledger {fault.where}", expected=fault.expected, observed=fault.seen)


def check_head(asked: Questioned) -> Iterator[Finding]:
    """3.14: where the gate pins the ledger's head, the last line is that one."""
    pinned = asked.gate.ledger_head
    if pinned is not None and asked.chain is not None and asked.chain.head != pinned:
        observed = asked.chain.head or "no last line"
        yield found("LEDGER_BROKEN", "3.14", "ledger_head", expected=pinned, observed=observed)


def check_quarantine(asked: Questioned) -> Iterator[Finding]:
    """3.15: no active quarantine is past its age, unexplained, ageless, or about an unknown scenario; nor too many."""
    if asked.chain is not None and asked.chain.is_whole:
        admitted = asked.admitted
        yield from quarantine_findings(asked.chain, asked.gate, admitted.suite, admitted.evidence.as_of)


def quarantine_findings(chain: Chain, gate: GateFile, suite: SuiteEvidence, as_of: date) -> Iterator[Finding]:
    """Everything that 3.15 finds in a whole chain on the day `as_of`."""
    yield from _findings_of_entries(chain, suite, as_of)
    most = gate.quarantine.max_fraction
    if most is None:
        return
    for name, room in sorted(quarantine_room(chain, suite).items()):
        if room.scenarios and Fraction(room.quarantined, room.scenarios) > exact(most):
            yield found(
                "QUARANTINE_TOO_MANY",
                "3.15",
                name,
                expected=f"at most {most} of the class's {room.scenarios} scenarios",
                observed=room.quarantined,
            )


class QuarantineRoom(NamedTuple):
    """How much of a class is in quarantine."""

    scenarios: int
    """Scenarios of the class that no exclusion leaves out."""
    quarantined: int
    """How many of them are in quarantine."""


def quarantine_room(chain: Chain, suite: SuiteEvidence) -> dict[str, QuarantineRoom]:
    """Class to its room, for every class of the suite."""
    excluded = suite.excluded_ids
    counted = [scenario for scenario in suite.scenarios if scenario.id not in excluded]
    active = chain.active_quarantine
    scenarios = Counter(scenario.scenario_class for scenario in counted)
    quarantined = Counter(scenario.scenario_class for scenario in counted if scenario.id in active)
    return {name: QuarantineRoom(scenarios[name], quarantined[name]) for name in suite.file.classes}


def _findings_of_entries(chain: Chain, suite: SuiteEvidence, as_of: date) -> Iterator[Finding]:
    known = {scenario.id for scenario in suite.scenarios}
    for scenario_id, entry in sorted(chain.active_quarantine.items()):
        if scenario_id not in known:
            yield _invalid(scenario_id, "a scenario of the suite", "unknown scenario")
        if not isinstance(entry.reason, str) or not entry.reason.strip():
            yield _invalid(scenario_id, "a reason", shown(entry.reason))
        if not _is_whole_positive(entry.max_age_days):
            yield _invalid(scenario_id, "max_age_days: a whole positive number", shown(entry.max_age_days))
        elif (age := _age_in_days(entry, as_of)) > entry.max_age_days:
            yield found(
                "QUARANTINE_EXPIRED",
                "3.15",
                scenario_id,
                expected=f"at most {entry.max_age_days} days old",
                observed=f"{age} days",
            )


def _invalid(scenario_id: str, expected: str, observed: str) -> Finding:
    return found("QUARANTINE_INVALID", "3.15", scenario_id, expected=expected, observed=observed)


def _is_whole_positive(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _age_in_days(entry: QuarantineEntry, as_of: date) -> int:
    return (as_of - instant_of(entry.at).date()) // timedelta(days=1)


def check_as_of(asked: Questioned) -> Iterator[Finding]:
    """3.16: the day that the gate counts from is not before the evidence."""
    as_of = asked.admitted.evidence.as_of
    times = {"candidate's finished_at": asked.admitted.candidate.declaration.finished_at}
    if asked.chain is not None and asked.chain.is_whole and asked.chain.entries:
        times["the ledger's last entry"] = asked.chain.entries[-1].at
    for what, time in times.items():
        if time is not None and as_of < instant_of(time).date():
            yield found("AS_OF_INVALID", "3.16", "as_of", expected=f"not before {what}, {time}", observed=as_of)


def check_attempts(asked: Questioned) -> Iterator[Finding]:
    """3.18: the policy has attempts left since the baseline in force."""
    most = asked.gate.max_attempts
    if most is None or asked.chain is None or not asked.chain.is_whole:
        return
    candidate = asked.admitted.candidate
    made = attempts_of(asked.chain, candidate.declaration.policy.digest, candidate.digest)
    if made >= most:
        yield found(
            "TOO_MANY_ATTEMPTS",
            "3.18",
            candidate.declaration.policy.digest,
            expected=f"fewer than {most} earlier verdicts since the baseline in force",
            observed=made,
        )


LEDGER_CHECKS: tuple[Callable[[Questioned], Iterator[Finding]], ...] = (
    check_chain,
    check_head,
    check_quarantine,
    check_as_of,
    check_attempts,
)
