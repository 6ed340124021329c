"""The page that a gate leaves says what it could not tell."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from litmus_nb.contracts.params import GateParams
from litmus_nb.contracts.times import day_of
from litmus_nb.evidence.load import load_evidence
from litmus_nb.outcome.decide import decided
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
