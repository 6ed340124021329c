"""`litmus-nb init`: never over anything, nothing invented, and a gate that refuses until everything is said."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from litmus_nb.cli import main
from litmus_nb.cli.init import _asked
from litmus_nb.contracts.gate import GateFile
from litmus_nb.contracts.strict_yaml import parse_yaml
from litmus_nb.scaffold.files import CI_FILES, gate_text
from litmus_nb.scaffold.proposal import TOLERANCES, Proposal, proposals
from litmus_nb.scaffold.seen import Seen, from_log, from_probes
from litmus_nb.scaffold.standing import standing_of
from tests.builders import correct_world, write
from tests.conftest import ROOT


def status(*words: str) -> int:
    with pytest.raises(SystemExit) as stopped:
        main(words)
    return int(stopped.value.code or 0)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A run folder of a small correct world."""
    write(correct_world(scenarios=12, trials=2), tmp_path / "world")
    return tmp_path / "world/candidate"


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_from_nothing_or_from_both_is_refused(tmp_path: Path, log: Path) -> None:
    assert status("init", str(tmp_path / "g")) == 2
    assert status("init", str(tmp_path / "g"), "--log", str(log), "--probes", str(tmp_path)) == 2
    assert not (tmp_path / "g").exists()


def test_what_is_there_is_never_written_over(tmp_path: Path, log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "g"
    (folder / "suite").mkdir(parents=True)
    (folder / "gate.yaml").write_text("mine")
    (folder / "suite/judge.md").symlink_to(tmp_path / "nowhere")
    assert status("init", str(folder), "--log", str(log), "--no-input") == 0
    assert (folder / "gate.yaml").read_text() == "mine"
    assert (folder / "suite/judge.md").is_symlink()
    assert not (tmp_path / "nowhere").exists()
    assert f"kept     {folder / 'gate.yaml'}" in capsys.readouterr().out


def test_again_it_changes_nothing(tmp_path: Path, log: Path) -> None:
    words = ("init", str(tmp_path / "g"), "--log", str(log), "--ci", "gitlab", "--no-input")
    assert status(*words) == 0
    before = contents(tmp_path / "g")
    edited = tmp_path / "g/suite/suite.yaml"
    edited.write_text(edited.read_text() + "# ours\n")
    assert status(*words) == 0
    assert contents(tmp_path / "g") == before | {"suite/suite.yaml": edited.read_bytes()}


def test_what_nobody_said_stays_open_and_the_gate_refuses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    probes = tmp_path / "probes"
    (probes / "injection").mkdir(parents=True)
    for number in range(3):
        (probes / f"injection/p{number}.txt").write_text("Do what the file says.")
    assert status("init", str(tmp_path / "g"), "--probes", str(probes), "--no-input") == 0
    suite = yaml.safe_load((tmp_path / "g/suite/suite.yaml").read_text())
    assert suite["judge"]["digest"] is suite["tools"] is suite["calibrated_capabilities"] is None
    assert suite["classes"] == ["injection"]
    gate = tmp_path / "g/gate.yaml"
    assert yaml.safe_load(gate.read_text())["frozen_manifest_hash"] is None
    capsys.readouterr()
    assert status("doctor", str(gate)) == 4
    told = capsys.readouterr().out
    assert all(key in told for key in ("frozen_manifest_hash", "/judge/digest", "/tools"))
    params = tmp_path / "p.yaml"
    params.write_text(json.dumps({"gate": str(gate), "candidate": str(tmp_path), "output_dir": str(tmp_path / "out")}))
    assert status("evaluate", str(params)) == 3


@pytest.mark.parametrize("probe", ['{"id": "a"}', '{"id": "a", "class": ""}', '{"id": "a", "class": "x"}\n' * 2, "[]"])
def test_probes_that_are_none_are_refused(probe: str, tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    (tmp_path / "p/probes.jsonl").write_text(probe)
    assert status("init", str(tmp_path / "g"), "--probes", str(tmp_path / "p"), "--no-input") == 2
    assert not (tmp_path / "g").exists()


def test_a_complete_run_gives_a_frozen_suite_and_a_gate_that_is_read(tmp_path: Path, log: Path) -> None:
    assert status("init", str(tmp_path / "g"), "--log", str(log), "--ci", "github", "--no-input") == 0
    gate = GateFile.read(parse_yaml((tmp_path / "g/gate.yaml").read_bytes(), file="g"), file="g")
    assert gate.baseline is None
    assert gate.frozen_manifest_hash.startswith("sha256:")
    assert set(gate.classes) == {"prompt-injection", "tool-misuse"}
    workflow = yaml.safe_load((tmp_path / "g" / CI_FILES["github"]).read_text())
    assert workflow["permissions"] == {"contents": "read"}
    assert "litmus-nb gate params/gate.yaml" in (tmp_path / "g" / CI_FILES["github"]).read_text()
    assert (tmp_path / "g/ledger.jsonl").read_bytes() == b""
    states = {one.what: one.state for one in standing_of(tmp_path / "g/gate.yaml")}
    assert (states["scenarios"], states["baseline"]) == ("measured", "missing")


def test_the_judge_is_taken_of_a_file_or_refused(tmp_path: Path, log: Path) -> None:
    assert status("init", str(tmp_path / "g"), "--log", str(log), "--no-input", "--judge-digest", "gpt-4o") == 2
    judge = tmp_path / "judge.py"
    judge.write_text("def judge(): ...")
    assert status("init", str(tmp_path / "g"), "--log", str(log), "--no-input", "--judge-digest", str(judge)) == 0
    assert yaml.safe_load((tmp_path / "g/suite/suite.yaml").read_text())["judge"]["digest"].startswith("sha256:")


def test_proposals_are_the_tightest_that_the_scenarios_carry_and_say_when_none_does(log: Path) -> None:
    few = proposals(from_log(str(log)), decision_margin=0.1)
    assert [one.is_enough for one in few] == [False, False]
    assert {one.tolerance for one in few} == {TOLERANCES[-1]}
    assert all(one.min_n > one.n and "needed" in one.why for one in few)
    many = Seen("x", tuple({"id": f"s{n:04}", "class": "c"} for n in range(900)))
    (one,) = proposals(many, decision_margin=0.1, disagreement=0.05)
    assert one.is_enough
    assert one.tolerance < 0.1
    assert one.min_n <= 900
    assert "assumed" in one.why


def test_hostile_class_names_stay_text_in_every_file(tmp_path: Path) -> None:
    name = '"]}\n# x: y\n`</code><script>|'
    (tmp_path / "p").mkdir()
    (tmp_path / "p/a.jsonl").write_text(json.dumps({"id": "a", "class": name}))
    assert status("init", str(tmp_path / "g"), "--probes", str(tmp_path / "p"), "--no-input") == 0
    assert list(yaml.safe_load((tmp_path / "g/gate.yaml").read_text())["classes"]) == [name]
    assert yaml.safe_load((tmp_path / "g/suite/suite.yaml").read_text())["classes"] == [name]
    assert "<script>" not in (tmp_path / "g/GATE.md").read_text()
    proposal = Proposal(name, 1, 0.1, 1, None, "why\ninjected: true")
    assert set(yaml.safe_load(gate_text([proposal], None))["classes"]) == {name}


def test_probes_may_be_objects_or_texts(tmp_path: Path) -> None:
    (tmp_path / "p/exfil").mkdir(parents=True)
    (tmp_path / "p/exfil/one.md").write_text("Send it.")
    (tmp_path / "p/two.json").write_text('{"id": "two", "class": "misuse"}')
    seen = from_probes(tmp_path / "p")
    assert [(probe["id"], probe["class"]) for probe in seen.probes] == [("exfil/one", "exfil"), ("two", "misuse")]


def test_doctor_tells_measured_from_declared_from_missing_cheapest_first(capsys: pytest.CaptureFixture[str]) -> None:
    status("doctor", str(ROOT / "data/demo/gate.yaml"), "--json")
    found = json.loads(capsys.readouterr().out)
    states = {one["what"]: one["state"] for one in found}
    assert states["scenarios"] == states["baseline"] == "measured"
    assert states["judge"] in ("measured", "declared")
    assert {one["state"] for one in found} <= {"measured", "declared", "missing"}
    assert status("doctor", "no/such/gate.yaml") == 2


def test_in_a_terminal_only_what_nobody_said_is_asked_and_an_empty_answer_leaves_it_open() -> None:
    with CliRunner().isolation(input="shell\n\ncanary-1\n\n"):
        answers = _asked({"judge_digest": None, "canary_signal": "leaked"})
    assert answers == {"tool_namespace": "shell", "canary_probe": "canary-1"}


def test_doctor_does_not_keep_silent_about_anchors_that_cannot_be_read(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "data/demo", tmp_path / "demo")
    gate = tmp_path / "demo/gate.yaml"
    suite = gate.parent / GateFile.read(parse_yaml(gate.read_bytes(), file="gate"), file="gate").suite
    with suite.open("a") as stream:
        stream.write("anchors: {labels: anchors.jsonl}\n")
    (suite.parent / "anchors.jsonl").write_text("{}\n")
    told = [one for one in standing_of(gate) if one.what == "judge's behaviour"]
    assert {one.state for one in told} == {"missing"}
    assert "anchors.jsonl: line 1 /item_id" in told[0].detail
