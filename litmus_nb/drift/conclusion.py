"""What the findings amount to: is there drift, where, since when, agent or judge, what next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from litmus_nb.contracts.drift import (
    ALL,
    BehaviourRow,
    ChangeRow,
    Conclusion,
    Decomposition,
    EffectRow,
    Estimate,
    PowerRow,
    Timeline,
)
from litmus_nb.stats.behaviour import POWER_ASKED

__all__ = ["concluded"]

_Step = Literal["rejudge", "more anchors", "repin", "hold the gate", "label more", "watch", "nothing"]


def concluded(
    behaviour: Sequence[BehaviourRow],
    timeline: Timeline | None,
    decomposition: Decomposition | None,
    power: Sequence[PowerRow],
) -> Conclusion:
    """The answer. Drift is what the gate would call so; a change over time says since when, and is no drift by
    itself."""
    drifted = [row.scenario_class for row in behaviour if row.has_fnr_risen or row.has_agreement_fallen]
    classes = [name for name in drifted if name != ALL]
    is_drift: Literal["yes", "none shown", "cannot tell"] = "cannot tell"
    if behaviour:
        is_drift = "yes" if drifted else "none shown"
    change = _change_of(timeline, classes) if drifted else None
    effects = _effect_rows(decomposition, classes)
    return Conclusion(
        is_drift=is_drift,
        classes=classes,
        since_run=change.first_run if change else None,
        since_at=change.at if change else None,
        plausible_runs=list(change.plausible_runs) if change else [],
        identity=_identity(timeline, change),
        is_agent_effect=_agent(effects),
        is_judge_effect=_judge(effects),
        next_steps=_steps(is_drift, decomposition, effects, power),
    )


def _change_of(timeline: Timeline | None, classes: Sequence[str]) -> ChangeRow | None:
    """The clearest shown change of a class that drifted, else of all classes; rows come clearest first."""
    shown = [row for row in timeline.changes if row.is_shown] if timeline else []
    of_classes = [row for row in shown if row.scenario_class in classes]
    overall = [row for row in shown if row.scenario_class == ALL]
    return next(iter([*of_classes, *overall]), None)


def _identity(
    timeline: Timeline | None, change: ChangeRow | None
) -> Literal["changed with it", "did not change with it", "unknown"]:
    if timeline is None or change is None or all(point.digest is None for point in timeline.points):
        return "unknown"
    changed = {row.run_id for row in timeline.identities}
    return "changed with it" if changed & {change.first_run, *change.plausible_runs} else "did not change with it"


def _effect_rows(decomposition: Decomposition | None, classes: Sequence[str]) -> list[EffectRow]:
    """Of the classes that drifted, else of all classes together."""
    if decomposition is None:
        return []
    rows = {row.scenario_class: row for row in decomposition.rows}
    return [rows[name] for name in classes if name in rows] or [rows[ALL]]


def _signs(estimates: Sequence[Estimate]) -> set[int | None]:
    return {_sign(effect) for effect in estimates}


def _sign(effect: Estimate) -> int | None:
    """1 or -1 where the interval lies on one side of zero, 0 where it straddles, None where bounds or nothing is
    known."""
    if effect.low is not None and effect.low > 0:
        return 1
    if effect.high is not None and effect.high < 0:
        return -1
    return None if effect.value is None else 0


def _agent(effects: Sequence[EffectRow]) -> Literal["worse", "better", "none shown", "cannot tell"]:
    signs = _signs([row.agent for row in effects])
    if 1 in signs:
        return "worse"
    if not signs or None in signs:
        return "cannot tell"
    return "better" if -1 in signs else "none shown"


def _judge(effects: Sequence[EffectRow]) -> Literal["more successes", "fewer successes", "none shown", "cannot tell"]:
    signs = _signs([row.judge for row in effects])
    if -1 in signs:
        return "fewer successes"
    if not signs or None in signs:
        return "cannot tell"
    return "more successes" if 1 in signs else "none shown"


def _steps(
    is_drift: str, decomposition: Decomposition | None, effects: Sequence[EffectRow], power: Sequence[PowerRow]
) -> list[_Step]:
    if is_drift == "cannot tell":
        return ["label more", "hold the gate"]
    is_weak = not power or any(row.power is None or row.power < POWER_ASKED for row in power)
    if is_drift == "none shown":
        return ["more anchors", "watch"] if is_weak else ["watch"]
    is_apart = decomposition is not None and None not in _signs([row.agent for row in effects])
    steps: list[_Step] = ["hold the gate"]
    return [*steps, "repin"] if is_apart else [*steps, "rejudge", "repin"]
