"""A world on disk whose ledger commands can be called, and a clock that moves when asked."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from litmus_nb.evidence.suite import read_suite
from tests.builders import correct_world, write

REASON = "a reason that says enough"


class Clock:
    """A clock that goes on by a second at every look."""

    def __init__(self, start=datetime(2026, 11, 29, 12, tzinfo=UTC)):
        self.now = start

    def __call__(self):
        self.now += timedelta(seconds=1)
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def world():
    return correct_world()


@pytest.fixture
def folder(world, tmp_path, monkeypatch):
    """The world's folder, which is the working directory."""
    write(world, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def gate(folder):
    return folder / "gate.yaml"


@pytest.fixture
def ledger(folder):
    return folder / "ledger.jsonl"


@pytest.fixture
def suite(folder):
    return read_suite(folder / "suite/suite.yaml")
