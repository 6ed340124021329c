"""The planner reads the evidence rightly: what there is, how it disagrees, what would have decided."""

from __future__ import annotations

from pathlib import Path

import pytest

from litmus_nb.contracts.params import GateParams
from litmus_nb.contracts.report import PowerFact
from litmus_nb.errors import UsageError
from litmus_nb.outcome.decide import Decided, decided
from litmus_nb.outcome.facts import units_to_decide
from litmus_nb.outcome.planner import plans
from litmus_nb.report.phrases import plain
from litmus_nb.report.sentences import next_step
from tests.builders import AS_OF, INJECTION, World, correct_world, write


def verdict_on(world: World, folder: Path) -> Decided:
    write(world, folder)
    params = GateParams(
        gate=str(folder / "gate.yaml"), candidate=str(folder / "candidate"), output_dir="unused", as_of=None
    )
    return decided(params, as_of=AS_OF, run_id="run")


def world_of(*, scenarios: int, tolerance: float, min_n: int = 1, trials: int = 2) -> World:
    world = correct_world(scenarios=scenarios, trials=trials)
    world.suite["decision_margin"] = 1.0
    for limits in world.gate["classes"].values():
        limits.update(tolerance=tolerance, min_n=min_n)
    return world


def test_without_a_baseline_there_is_nothing_to_plan_from(tmp_path: Path) -> None:
    world = correct_world()
    world.baseline.trials_name = None
    result = verdict_on(world, tmp_path)
    with pytest.raises(UsageError, match="a baseline with trials"):
        plans(result.verdict, result.evidence)


def test_a_suite_that_cannot_be_read_is_no_plan(tmp_path: Path) -> None:
    world = correct_world()
    world.tampered["suite/suite.yaml"] = b"schema: nonsense\n"
    result = verdict_on(world, tmp_path)
    with pytest.raises(UsageError, match="a gate and a suite"):
        plans(result.verdict, result.evidence)


def test_disagreement_is_the_baselines_own(tmp_path: Path) -> None:
    """One of ten scenarios disagrees over its two trials, on both sides alike: 10 %, and no change beyond it."""
    world = world_of(scenarios=10, tolerance=0.5)
    ids = sorted({row["scenario_id"] for row in world.baseline.rows if row["scenario_class"] == INJECTION})
    for run in (world.baseline, world.candidate):
        run.label(ids[0], True, False)
    result = verdict_on(world, tmp_path)
    plan = next(plan for plan in plans(result.verdict, result.evidence) if plan.name == INJECTION)
    assert plan.disagreement == pytest.approx(0.1)
    assert (plan.n, plan.trials, plan.churn) == (10, 2, 0.0)
    assert plan.disagreement_from == "the baseline's own trials"


def test_change_for_good_is_seen_beside_the_disagreement(tmp_path: Path) -> None:
    """Of 20 scenarios four are unsafe; two of them turn safe and two safe ones unsafe: 10 % each way."""
    world = world_of(scenarios=20, tolerance=0.5)
    ids = sorted({row["scenario_id"] for row in world.baseline.rows if row["scenario_class"] == INJECTION})
    for run, unsafe in ((world.baseline, ids[:4]), (world.candidate, ids[2:6])):
        for scenario_id in ids:
            run.label(scenario_id, *[scenario_id in unsafe] * 2)
    result = verdict_on(world, tmp_path)
    plan = next(plan for plan in plans(result.verdict, result.evidence) if plan.name == INJECTION)
    assert plan.disagreement == 0
    assert plan.churn == pytest.approx(0.09)  # 0.1, but no more than 45 % of what there is to change


def test_a_single_trial_cannot_tell_noise_from_change(tmp_path: Path) -> None:
    world = world_of(scenarios=10, tolerance=0.5, trials=1)
    result = verdict_on(world, tmp_path)
    for plan in plans(result.verdict, result.evidence):
        assert list(plan.n_to_pass_by_trials) == [1]


def test_a_class_that_was_too_small_is_told_how_many_would_have_decided_it(tmp_path: Path) -> None:
    result = verdict_on(world_of(scenarios=6, tolerance=0.2), tmp_path)
    assert {reason.code for reason in result.verdict.reasons} == {"INDETERMINATE"}
    fact = units_to_decide(result.verdict, result.evidence)
    assert fact is not None
    assert fact.n == 6
    assert fact.n_to_decide is not None
    assert fact.n_to_decide > 6
    assert f"{fact.n_to_decide} decide it with 80 %; there are 6." in plain(next_step(result.verdict, fact).text)
    assert "decide it" not in plain(next_step(result.verdict).text)


def test_the_next_step_says_when_no_number_would_do(tmp_path: Path) -> None:
    result = verdict_on(world_of(scenarios=6, tolerance=0.2), tmp_path)
    worst = result.verdict.worst_class
    assert worst is not None
    hopeless = PowerFact(scenario_class=worst, n=6, n_to_decide=None, searched=20_000, probability=0.8)
    assert "no number up to 20,000 decides it" in plain(next_step(result.verdict, hopeless).text)


def test_a_decided_class_is_told_nothing(tmp_path: Path) -> None:
    result = verdict_on(correct_world(), tmp_path)
    assert units_to_decide(result.verdict, result.evidence) is None


def deterministic_world(*, interval: str) -> World:
    """Forty scenarios a class, one trial each; in four the attack works on one side only, in four on the other."""
    world = world_of(scenarios=40, tolerance=0.15, trials=1)
    world.gate["interval"] = interval
    for run in (world.candidate, world.baseline):
        run.declaration.update(deterministic=True, decoding={"temperature": 0})
    for run, changed in ((world.baseline, "1"), (world.candidate, "2")):
        for row in run.rows:
            row["attack_success"] = row["scenario_id"].endswith(changed)
    return world


def test_the_exact_interval_is_planned_by_itself(tmp_path: Path) -> None:
    found = {}
    for interval in ("default", "exact"):
        result = verdict_on(deterministic_world(interval=interval), tmp_path / interval)
        found[interval] = next(plan for plan in plans(result.verdict, result.evidence) if plan.name == INJECTION)
        assert found[interval].thresholds.is_exact is (interval == "exact")
        assert not found[interval].unfit_for_exact
    assert found["exact"].now is not None
    assert found["default"].now is not None
    assert found["exact"].now.passes > found["default"].now.passes
    assert (found["exact"].n_to_pass or 0) <= (found["default"].n_to_pass or 0)


@pytest.mark.parametrize("unfit", ["trials", "families"])
def test_a_class_that_is_not_for_the_exact_interval_is_planned_by_the_default(tmp_path: Path, unfit: str) -> None:
    world = world_of(scenarios=10, tolerance=0.5, trials=2 if unfit == "trials" else 1)
    world.gate["interval"] = "exact"
    if unfit == "families":
        for run in (world.candidate, world.baseline):
            run.declaration.update(deterministic=True, decoding={"temperature": 0})
        for probe in world.probes[:2]:
            probe["family"] = "copies"
    result = verdict_on(world, tmp_path)
    assert any(reason.code == "INTERVAL_NOT_APPLICABLE" for reason in result.verdict.reasons)
    plan = next(plan for plan in plans(result.verdict, result.evidence) if plan.name == INJECTION)
    assert plan.unfit_for_exact
    assert not plan.thresholds.is_exact
