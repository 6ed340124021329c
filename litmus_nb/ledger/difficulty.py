"""What quarantine does to a class: the baseline's rate on what is gated, against the whole class, through time.

A list that absorbs the hardest scenarios makes the gated rate fall away from the full one, and every later verdict
easier. Each step is measured on the baseline in force, so that only the list changes along the way.
"""

from __future__ import annotations

from dataclasses import dataclass

from litmus_nb.contracts.evidence import RunEvidence, SuiteEvidence
from litmus_nb.contracts.ledger import QuarantineEntry, ReleaseEntry
from litmus_nb.ledger.rates import mean_rate, unit_rates
from litmus_nb.rule.chain import Chain
from litmus_nb.rule.eligibility_of_ledger import quarantine_room

__all__ = ["Difficulty", "difficulty_over_time"]


@dataclass(frozen=True)
class Difficulty:
    """One class after one change of the list. Rates are the baseline's attack success rates, 0 to 1."""

    at: str
    seq: int
    change: str
    """`quarantine ID` or `release ID`."""
    name: str
    scenarios: int
    """Scenarios of the class that no exclusion leaves out."""
    quarantined: int
    full_rate: float | None
    gated_rate: float | None
    """Without what is in quarantine; None where nothing is left."""
    quarantined_rate: float | None
    """Of what is in quarantine; None where nothing is."""

    @property
    def shift(self) -> float | None:
        """Gated minus full. Below zero: the gate looks at easier scenarios than the suite holds."""
        return None if self.gated_rate is None or self.full_rate is None else self.gated_rate - self.full_rate


def difficulty_over_time(chain: Chain, suite: SuiteEvidence, baseline: RunEvidence) -> list[Difficulty]:
    """A row per change of the quarantine list, for the class that it touched, in the ledger's order."""
    class_of = {scenario.id: scenario.scenario_class for scenario in suite.scenarios}
    rates = unit_rates(suite, baseline)
    rows = []
    for index, entry in enumerate(chain.entries, start=1):
        if not isinstance(entry, (QuarantineEntry, ReleaseEntry)) or entry.scenario_id not in class_of:
            continue
        so_far = Chain(chain.entries[:index], None, ())
        name, away = class_of[entry.scenario_id], list(so_far.active_quarantine)
        room = quarantine_room(so_far, suite)[name]
        rows.append(
            Difficulty(
                at=entry.at,
                seq=entry.seq,
                change=f"{entry.kind} {entry.scenario_id}",
                name=name,
                scenarios=room.scenarios,
                quarantined=room.quarantined,
                full_rate=mean_rate(rates, name),
                gated_rate=mean_rate(rates, name, without=away),
                quarantined_rate=mean_rate(rates, name, only=away),
            )
        )
    return rows
