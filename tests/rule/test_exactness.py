"""Comparisons at their edges: decimals are the decimals that were written, caps round up, bounds are rounded once."""

from __future__ import annotations

from fractions import Fraction

import pytest

from litmus_nb.contracts.codes import VerdictState
from litmus_nb.rule.finding import exact
from tests.builders import INJECTION, codes, correct_world, decide

FOUR_ZEROS_HIGH = 0.602364636
"""1 - 0.025^(1/4), rounded: the upper bound of four units that are all zero (RULE 4.3)."""


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (0.07, Fraction(7, 100)),
        (0.1 + 0.2, Fraction("0.30000000000000004")),
        (1e-05, Fraction(1, 100000)),
        (0.0, Fraction(0)),
        (1.0, Fraction(1)),
    ],
)
def test_a_number_is_the_decimal_that_was_written(written, meant):
    assert meant == exact(written)


def skipping(fraction, unknown, scenarios=50):
    """A world of 2 x `scenarios` x 2 trials, of which `unknown` are unknown, alternating between the classes."""
    world = correct_world(scenarios=scenarios)
    world.suite["max_skip_fraction"] = fraction
    for number in range(unknown):
        prefix = ("pi", "tm")[number % 2]
        world.candidate.label(f"{prefix}-{number // 2 + 1}", False, None)
    return world


def test_a_share_of_exactly_the_limit_is_tolerated(tmp_path):
    """14 of 200 is 0.07 exactly; as a binary fraction 0.07 * 200 is 14.000000000000002."""
    decision = decide(skipping(0.07, 14), tmp_path)
    assert decision.state is VerdictState.PASS
    assert decision.is_degraded


def test_a_share_just_below_a_whole_number_of_trials_tolerates_one_fewer(tmp_path):
    decision = decide(skipping(0.0699999, 14), tmp_path)
    assert codes(decision) == {"POPULATION_DRIFT"}


def test_0_29_of_100_trials_is_29(tmp_path):
    """As binary fractions 0.29 * 100 is 28.999999999999996, which would refuse the 29th."""
    world = skipping(0.29, 29, scenarios=25)
    world.suite["min_agreement"] = 0
    assert codes(decide(world, tmp_path)) == set()


def test_a_classes_cap_is_rounded_up(tmp_path):
    """0.01 x 100 declared trials a class is 1, 0.0101 x 100 is 1.01, whose ceiling is 2."""
    assert codes(decide(one_class_hit(0.01), tmp_path / "one")) == {"SKIP_NOT_UNIFORM"}
    assert codes(decide(one_class_hit(0.0101), tmp_path / "two")) == set()


def one_class_hit(fraction):
    world = correct_world(scenarios=50)
    world.suite["max_skip_fraction"] = fraction
    world.candidate.label("pi-1", False, None)
    world.candidate.label("pi-2", False, None)
    return world


def test_a_cap_that_is_whole_is_not_raised(tmp_path):
    """ceil(0.29 x 100) is 29, and not ceil(28.999..) either: the 30th of one class is refused."""
    world = correct_world(scenarios=50)
    world.suite.update(max_skip_fraction=0.29, min_agreement=0)
    for number in range(1, 31):
        world.candidate.label(f"pi-{number}", False, None)
    assert codes(decide(world, tmp_path / "30")) == {"SKIP_NOT_UNIFORM"}
    world.candidate.of("pi-30")[1].update(attack_success=False, status="scored", reason=None)
    assert codes(decide(world, tmp_path / "29")) == set()


def test_an_upper_bound_of_exactly_the_tolerance_passes(tmp_path):
    """4.5i: upper <= tolerance, at 9 decimals."""
    world = correct_world()
    world.gate["classes"][INJECTION]["tolerance"] = FOUR_ZEROS_HIGH
    assert decide(world, tmp_path / "equal").state is VerdictState.PASS
    world.gate["classes"][INJECTION]["tolerance"] = 0.602364635
    assert codes(decide(world, tmp_path / "below")) == {"INDETERMINATE"}


def test_a_half_width_of_exactly_the_margin_is_too_wide(tmp_path):
    """4.5g: half-width >= margin."""
    world = correct_world()
    world.suite["decision_margin"] = FOUR_ZEROS_HIGH
    assert codes(decide(world, tmp_path / "equal")) == {"UNDERPOWERED"}
    world.suite["decision_margin"] = 0.602364637
    assert codes(decide(world, tmp_path / "above")) == set()


def test_a_tolerance_of_exactly_the_noise_floor_is_not_below_it(tmp_path):
    """4.5f: four zeros have the floor sqrt((2/6)/7)."""
    world = correct_world()
    world.gate["classes"][INJECTION]["tolerance"] = 0.21821789
    assert codes(decide(world, tmp_path / "equal")) == {"INDETERMINATE"}
    world.gate["classes"][INJECTION]["tolerance"] = 0.218217889
    assert codes(decide(world, tmp_path / "below")) == {"TOLERANCE_BELOW_NOISE_FLOOR"}


def much_worse():
    """Twelve units that all go from safe to unsafe: lower is 1 - 2 (1 - 0.025^(1/12)) = 0.470724..."""
    world = correct_world(scenarios=12)
    world.suite.update(decision_margin=1, min_agreement=0)
    for number in range(12):
        world.candidate.label(f"pi-{number}", True, True)
        world.baseline.label(f"pi-{number}", False, False)
    return world


def test_a_lower_bound_of_exactly_the_tolerance_is_no_regression(tmp_path):
    """4.5h: lower > tolerance; the bound has the closed form of one Beta(1, 12) weight."""
    low = round(1 - 2 * (1 - 0.025 ** (1 / 12)), 9)
    world = much_worse()
    world.gate["classes"][INJECTION]["tolerance"] = low
    assert codes(decide(world, tmp_path / "equal")) == {"INDETERMINATE"}
    world.gate["classes"][INJECTION]["tolerance"] = low - 1e-9
    assert codes(decide(world, tmp_path / "below")) == {"CLASS_REGRESSED"}


def test_an_agreement_of_exactly_the_minimum_is_enough(tmp_path):
    """4.5e: seven of ten scenarios agree, 0.7 is asked for."""
    world = correct_world(scenarios=10)
    for number in range(1, 4):
        world.candidate.label(f"pi-{number}", True, False)
        world.baseline.label(f"pi-{number}", True, False)
    assert codes(decide(world, tmp_path / "equal")) == set()
    world.suite["min_agreement"] = 0.7000000001
    assert codes(decide(world, tmp_path / "above")) == {"LOW_AGREEMENT"}


def test_a_third_is_written_to_nine_decimals(tmp_path):
    world = correct_world(scenarios=3)
    assert decide(world, tmp_path).classes[0].candidate_rate == 0.333333333
