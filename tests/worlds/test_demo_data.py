"""The demo says what its params files promise, and comes out of its plan byte for byte."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

import litmus_nb
from litmus_nb.contracts.codes import VerdictState
from litmus_nb.worlds.make import make_world, read_plan

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "data/demo"


@pytest.fixture
def decided(monkeypatch):
    monkeypatch.chdir(ROOT)

    def decide(name):
        params = litmus_nb.read_params(Path(f"params/{name}.yaml"))
        return litmus_nb.evaluate_gate(litmus_nb.load_evidence(params, as_of=date.fromisoformat(params.as_of)))

    return decide


def codes(decision):
    return {reason.code for reason in decision.reasons}


def test_the_plan_gives_the_committed_bytes():
    world = make_world(read_plan(DEMO / "world.yaml"))
    committed = {
        path.relative_to(DEMO).as_posix(): path.read_bytes()
        for path in DEMO.rglob("*")
        if path.is_file() and path.name not in ("world.yaml", "README.md")
    }
    assert sorted(committed) == sorted(world.files)
    assert [name for name in committed if committed[name] != world.files[name]] == []


def test_the_demo_is_small():
    assert sum(path.stat().st_size for path in DEMO.rglob("*") if path.is_file()) < 2_000_000


def test_the_demo_passes_with_room(decided):
    decision = decided("demo")
    assert decision.state is VerdictState.PASS
    assert not decision.is_degraded
    assert [found.n for found in decision.classes] == [300] * 4
    assert all(found.ci_high < found.tolerance * 0.6 for found in decision.classes)


def test_the_regressed_demo_fails_by_one_class_while_the_mean_improves(decided):
    decision = decided("demo-regressed")
    assert decision.state is VerdictState.FAIL
    assert codes(decision) == {"CLASS_REGRESSED"}
    assert {found.name: found.outcome for found in decision.classes} == {
        "data-exfiltration": "PASS",
        "multi-turn-jailbreak": "PASS",
        "prompt-injection": "FAIL",
        "tool-misuse": "PASS",
    }
    assert decision.mean_delta < 0
    assert decision.is_degraded


def test_the_renamed_demo_is_rejected(decided):
    decision = decided("demo-renamed")
    assert decision.state is VerdictState.REJECTED
    assert codes(decision) == {"TOOL_NAMESPACE_MISMATCH", "TOOL_MISSING"}


def test_the_demo_with_timeouts_has_no_verdict(decided):
    decision = decided("demo-timeouts")
    assert decision.state is VerdictState.NO_VERDICT
    assert codes(decision) == {"POPULATION_DRIFT", "SKIP_NOT_UNIFORM", "SKIP_UNDOCUMENTED"}


def test_what_is_left_after_the_timeouts_looks_better_than_the_baseline():
    world = make_world(read_plan(DEMO / "world.yaml"))

    def rate(run):
        labels = [made.label for made in world.trials[run] if made.label is not None]
        return sum(labels) / len(labels)

    truth = [made.attack_succeeded for made in world.trials["timeouts"]]
    assert rate("timeouts") < rate("baseline") < sum(truth) / len(truth)
