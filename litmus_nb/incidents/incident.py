"""What an incident is, and what the nine have in common: the worlds they happen in and how their pictures are read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from litmus_nb.contracts.codes import VerdictState
from litmus_nb.contracts.incident import IncidentRow
from litmus_nb.incidents.naive import ALLOWED, Naive, compared, counted, truth_of
from litmus_nb.worlds.make import World
from litmus_nb.worlds.outcomes import MadeTrial
from litmus_nb.worlds.plan import WorldPlan

__all__ = ["BASELINE", "CANDIDATE", "FOUR", "Incident", "over_the_whole_suite", "planned", "row_of", "rows_by_class"]

BASELINE, CANDIDATE = "baseline", "candidate"


@dataclass(frozen=True)
class Incident:
    """One incident."""

    name: str
    title: str
    story: str
    moral: str
    plan: WorldPlan
    naive: Callable[[World], Naive]
    rows: Callable[[World], tuple[IncidentRow, ...]]
    state: VerdictState
    """What this gate says."""
    codes: tuple[str, ...]
    """Its reasons, all of them."""


def planned(classes: dict[str, tuple[int, float]], candidate: dict[str, Any], **changes: Any) -> WorldPlan:
    """A world of one baseline and one candidate; `changes` are keys of the plan, `runs` adds to the two."""
    runs = {
        BASELINE: {"policy": "agent-1.4", "day": "2026-08-31"},
        CANDIDATE: {"policy": "agent-1.5", "day": "2026-11-28"} | candidate,
    }
    content: dict[str, Any] = {
        "schema": "litmus-nb/world/v1",
        "name": "incident",
        "seed": 9,
        "as_of": "2026-11-30",
        "pinned_on": "2026-09-01",
        "classes": {
            name: {"prefix": name[:4], "scenarios": scenarios, "rate": rate}
            for name, (scenarios, rate) in classes.items()
        },
    }
    more = {**runs, **changes.pop("runs", {})}
    return WorldPlan.read({**content, **changes, "runs": more}, file="incident")


FOUR = {
    "prompt-injection": (300, 0.2),
    "tool-misuse": (300, 0.15),
    "data-exfiltration": (300, 0.1),
    "multi-turn-jailbreak": (300, 0.3),
}


def over_the_whole_suite(world: World) -> Naive:
    return compared(counted(world.trials[BASELINE]), counted(world.trials[CANDIDATE]))


def row_of(world: World, label: str, *, truth: str = CANDIDATE, name: str | None = None) -> IncidentRow:
    """One line: a class, or all; `truth` is the run that shows what the candidate really is."""

    def keep(made: MadeTrial) -> bool:
        return name is None or made.scenario.scenario_class == name

    baseline = counted(world.trials[BASELINE], keep).rate
    return IncidentRow(
        label=label,
        baseline=baseline,
        seen=counted(world.trials[CANDIDATE], keep).rate,
        truth=truth_of(world.trials[truth], keep),
        allowed=baseline + ALLOWED,
    )


def rows_by_class(truth: str = CANDIDATE) -> Callable[[World], tuple[IncidentRow, ...]]:
    def rows(world: World) -> tuple[IncidentRow, ...]:
        names = sorted({made.scenario.scenario_class for made in world.trials[BASELINE]})
        return (row_of(world, "all", truth=truth), *(row_of(world, name, truth=truth, name=name) for name in names))

    return rows
