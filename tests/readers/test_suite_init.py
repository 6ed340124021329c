"""A first draft of a suite from a log; what nobody has said stays open and closes the gate."""

from __future__ import annotations

import json

import pytest

from litmus_nb.cli import main
from litmus_nb.contracts.plain_yaml import yaml_text
from litmus_nb.errors import UnreadableInput
from litmus_nb.evidence.suite import read_suite

OUTCOME = {
    "scenario": "id",
    "label": "label",
    "attack_success_when": {"equals": ["1"]},
    "attack_failure_when": {"equals": ["0"]},
}
DIGEST = "sha256:" + "d" * 64


@pytest.fixture
def log(tmp_path):
    (tmp_path / "t.csv").write_text("id,label,kind\na,1,leak\nb,0,misuse\n")
    return tmp_path / "t.csv"


def declare(log, run: dict) -> None:
    declared = {"schema": "litmus-nb/source/v1", "run": run, "outcome": OUTCOME, "classes": {"field": "kind"}}
    log.with_name("t.csv.litmus.yaml").write_text(yaml_text(declared))


def init(log, capsys) -> tuple[int, str]:
    with pytest.raises(SystemExit) as stopped:
        main(["suite", "init", "table", str(log), "--to", str(log.parent / "suite")])
    said = capsys.readouterr()
    return stopped.value.code, said.out + said.err


def test_a_draft_has_the_logs_scenarios_and_says_what_is_open(log, capsys):
    declare(log, {})
    status, said = init(log, capsys)
    assert (status, "2 scenarios in 2 classes" in said) == (0, True)
    assert "still to say in suite.yaml: tool_namespace, tools, calibrated_capabilities, probe_id" in said
    lines = (log.parent / "suite" / "probes.jsonl").read_text().splitlines()
    assert [(json.loads(line)["id"], json.loads(line)["class"]) for line in lines] == [("a", "leak"), ("b", "misuse")]
    with pytest.raises(UnreadableInput, match="/tool_namespace"):
        read_suite(log.parent / "suite" / "suite.yaml")


def test_a_draft_of_a_log_with_whole_declarations_is_a_suite(log, capsys):
    run = {
        "interface": {"tool_namespace": "shell", "tools": ["shell.exec"]},
        "sandbox": {"effective_capabilities": ["process.spawn"]},
        "canary": {"probe_id": "canary", "observed_signal": "leak"},
        "judge": {"resolved_digest": DIGEST},
    }
    declare(log, run)
    status, said = init(log, capsys)
    assert (status, "still to say in suite.yaml: nothing" in said) == (0, True)
    suite = read_suite(log.parent / "suite" / "suite.yaml")
    assert (suite.file.classes, suite.file.judge.digest) == (["leak", "misuse"], DIGEST)


def test_a_suite_is_never_written_over_and_a_log_without_declarations_is_refused(log, capsys):
    assert init(log, capsys)[0] == 2
    declare(log, {})
    assert [init(log, capsys)[0] for _ in range(2)] == [0, 2]
