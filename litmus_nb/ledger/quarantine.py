"""Putting a scenario aside and taking it back, each with a name, a reason and an end."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from litmus_nb.contracts.base import shown
from litmus_nb.contracts.evidence import SuiteEvidence
from litmus_nb.contracts.times import instant_of
from litmus_nb.errors import UsageError
from litmus_nb.ledger.append import Appended, Clock, append_entry
from litmus_nb.ledger.words import signed_by
from litmus_nb.rule.chain import Chain
from litmus_nb.rule.eligibility_of_ledger import quarantine_room
from litmus_nb.rule.finding import exact

__all__ = ["LONGEST_QUARANTINE_DAYS", "QuarantineRow", "add_quarantine", "quarantine_rows", "release_quarantine"]

LONGEST_QUARANTINE_DAYS = 30
"""How far away the end of a quarantine may be set. Longer needs a renewal, which is a person looking again."""


class QuarantineRow(NamedTuple):
    """One active quarantine."""

    scenario_id: str
    scenario_class: str | None
    """None: the suite has no such scenario."""
    by: str
    reason: Any
    since: str
    max_age_days: Any
    days_left: int | None
    """Negative once expired; None where the entry has no valid age."""


def add_quarantine(
    gate_path: Path,
    suite: SuiteEvidence,
    scenario_id: str,
    *,
    max_age_days: int,
    by: str,
    reason: str,
    max_fraction: float | None,
    clock: Clock,
) -> Appended:
    """Put a scenario in quarantine, or renew its quarantine.

    Args:
        gate_path: gate.yaml, which names the ledger.
        suite: the suite whose scenario it is.
        scenario_id: exactly one scenario; there are no patterns.
        max_age_days: days until it expires, 1 to `LONGEST_QUARANTINE_DAYS`.
        by: who decides.
        reason: why.
        max_fraction: the gate's cap on the share of a class, where it has one.
        clock: the present instant.

    Raises:
        UsageError: unknown scenario, no reason, an end too far away, or the class's cap is reached; otherwise as
            `append_entry`.
    """
    known = {scenario.id: scenario.scenario_class for scenario in suite.scenarios}
    faults = []
    if scenario_id not in known:
        faults.append(f"expected the id of one scenario of the suite {suite.file.name}; seen {shown(scenario_id)}")
    if not 1 <= max_age_days <= LONGEST_QUARANTINE_DAYS:
        faults.append(f"--days: expected 1 to {LONGEST_QUARANTINE_DAYS}, and a renewal after that; seen {max_age_days}")
    if faults:
        raise UsageError("\n".join(faults))
    words = signed_by(by=by, reason=reason)

    def propose(chain: Chain) -> Mapping[str, Any]:
        if scenario_id not in chain.active_quarantine and max_fraction is not None:
            _refuse_beyond_cap(chain, suite, known[scenario_id], max_fraction)
        return {"kind": "quarantine", "scenario_id": scenario_id, "max_age_days": max_age_days, **words}

    return append_entry(gate_path, propose, clock=clock)


def release_quarantine(gate_path: Path, scenario_id: str, *, by: str, reason: str, clock: Clock) -> Appended:
    """Take a scenario out of quarantine.

    Raises:
        UsageError: the scenario is in none, or no reason; otherwise as `append_entry`.
    """
    words = signed_by(by=by, reason=reason)

    def propose(chain: Chain) -> Mapping[str, Any]:
        active = chain.active_quarantine
        if scenario_id not in active:
            listed = ", ".join(sorted(active)[:10]) or "none"
            raise UsageError(f"expected a scenario in quarantine ({listed}); seen {shown(scenario_id)}")
        return {"kind": "release", "scenario_id": scenario_id, **words}

    return append_entry(gate_path, propose, clock=clock)


def quarantine_rows(chain: Chain, suite: SuiteEvidence, as_of: date) -> list[QuarantineRow]:
    """The active quarantines by days left: those of no valid age first, then the expired ones."""
    classes = {scenario.id: scenario.scenario_class for scenario in suite.scenarios}
    rows = []
    for scenario_id, entry in chain.active_quarantine.items():
        days = entry.max_age_days
        is_valid = isinstance(days, int) and not isinstance(days, bool) and days > 0
        age = (as_of - instant_of(entry.at).date()).days
        left = days - age if is_valid else None
        rows.append(QuarantineRow(scenario_id, classes.get(scenario_id), entry.by, entry.reason, entry.at, days, left))
    return sorted(rows, key=lambda row: (-math.inf if row.days_left is None else row.days_left, row.scenario_id))


def _refuse_beyond_cap(chain: Chain, suite: SuiteEvidence, name: str, max_fraction: float) -> None:
    room = quarantine_room(chain, suite)[name]
    if Fraction(room.quarantined + 1, room.scenarios) > exact(max_fraction):
        raise UsageError(
            f"{name}: {room.quarantined} of {room.scenarios} scenarios are in quarantine, and the gate's "
            f"quarantine.max_fraction is {max_fraction}; repair and release one first"
        )
