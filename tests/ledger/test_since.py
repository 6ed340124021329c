"""History: the base branch's ledger must be a byte prefix. A chain that was rewritten and re-chained is whole."""

from __future__ import annotations

import subprocess
from datetime import UTC, datetime

import pytest

from litmus_nb.errors import UsageError
from litmus_nb.ledger.append import append_entry
from litmus_nb.ledger.since import committed, faults_against, faults_of_moved_ledger
from litmus_nb.ledger.verify import faults_of_ledger, is_merge_leftover
from litmus_nb.rule.chain import walk_chain
from tests.builders import chained
from tests.ledger.test_append import RELEASE

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def git(folder, *words):
    identity = ["-c", "user.name=t", "-c", "user.email=t@t.example", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def committed_folder(folder, gate, clock):
    """A repository whose branch `base` has two entries."""
    append_entry(gate, lambda chain: RELEASE, clock=clock)
    git(folder, "init", "-q", "-b", "base")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "base")
    return folder


def faults_since(ledger, ref="base"):
    return faults_against(committed(ledger, ref), ledger.read_bytes(), file="ledger")


def rechained(ledger, change):
    """The ledger with a history of one's own choosing, and a chain that is whole."""
    entries = [
        entry.model_dump(mode="json", exclude={"seq", "prev"}) for entry in walk_chain(ledger.read_bytes()).entries
    ]
    change(entries)
    ledger.write_bytes(chained(entries))
    assert walk_chain(ledger.read_bytes()).is_whole


def test_a_rewritten_and_rechained_ledger_is_seen(committed_folder, ledger):
    rechained(ledger, lambda entries: entries[1].update(reason="another reason"))
    faults = faults_since(ledger)
    assert [fault.where for fault in faults] == ["line 2"]


def test_a_truncated_ledger_is_seen(committed_folder, ledger):
    rechained(ledger, lambda entries: entries.pop())
    faults = faults_since(ledger)
    assert [fault.where for fault in faults] == ["line 2"]
    assert "ends here" in faults[0].seen


def test_an_entry_slipped_in_between_is_seen(committed_folder, ledger):
    rechained(ledger, lambda entries: entries.insert(1, entries[1] | {"by": "nobody"}))
    assert [fault.where for fault in faults_since(ledger)] == ["line 2"]


def test_an_append_is_no_fault(committed_folder, ledger, gate, clock):
    append_entry(gate, lambda chain: RELEASE, clock=clock)
    assert faults_since(ledger) == []


def test_the_committed_bytes_count_and_not_the_checked_out_ones(committed_folder, ledger):
    """A line-ending filter would change the checkout and not the history."""
    ledger.write_bytes(ledger.read_bytes().replace(b"\n", b"\r\n"))
    assert [fault.where for fault in faults_since(ledger)] == ["line 1"]


def test_a_ledger_that_the_base_lacks_is_no_append(committed_folder, ledger):
    moved = ledger.with_name("other.jsonl")
    moved.write_bytes(ledger.read_bytes())
    assert len(faults_since(moved)) == 1


def test_a_gate_that_names_another_ledger_begins_no_new_history(committed_folder, gate, ledger):
    moved = ledger.with_name("other.jsonl")
    gate.write_text(gate.read_text().replace("ledger.jsonl", "other.jsonl"))
    assert len(faults_of_moved_ledger(committed(gate, "base"), gate, moved)) == 1
    assert faults_of_moved_ledger(committed(gate, "base"), gate, ledger) == []


@pytest.mark.parametrize("ref", ["nowhere", "--help", "base:gate.yaml", ""])
def test_a_reference_that_there_is_not_is_an_error_and_not_a_success(committed_folder, ledger, ref):
    with pytest.raises(UsageError, match="--since"):
        committed(ledger, ref)


def test_outside_a_repository_nothing_is_shown(folder, ledger):
    with pytest.raises(UsageError, match="--since"):
        committed(ledger, "base")


def test_a_union_merge_is_a_fault_with_advice(committed_folder, gate, ledger, clock):
    """Both branches' lines, as `merge=union` leaves them."""
    before = ledger.read_bytes()
    append_entry(gate, lambda chain: RELEASE, clock=clock)
    ours = ledger.read_bytes()[len(before) :]
    ledger.write_bytes(before)
    append_entry(gate, lambda chain: {**RELEASE, "by": "they"}, clock=clock)
    merged = ledger.read_bytes() + ours
    _, faults = faults_of_ledger(merged, None, NOW, file="ledger")
    assert faults
    assert is_merge_leftover(merged)


def test_conflict_markers_are_known(ledger, folder):
    assert is_merge_leftover(b"<<<<<<< HEAD\n" + ledger.read_bytes())
    assert not is_merge_leftover(ledger.read_bytes())


def test_an_entry_from_the_future_is_a_fault(ledger, folder):
    early = datetime(2026, 8, 1, tzinfo=UTC)
    _, faults = faults_of_ledger(ledger.read_bytes(), None, early, file="ledger")
    assert [fault.where for fault in faults] == ["line 1"]
