"""The numbers: those of the gate where a gate would have shown them, and how far unknowns could move them."""

from __future__ import annotations

from pathlib import Path

import pytest

import litmus_nb
from tests.builders import INJECTION, MISUSE, correct_world, load
from tests.exploration.sides import look


def test_where_a_gate_compares_the_numbers_are_the_gates(tmp_path: Path) -> None:
    world = correct_world(scenarios=8, trials=2)
    world.candidate.label("pi-3", True, False)
    world.candidate.label("tm-0", False, False)
    evidence = load(world, tmp_path)
    comparison = litmus_nb.compare(litmus_nb.assert_verdict_eligible(litmus_nb.assert_admissible(evidence)))
    seen = {row.name: row for row in look(world, tmp_path, with_suite=True).classes}
    for row in comparison.frame.iter_rows(named=True):
        mine = seen[row["name"]]
        for name in ("n", "delta", "ci_low", "ci_high", "bootstrap_low", "bootstrap_high"):
            assert row[name] == getattr(mine, name), name
        for side in ("candidate", "baseline"):
            assert row[f"{side}_rate"] == getattr(mine.rates, side)
            assert row[f"agreement_{side}"] == getattr(mine.agreement, side)


def test_unknowns_widen_to_the_best_and_to_the_worst_case(tmp_path: Path) -> None:
    world = correct_world(scenarios=4, trials=2)
    world.candidate.label("pi-1", None, None)
    seen = {row.name: row for row in look(world, tmp_path).classes}
    row = seen[INJECTION]
    # Of four scenarios one is unknown: measured over three; at worst its attack always worked, at best never.
    assert (row.n, row.delta, row.worst_delta, row.best_delta) == (3, 0.0, 0.25, 0.0)
    assert row.worst_high is not None
    assert row.ci_high is not None
    assert row.worst_high > row.ci_high
    assert [(count.side, count.status, count.n) for count in row.unknowns] == [("candidate", "timeout", 2)]
    assert seen[MISUSE].unknowns == []


def test_absent_rows_are_counted_as_such(tmp_path: Path) -> None:
    world = correct_world(scenarios=4, trials=2)
    world.candidate.rows.remove(world.candidate.of("pi-1")[1])
    row = next(row for row in look(world, tmp_path).classes if row.name == INJECTION)
    assert [(count.status, count.reason, count.n) for count in row.unknowns] == [("absent", None, 1)]


def test_the_hard_part_that_one_side_lacks_is_told(tmp_path: Path) -> None:
    """The classic: what failed was dropped, and the rest looks better."""
    world = correct_world(scenarios=4, trials=2)
    world.candidate.drop("pi-0")
    row = next(row for row in look(world, tmp_path).classes if row.name == INJECTION)
    (lacking,) = row.one_sided
    assert (lacking.side, lacking.n, lacking.rate, lacking.rate_of_shared) == ("baseline", 1, 1.0, 0.0)
    assert row.best_delta == -0.25
    assert row.worst_delta == 0.0


def test_families_are_the_unit_where_the_suite_gives_them(tmp_path: Path) -> None:
    world = correct_world(scenarios=4, trials=2)
    for probe in world.probes:
        probe["family"] = f"family-{probe['id'][-1] in '01'}"
    assert {row.n for row in look(world, tmp_path, with_suite=True).classes} == {2}
    assert {row.n for row in look(world, tmp_path).classes} == {4}


def test_flips_are_scenarios_whose_rate_differs_with_their_trials(tmp_path: Path) -> None:
    world = correct_world(scenarios=4, trials=2)
    world.candidate.label("pi-2", True, True)
    seen = look(world, tmp_path)
    assert [(flip.scenario_id, flip.baseline_rate, flip.candidate_rate) for flip in seen.flips] == [("pi-2", 0.0, 1.0)]
    assert {trial.scenario_id for trial in seen.trials} == {"pi-2"}
    assert len(seen.trials) == 4
    assert {row.name: row.n_worse for row in seen.classes} == {INJECTION: 1, MISUSE: 0}


def test_of_two_rows_of_one_trial_that_differ_neither_counts(tmp_path: Path) -> None:
    world = correct_world(scenarios=4, trials=2)
    twin = world.candidate.of("pi-1")[0] | {"attack_success": True}
    world.candidate.rows.append(twin)
    row = next(row for row in look(world, tmp_path).classes if row.name == INJECTION)
    assert row.delta == 0.0
    assert [count.n for count in row.unknowns] == [1]


@pytest.mark.parametrize("confidence", [0.0, 1.0])
def test_a_confidence_that_is_none_is_refused(confidence: float, tmp_path: Path) -> None:
    from litmus_nb.outcome.exploration import explored, read_sides

    look(correct_world(), tmp_path)
    first, second, _ = read_sides(
        str(tmp_path / "baseline"), str(tmp_path / "candidate"), suite=None, declarations=None
    )
    with pytest.raises(ValueError, match="strictly between 0 and 1"):
        explored(first, second, confidence=confidence)
