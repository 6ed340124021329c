"""Files that are not what their names say: the gate stays closed, says which file, and never waits."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from litmus_nb.errors import UnreadableInput
from litmus_nb.files import MOST_CONTRACT_BYTES, is_there, read_bytes
from tests.builders import codes, correct_world, read_back, write
from tests.builders import decide as decide_world


def a_folder(path):
    path.mkdir()


def a_pipe(path):
    os.mkfifo(path)


def a_link_to_itself(path):
    path.symlink_to(path.name)


def a_dangling_link(path):
    path.symlink_to("nothing-there")


def a_device(path):
    path.symlink_to("/dev/zero")


def a_huge_file(path):
    """Five GiB that take no room on the disk."""
    with path.open("wb") as stream:
        stream.truncate(5 * 2**30)


def a_link_to_a_folder(path):
    path.symlink_to(".")


HOSTILE = [a_folder, a_pipe, a_link_to_itself, a_dangling_link, a_device, a_huge_file, a_link_to_a_folder]
FILES = {
    "gate.yaml": "CONTRACT_UNREADABLE",
    "suite/suite.yaml": "CONTRACT_UNREADABLE",
    "suite/probes.jsonl": "CONTRACT_UNREADABLE",
    "suite/judge.md": "CONTRACT_UNREADABLE",
    "suite/trace.schema.json": "CONTRACT_UNREADABLE",
    "candidate/run.json": "CONTRACT_UNREADABLE",
    "baseline/run.json": "CONTRACT_UNREADABLE",
    "candidate/trials.jsonl": "EVIDENCE_UNREADABLE",
    "baseline/trials.csv": "EVIDENCE_UNREADABLE",
    "ledger.jsonl": "LEDGER_BROKEN",
}


@pytest.mark.parametrize("make", HOSTILE, ids=lambda make: make.__name__)
@pytest.mark.parametrize("name", FILES)
def test_what_is_no_regular_file_closes_the_gate(name, make, tmp_path):
    write(correct_world(), tmp_path)
    (tmp_path / name).unlink()
    make(tmp_path / name)
    assert FILES[name] in codes(decided(tmp_path))


@pytest.mark.parametrize("make", HOSTILE, ids=lambda make: make.__name__)
@pytest.mark.parametrize("name", ["trials.csv", "trials.parquet"])
def test_whatever_lies_beside_the_trials_under_such_a_name_is_a_second_trials_file(name, make, tmp_path):
    write(correct_world(), tmp_path)
    make(tmp_path / "candidate" / name)
    assert {"EVIDENCE_UNREADABLE"} == codes(decided(tmp_path))


@pytest.mark.parametrize("make", [a_pipe, a_link_to_itself, a_dangling_link, a_device, a_huge_file])
def test_a_baseline_that_is_no_folder_closes_the_gate(make, tmp_path):
    world = correct_world()
    write(world, tmp_path)
    os.rename(tmp_path / "baseline", tmp_path / "elsewhere")
    make(tmp_path / "baseline")
    assert codes(decided(tmp_path)) & {"CONTRACT_UNREADABLE", "BASELINE_MISSING"}


@pytest.mark.parametrize("name", ["x" * 300, "x" * 5000, "a\0b", "\udcff", "../" * 2000])
@pytest.mark.parametrize("key", ["suite", "ledger", "baseline"])
def test_a_path_that_no_file_can_have_closes_the_gate(name, key, tmp_path):
    """The gate file cannot hold all of these; then it is the unreadable one."""
    world = correct_world()
    if key == "baseline":
        world.gate["baseline"]["run"] = name
    else:
        world.gate[key] = name
    expected = {"suite": "CONTRACT_UNREADABLE", "ledger": "LEDGER_BROKEN", "baseline": "BASELINE_MISSING"}[key]
    try:
        decision = decide_world(world, tmp_path)
    except UnicodeEncodeError:
        pytest.skip("no file can be written that says this")
    assert codes(decision) & {expected, "CONTRACT_UNREADABLE"}


def test_a_contract_that_is_too_long_is_not_parsed(tmp_path):
    world = correct_world()
    world.tampered["gate.yaml"] = lambda content: content + b"#" * MOST_CONTRACT_BYTES
    assert {"CONTRACT_UNREADABLE"} == codes(decide_world(world, tmp_path))


def test_a_link_to_the_same_bytes_is_the_same_evidence(tmp_path):
    """What counts is the bytes that were read (8.18); the inventory of `check` is stricter and refuses links."""
    write(correct_world(), tmp_path)
    os.rename(tmp_path / "ledger.jsonl", tmp_path / "kept-elsewhere.jsonl")
    (tmp_path / "ledger.jsonl").symlink_to("kept-elsewhere.jsonl")
    assert set() == codes(decided(tmp_path))


def test_a_file_that_becomes_a_pipe_between_two_looks_does_not_hold_the_gate(tmp_path):
    """A name that flips between a file and a pipe: each reading gives the bytes or a refusal, and none waits."""
    path, file, pipe = tmp_path / "trials", tmp_path / "file", tmp_path / "pipe"
    file.write_bytes(b"content")
    os.mkfifo(pipe)
    stop = threading.Event()

    def flip():
        number = 0
        while not stop.is_set():
            for target in (file, pipe):
                beside = tmp_path / f"link-{number % 2}"
                beside.unlink(missing_ok=True)
                beside.symlink_to(target)
                os.replace(beside, path)
                number += 1

    path.symlink_to(file)
    flipping = threading.Thread(target=flip)
    flipping.start()
    seen = set()
    try:
        for _ in range(2000):
            try:
                seen.add(read_bytes(path))
            except UnreadableInput:
                seen.add("refused")
    finally:
        stop.set()
        flipping.join()
    assert {b"content", "refused"} == seen


def test_a_file_that_grows_while_it_is_read_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "growing"
    path.write_bytes(b"before")
    whole = os.fstat

    def grown(descriptor):
        status = whole(descriptor)
        with path.open("ab") as stream:
            stream.write(b" and after")
        return status

    monkeypatch.setattr(os, "fstat", grown)
    with pytest.raises(UnreadableInput, match=r"stays [0-9]+ bytes long"):
        read_bytes(path)


def test_nothing_of_that_name_is_not_there():
    assert not is_there(Path("x" * 5000))
    assert not is_there(Path("a\0b"))


def decided(folder):
    from litmus_nb.rule.workflow import evaluate_gate

    return evaluate_gate(read_back(folder))
