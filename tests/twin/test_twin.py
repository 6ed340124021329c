"""The gate and its twin agree on whole worlds; and the twin's own bound agrees with what is known by other means."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
import scipy.stats

from litmus_nb.stats.deltas import DeltaCounts
from litmus_nb.stats.exact import exact_upper_bound
from tests.twin import bound as twin_bound
from tests.twin import exact as twin_exact
from tests.twin import hunt as twin_hunt
from tests.twin.breakages import FILE_BREAKAGES, NOT_POSSIBLE, WORLD_BREAKAGES
from tests.twin.worlds import build, render, seal, seal_baseline, seal_ledger

WORLDS = 60
FIRST_SEED = 7_000_000


@pytest.mark.parametrize("chunk", range(4))
def test_gate_and_twin_decide_alike_on_broken_worlds(chunk):
    first = FIRST_SEED + chunk * WORLDS // 4
    wrong = [found for seed in range(first, first + WORLDS // 4) if (found := twin_hunt.hunt_one(seed))[3]]
    assert wrong == []


@pytest.mark.parametrize("kind", [*WORLD_BREAKAGES, *FILE_BREAKAGES], ids=lambda kind: kind.__name__)
def test_each_breakage_gives_a_code_that_it_promises(kind, tmp_path):
    """One thing broken in an otherwise correct world: the gate says so, in a code of the rule."""
    promised, codes = broken_by(kind, tmp_path)
    assert promised is None or promised & codes


def broken_by(kind, folder):
    for seed in range(400):
        rng = random.Random(seed)
        world = build(rng)
        seal(world)
        promised = kind(world, rng) if kind in WORLD_BREAKAGES else None
        if promised == NOT_POSSIBLE:
            continue
        if kind in WORLD_BREAKAGES:
            seal_baseline(world)
            seal_ledger(world)
            if "unseal" in world:
                world["unseal"]()
                twin_hunt.chain(world)
        files = render(world)
        if kind in FILE_BREAKAGES:
            promised = kind(files, rng)
            if promised == NOT_POSSIBLE:
                continue
        twin_hunt.write(files, folder)
        verdict = twin_hunt.gate_decides(folder, world["as_of"])
        return promised, {reason["code"] for reason in verdict["reasons"]}
    raise AssertionError(f"no world could be broken by {kind.__name__}")


def test_there_are_at_least_sixty_breakages():
    assert len(WORLD_BREAKAGES) + len(FILE_BREAKAGES) >= 60


def test_the_worlds_before_breaking_hold_every_outcome(tmp_path):
    """A hunt whose gate is never open proves nothing about what opens it."""
    states = set()
    for seed in range(40):
        world = build(random.Random(seed))
        seal(world)
        folder = tmp_path / str(seed)
        twin_hunt.write(render(world), folder)
        states.add(twin_hunt.gate_decides(folder, world["as_of"])["verdict"])
    assert {"PASS", "FAIL", "NO_VERDICT"} == states


@pytest.mark.parametrize(("n", "successes"), [(1, 0), (1, 1), (10, 0), (10, 3), (30, 29), (50, 7)])
def test_the_twins_bound_on_yes_no_data_is_clopper_and_pearsons(n, successes):
    """Deltas of -1 and +1 are a binomial on a stretched scale (rule 4.3); scipy's beta quantile is the peer."""
    rate = 1.0 if successes == n else scipy.stats.beta.ppf(0.975, successes + 1, n - successes)
    deltas = [1] * successes + [-1] * (n - successes)
    assert 2 * rate - 1 == pytest.approx(twin_bound.upper_bound(deltas, 0.95), abs=1e-9)


@pytest.mark.parametrize("table", [(1, 0, 0), (4, 1, 3), (10, 0, 1), (10, 1, 0), (12, 5, 7), (30, 2, 2), (40, 12, 0)])
def test_the_twins_exact_bound_is_the_gates(table):
    """By every cell and the trinomial's terms, against the gate's search and binomial tails."""
    n, worse, better = table
    deltas = DeltaCounts.of([-1.0, 0.0, 1.0], [better, n - worse - better, worse])
    assert twin_exact.upper_bound(n, worse, better, 0.95) == pytest.approx(exact_upper_bound(deltas, 0.95), abs=1e-11)


def test_the_twins_tail_is_the_same_with_exact_fractions():
    rng = random.Random(3)
    values = [Fraction(rng.randint(-6, 6), 6) for _ in range(12)] + [Fraction(1)]
    for x in (Fraction(-1, 7), Fraction(1, 5), Fraction(2, 3)):
        exact = twin_bound.tail(values, x)
        assert isinstance(exact, Fraction)
        assert float(exact) == pytest.approx(twin_bound.tail([float(v) for v in values], float(x)), abs=1e-14)


def test_the_twins_tail_is_what_dirichlet_weights_give():
    """1e5 draws: three standard errors are 0.005."""
    draws = scipy.stats.dirichlet([1] * 6, seed=11).rvs(100_000) @ [-1.0, -0.25, 0.0, 0.0, 0.5, 1.0]
    assert (draws > 0.1).mean() == pytest.approx(twin_bound.tail([-1.0, -0.25, 0.0, 0.0, 0.5, 1.0], 0.1), abs=0.005)
