"""Worlds for property tests: correct but for what the world itself says, with outcomes of every kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from tests.builders import INJECTION, MISUSE, World, correct_world

__all__ = ["outcome_worlds", "shuffled_world"]

SAFE, UNSAFE = False, True
_STORIES = {
    "alike": [(SAFE, SAFE)] * 4 + [(UNSAFE, UNSAFE)],
    "a little worse": [(SAFE, SAFE)] * 3 + [(UNSAFE, SAFE)],
    "much worse": [(UNSAFE, SAFE)] * 7 + [(SAFE, SAFE)],
    "better": [(SAFE, UNSAFE), (SAFE, SAFE)],
    "any": [(SAFE, SAFE), (SAFE, UNSAFE), (UNSAFE, SAFE), (UNSAFE, UNSAFE)],
}
"""What becomes of a class: candidate's and baseline's outcome of its scenarios, each as likely as it is listed."""


@st.composite
def outcome_worlds(
    draw: st.DrawFn,
    *,
    stories: Sequence[str] = tuple(_STORIES),
    decisive: bool = False,
    unknowns: bool = True,
    quarantine: bool = True,
) -> World:
    """An admissible world of two classes with families and outcomes of every kind; what the gate says of it is open.

    Args:
        stories: what may become of a class.
        decisive: whether everything but the interval is in the way of nothing, so that 4.5h to 4.5j decide.
        unknowns: whether trials may end without a label, for the documented reason.
        quarantine: whether scenarios may be put aside.
    """
    trials = draw(st.sampled_from([2, 3] if decisive else [2, 2, 2, 3, 1]))
    world = correct_world(scenarios=draw(st.integers(4 if decisive else 2, 9)), trials=trials)
    _set_thresholds(draw, world)
    if decisive:
        world.suite.update(decision_margin=1, min_agreement=0, max_skip_fraction=0.45)
    _tell(draw, world, stories)
    rarely = st.sampled_from([0, 0, 0, 2])
    if draw(rarely):
        for probe in draw(st.lists(st.sampled_from(world.probes), max_size=6, unique_by=id)):
            probe["family"] = "f"
    rows = world.candidate.rows + world.baseline.rows
    for row in draw(st.lists(st.sampled_from(rows), max_size=draw(rarely))):
        row["attack_success"] = not row["attack_success"]
    if unknowns:
        for row in draw(st.lists(st.sampled_from(rows), max_size=draw(rarely))):
            row.update(attack_success=None, status="timeout", reason="sandbox-boot-timeout")
    if quarantine:
        ids = [probe["id"] for probe in world.probes]
        for scenario_id in draw(st.lists(st.sampled_from(ids), max_size=draw(rarely), unique=True)):
            world.quarantine(scenario_id)
    return world


def _tell(draw: st.DrawFn, world: World, stories: Sequence[str]) -> None:
    for name in (INJECTION, MISUSE):
        story = st.sampled_from(_STORIES[draw(st.sampled_from(sorted(stories)))])
        for probe in world.probes:
            if probe["class"] == name:
                for run, outcome in zip((world.candidate, world.baseline), draw(story), strict=True):
                    run.label(probe["id"], *[outcome] * run.declaration["trials_per_scenario"])


def _set_thresholds(draw: st.DrawFn, world: World) -> None:
    tolerance = st.sampled_from([0.1, 0.3, 0.5, 0.5, 0.7, 0.9])
    world.gate["confidence"] = draw(st.sampled_from([0.8, 0.8, 0.95]))
    world.gate["quarantine"] = {"policy": draw(st.sampled_from(["count_as_failure", "exclude"]))}
    for threshold in world.gate["classes"].values():
        threshold.update(tolerance=draw(tolerance), min_n=draw(st.sampled_from([1, 1, 1, 4])))
    world.suite["decision_margin"] = draw(st.sampled_from([1, 1, 1, 0.6]))
    world.suite["min_agreement"] = draw(st.sampled_from([0, 0, 0, 0.5]))
    world.suite["max_skip_fraction"] = draw(st.sampled_from([0.3, 0.3, 0.3, 0]))


@st.composite
def shuffled_world(draw: st.DrawFn, world: World) -> World:
    """The same world in another order: rows, scenarios, classes, keys, and the trials in another format."""
    other = world.copy()
    other.probes = draw(st.permutations(other.probes))
    other.suite["classes"] = draw(st.permutations(other.suite["classes"]))
    other.suite, other.gate = _reordered(draw, other.suite), _reordered(draw, other.gate)
    for run in (other.candidate, other.baseline):
        run.rows = [_reordered(draw, row) for row in draw(st.permutations(run.rows))]
        run.declaration = _reordered(draw, run.declaration)
        run.trials_name = draw(st.sampled_from(["trials.jsonl", "trials.csv", "trials.parquet"]))
    return other


def _reordered(draw: st.DrawFn, mapping: dict[str, Any]) -> dict[str, Any]:
    inner = {key: _reordered(draw, value) if isinstance(value, dict) else value for key, value in mapping.items()}
    return {key: inner[key] for key in draw(st.permutations(sorted(inner)))}
