"""Loading never raises for what lies there; what is odd about a path or a file ends in a closed gate with its code."""

from __future__ import annotations

import os
from datetime import date

import pytest

from litmus_nb.contracts.codes import VerdictState
from litmus_nb.contracts.evidence import Evidence, Part
from litmus_nb.contracts.params import GateParams
from litmus_nb.errors import GateInvariantViolation, UnreadableInput
from litmus_nb.evidence.load import load_evidence, read_params
from litmus_nb.rule.workflow import evaluate_gate
from tests.builders import codes, correct_world, decide, load, read_back, write

PARTS = ["gate.yaml", "suite/suite.yaml", "suite/probes.jsonl", "ledger.jsonl"]
PARTS += ["candidate/run.json", "candidate/trials.jsonl", "baseline/run.json", "baseline/trials.csv"]
ODD_PATHS = [
    "x" * 5000,
    "a/" * 3000,
    "\x00",
    "nowhere/at/all",
    ".",
    "..",
    "//",
    "candidate/run.json",
    "nobody:nowhere",
]


@pytest.mark.parametrize("path", ODD_PATHS)
@pytest.mark.parametrize("key", ["suite", "ledger"])
def test_odd_paths_in_the_gate_are_told(tmp_path, key, path):
    world = correct_world()
    world.gate[key] = path
    expected = {"suite": "CONTRACT_UNREADABLE", "ledger": "LEDGER_BROKEN"}[key]
    assert expected in codes(decide(world, tmp_path))


@pytest.mark.parametrize("path", ODD_PATHS)
def test_odd_paths_of_the_baseline_are_told(tmp_path, path):
    world = correct_world()
    world.gate["baseline"] = {"run": path, "sha256": "sha256:" + "0" * 64}
    assert codes(decide(world, tmp_path)) & {"BASELINE_MISSING", "CONTRACT_UNREADABLE"}


@pytest.mark.parametrize("path", ODD_PATHS)
@pytest.mark.parametrize("key", ["probes", "trace_schema"])
def test_odd_paths_in_the_suite_are_told(tmp_path, key, path):
    world = correct_world()
    world.suite[key] = path
    assert codes(decide(world, tmp_path)) == {"CONTRACT_UNREADABLE"}


@pytest.mark.parametrize("path", ODD_PATHS)
def test_odd_paths_in_the_params_are_told(tmp_path, path):
    write(correct_world(), tmp_path)
    for params in (
        GateParams(gate=path, candidate=str(tmp_path / "candidate"), output_dir="out"),
        GateParams(gate=str(tmp_path / "gate.yaml"), candidate=path, output_dir="out"),
    ):
        decision = evaluate_gate(load_evidence(params, as_of=date(2026, 11, 30)))
        assert (decision.state, codes(decision)) == (VerdictState.REJECTED, {"CONTRACT_UNREADABLE"})


@pytest.mark.parametrize("name", PARTS)
@pytest.mark.parametrize("kind", ["folder", "pipe", "dangling link", "empty", "binary", "huge line"])
def test_what_is_no_proper_file_is_told(tmp_path, name, kind):
    world = correct_world()
    write(world, tmp_path)
    path = tmp_path / name
    path.unlink()
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "dangling link":
        path.symlink_to(tmp_path / "nowhere")
    else:
        path.write_bytes({"empty": b"", "binary": bytes(range(256)), "huge line": b"[" * 300_000}[kind])
    decision = evaluate_gate(read_back(tmp_path))
    assert decision.state is not VerdictState.PASS
    assert "INTERNAL_ERROR" not in codes(decision)


def test_every_fault_of_every_file_is_told_at_once(tmp_path):
    world = correct_world()
    world.suite["min_trials"] = 0
    world.gate["confidence"] = 2
    world.candidate.declaration["status"] = "done"
    decision = decide(world, tmp_path)
    told = " ".join(reason.subject for reason in decision.reasons)
    assert "/confidence" in told
    assert "/status" in told
    world.gate["confidence"] = 0.95
    told = " ".join(reason.subject for reason in decide(world, tmp_path / "again").reasons)
    assert "/min_trials" in told
    assert "/status" in told


def test_trials_may_be_left_unread(tmp_path):
    write(correct_world(), tmp_path)
    params = GateParams(gate=str(tmp_path / "gate.yaml"), candidate=str(tmp_path / "candidate"), output_dir="o")
    evidence = load_evidence(params, as_of=date(2026, 11, 30), with_trials=False)
    assert evidence.candidate is not None
    assert evidence.candidate.tally is None
    assert Part.CANDIDATE_TRIALS in {unread.part for unread in evidence.unreadable}


def test_absence_needs_a_reason():
    with pytest.raises(GateInvariantViolation, match="gate file"):
        Evidence(date(2026, 11, 30), None, None, None, None, None, None)


def test_each_part_that_is_absent_needs_its_own_reason(tmp_path):
    evidence = load(correct_world(), tmp_path)
    for field, part in (("suite", Part.SUITE), ("candidate", Part.CANDIDATE), ("ledger", Part.LEDGER)):
        with pytest.raises(GateInvariantViolation, match=part.value):
            Evidence(**{**vars(evidence), field: None})


def test_params_are_read_from_a_file(tmp_path):
    path = tmp_path / "params.yaml"
    path.write_text("gate: g\ncandidate: c\noutput_dir: o\nas_of: 2026-11-30\n")
    assert read_params(path).as_of == "2026-11-30"
    path.write_text("gate: g\ncandidate: c\noutput_dir: o\nas_off: 2026-11-30\n")
    with pytest.raises(UnreadableInput, match="/as_off"):
        read_params(path)
