"""Bytes to and from disk: whole or not at all, from regular files only, and nothing is left open or lying about."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from litmus_nb.errors import Fault, UnreadableInput
from litmus_nb.evidence.trials_files import file_digest
from litmus_nb.files import is_there, opened, read_bytes, replace_file, replacing, sync_folder


def refused(path, **options):
    with pytest.raises(UnreadableInput) as caught:
        read_bytes(path, **options)
    (fault,) = caught.value.faults
    return fault


def a_folder(path):
    path.mkdir()


def a_link_to_itself(path):
    path.symlink_to(path.name)


# ---------------------------------------------------------------- reading


@pytest.mark.parametrize(
    ("make", "expected", "seen"),
    [
        (lambda path: None, "a file", "nothing there"),
        (a_folder, "a regular file", "something else (folder, pipe, device)"),
        (os.mkfifo, "a regular file", "something else (folder, pipe, device)"),
        (lambda path: path.symlink_to("/dev/null"), "a regular file", "something else (folder, pipe, device)"),
    ],
)
def test_what_is_no_file_is_refused_by_the_name_that_messages_call_it(tmp_path, make, expected, seen):
    make(tmp_path / "gate.yaml")
    path = tmp_path / "gate.yaml"
    assert refused(path) == Fault(str(path), "", expected, seen)
    assert refused(path, name="the gate") == Fault("the gate", "", expected, seen)
    for options, name in (({}, str(path)), ({"name": "the trials"}, "the trials")):
        with pytest.raises(UnreadableInput) as caught, opened(path, **options):
            pass
        assert list(caught.value.faults) == [Fault(name, "", expected, seen)]


def test_a_file_in_a_file_is_not_there(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    assert refused(tmp_path / "file/gate.yaml").seen == "nothing there"


@pytest.mark.parametrize("name", ["a\0b", "x" * 5000])
def test_a_name_that_no_file_can_have_is_refused(tmp_path, name):
    fault = refused(tmp_path / name, name="gate")
    assert (fault.file, fault.expected) == ("gate", "a readable file")


def test_a_link_that_goes_in_circles_is_refused(tmp_path):
    a_link_to_itself(tmp_path / "gate.yaml")
    assert refused(tmp_path / "gate.yaml").expected == "a readable file"


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="no file here whose reading fails")
def test_a_file_whose_reading_fails_is_refused():
    """The memory at address 0 belongs to nobody: a regular file, and reading it is an input/output error."""
    fault = refused(Path("/proc/self/mem"), name="memory")
    assert (fault.file, fault.expected) == ("memory", "a readable file")
    assert fault.seen.startswith("OSError")
    with pytest.raises(UnreadableInput, match="a readable file, seen OSError"):
        file_digest(Path("/proc/self/mem"))


def test_a_file_is_read_up_to_its_limit(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"12345")
    assert read_bytes(path, limit=5) == b"12345"
    assert refused(path, limit=4) == Fault(str(path), "", "at most 4 bytes", "5 bytes")
    assert refused(path, name="f", limit=4) == Fault("f", "", "at most 4 bytes", "5 bytes")


def test_no_file_of_more_than_4_gib_is_read(tmp_path):
    """The file takes no room on the disk."""
    path = tmp_path / "huge"
    with path.open("wb") as stream:
        stream.truncate(4 * 2**30 + 1)
    assert refused(path) == Fault(str(path), "", "at most 4294967296 bytes", "4294967297 bytes")


def test_an_empty_file_has_no_bytes(tmp_path):
    (tmp_path / "empty").write_bytes(b"")
    assert read_bytes(tmp_path / "empty") == b""


def test_a_file_that_shrinks_while_it_is_read_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "file"
    path.write_bytes(b"before and after")
    whole = os.fstat

    def shrunk(descriptor):
        status = whole(descriptor)
        os.truncate(path, max(status.st_size - 1, 0))
        return status

    monkeypatch.setattr(os, "fstat", shrunk)
    fault = refused(path, name="trials")
    assert (fault.file, fault.seen) == ("trials", "another length")


def test_nothing_stays_open(tmp_path):
    (tmp_path / "file").write_bytes(b"content")
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        read_bytes(tmp_path / "file")
        refused(tmp_path)
        replace_file(tmp_path / "other", b"content")
    assert before == len(os.listdir("/proc/self/fd"))


def test_what_is_there_is_said_with_yes_or_no(tmp_path):
    (tmp_path / "dangling").symlink_to("nowhere")
    assert is_there(tmp_path) is True
    assert is_there(tmp_path / "dangling") is True
    assert is_there(tmp_path / "nothing") is False
    assert is_there(Path("a\0b")) is False


# ---------------------------------------------------------------- writing


def test_a_file_is_replaced_whole_and_its_folders_are_made(tmp_path):
    path = tmp_path / "a/b/verdict.json"
    for content in (b"first and longer", b"second"):
        replace_file(path, content)
        assert path.read_bytes() == content
    assert [path] == list(path.parent.iterdir())


def test_a_written_file_may_be_read_by_all_and_written_by_its_owner(tmp_path):
    replace_file(tmp_path / "verdict.json", b"{}")
    assert stat.S_IMODE((tmp_path / "verdict.json").stat().st_mode) == 0o644


def test_a_file_is_written_beside_its_place(tmp_path):
    """On the same file system, or it could not be renamed over; hidden, or it would be taken for the evidence."""
    path = tmp_path / "verdict.json"
    path.write_bytes(b"old")
    with replacing(path) as stream:
        stream.write(b"new")
        (beside,) = set(tmp_path.iterdir()) - {path}
        assert beside.name.startswith(".verdict.json.")
        assert beside.name.endswith(".part")
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"


@pytest.mark.parametrize("error", [OSError("full"), KeyboardInterrupt()])
def test_what_was_not_written_to_its_end_is_nowhere(tmp_path, error):
    path = tmp_path / "verdict.json"
    path.write_bytes(b"old")
    with pytest.raises(type(error)), replacing(path) as stream:
        stream.write(b"new")
        raise error
    assert [path] == list(tmp_path.iterdir())
    assert path.read_bytes() == b"old"


def test_what_has_a_name_is_on_the_disk(tmp_path, monkeypatch):
    """The bytes are synced before the file has its name, and the folder after: no crash leaves a name without them."""
    path, synced, whole = tmp_path / "verdict.json", [], os.fsync

    def fsync(descriptor):
        status = os.fstat(descriptor)
        synced.append("folder" if stat.S_ISDIR(status.st_mode) else (status.st_size, path.exists()))
        whole(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    replace_file(path, b"content")
    assert [(len(b"content"), False), "folder"] == synced


def test_a_folder_that_cannot_be_synced_is_no_error(tmp_path):
    sync_folder(tmp_path / "nothing")
