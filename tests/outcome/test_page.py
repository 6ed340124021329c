"""The page that a gate leaves says what it could not tell."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from litmus_nb.contracts.gate import GateFile
from litmus_nb.contracts.params import GateParams
from litmus_nb.contracts.strict_yaml import parse_yaml
from litmus_nb.contracts.times import day_of
from litmus_nb.evidence.load import load_evidence
from litmus_nb.outcome.decide import decided
from litmus_nb.outcome.names import placeholder_names, told_elsewhere
from litmus_nb.outcome.page import leave_report
from litmus_nb.shipped import shipped_path


def test_circumstances_that_cannot_be_told_are_said_to_be_untold(tmp_path: Path) -> None:
    demo = shipped_path("data/demo")
    params = GateParams(gate=str(demo / "gate.yaml"), candidate=str(demo / "runs/candidate"), output_dir=str(tmp_path))
    verdict = decided(params, as_of=day_of("2026-11-30"), run_id="a test").verdict
    evidence = load_evidence(params, as_of=day_of("2026-11-30"))
    told = leave_report(tmp_path, verdict, evidence, params)
    assert told.untold is None
    assert "could not be told" not in (tmp_path / "report.html").read_text(encoding="utf-8")
    broken = leave_report(tmp_path, verdict, replace(evidence, as_of=None), params)  # type: ignore[arg-type]  # no day
    assert (broken.untold, broken.suite_name) == ("TypeError", None)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "could not be told (TypeError)" in page
    assert ">PASS<" in page


GATE = GateFile.read(parse_yaml((shipped_path("data/demo") / "gate.yaml").read_bytes(), file="gate"), file="gate")


def named(gate: str = "gates/gate.yaml", candidate: str = "runs/c", baseline: str = "../runs/b") -> dict[str, str]:
    assert GATE.baseline is not None
    pinned = GATE.baseline.model_copy(update={"run": baseline})
    file = GATE.model_copy(update={"baseline": pinned, "suite": "suite/suite.yaml", "ledger": "ledger.jsonl"})
    return placeholder_names(GateParams(gate=gate, candidate=candidate, output_dir="out"), file)


def test_names_are_as_the_files_give_them_from_where_the_gate_ran() -> None:
    assert named() == {
        "CANDIDATE_RUN": "runs/c",
        "BASELINE_RUN": "gates/../runs/b",
        "SUITE_FOLDER": "gates/suite",
        "LEDGER": "gates/ledger.jsonl",
    }
    assert named(candidate="inspect:logs/a.eval")["CANDIDATE_RUN"] == "inspect:logs/a.eval"
    assert named(baseline="inspect:b.eval")["BASELINE_RUN"] == "inspect:gates/b.eval"
    assert placeholder_names(GateParams(gate="g", candidate="runs/c", output_dir="o"), None) == {
        "CANDIDATE_RUN": "runs/c"
    }


@pytest.mark.parametrize("candidate", ["-p", "--to", "/home/ann/runs/c", "inspect:/home/ann/c.eval"])
def test_no_option_and_no_path_of_this_machine_stands_for_a_placeholder(candidate: str) -> None:
    assert "CANDIDATE_RUN" not in told_elsewhere(named(candidate=candidate))
    assert set(told_elsewhere(named(gate="/srv/gates/gate.yaml"))) == {"CANDIDATE_RUN"}


@pytest.mark.parametrize("is_absolute", [False, True])
def test_the_page_names_what_it_knows_and_says_what_the_reader_puts_in(
    is_absolute: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(shipped_path("data/demo"), tmp_path / "demo")
    monkeypatch.chdir(tmp_path)
    here = tmp_path / "demo" if is_absolute else Path("demo")
    params = GateParams(gate=str(here / "gate.yaml"), candidate=str(here / "runs/regressed"), output_dir="out")
    evidence = load_evidence(params, as_of=day_of("2026-11-30"))
    verdict = decided(params, as_of=day_of("2026-11-30"), run_id="a test").verdict
    leave_report(tmp_path, verdict, evidence, params)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    step = page[page.index('class="next"') : page.index("</section>", page.index('class="next"'))]
    if is_absolute:
        assert "<code>litmus-nb explore BASELINE_RUN CANDIDATE_RUN --to look</code>" in step
        assert "<code>BASELINE_RUN</code> stands for the baseline that the gate file pins." in step
        assert str(tmp_path) not in step
        assert "the folder that the gate ran in" not in step
    else:
        assert "<code>litmus-nb explore demo/runs/baseline demo/runs/regressed --to look</code>" in step
        assert "the folder that the gate ran in" in step
        assert "stands for" not in step


def test_a_pass_says_what_params_stands_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(shipped_path("data/demo"), tmp_path / "demo")
    monkeypatch.chdir(tmp_path)
    params = GateParams(gate="demo/gate.yaml", candidate="demo/runs/candidate", output_dir="out")
    evidence = load_evidence(params, as_of=day_of("2026-11-30"))
    leave_report(tmp_path, decided(params, as_of=day_of("2026-11-30"), run_id="a test").verdict, evidence, params)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "litmus-nb check verdict.json --params PARAMS" in page
    assert "<code>PARAMS</code> stands for the params file that this gate was called with" in page
