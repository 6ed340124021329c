"""Moving the pins of a gate file: nothing else in it changes, or nothing is written."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litmus_nb.contracts.gate import BaselinePin, GateFile
from litmus_nb.contracts.gate_edit import with_pins
from litmus_nb.contracts.strict_yaml import parse_yaml
from litmus_nb.errors import UnreadableInput

OLD, NEW, HEAD = ("sha256:" + letter * 64 for letter in "abc")
PIN = BaselinePin(run="runs/new", sha256=NEW)
REST = f"""\
schema: litmus-nb/gate/v1 # the format
suite: suite/suite.yaml
frozen_manifest_hash: "{OLD}"
confidence: 0.95
# agreed on Tuesday
classes:
  one: {{tolerance: 0.05, min_n: 10}}
quarantine: {{policy: exclude}}
"""
BASELINES = {
    "block": f"baseline:\n  run: runs/old # measured in May\n  sha256: {OLD}\n",
    "quoted": f"baseline:\n  run: 'runs/old'\n  sha256: \"{OLD}\"\n",
    "flow": f"baseline: {{run: runs/old, sha256: '{OLD}'}} # pinned\n",
    "null": "baseline: null # none yet\n",
    "tilde": "baseline: ~\n",
    "empty": "baseline:\n",
    "reversed": f"baseline:\n  sha256: {OLD}\n  run: runs/old\n",
}
HEADS = {
    "none": "ledger: ledger.jsonl # append-only\n",
    "plain": f"ledger: ledger.jsonl\nledger_head: {OLD}\n",
    "double": f'ledger_head: "{OLD}" # the end\nledger: "ledger.jsonl"\n',
    "single": f"ledger_head: '{OLD}'\nledger: ledger.jsonl\n",
}


def read(content):
    return GateFile.read(parse_yaml(content, file="gate"), file="gate")


def comments(text):
    return re.findall(r"#.*", text)


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("baseline", BASELINES)
def test_pins_move_and_nothing_else(baseline, head):
    text = REST + BASELINES[baseline] + HEADS[head]
    moved = with_pins(text.encode(), file="gate", baseline=PIN, ledger_head=HEAD)
    before, after = read(text.encode()).model_dump(), read(moved).model_dump()
    assert before | {"baseline": PIN.model_dump(), "ledger_head": HEAD} == after
    assert comments(text) == comments(moved.decode())


@pytest.mark.parametrize("head", ["plain", "double", "single"])
@pytest.mark.parametrize("baseline", ["block", "quoted", "flow", "reversed"])
def test_pins_that_move_back_leave_the_old_bytes(baseline, head):
    content = (REST + BASELINES[baseline] + HEADS[head]).encode()
    moved = with_pins(content, file="gate", baseline=PIN, ledger_head=HEAD)
    back = with_pins(moved, file="gate", baseline=BaselinePin(run="runs/old", sha256=OLD), ledger_head=OLD)
    assert content == back


def test_a_pin_that_is_there_already_leaves_the_bytes():
    content = (REST + BASELINES["block"] + HEADS["plain"]).encode()
    same = with_pins(content, file="gate", baseline=BaselinePin(run="runs/old", sha256=OLD), ledger_head=OLD)
    assert content == same


def test_the_last_line_may_lack_its_newline():
    content = (REST + BASELINES["block"] + "ledger: ledger.jsonl").encode()
    assert read(with_pins(content, file="gate", ledger_head=HEAD)).ledger_head == HEAD


def test_windows_line_ends_stay():
    content = (REST + BASELINES["block"] + HEADS["plain"]).replace("\n", "\r\n").encode()
    moved = with_pins(content, file="gate", baseline=PIN, ledger_head=HEAD)
    assert moved.count(b"\r\n") == content.count(b"\r\n")


def test_a_gate_file_in_one_line_is_left_to_people():
    """A head cannot be added there without writing the whole file anew."""
    content = (
        f'{{"schema": "litmus-nb/gate/v1", "suite": "s", "frozen_manifest_hash": "{OLD}", "baseline": null, '
        '"ledger": "l", "confidence": 0.9, "classes": {}, "quarantine": {"policy": "exclude"}}'
    ).encode()
    with pytest.raises(UnreadableInput, match="by hand"):
        with_pins(content, file="gate", ledger_head=HEAD)
    assert read(with_pins(content, file="gate", baseline=PIN)).baseline == PIN


@pytest.mark.parametrize("content", [b"", b"- a\n", b"schema: litmus-nb/gate/v1\n", b"a: &x 1\n", b"\xff"])
def test_what_is_no_gate_file_is_not_edited(content):
    with pytest.raises(UnreadableInput):
        with_pins(content, file="gate", ledger_head=HEAD)


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1))
def test_any_path_is_written_so_that_it_is_read_back(path):
    content = (REST + BASELINES["block"] + HEADS["none"]).encode()
    pin = BaselinePin(run=path, sha256=NEW)
    try:
        moved = with_pins(content, file="gate", baseline=pin)
    except UnreadableInput:
        return  # not written is as good as written right
    assert read(moved).baseline == pin
