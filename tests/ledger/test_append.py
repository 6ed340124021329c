"""Appending: onto a whole chain, in order, under a lock, together with the gate file's pin or not at all."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from filelock import FileLock

from litmus_nb.contracts.gate import BaselinePin
from litmus_nb.contracts.times import instant_of
from litmus_nb.errors import UnreadableInput, UsageError
from litmus_nb.ledger import append as append_module
from litmus_nb.ledger.append import append_entry, gate_of
from litmus_nb.ledger.head import pin_head
from litmus_nb.rule.chain import walk_chain
from tests.builders import DIGEST

RELEASE = {"kind": "release", "scenario_id": "pi-1", "by": "somebody", "reason": "because"}


def propose(chain):
    return RELEASE


def test_a_broken_chain_is_not_extended(gate, ledger, clock):
    ledger.write_bytes(ledger.read_bytes().replace(b"first", b"First, ", 1))
    before = ledger.read_bytes().replace(b'"seq":0', b'"seq":7')
    ledger.write_bytes(before)
    with pytest.raises(UnreadableInput) as refused:
        append_entry(gate, propose, clock=clock)
    assert before == ledger.read_bytes()
    assert {str(ledger)} == {fault.file for fault in refused.value.faults}


def test_a_torn_last_line_is_not_extended(gate, ledger, clock):
    ledger.write_bytes(ledger.read_bytes()[:-1])
    with pytest.raises(UnreadableInput, match="torn"):
        append_entry(gate, propose, clock=clock)


def test_a_ledger_that_is_gone_is_not_begun_anew(gate, ledger, clock):
    ledger.unlink()
    with pytest.raises(UnreadableInput, match="nothing there"):
        append_entry(gate, propose, clock=clock)
    assert not ledger.exists()


@pytest.mark.parametrize("name", ["ledger.jsonl", "gate.yaml"])
def test_a_symbolic_link_is_not_replaced(gate, folder, name, clock):
    real = folder / "real"
    (folder / name).rename(real)
    (folder / name).symlink_to(real)
    with pytest.raises(UnreadableInput, match="symbolic link"):
        append_entry(gate, propose, clock=clock)


@pytest.mark.parametrize("behind", [timedelta(hours=1), timedelta(seconds=1, microseconds=1)])
def test_a_clock_that_runs_behind_is_refused(gate, clock, behind):
    last = instant_of(append_entry(gate, propose, clock=clock).entry.at)
    with pytest.raises(UsageError, match="clock"):
        append_entry(gate, propose, clock=lambda: last - behind)


def test_a_clock_that_was_set_back_by_a_second_is_waited_for_by_a_microsecond(gate, clock):
    last = instant_of(append_entry(gate, propose, clock=clock).entry.at)
    appended = append_entry(gate, propose, clock=lambda: last - timedelta(seconds=1))
    assert last + timedelta(microseconds=1) == instant_of(appended.entry.at)


def test_an_entry_of_no_known_form_is_not_written(gate, ledger, clock):
    before = ledger.read_bytes()
    with pytest.raises(UnreadableInput):
        append_entry(gate, lambda chain: {**RELEASE, "kind": "amnesty"}, clock=clock)
    assert before == ledger.read_bytes()


def test_what_was_there_stays_byte_for_byte(gate, ledger, clock):
    before = ledger.read_bytes()
    appended = append_entry(gate, propose, clock=clock)
    assert before == ledger.read_bytes()[: len(before)]
    assert (appended.length, appended.entry.seq) == (2, 1)
    assert walk_chain(ledger.read_bytes()).is_whole


def test_times_are_strictly_increasing_though_the_clock_stands_still(gate, ledger):
    still = datetime(2026, 11, 29, 12, tzinfo=UTC)
    for _ in range(3):
        append_entry(gate, propose, clock=lambda: still)
    times = [instant_of(entry.at) for entry in walk_chain(ledger.read_bytes()).entries][1:]
    assert [still + timedelta(microseconds=number) for number in range(3)] == times


def test_what_does_not_change_is_not_written_anew(gate, ledger, clock):
    """Neither the gate file beside an entry, nor the ledger where nothing is added."""
    gate_before, ledger_before = gate.stat().st_ino, ledger.stat().st_ino
    nothing = append_entry(gate, lambda chain: None, clock=clock)
    assert (None, 1, ledger_before) == (nothing.entry, nothing.length, ledger.stat().st_ino)
    append_entry(gate, propose, clock=clock)
    assert gate_before == gate.stat().st_ino


def test_a_pinned_head_moves_along(gate, ledger, clock):
    pin_head(gate)
    appended = append_entry(gate, propose, clock=clock)
    assert appended.head == gate_of(gate).ledger_head == walk_chain(ledger.read_bytes()).head


def test_a_head_that_is_not_the_pinned_one_is_not_extended(gate, ledger, clock):
    append_entry(gate, propose, clock=clock)
    pin_head(gate)
    ledger.write_bytes(b"".join(ledger.read_bytes().splitlines(keepends=True)[:1]))
    with pytest.raises(UnreadableInput, match="ledger_head"):
        append_entry(gate, propose, clock=clock)


def test_a_head_that_is_not_the_pinned_one_can_be_pinned_once_the_log_was_read(gate, ledger, clock):
    first = pin_head(gate)
    line = ledger.read_bytes()
    append_entry(gate, propose, clock=clock)
    last = gate_of(gate).ledger_head
    ledger.write_bytes(line)
    assert (first, first) == (pin_head(gate), gate_of(gate).ledger_head)
    assert first != last


def test_an_empty_ledger_has_no_head_to_pin_nor_has_one_that_is_gone(gate, ledger):
    ledger.write_bytes(b"")
    with pytest.raises(UnreadableInput, match="at least one entry"):
        pin_head(gate)
    ledger.unlink()
    with pytest.raises(UnreadableInput, match="nothing there"):
        pin_head(gate)


@pytest.mark.parametrize("is_new", [False, True])
def test_a_gate_file_that_cannot_be_written_takes_the_ledger_back(gate, ledger, clock, monkeypatch, is_new):
    if is_new:
        ledger.unlink()
    files_before = {path: path.read_bytes() for path in (gate, ledger) if path.exists()}
    replace, synced = append_module.replace_file, []
    monkeypatch.setattr(append_module, "sync_folder", synced.append)

    def full_disk(path, content):
        if path == gate:
            raise OSError("no space left on device")
        replace(path, content)

    monkeypatch.setattr(append_module, "replace_file", full_disk)
    with pytest.raises(OSError, match="no space"):
        append_entry(gate, propose, clock=clock, pin=BaselinePin(run="candidate", sha256=DIGEST), may_begin=is_new)
    assert files_before == {path: path.read_bytes() for path in (gate, ledger) if path.exists()}
    assert ([ledger.parent] if is_new else []) == synced  # replacing a file syncs its folder itself


def test_a_gate_file_that_names_another_ledger_once_the_lock_is_held_is_refused(gate, ledger, clock, monkeypatch):
    class Late(FileLock):
        def acquire(self, *args, **kwargs):
            gate.write_text(gate.read_text().replace("ledger.jsonl", "other.jsonl"))
            return super().acquire(*args, **kwargs)

    monkeypatch.setattr(append_module, "FileLock", Late)
    before = ledger.read_bytes()
    with pytest.raises(UsageError, match="another ledger a moment ago"):
        append_entry(gate, propose, clock=clock)
    assert before == ledger.read_bytes()


def test_a_lock_that_cannot_be_made_is_an_error_that_names_the_ledger(gate, ledger, clock):
    ledger.with_name(".ledger.jsonl.lock").mkdir()
    with pytest.raises(UsageError, match=r"ledger\.jsonl: the ledger's folder cannot be written"):
        append_entry(gate, propose, clock=clock)


def test_the_lock_is_given_back_after_a_refusal(gate, ledger, clock, monkeypatch):
    """Also while the refusal is still being looked at, as a debugger or a notebook does."""
    monkeypatch.setattr(append_module, "_LOCK_SECONDS", 0.2)
    whole = ledger.read_bytes()
    ledger.write_bytes(whole[:-1])
    with pytest.raises(UnreadableInput) as refused:
        append_entry(gate, propose, clock=clock)
    ledger.write_bytes(whole)
    assert append_entry(gate, propose, clock=clock).length == 2
    assert refused.value.faults


def test_a_gate_file_at_hand_is_not_read_again(gate):
    assert gate_of(gate) == gate_of(Path("gone.yaml"), gate.read_bytes())


def test_another_holder_of_the_lock_is_waited_for_and_then_refused(gate, ledger, clock, monkeypatch):
    monkeypatch.setattr(append_module, "_LOCK_SECONDS", 0.2)
    before = ledger.read_bytes()
    with append_module.open_ledger(gate), pytest.raises(UsageError, match="lock"):
        append_entry(gate, propose, clock=clock)
    assert before == ledger.read_bytes()


WRITER = """
import sys, time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from litmus_nb.ledger.append import append_entry
for number in range(int(sys.argv[2])):
    fields = {"kind": "release", "scenario_id": f"{sys.argv[1]}-{number}", "by": sys.argv[1], "reason": "counted"}
    # one clock for all processes of the machine, whatever day it says
    clock = lambda: datetime(2026, 11, 29, tzinfo=UTC) + timedelta(seconds=time.monotonic())
    append_entry(Path("gate.yaml"), lambda chain: fields, clock=clock)
