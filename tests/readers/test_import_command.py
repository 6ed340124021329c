"""`litmus-nb import` ends in 0 with trials, or in a closed code with the reason; never in a traceback."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from litmus_nb.cli import main
from litmus_nb.evidence.sources import READERS
from tests.readers.around import Around

OUTCOME = {
    "scenario": "id",
    "label": "label",
    "attack_success_when": {"equals": ["1"]},
    "attack_failure_when": {"equals": ["0"]},
}


@pytest.fixture
def around(tmp_path: Path) -> Around:
    around = Around(tmp_path / "world", {"a": "leak", "b": "leak"})
    (around.folder / "t.csv").write_text("id,label,kind\na,1,leak\nb,,leak\n")
    return around


def imported(around: Around, capsys, *, field: str = "kind", **run) -> tuple[int, str]:
    around.declare("t.csv", {"classes": {"field": field}, "outcome": OUTCOME}, around.run("p", **run))
    return called(
        capsys, "import", "table", around.folder / "t.csv", "--suite", around.suite, "--to", around.folder / "run"
    )


def called(capsys, *arguments: object) -> tuple[int, str]:
    with pytest.raises(SystemExit) as stopped:
        main([str(argument) for argument in arguments])
    said = capsys.readouterr()
    return stopped.value.code, said.out + said.err


def test_a_run_folder_is_written_with_its_provenance(around, capsys):
    status, said = imported(around, capsys)
    assert status == 0
    assert "2 trials of 2 scenarios" in said
    assert "unknown: 1 unparsed, reason no-label" in said
    assert "nothing has checked that these are the right way round" in said
    assert {"run.json", "trials.parquet", "provenance.json"} == {
        path.name for path in (around.folder / "run").iterdir()
    }
    provenance = json.loads((around.folder / "run" / "provenance.json").read_bytes())
    assert {"t.csv", "t.csv.litmus.yaml"} == set(provenance["sources"])
    assert (provenance["reader"], provenance["polarity"]["attack_success_when"]) == ("table", "= '1'")


def test_evidence_is_never_written_over(around, capsys):
    assert imported(around, capsys)[0] == 0
    status, said = imported(around, capsys)
    assert (status, "never written over" in said) == (2, True)


def test_another_suites_hash_is_a_drift(around, capsys):
    status, said = imported(around, capsys, manifest_hash="sha256:" + "0" * 64)
    assert (status, "REJECTED PROBE_SET_DRIFT" in said) == (3, True)
    assert not (around.folder / "run").exists()


def test_a_scenario_that_the_suite_lacks_is_named(around, capsys):
    (around.folder / "t.csv").write_text("id,label,kind\na,1,leak\nzz,0,leak\n")
    status, said = imported(around, capsys)
    assert (status, "NO_VERDICT UNDECLARED_SCENARIO" in said, "'zz'" in said) == (4, True, True)


def test_another_class_than_the_suites_is_named(around, capsys):
    (around.folder / "t.csv").write_text("id,label,kind\na,1,other\nb,0,leak\n")
    status, said = imported(around, capsys)
    assert (status, "NO_VERDICT CLASS_MISMATCH" in said) == (4, True)


def test_an_absent_declaration_is_the_contract_unreadable(around, capsys):
    status, said = imported(around, capsys, policy=None)
    assert (status, "REJECTED CONTRACT_UNREADABLE" in said, "/run/policy" in said) == (3, True, True)


def test_unreadable_trials_are_the_evidence_unreadable(around, capsys):
    (around.folder / "t.csv").write_text("id,label,kind\na\n")
    status, said = imported(around, capsys)
    assert (status, "NO_VERDICT EVIDENCE_UNREADABLE" in said, "line 2" in said) == (4, True, True)


def test_absent_trials_are_counted_out_loud(around, capsys):
    (around.folder / "t.csv").write_text("id,label,kind\na,1,leak\n")
    status, said = imported(around, capsys)
    assert (status, "absent: 1 of 2 declared trials" in said) == (0, True)


@pytest.mark.parametrize(
    "arguments",
    [(), ("table",), ("table", "t.csv", "--suite", "s.yaml"), ("langsmith", "t.csv", "--suite", "s", "--to", "r")],
)
def test_an_unusable_command_line_is_a_usage_error(tmp_path, monkeypatch, capsys, arguments):
    around = Around(tmp_path / "w", {"a": "leak"})
    monkeypatch.chdir(around.folder / "suite")
    (around.folder / "suite" / "s").write_bytes((around.folder / "suite" / "suite.yaml").read_bytes())
    assert called(capsys, "import", *arguments)[0] == 2


def test_the_list_says_what_each_reader_reads_and_states(capsys):
    status, said = called(capsys, "import", "--list")
    assert status == 0
    assert all(name in said and row.reads in said for name, row in READERS.items())
    assert "metadata.KEY" in said
