"""Rates for people who decide: over which scenarios and units, and undefined where there is nothing."""

from __future__ import annotations

import pytest

from litmus_nb.ledger.rates import UNDEFINED, mean_rate, paired_shift, rate_of, unit_rates
from litmus_nb.stats.paired import clopper_pearson
from tests.builders import INJECTION, MISUSE, correct_world, load


@pytest.fixture
def sides(tmp_path):
    """Gives the rates of a world's baseline and candidate."""

    def of(world):
        evidence = load(world, tmp_path)
        return unit_rates(evidence.suite, evidence.baseline), unit_rates(evidence.suite, evidence.candidate)

    return of


def by_id(rates, column):
    return dict(rates.select("scenario_id", column).iter_rows())


def test_a_run_without_trials_has_no_rates_and_not_zero(sides, world):
    world.candidate.declaration.update(status="planned", finished_at=None)
    world.candidate.trials_name = None
    before, nothing = sides(world)
    assert (0, before.schema) == (len(nothing), nothing.schema)
    assert tuple(rate_of(nothing, INJECTION, 0.95)) == (0, None, None, None)
    assert UNDEFINED == paired_shift(before, nothing, INJECTION, 0.95) == paired_shift(nothing, before, INJECTION, 0.95)
    assert mean_rate(nothing, INJECTION) is None


def test_a_scenario_of_which_nothing_is_scored_has_no_rate(sides, world):
    """One scored trial of the two is enough."""
    world.candidate.label("pi-1", None, None)
    world.candidate.label("pi-2", None, True)
    _, rates = sides(world)
    assert by_id(rates.filter(scenario_class=INJECTION), "rate") == {"pi-0": 1.0, "pi-2": 1.0, "pi-3": 0.0}
    assert rate_of(rates, INJECTION, 0.95).mean == 2 / 3


def test_scenarios_are_in_order_of_their_ids(sides, world):
    world.candidate.rows.reverse()
    _, rates = sides(world)
    assert [f"{prefix}-{number}" for prefix in ("pi", "tm") for number in range(4)] == rates["scenario_id"].to_list()


def test_a_scenario_that_only_the_run_has_is_left_out(sides, world):
    world.candidate.rows.append({**world.candidate.rows[0], "scenario_id": "pi-9"})
    _, rates = sides(world)
    assert "pi-9" not in by_id(rates, "rate")


def test_a_family_is_one_unit_though_a_scenario_has_its_name(sides, world):
    """The first two scenarios are one unit of rate 1/2, the other two have 0 each."""
    for number in (0, 1):
        world.probes[number]["family"] = "pi-2"
    _, rates = sides(world)
    expected = {"pi-0": "family pi-2", "pi-1": "family pi-2", "pi-2": "scenario pi-2", "pi-3": "scenario pi-3"}
    assert expected == by_id(rates.filter(scenario_class=INJECTION), "unit")
    seen = rate_of(rates, INJECTION, 0.95)
    assert (seen.n, seen.mean) == (3, 1 / 6)


def test_the_interval_of_a_rate_is_clopper_pearsons_where_rates_are_zero_or_one(sides, world):
    world.candidate.label("pi-1", True, True)
    for prefix in ("pi", "tm"):
        world.baseline.label(f"{prefix}-0", False, False)
    before, after = sides(world)
    for rates, name, successes in ((after, INJECTION, 2), (after, MISUSE, 1), (before, MISUSE, 0)):
        expected, seen = clopper_pearson(successes, 4, 0.8), rate_of(rates, name, 0.8)
        assert (expected.rate, expected.low, expected.high) == pytest.approx((seen.mean, seen.low, seen.high), abs=1e-9)


def test_a_shift_is_over_the_scenarios_that_both_have_scored(sides, world):
    """pi-0 has no label before and pi-1 none after; of the two others one got worse."""
    world.baseline.label("pi-0", None, None)
    world.candidate.label("pi-1", None, None)
    world.candidate.label("pi-2", True, True)
    before, after = sides(world)
    seen = paired_shift(before, after, INJECTION, 0.95)
    assert (seen.n, seen.mean) == (2, 0.5)
    assert (-0.5, -seen.high, -seen.low) == tuple(paired_shift(after, before, INJECTION, 0.95))[1:]


@pytest.mark.parametrize(("is_worse", "expected"), [(True, (1.0, 1.0)), (False, (-1.0, -1.0))])
def test_a_shift_of_everything_reaches_the_end_of_the_scale(sides, is_worse, expected):
    world = correct_world(scenarios=3, trials=3)
    for number in range(3):
        world.candidate.label(f"pi-{number}", *[is_worse] * 3)
        world.baseline.label(f"pi-{number}", *[not is_worse] * 3)
    seen = paired_shift(*sides(world), INJECTION, 0.95)
    assert expected == (seen.mean, seen.high if is_worse else seen.low)


def test_mean_rates_without_some_scenarios_and_over_some_only(sides, world):
    _, rates = sides(world)
    assert (
        mean_rate(rates, INJECTION),
        mean_rate(rates, INJECTION, without=["pi-0"]),
        mean_rate(rates, INJECTION, only=["pi-0", "pi-1", "tm-1"]),
    ) == (0.25, 0.0, 0.5)
    assert mean_rate(rates, INJECTION, only=[]) is None
