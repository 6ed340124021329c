"""Loading never raises for what lies there; what is odd about a path or a file ends in a closed gate with its code."""

from __future__ import annotations

import os
from datetime import date

import pytest

from litmus_nb.contracts.canonical import canonical_json, digest_of_bytes
from litmus_nb.contracts.codes import VerdictState
from litmus_nb.contracts.evidence import Evidence, Part, Unreadable
from litmus_nb.contracts.params import GateParams
from litmus_nb.errors import Fault, GateInvariantViolation, UnreadableInput
from litmus_nb.evidence.load import load_evidence, read_params
from litmus_nb.evidence.manifest import manifest_of
from litmus_nb.rule.workflow import evaluate_gate
from tests.builders import codes, correct_world, decide, give_anchors, load, read_back, write

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
    path.write_text("gate: [\n")
    with pytest.raises(UnreadableInput, match=f"{path}: line 2"):
        read_params(path)


def test_params_of_more_than_16_mib_are_not_read(tmp_path):
    path = tmp_path / "params.yaml"
    content = b"gate: g\ncandidate: c\noutput_dir: o\n#"
    path.write_bytes(content.ljust(16 * 2**20 + 1, b"#"))
    with pytest.raises(UnreadableInput) as refused:
        read_params(path)
    assert list(refused.value.faults) == [Fault(str(path), "", "at most 16777216 bytes", "16777217 bytes")]


def test_a_gate_of_more_than_16_mib_is_not_read(tmp_path):
    world = correct_world()
    world.tampered["gate.yaml"] = lambda content: (content + b"#").ljust(16 * 2**20 + 1, b"#")
    fault = Fault(str(tmp_path / "gate.yaml"), "", "at most 16777216 bytes", "16777217 bytes")
    assert load(world, tmp_path).unreadable == (Unreadable(Part.GATE, fault),)


def test_what_cannot_be_read_is_absent_and_the_rest_is_there(tmp_path):
    write(correct_world(), tmp_path)
    gate = tmp_path / "gate.yaml"
    gate.write_bytes(b"confidence: 2\n")
    evidence = read_back(tmp_path)
    assert (evidence.gate, evidence.suite, evidence.baseline, evidence.ledger) == (None, None, None, None)
    assert evidence.gate_sha256 == digest_of_bytes(b"confidence: 2\n")
    assert evidence.candidate is not None
    assert {(unread.part, unread.fault.file) for unread in evidence.unreadable} == {(Part.GATE, str(gate))}
    assert list(evidence.unreadable) == sorted(evidence.unreadable)
    gate.unlink()
    evidence = read_back(tmp_path)
    assert evidence.gate_sha256 is None
    assert evidence.unreadable == (Unreadable(Part.GATE, Fault(str(gate), "", "a file", "nothing there")),)


def test_a_gate_without_a_baseline_has_none(tmp_path):
    world = correct_world()
    world.gate["baseline"] = None
    evidence = load(world, tmp_path)
    assert (evidence.baseline, evidence.unreadable) == (None, ())


def test_whose_part_cannot_be_read_is_told(tmp_path):
    world = correct_world()
    give_anchors(world, per_class=2)
    write(world, tmp_path)
    (tmp_path / "ledger.jsonl").unlink()
    for side in ("candidate", "baseline"):
        (tmp_path / side / "anchors.jsonl").write_bytes(b"\n")
    evidence = read_back(tmp_path)
    ledger = Unreadable(Part.LEDGER, Fault(str(tmp_path / "ledger.jsonl"), "", "a file", "nothing there"))
    assert ledger in evidence.unreadable
    parts = [Part.BASELINE_ANCHORS, Part.CANDIDATE_ANCHORS, Part.LEDGER]
    assert [unread.part for unread in evidence.unreadable] == parts
    assert evidence.ledger is None


