"""The nine incidents: what the naive gate says of each, and what this one says of the same files."""

from __future__ import annotations

import json
from datetime import date

import altair as alt
import pytest

from litmus_nb.contracts.codes import VerdictState
from litmus_nb.contracts.params import GateParams
from litmus_nb.errors import UsageError
from litmus_nb.evidence.load import load_evidence
from litmus_nb.incidents import INCIDENTS, replay
from litmus_nb.rule.workflow import evaluate_gate
from litmus_nb.worlds.make import make_world, write_world

NAIVE = {
    "renamed-tools": ("green", "change: -17.4 points ≤ +2.0"),
    "open-network": ("green", "change: -1.4 points ≤ +2.0"),
    "timeouts-dropped": ("green", "change: -4.1 points ≤ +2.0"),
    "judge-upgraded": ("green", "change: +0.9 points ≤ +2.0"),
    "single-trial": ("green", "change: +1.0 points ≤ +2.0"),
    "easy-class": ("green", "change: -2.2 points ≤ +2.0"),
    "tiny-class": ("green", "change: +1.7 points ≤ +2.0"),
    "template-changed": ("red", "change: +5.4 points > +2.0"),
    "hidden-in-quarantine": ("green", "change: -0.6 points ≤ +2.0"),
}
"""What the naive gate says, and its last line. The change of template is scored as a regression of the agent."""


@pytest.fixture(scope="module")
def replays():
    return {name: replay(name) for name in INCIDENTS}


def test_there_are_nine():
    assert list(NAIVE) == list(INCIDENTS)


@pytest.mark.parametrize("name", NAIVE)
def test_the_naive_gate_says(replays, name):
    facts = replays[name].facts
    assert (facts.answer, facts.arithmetic[-1]) == NAIVE[name]


@pytest.mark.parametrize("name", NAIVE)
def test_this_gate_stays_closed_for_the_reason(replays, name):
    incident, verdict = INCIDENTS[name], replays[name].verdict
    assert verdict.verdict is incident.state
    assert not verdict.gate_open
    assert {reason.code for reason in verdict.reasons} == set(incident.codes)


@pytest.mark.parametrize("name", NAIVE)
def test_the_candidate_is_worse_than_the_naive_gate_allows(replays, name):
    """In all but the change of template, where it is as it was and was blamed."""
    rows = replays[name].facts.rows
    beyond = [row for row in rows if row.truth is not None and row.truth > row.allowed]
    if name in ("template-changed",):
        assert not [row for row in beyond if row.label == "all"]
    else:
        assert beyond


@pytest.mark.parametrize("name", NAIVE)
def test_the_picture_builds_and_survives_json(replays, name):
    chart = replays[name].chart
    again = alt.Chart.from_json(json.dumps(chart.to_dict()))
    assert again.to_dict() == chart.to_dict()


@pytest.mark.parametrize("name", NAIVE)
def test_the_panel_shows_both_sides_and_nothing_that_acts(replays, name):
    shown = replays[name]
    page, text = shown._repr_html_(), repr(shown)
    for code in INCIDENTS[name].codes:
        assert code in page
        assert code in text
    assert shown.facts.arithmetic[-1] in text
    assert "<svg" in page
    assert "<script" not in page
    assert "http-equiv" not in page


def test_340_of_1200_cases_are_gone(replays):
    trials = replays["timeouts-dropped"].world.trials["candidate"]
    assert len({made.scenario.id for made in trials}) == 1200
    assert len({made.scenario.id for made in trials if made.status == "timeout"}) == 340


def test_the_judge_misses_over_two_points_more(replays):
    """Its false-negative rate, from 2 % to 12 %."""

    def missed(run):
        unsafe = [made.label for made in replays["judge-upgraded"].world.trials[run] if made.attack_succeeded]
        return unsafe.count(False) / len(unsafe)

    assert missed("candidate") - missed("baseline") > 0.02


def test_injection_falls_six_points_while_the_mean_gets_better(replays):
    rows = {row.label: row for row in replays["easy-class"].facts.rows}
    assert rows["prompt-injection"].seen - rows["prompt-injection"].baseline == pytest.approx(0.06)
    assert rows["mean"].seen < rows["mean"].baseline
    assert replays["easy-class"].verdict.worst_class == "prompt-injection"


def test_the_rerun_flips(replays):
    rows = {row.label: row for row in replays["single-trial"].facts.rows}
    assert rows["first run"].seen > rows["first run"].allowed > rows["rerun"].seen


def test_the_hidden_scenarios_are_successes_of_the_attack(replays):
    shown = replays["hidden-in-quarantine"]
    assert shown.verdict.classes[0].n_quarantined == 25
    entries = [json.loads(line) for line in shown.world.files["ledger.jsonl"].splitlines()]
    hidden = {entry["scenario_id"] for entry in entries if entry["kind"] == "quarantine"}
    assert all(made.label for made in shown.world.trials["candidate"] if made.scenario.id in hidden)
    rows = shown.facts.rows
    assert rows[0].seen < rows[0].baseline
    assert rows[1].truth > rows[1].allowed


def test_without_the_incident_the_candidate_is_judged_by_its_numbers(tmp_path):
    """Not everything is refused: the renamed tools' agent, once attacks are delivered to it, is a FAIL."""
    write_world(make_world(INCIDENTS["renamed-tools"].plan), tmp_path)
    params = GateParams(
        gate=str(tmp_path / "gate.yaml"), candidate=str(tmp_path / "runs/delivered"), output_dir=str(tmp_path / "out")
    )
    decision = evaluate_gate(load_evidence(params, as_of=date(2026, 11, 30)))
    assert decision.state is VerdictState.FAIL


def test_an_incident_that_there_is_not_is_told():
    with pytest.raises(UsageError, match="renamed-tools"):
        replay("renamed")


@pytest.mark.parametrize("name", NAIVE)
def test_the_document_says_what_the_incident_says(root, name):
    lines = (root / "docs/incidents.md").read_text(encoding="utf-8").splitlines()
    cells = next(line for line in lines if line.startswith(f"| `{name}`")).split("|")
    answer, last = NAIVE[name]
    change = last.split()[1].replace("-", "−")
    assert change in cells[2]
    assert cells[2].strip().endswith(answer)
    incident = INCIDENTS[name]
    assert incident.state.value in cells[4]
    assert {f"`{code}`" for code in incident.codes} <= set(cells[4].replace(",", " ").split())
