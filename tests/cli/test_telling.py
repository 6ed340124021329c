"""What is told of a verdict cannot change it: neither want of memory, nor a closed pipe, nor an interruption."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from litmus_nb.cli import main
from litmus_nb.cli.requests import telling
from litmus_nb.contracts.params import GateParams
from litmus_nb.outcome import output
from litmus_nb.outcome.output import OutputFolder, OutputUnusable
from tests.report.verdicts import a_fail, a_pass
from tests.torture.scenes import ACTS, LITMUS, set_up, state_of

PRESENT = datetime(2026, 11, 30, 12, tzinfo=UTC)
NOWHERE = GateParams(gate="gate.yaml", candidate="candidate", output_dir="out")
EVALUATE = {act.is_good: act for act in ACTS if act.words[0] == "evaluate"}


@pytest.mark.parametrize(("is_good", "status"), [(True, 0), (False, 4)])
@pytest.mark.parametrize("lacking", ["rich.console", "litmus_nb.report.terminal"])
def test_where_no_table_can_be_made_a_line_says_the_state(tmp_path, monkeypatch, capsys, lacking, is_good, status):
    set_up(EVALUATE[is_good], tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "litmus_nb.report.terminal", raising=False)
    monkeypatch.setitem(sys.modules, lacking, None)
    with pytest.raises(SystemExit) as ended:
        main(["evaluate", "params.yaml"])
    told = capsys.readouterr()
    assert ended.value.code == status
    assert told.out.split() == [state_of(tmp_path), "out/verdict.json"]
    assert "litmus-nb: no table: ModuleNotFoundError" in told.err


@pytest.mark.parametrize("options", [(), ("--json",), ("--quiet",)])
def test_what_cannot_be_printed_fails_the_command_and_says_what_stands(tmp_path, options):
    set_up(EVALUATE[True], tmp_path)
    with open("/dev/full", "w") as full:
        ended = subprocess.run(
            [*LITMUS, "evaluate", "params.yaml", *options], cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert ended.returncode == 4
    assert "the verdict stands: PASS, out/verdict.json" in ended.stderr
    assert "No space left" in ended.stderr
    assert "error of litmus-nb itself" not in ended.stderr


@pytest.mark.parametrize("fault", [KeyboardInterrupt(), MemoryError(), BrokenPipeError(32, "Broken pipe")])
def test_telling_that_is_cut_short_says_what_stands(fault):
    with pytest.raises(OutputUnusable) as told, telling(a_fail(), Path("out/verdict.json")):
        raise fault
    assert str(told.value).startswith("the verdict stands: FAIL, out/verdict.json; telling it failed: ")
    assert type(fault).__name__ in str(told.value)


def test_a_file_that_ci_cannot_be_given_is_told_as_it_is():
    with pytest.raises(OutputUnusable, match=r"^junit\.xml is a folder$"), telling(a_pass(), Path("out/verdict.json")):
        raise OutputUnusable("junit.xml is a folder")


def test_a_verdict_that_another_process_slips_in_is_taken_away(tmp_path, monkeypatch):
    whole = output.write_verdict

    def beaten(path, verdict):
        whole(path, verdict)
        whole(path, a_pass())

    monkeypatch.setattr(output, "write_verdict", beaten)
    with pytest.raises(OutputUnusable, match="another verdict than the one just written"):
        OutputFolder(tmp_path).settle(a_fail(), NOWHERE, issued_at=PRESENT)
    assert not (tmp_path / "verdict.json").exists()


@pytest.mark.parametrize("fault", [MemoryError(), OSError(5, "Input/output error")])
def test_a_verdict_that_cannot_be_read_back_is_taken_away(tmp_path, monkeypatch, fault):
    def failing(path):
        raise fault

    monkeypatch.setattr(output, "read_bytes", failing)
    with pytest.raises(OutputUnusable, match="cannot be read back"):
        OutputFolder(tmp_path).settle(a_fail(), NOWHERE, issued_at=PRESENT)
    assert not (tmp_path / "verdict.json").exists()