def test_a_baseline_that_is_not_there_is_told_by_its_path(tmp_path):
    world = correct_world()
    world.gate["baseline"]["run"] = "table:nowhere"
    fault = Fault(str(tmp_path / "nowhere"), "", "the pinned baseline", "nothing there")
    assert load(world, tmp_path).unreadable == (Unreadable(Part.BASELINE_FOLDER, fault),)


def test_a_ticket_is_looked_for_where_the_gate_asks_for_it(tmp_path):
    world = correct_world()
    assert load(world, tmp_path / "one").admission is None
    world.gate["require_admission"] = True
    admission = load(world, tmp_path / "other").admission
    assert admission is not None
    assert admission.ticket is None


def test_trials_that_were_left_unread_are_not_taken_for_absent(tmp_path):
    write(correct_world(), tmp_path)
    params = GateParams(gate=str(tmp_path / "gate.yaml"), candidate=str(tmp_path / "candidate"), output_dir="o")
    evidence = load_evidence(params, as_of=date(2026, 11, 30), with_trials=False)
    unread = "not read: only the declaration was asked for"
    assert evidence.unreadable == (
        Unreadable(Part.BASELINE_TRIALS, Fault(str(tmp_path / "baseline"), "", "trials", unread)),
        Unreadable(Part.CANDIDATE_TRIALS, Fault(str(tmp_path / "candidate"), "", "trials", unread)),
    )
    assert evidence.baseline is not None


def test_a_log_is_read_though_trials_may_be_left_unread(tmp_path):
    """Its declarations are in the log, so that there is nothing to read of it alone."""
    write(correct_world(), tmp_path)
    (tmp_path / "nothing.csv").write_bytes(b"")
    source = f"table:{tmp_path / 'nothing.csv'}"
    params = GateParams(gate=str(tmp_path / "gate.yaml"), candidate=source, output_dir="o")
    evidence = load_evidence(params, as_of=date(2026, 11, 30), with_trials=False)
    assert evidence.candidate is None
    parts = {unread.part for unread in evidence.unreadable}
    assert parts == {Part.CANDIDATE, Part.BASELINE_TRIALS}


# ---------------------------------------------------------------- what changed since the suite was frozen


def frozen(world, folder):
    """The world as it is frozen, with its manifest beside the suite."""
    write(world, folder)
    manifest = manifest_of(folder / "suite/suite.yaml")
    (folder / "suite/manifest.json").write_bytes(canonical_json(manifest.model_dump()))


def change_a_prompt(folder):
    path = folder / "suite/probes.jsonl"
    path.write_bytes(path.read_bytes().replace(b"situation 1", b"situation X", 1))


def test_a_suite_that_is_as_it_was_frozen_has_no_changes(tmp_path):
    frozen(correct_world(), tmp_path)
    evidence = read_back(tmp_path)
    assert evidence.changes_since_frozen is None
    assert not codes(evaluate_gate(evidence))


def test_what_changed_since_a_suite_was_frozen_is_told(tmp_path):
    frozen(correct_world(), tmp_path)
    change_a_prompt(tmp_path)
    assert read_back(tmp_path).changes_since_frozen == "edited scenario pi-1: prompt"


def test_a_manifest_of_another_suite_explains_nothing(tmp_path):
    world = correct_world()
    frozen(world, tmp_path)
    manifest = (tmp_path / "suite/manifest.json").read_bytes()
    world.probes[2]["prompt"] = "another situation"
    frozen(world, tmp_path)
    (tmp_path / "suite/manifest.json").write_bytes(manifest)
    change_a_prompt(tmp_path)
    assert read_back(tmp_path).changes_since_frozen is None


@pytest.mark.parametrize("manifest", [None, b"{}", b"["])
def test_a_manifest_that_cannot_be_read_explains_nothing_and_is_no_fault(tmp_path, manifest):
    frozen(correct_world(), tmp_path)
    path = tmp_path / "suite/manifest.json"
    path.unlink() if manifest is None else path.write_bytes(manifest)
    change_a_prompt(tmp_path)
    evidence = read_back(tmp_path)
    assert (evidence.changes_since_frozen, evidence.unreadable) == (None, ())
