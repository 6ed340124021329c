"""The declarations beside a log: what is absent, contradictory or unknown is named, and nothing is guessed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.readers.around import Around, faults, read

LOG = "runs.csv"
OUTCOME = {
    "scenario": "id",
    "label": "label",
    "attack_success_when": {"equals": ["1"]},
    "attack_failure_when": {"equals": ["0"]},
}
PART = {"classes": {"constant": "leak"}, "outcome": OUTCOME}


@pytest.fixture
def around(tmp_path: Path) -> Around:
    around = Around(tmp_path / "world", {"a": "leak", "b": "leak"})
    (around.folder / LOG).write_text("id,label,kind\na,1,x\nb,0,y\n")
    return around


def said(around: Around, part: dict | None = None, **run) -> str:
    around.declare(LOG, part or PART, around.run("p", **run))
    return faults(around.folder, f"table:{LOG}")


def test_correct_declarations_are_read(around):
    assert said(around) == ""


def test_a_log_without_declarations_says_where_they_belong(around):
    message = faults(around.folder, f"table:{LOG}")
    assert "runs.csv.litmus.yaml" in message
    assert "what a log cannot say" in message


KEYS = [
    "run_id",
    "status",
    "policy__digest",
    "manifest_hash",
    "interface__tools",
    "sandbox__measured_at",
    "canary",
    "judge__resolved_digest",
    "decoding",
    "trials_per_scenario",
    "started_at",
]


@pytest.mark.parametrize("key", KEYS)
def test_a_key_that_nobody_said_is_named(around, key):
    where = "/run/" + key.replace("__", "/")
    assert f"{where}: expected a value: a log of this tool cannot state it" in said(around, **{key: None})


def test_everything_that_is_wrong_is_said_at_once(around):
    lines = said(around, manifest_hash=None, decoding=None, policy__digest="gpt-4").splitlines()
    assert len(lines) == 3


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"attack_success_when": {}}, "a condition"),
        ({"attack_success_when": {"equals": ["1"]}, "attack_failure_when": {"equals": ["0", "1"]}}, "'1' is on both"),
        ({"attack_success_when": {"above": 0.4}, "attack_failure_when": {"below": 0.5}}, "is on both"),
        ({"attack_success_when": {"equals": [None]}}, "equals lists"),
        ({"scorer": "x"}, "no such key"),
        ({"label": None}, "/outcome/label"),
        ({"label": "verdict"}, "expected the column 'verdict'"),
    ],
)
def test_an_outcome_that_could_be_read_two_ways_is_refused(around, change, message):
    assert message in said(around, PART | {"outcome": OUTCOME | change})


@pytest.mark.parametrize("key", ["attack_success_when", "attack_failure_when"])
def test_both_ends_of_the_polarity_are_declared(around, key):
    outcome = {name: value for name, value in OUTCOME.items() if name != key}
    assert f"/outcome/{key}: expected a value" in said(around, PART | {"outcome": outcome})


@pytest.mark.parametrize(
    ("classes", "message"),
    [
        ({}, "exactly one of constant, field, probes"),
        ({"constant": "leak", "field": "kind"}, "exactly one of constant, field, probes"),
        ({"constant": "leak", "values": {"x": "leak"}}, "values only with field"),
        ({"field": "sort"}, "no field 'sort'"),
        ({"field": "kind", "values": {"x": "leak"}}, "no entry for 'y' in /classes/values"),
        ({"probes": "absent.jsonl"}, "nothing there"),
    ],
)
def test_a_class_that_nothing_gives_is_refused(around, classes, message):
    assert message in said(around, PART | {"classes": classes})


def test_classes_come_from_a_field_through_a_mapping_or_from_the_probes(around):
    for classes in ({"field": "kind", "values": {"x": "leak", "y": "leak"}}, {"probes": "suite/probes.jsonl"}):
        assert said(around, PART | {"classes": classes}) == ""
        seen = read(around.folder, f"table:{LOG}").tally.classes_seen
        assert {"leak"} == set(seen["scenario_class"])


def test_the_probes_that_gave_the_classes_are_bound_too(around):
    said(around, PART | {"classes": {"probes": "suite/probes.jsonl"}})
    assert "suite/probes.jsonl" in read(around.folder, f"table:{LOG}").provenance.sources


def test_logs_are_named_once_and_the_log_itself_is_among_them(around):
    assert "each log once" in said(around, PART | {"logs": [LOG, LOG]})
    assert "runs.csv among the logs" in said(around, PART | {"logs": ["others.csv"]})


def test_declarations_under_another_name_name_their_logs(around):
    place = around.declare(LOG, PART, around.run("p"))
    place.rename(around.folder / "mine.yaml")
    assert "/logs: expected the logs of the run" in faults(around.folder, "table:mine.yaml")


def test_one_log_per_trial_is_one_run(around):
    (around.folder / "more.csv").write_text("id,label,kind\na,0,x\nb,0,y\n")
    logs = [LOG, {"log": "more.csv", "first_trial": 1}]
    around.declare(LOG, PART | {"logs": logs}, around.run("p", trials_per_scenario=2))
    run = read(around.folder, f"table:{LOG}")
    assert (run.tally.n_rows, run.tally.duplicates.height) == (4, 0)


def test_a_trial_that_was_scored_in_two_logs_is_a_duplicate(around):
    (around.folder / "more.csv").write_text("id,label,kind\na,0,x\n")
    around.declare(LOG, PART | {"logs": [LOG, "more.csv"]}, around.run("p"))
    assert read(around.folder, f"table:{LOG}").tally.duplicates.height == 1


def test_a_reader_that_there_is_not_is_named(around):
    assert "one of the readers agentdojo, garak, inspect, promptfoo, table" in faults(around.folder, f"langsmith:{LOG}")


def test_unknown_and_repeated_keys_are_refused(around):
    assert "no such key" in said(around, PART | {"polarity": "right"})
    place = around.declare(LOG, PART, around.run("p"))
    place.write_text(place.read_text() + "schema: litmus-nb/source/v1\n")
    assert "two values for the key 'schema'" in faults(around.folder, f"table:{LOG}")
