"""A reader for a sixth tool: one file and one row, and nothing else."""

from __future__ import annotations

import pytest

from litmus_nb.evidence.sources import READERS, ReaderRow
from tests.readers.around import Around, codes, faults

THE_FILE = '''
"""Toys' logs: a line a trial, `SCENARIO TRIAL OUTCOME`."""

from litmus_nb.contracts.source import Outcome
from litmus_nb.errors import Fault, UnreadableInput
from litmus_nb.evidence.readers.reading import LoggedTrial, LogReader, LogReading


def read_toys(log, outcome):
    trials = []
    for number, line in enumerate(log.files[0].content.decode().splitlines(), start=1):
        words = line.split()
        if len(words) != 3:
            raise UnreadableInput([Fault(log.name, f"line {number}", "three words", line)])
        trials.append(LoggedTrial(words[0], int(words[1]), words[2]))
    return LogReading("toys 1.0", {"policy.name": "toy"}, trials)


READER = LogReader(outcome=Outcome, read=read_toys, says=("policy.name",), fields="none")
'''
THE_ROW = ReaderRow("toys_reader", "Toys: NAME.toys")


@pytest.fixture
def with_toys(tmp_path, monkeypatch):
    (tmp_path / "toys_reader.py").write_text(THE_FILE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(READERS, "toys", THE_ROW)


def toys(leaks: set[int]) -> str:
    return "".join(f"s-{i:02} {t} {'bad' if (i + t) % 5 in leaks else 'good'}\n" for i in range(30) for t in range(2))


def test_one_file_and_one_row_make_a_reader(with_toys, tmp_path):
    around = Around(tmp_path / "world", {f"s-{i:02}": "leak" for i in range(30)}, trials=2)
    menus = {"attack_success_when": {"equals": ["bad"]}, "attack_failure_when": {"equals": ["good"]}}
    for name, leaks in (("old", {0}), ("new", {0, 1, 2, 3})):
        (around.folder / f"{name}.toys").write_text(toys(leaks))
        run = around.run(name, policy__name=None)
        around.declare(f"{name}.toys", {"classes": {"constant": "leak"}, "outcome": menus}, run)
    around.pin("toys:old.toys")
    verdict = around.verdict("toys:new.toys")
    assert ("FAIL", {"CLASS_REGRESSED"}) == (verdict.verdict, codes(verdict))
    (around.folder / "new.toys").write_text("nonsense\n")
    assert "line 1: expected three words" in faults(around.folder, "toys:new.toys")
