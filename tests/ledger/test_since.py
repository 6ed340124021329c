"""History: the base branch's ledger must be a byte prefix. A chain that was rewritten and re-chained is whole."""

from __future__ import annotations

import os
import shutil
import subprocess
from datetime import UTC, datetime, timedelta

import pytest

from litmus_nb.errors import UsageError
from litmus_nb.ledger import since
from litmus_nb.ledger.append import append_entry, gate_of
from litmus_nb.ledger.since import Before, committed, faults_against, faults_of_moved_ledger
from litmus_nb.ledger.verify import faults_of_ledger, is_merge_leftover
from litmus_nb.rule.chain import walk_chain
from tests.builders import DIGEST, chained
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
    assert [(fault.file, fault.where) for fault in faults] == [("ledger", "line 2")]
    assert "history was rewritten" in faults[0].seen


def test_a_truncated_ledger_is_seen(committed_folder, ledger):
    rechained(ledger, lambda entries: entries.pop())
    faults = faults_since(ledger)
    assert [fault.where for fault in faults] == ["line 2"]
    assert faults[0].seen == "the ledger ends here; base has 2 lines"


@pytest.mark.parametrize(
    ("content", "where", "what"),
    [
        (b"", "line 1", "ends here"),
        (b"one\ntw", "line 2", "ends here"),
        (b"one\ntwo", "line 2", "ends here"),
        (b"one\ntwo\n", "line 3", "ends here"),
        (b"one\n2\n", "line 2", "rewritten"),
        (b"one\ntwo\nthree", "line 3", "ends here"),
        (b"one\ntwo\n3hree\n", "line 3", "rewritten"),
    ],
)
def test_the_first_line_that_is_not_as_it_was_is_named(content, where, what):
    before = Before("base", "c" * 40, b"one\ntwo\nthree\n")
    (fault,) = faults_against(before, content, file="ledger")
    assert (where, True) == (fault.where, what in fault.seen)
    assert fault.expected == "the line that base (cccccccccccc) has there"


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


def test_a_gate_that_the_base_lacks_has_moved_no_ledger(gate, ledger):
    assert faults_of_moved_ledger(Before("base", "c" * 40, None), gate, ledger) == []


@pytest.mark.parametrize("ref", ["nowhere", "--help", "base:gate.yaml", ""])
def test_a_reference_that_there_is_not_is_an_error_and_not_a_success(committed_folder, ledger, ref):
    with pytest.raises(UsageError, match=r"--since: expected a reference .* \(fetch-depth: 0\)"):
        committed(ledger, ref)


def test_a_reference_that_looks_like_an_option_is_a_reference(committed_folder, ledger):
    git(committed_folder, "update-ref", "refs/heads/--since=now", "HEAD")
    assert ledger.read_bytes() == committed(ledger, "--since=now").content


def test_outside_a_repository_nothing_is_shown(folder, ledger, monkeypatch):
    """Also where the temporary folder happens to lie in one."""
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(folder.parent))
    with pytest.raises(UsageError, match="--since: git rev-parse failed"):
        committed(ledger, "base")


@pytest.mark.parametrize("name", ["link.jsonl", "suite"])
def test_what_the_base_has_as_a_link_or_folder_is_no_ledger(committed_folder, name):
    (committed_folder / "link.jsonl").symlink_to("ledger.jsonl")
    git(committed_folder, "add", "-A")
    git(committed_folder, "commit", "-qm", "a link")
    with pytest.raises(UsageError, match="no regular file at base"):
        committed(committed_folder / name, "base")


@pytest.fixture
def broken_git(tmp_path, monkeypatch):
    """Puts a git before the real one that does something else in one of its commands."""

    def make(command, does):
        folder = tmp_path / "bin"
        folder.mkdir()
        real = shutil.which("git")
        program = folder / "git"
        program.write_text(f'#!/bin/sh\ncase "$*" in *{command}*) {does};; *) exec {real} "$@";; esac\n')
        program.chmod(0o755)
        monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)

    return make


@pytest.mark.parametrize("command", ["ls-tree", "cat-file"])
@pytest.mark.parametrize("code", [1, 128])
def test_a_git_that_fails_is_an_error_and_not_an_absent_file(committed_folder, ledger, broken_git, command, code):
    broken_git(command, f"echo 'out of memory' >&2; exit {code}")
    with pytest.raises(UsageError, match=f"git {command} failed in .*: out of memory"):
        committed(ledger, "base")


def test_a_git_that_hangs_or_is_not_there_is_an_error(committed_folder, ledger, broken_git, monkeypatch):
    broken_git("rev-parse", "exec sleep 20")
    monkeypatch.setattr(since, "_GIT_SECONDS", 0.2)
    with pytest.raises(UsageError, match=r"needs git.*timed out"):
        committed(ledger, "base")
    monkeypatch.setenv("PATH", str(committed_folder))
    with pytest.raises(UsageError, match=r"needs git.*No such file"):
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
    for marker in (b"<<<<<<< HEAD", b"=======", b">>>>>>> branch"):
        assert is_merge_leftover(marker + b"\n" + ledger.read_bytes())


def test_a_whole_ledger_and_mere_garbage_are_no_merge(gate, ledger, clock):
    append_entry(gate, lambda chain: RELEASE, clock=clock)
    assert not is_merge_leftover(ledger.read_bytes())
    assert not is_merge_leftover(b"{}\n{}\n{}\n")


def test_an_entry_from_the_future_is_a_fault(ledger, folder):
    """Machines may differ by five minutes."""
    pinned = datetime(2026, 9, 1, 10, tzinfo=UTC)
    for ahead, expected in ((timedelta(minutes=5), []), (timedelta(minutes=5, microseconds=1), ["line 1"])):
        _, faults = faults_of_ledger(ledger.read_bytes(), None, pinned - ahead, file="ledger")
        assert expected == [fault.where for fault in faults]


def test_a_broken_chain_is_told_alone_and_by_the_files_name(gate, ledger):
    """What pins and times say of it would follow from the break."""
    broken = ledger.read_bytes().replace(b'"seq":0', b'"seq":1')
    gate_file = gate_of(gate).model_copy(update={"ledger_head": DIGEST})
    chain, faults = faults_of_ledger(broken, gate_file, datetime(2026, 1, 1, tzinfo=UTC), file="the ledger")
    assert [(f.file, f.where, f.expected, f.seen) for f in faults] == [("the ledger", "line 1", "seq 0", "seq 1")]
    assert chain.faults == tuple(faults)


def test_the_gates_pins_are_what_the_ledger_says(gate, ledger):
    """The head where there is one, the baseline, and that there is none."""
    content, gate_file = ledger.read_bytes(), gate_of(gate)
    head, pinned = walk_chain(content).head, gate_file.baseline.sha256
    unpinned = {"baseline": None}
    for ledger_content, update, expected in (
        (content, {}, []),
        (content, {"ledger_head": head}, []),
        (content, {"ledger_head": DIGEST}, [("last line", f"the pinned head {DIGEST}", head)]),
        (b"", unpinned, []),
        (b"", unpinned | {"ledger_head": DIGEST}, [("last line", f"the pinned head {DIGEST}", "no line")]),
        (b"", {}, [("", f"the baseline that gate.yaml pins ({pinned})", "no baseline entry")]),
        (content, unpinned, [("", "the baseline that gate.yaml pins (none)", pinned)]),
    ):
        gate_as_pinned = gate_file.model_copy(update=update)
        _, faults = faults_of_ledger(ledger_content, gate_as_pinned, NOW, file="ledger")
        assert expected == [(fault.where, fault.expected, fault.seen) for fault in faults]
