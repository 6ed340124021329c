"""`litmus-nb explore`: exit 0 whatever it finds, 2 where nothing can be read, and nothing that passes for a verdict."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import litmus_nb
from litmus_nb.cli import main
from litmus_nb.contracts.exploration import NOT_A_VERDICT, Exploration
from litmus_nb.contracts.schemas import json_schema
from litmus_nb.contracts.source import SourceFile
from litmus_nb.contracts.strict_json import parse_json
from litmus_nb.contracts.strict_yaml import parse_yaml
from litmus_nb.contracts.verdict import Verdict
from litmus_nb.errors import UnreadableInput
from litmus_nb.evidence.sources import reader_named
from tests.conftest import ROOT

RUNS = ROOT / "data/demo/runs"
DECLARED = """schema: litmus-nb/source/v1
run: {}
classes: {field: kind}
outcome:
  scenario: id
  trial: trial
  label: broke
  excerpt: answer
  attack_success_when: {equals: ["1"]}
  attack_failure_when: {equals: ["0"]}
"""


def status(*words: str) -> int:
    with pytest.raises(SystemExit) as stopped:
        main(words)
    return int(stopped.value.code or 0)


def explore(folder: Path, *words: str) -> int:
    return status("explore", *words, "--to", str(folder))


def test_nothing_there_is_a_usage_error_and_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert explore(tmp_path / "out", str(tmp_path / "a"), str(RUNS / "baseline")) == 2
    assert "nothing there" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_both_sides_and_the_suite_are_faulted_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    suite = str(tmp_path / "no/suite.yaml")
    assert explore(tmp_path / "out", str(tmp_path / "a"), str(tmp_path / "b"), "--suite", suite) == 2
    told = capsys.readouterr().err
    assert all(str(tmp_path / name) in told for name in ("a", "b", "no/suite.yaml"))


@pytest.mark.parametrize("words", [("nosuch:x",), ("table:absent.csv",)])
def test_a_source_that_cannot_be_read_is_a_usage_error(words: tuple[str], tmp_path: Path) -> None:
    assert explore(tmp_path / "out", *words, str(RUNS / "baseline")) == 2


@pytest.mark.parametrize("reader", ["inspect", "promptfoo", "garak", "agentdojo", "table"])
def test_without_declarations_it_says_what_to_write_and_that_can_be_read(
    reader: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    logs = [f"{reader}:{tmp_path / name}" for name in ("a.csv", "b.csv")]
    assert explore(tmp_path / "out", *logs) == 2
    told = capsys.readouterr().err
    assert "--declarations source.yaml" in told
    sketch = SourceFile.read(parse_yaml(told[told.index("schema:") :].encode(), file="sketch"), file="sketch")
    reader_named(reader).outcome.read(sketch.outcome, file="sketch")


def test_what_it_leaves_is_no_verdict_and_check_refuses_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert explore(tmp_path, str(RUNS / "baseline"), str(RUNS / "regressed")) == 0
    left = tmp_path / "exploration.json"
    document = json.loads(left.read_bytes())
    assert document["schema"] == "litmus-nb/exploration/v1"
    assert not {"verdict", "gate_open", "outcome"} & set(_keys(document))
    assert "PASS" not in left.read_text()
    with pytest.raises(UnreadableInput):
        Verdict.read(document, file="exploration.json")
    for words in ((), ("--params", str(ROOT / "params/demo.yaml"))):
        assert status("check", str(left), *words) == 1
    shutil.copy(left, tmp_path / "verdict.json")
    assert status("check", str(tmp_path / "verdict.json")) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["exploration.html", "exploration.json", "verdict.json"]


def _keys(value: object) -> list[str]:
    if isinstance(value, dict):
        return [*value, *(key for item in value.values() for key in _keys(item))]
    return [key for item in value for key in _keys(item)] if isinstance(value, list) else []


@pytest.mark.parametrize("name", ["regressed", "renamed", "timeouts", "baseline"])
def test_it_exits_0_whatever_it_finds_and_says_what_it_is(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    suite = str(ROOT / "data/demo/suite/suite.yaml")
    assert explore(tmp_path, str(RUNS / "baseline"), str(RUNS / name), "--suite", suite) == 0
    assert capsys.readouterr().out.startswith(NOT_A_VERDICT.upper())
    page = (tmp_path / "exploration.html").read_text(encoding="utf-8")
    assert "<script" not in page
    assert "default-src &#39;none&#39;" in page
    assert page.count(NOT_A_VERDICT) >= 4 + 2 * page.count("<svg")
    read = Exploration.read(parse_json((tmp_path / "exploration.json").read_bytes(), file="x"), file="x")
    assert read.is_a_decision is False


def test_the_same_runs_leave_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        assert explore(tmp_path / name, str(RUNS / "baseline"), str(RUNS / "candidate")) == 0
    for name in ("exploration.html", "exploration.json"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_the_schema_can_be_printed_and_has_no_word_of_a_decision(capsys: pytest.CaptureFixture[str]) -> None:
    assert status("schema", "exploration") == 0
    assert json.loads(capsys.readouterr().out) == json_schema("exploration")
    assert "gate_open" not in json.dumps(json_schema("exploration"))


def test_two_logs_share_one_declaration_and_bring_excerpts(tmp_path: Path) -> None:
    head = "id,kind,trial,broke,answer\n"
    (tmp_path / "a.csv").write_text(head + "x,inj,0,0,no\nx,inj,1,0,no\ny,inj,0,0,no\ny,inj,1,0,no\n")
    (tmp_path / "b.csv").write_text(head + "x,inj,0,1,<b>the secret</b>\nx,inj,1,1,ok\ny,inj,0,0,no\ny,inj,1,,\n")
    (tmp_path / "source.yaml").write_text(DECLARED)
    sources = [f"table:{tmp_path / name}" for name in ("a.csv", "b.csv")]
    assert explore(tmp_path / "out", *sources, "--declarations", str(tmp_path / "source.yaml")) == 0
    seen = json.loads((tmp_path / "out/exploration.json").read_bytes())
    assert [(flip["scenario_id"], flip["candidate_rate"]) for flip in seen["flips"]] == [("x", 1.0)]
    assert "<b>the secret</b>" in {trial["excerpt"] for trial in seen["trials"]}
    page = (tmp_path / "out/exploration.html").read_text()
    assert "&lt;b&gt;the secret&lt;/b&gt;" in page
    assert "<b>the secret" not in page
    codes = {item["finding"]["code"] for item in seen["checklist"]}
    assert {"ENVELOPE_UNMEASURED", "CANARY_MISSING", "JUDGE_UNRESOLVED", "CONTRACT_UNREADABLE"} <= codes


def test_in_a_notebook_it_is_one_call(tmp_path: Path) -> None:
    seen = litmus_nb.explore(str(RUNS / "baseline"), str(RUNS / "regressed"))
    assert seen.frame.filter(seen.frame["class"] == "prompt-injection")["change"][0] > 0.1
    assert seen.save(tmp_path) == tmp_path
    assert (tmp_path / "exploration.html").exists()
