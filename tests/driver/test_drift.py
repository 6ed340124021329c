"""`litmus-nb drift`: the notebook in a kernel, and findings that are the package's own."""

from __future__ import annotations

import json
import shutil

import pytest
from click.testing import CliRunner

from litmus_nb.cli import cli
from litmus_nb.driver.drift import DriftUnfinished, read_drift_params, run_drift
from litmus_nb.errors import UnreadableInput
from litmus_nb.outcome.drift import drift_bytes, report_of
from litmus_nb.shipped import shipped_path


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working directory with the demo's labels and params."""
    shutil.copytree(shipped_path("data/judge-drift-demo"), tmp_path / "data/judge-drift-demo")
    shutil.copytree(shipped_path("params"), tmp_path / "params")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_wrong_parameters_leave_nothing(folder):
    result = CliRunner().invoke(cli, ["drift", "params/judge-drift.yaml", "-p", "max_fnr_rise", "many"])
    assert isinstance(result.exception, UnreadableInput)
    assert not (folder / "reports").exists()


def test_an_unknown_parameter_is_refused_by_name(folder):
    with pytest.raises(UnreadableInput, match="tolerance"):
        read_drift_params(folder / "params/judge-drift.yaml", (("tolerance", "0.1"),))


def test_everything_that_is_wrong_with_file_and_overrides_is_said_at_once(folder):
    params = folder / "params/judge-drift.yaml"
    params.write_text("- no mapping\n")
    with pytest.raises(UnreadableInput) as refused:
        read_drift_params(params, (("tolerance", "0.1"), ("labels", "[unclosed"), ("confidence", "0.9")))
    assert [fault.where for fault in refused.value.faults][:2] == ["", "-p tolerance"]
    assert [fault.file for fault in refused.value.faults] == [str(params), "command line", "-p labels"]


def test_a_list_is_yaml_and_nothing_that_a_parameter_must_have_is_null(folder):
    params = folder / "params/judge-drift.yaml"
    assert read_drift_params(params, (("labels", "[a.csv, 'b c.csv']"),)).labels == ["a.csv", "b c.csv"]
    assert read_drift_params(params, (("output_dir", "null"),)).output_dir == "null"
    with pytest.raises(UnreadableInput, match="labels"):
        read_drift_params(params, (("labels", "null"),))
    with pytest.raises(UnreadableInput, match="confidence"):
        read_drift_params(params, (("confidence", "null"),))


def test_words_stay_words_and_numbers_are_numbers(folder):
    params = read_drift_params(
        folder / "params/judge-drift.yaml", (("candidate", "1e5"), ("max_fnr_rise", "0.1"), ("baseline", "null"))
    )
    assert (params.candidate, params.max_fnr_rise, params.baseline) == ("1e5", 0.1, None)


def test_an_old_report_does_not_outlive_labels_that_cannot_be_read(folder):
    old = folder / "reports/judge-drift"
    old.mkdir(parents=True)
    (old / "drift.json").write_text("{}")
    params = read_drift_params(folder / "params/judge-drift.yaml", (("labels", '["gone.csv"]'),))
    with pytest.raises(UnreadableInput, match=r"gone\.csv"):
        run_drift(params)
    assert not (old / "drift.json").exists()


@pytest.mark.kernel
@pytest.mark.slow
def test_the_notebook_leaves_what_the_package_finds(folder):
    result = CliRunner().invoke(cli, ["drift", "params/judge-drift.yaml", "--quiet"])
    assert result.exit_code == 1, result.output
    assert "The judge drifted in tool-misuse." in result.output
    left = folder / "reports/judge-drift"
    params = read_drift_params(folder / "params/judge-drift.yaml")
    assert drift_bytes(report_of(params)) == (left / "drift.json").read_bytes()
    executed = json.loads((left / "report.ipynb").read_bytes())
    assert all(cell["execution_count"] for cell in executed["cells"] if cell["cell_type"] == "code")


@pytest.mark.kernel
@pytest.mark.slow
def test_a_notebook_that_fails_leaves_no_findings(folder, monkeypatch):
    """The kernel's labels are not the driver's: they vanish between the two."""
    params = read_drift_params(folder / "params/judge-drift.yaml")
    report = report_of(params)
    monkeypatch.setattr("litmus_nb.driver.drift.report_of", lambda params: report)
    (folder / "data/judge-drift-demo/labels.parquet").unlink()
    with pytest.raises(DriftUnfinished, match="did not come to its end"):
        run_drift(params)
    assert not (folder / "reports/judge-drift/drift.json").exists()