"""


@pytest.mark.slow
def test_two_processes_appending_500_entries_each_lose_none(gate, ledger, folder):
    """Each entry once, each writer's own in its order, the chain whole."""
    command = [sys.executable, "-c", WRITER]
    writers = [
        subprocess.Popen([*command, name, "500"], cwd=folder, env=dict(os.environ)) for name in ("left", "right")
    ]
    assert [writer.wait(timeout=500) for writer in writers] == [0, 0]
    chain = walk_chain(ledger.read_bytes())
    assert chain.faults == ()
    added = [entry.scenario_id for entry in chain.entries[1:]]
    assert {f"{name}-{number}": 1 for name in ("left", "right") for number in range(500)} == Counter(added)
    for name in ("left", "right"):
        assert [f"{name}-{number}" for number in range(500)] == [id_ for id_ in added if id_.startswith(name)]


def test_a_writer_that_is_killed_leaves_a_whole_ledger(gate, ledger, folder):
    """At whatever byte it is stopped: the new line is renamed into place or is not there."""
    for _ in range(2):
        writer = subprocess.Popen([sys.executable, "-c", WRITER, "killed", "2000"], cwd=folder)
        length = len(ledger.read_bytes())
        while len(ledger.read_bytes()) == length and writer.poll() is None:
            time.sleep(0.01)
        writer.kill()
        writer.wait()
        assert walk_chain(ledger.read_bytes()).is_whole
