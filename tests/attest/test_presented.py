"""What lies beside a verdict: regular files of a sane size, each once, and nothing else."""

from __future__ import annotations

import os

import pytest

from litmus_nb.attest.presented import Presented, read_presented
from litmus_nb.errors import UnreadableInput

MIB = 1024**2
NAMES = ("verdict.json", "verdict.statement.json", "verdict.dsse.json", "verdict.sigstore.json")


@pytest.fixture
def verdict(tmp_path):
    path = tmp_path / "verdict.json"
    path.write_bytes(b"the verdict")
    return path


def refused(path):
    with pytest.raises(UnreadableInput) as unreadable:
        read_presented(path)
    return [(os.path.basename(fault.file), fault.expected) for fault in unreadable.value.faults]


def test_each_neighbour_is_what_its_name_says(verdict):
    assert read_presented(verdict) == Presented(str(verdict), b"the verdict", None, None, None)
    for name in NAMES[1:]:
        verdict.with_name(name).write_text(name)
    contents = (name.encode() for name in NAMES[1:])
    assert read_presented(verdict) == Presented(str(verdict), b"the verdict", *contents)


@pytest.mark.parametrize(("name", "limit"), list(zip(NAMES, (16, 64, 96, 96), strict=True)))
def test_each_has_its_greatest_size(verdict, name, limit):
    path = verdict.with_name(name)
    path.touch()
    os.truncate(path, limit * MIB)
    read_presented(verdict)
    os.truncate(path, limit * MIB + 1)
    assert refused(verdict) == [(name, f"at most {limit * MIB} bytes")]


@pytest.mark.parametrize("name", NAMES)
def test_a_link_to_nothing_is_no_absence(verdict, name):
    path = verdict.with_name(name)
    path.unlink(missing_ok=True)
    path.symlink_to(verdict.with_name("nothing"))
    assert refused(verdict) == [(name, "a regular file")]
