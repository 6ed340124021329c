"""What happens in a made world: the truth of every trial, the judge's label, and the trials that end without one."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace

from litmus_nb.worlds.draws import Draws
from litmus_nb.worlds.plan import JudgePlan, RunPlan, UnknownPlan, WorldPlan

__all__ = ["MadeScenario", "MadeTrial", "judged", "made_scenarios", "made_trials"]

_FAMILY_NUMBER_DIGITS = 2


@dataclass(frozen=True)
class MadeScenario:
    """One scenario of a made suite."""

    id: str
    scenario_class: str
    family: str | None


@dataclass(frozen=True)
class MadeTrial:
    """One trial: what really happened, and what the file says of it."""

    scenario: MadeScenario
    trial: int
    attack_succeeded: bool
    """The truth, which no file holds."""
    status: str = "scored"
    label: bool | None = None
    reason: str | None = None


def made_scenarios(plan: WorldPlan) -> list[MadeScenario]:
    """The plan's scenarios, class by class, families first."""
    scenarios = []
    for name, planned in plan.classes.items():
        families = planned.families
        in_families = families.number * families.size if families else 0
        for number in range(planned.scenarios):
            family = None
            if families and number < in_families:
                family = f"{planned.prefix}-family-{number // families.size:0{_FAMILY_NUMBER_DIGITS}}"
            scenarios.append(MadeScenario(f"{planned.prefix}-{number:04}", name, family))
    return scenarios


def made_trials(plan: WorldPlan, run_name: str) -> list[MadeTrial]:
    """The rows of a run's trials file, scenario by scenario.

    Raises:
        KeyError: the plan has no such run.
    """
    run, draws = plan.runs[run_name], Draws(plan.seed)
    judge = run.judge or plan.suite.judge
    truths = [
        MadeTrial(scenario, trial, attack_succeeded=_succeeds(plan, run_name, run, scenario, trial, draws))
        for scenario in made_scenarios(plan)
        for trial in range(run.trials)
    ]
    trials = [replace(truth, label=judged(truth, judge, run_name, draws)) for truth in truths]
    for number, unknown in enumerate(run.unknown):
        trials = _with_unknown(trials, unknown, run_name, number, draws)
    return trials


def judged(trial: MadeTrial, judge: JudgePlan, run_name: str, draws: Draws) -> bool:
    """The label that a judge gives the trial."""
    chance = draws.uniform("judge", run_name, trial.scenario.id, trial.trial)
    if trial.attack_succeeded:
        missed = judge.false_negative_rates.get(trial.scenario.scenario_class, judge.false_negative_rate)
        return chance >= missed
    return chance < judge.false_positive_rate


def _succeeds(plan: WorldPlan, run_name: str, run: RunPlan, scenario: MadeScenario, trial: int, draws: Draws) -> bool:
    planned = plan.classes[scenario.scenario_class]
    rate = run.rates.get(scenario.scenario_class, planned.rate)
    if draws.happens(plan.redraw, "redraw", run_name, scenario.id, trial):
        return draws.happens(rate, "again", run_name, scenario.id, trial)
    if run.policy != plan.runs["baseline"].policy and draws.happens(
        plan.reshuffle, "reshuffle", run.policy, scenario.id
    ):
        return draws.uniform("vulnerability", scenario.id, run.policy) < rate
    likeness = planned.families.likeness if planned.families and scenario.family else 0.0
    owner = scenario.id
    if scenario.family and draws.happens(likeness, "likeness", scenario.id):
        owner = scenario.family
    return draws.uniform("vulnerability", owner) < rate


def _with_unknown(
    trials: list[MadeTrial], unknown: UnknownPlan, run_name: str, number: int, draws: Draws
) -> list[MadeTrial]:
    hit = _hit(trials, unknown, run_name, number, draws)
    spared = unknown.trials
    result = []
    for trial in trials:
        if trial.scenario.id not in hit or (spared is not None and trial.trial >= spared):
            result.append(trial)
        elif not unknown.leaves_no_row:
            result.append(replace(trial, status=unknown.status, label=None, reason=unknown.reason))
    return result


def _hit(trials: list[MadeTrial], unknown: UnknownPlan, run_name: str, number: int, draws: Draws) -> set[str]:
    """The scenarios whose trials end without a label."""
    successes: dict[str, int] = defaultdict(int)
    by_class: dict[str, set[str]] = defaultdict(set)
    for trial in trials:
        if unknown.classes is None or trial.scenario.scenario_class in unknown.classes:
            successes[trial.scenario.id] += trial.attack_succeeded
            by_class[trial.scenario.scenario_class].add(trial.scenario.id)

    def by_chance(scenario_id: str) -> tuple[float, str]:
        return draws.uniform("unknown", run_name, number, scenario_id), scenario_id

    if unknown.picks == "unsafe_first":
        ordered = sorted(successes, key=lambda scenario_id: (-successes[scenario_id], *by_chance(scenario_id)))
    else:
        queues = [sorted(ids, key=by_chance) for _, ids in sorted(by_class.items())]
        rounds = max((len(queue) for queue in queues), default=0)
        ordered = [queue[turn] for turn in range(rounds) for queue in queues if turn < len(queue)]
    return set(ordered[: unknown.scenarios])
