"""history.ipynb and what its cells call."""

from __future__ import annotations

import json
from pathlib import Path

import nbformat
import pytest
from papermill.execute import execute_notebook

from litmus_nb.contracts.codes import VerdictState
from litmus_nb.face.history import demo_history, load_history
from litmus_nb.report.pictures import Picture
from litmus_nb.report.site import publish as publishing
from litmus_nb.report.site.publish import publish
from litmus_nb.shipped import shipped_path
from tests.report.test_site import TODAY, leave
from tests.report.verdicts import a_fail, a_pass, a_rejection, an_indeterminate, finding, judged, verdict_of


def test_an_absent_folder_is_an_empty_history(tmp_path: Path) -> None:
    history = load_history(tmp_path / "absent")
    assert history.published == ()
    assert history.states.height == history.reasons.height == history.headroom.height == history.verdicts.height == 0


def test_a_verdict_that_cannot_be_read_is_told_and_the_others_are_there(tmp_path: Path) -> None:
    leave(tmp_path / "good", a_pass())
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad/verdict.json").write_text("\x1b[2J{")
    history = load_history(tmp_path)
    assert len(history.published) == 1
    assert "bad/verdict.json" in history.problems[0]
    assert "\x1b" not in history.problems[0]


def test_rates_reasons_and_headroom_are_counted_from_what_the_verdicts_say(tmp_path: Path) -> None:
    for number, make in enumerate((a_pass, a_fail, a_rejection, an_indeterminate)):
        leave(tmp_path / str(number), make())
    near = [judged("near", ci_high=0.099), judged("far", ci_high=0.01)]
    leave(tmp_path / "later", verdict_of(VerdictState.PASS, near, [], worst="near", as_of="2026-12-01"))
    history = load_history(tmp_path)
    assert history.states.rows() == [("2026-12", 1, 0, 0, 0, 0.0), ("2026-11", 1, 1, 1, 1, 0.5)]
    assert dict(history.reasons.select("code", "verdicts").iter_rows()) == {
        "CLASS_REGRESSED": 1,
        "ENVELOPE_MISMATCH": 1,
        "INDETERMINATE": 1,
    }
    headroom = dict(history.headroom.select("class", "headroom").iter_rows())
    assert headroom["near"] == pytest.approx(0.001)
    assert list(headroom)[0] in ("prompt-injection", "tool-misuse")  # noqa: RUF015 - the first is what is asked about
    assert history.verdicts["as_of"][0] == "2026-12-01"


def test_a_class_without_a_tolerance_has_no_headroom_and_comes_first(tmp_path: Path) -> None:
    free = [judged("free", "NO_VERDICT", tolerance=None), judged("tight", ci_high=0.2)]
    reason = finding("CLASS_WITHOUT_THRESHOLD", "4.5a", "free", "a tolerance and a min_n", "none")
    leave(tmp_path / "a", verdict_of(VerdictState.NO_VERDICT, free, [reason], worst="free"))
    assert load_history(tmp_path).headroom.select("class", "headroom").row(0) == ("free", None)


def test_a_published_site_is_read_like_its_reports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(publishing, "_picture", lambda suite, drawn, is_touched: Picture(None))
    for number, make in enumerate((a_pass, a_fail, a_rejection)):
        leave(tmp_path / f"reports/{number}", make())
    publish(tmp_path / "reports", tmp_path / "site", today=TODAY)
    assert load_history(tmp_path / "reports").published == load_history(tmp_path / "site").published


def test_hostile_names_are_shown_harmless_in_every_frame(tmp_path: Path) -> None:
    name = "\u202e<script>\x1b[2J"
    verdict = verdict_of(VerdictState.PASS, [judged(name)], [], worst=name)
    leave(tmp_path / "a", verdict, suite=name, candidate=name)
    history = load_history(tmp_path)
    for frame in (history.verdicts, history.headroom):
        text = json.dumps(frame.to_dicts())
        assert "\\u202e<" not in text.replace("\\\\u202e", "")
        assert "\\u001b" not in text


def test_the_demo_has_one_verdict_of_each_state() -> None:
    assert {one.state for one in demo_history().published} == set(VerdictState)


@pytest.mark.kernel
@pytest.mark.parametrize("has_reports", [True, False])
def test_the_notebook_runs_to_its_end(has_reports: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    if has_reports:
        for number, make in enumerate((a_pass, a_fail, a_rejection)):
            leave(tmp_path / f"reports/{number}", make())
    executed = execute_notebook(
        str(shipped_path("notebooks/history.ipynb")), str(tmp_path / "out.ipynb"), progress_bar=False, log_output=False
    )
    nbformat.validate(executed)
    outputs = [output for cell in executed.cells if cell.cell_type == "code" for output in cell.outputs]
    kinds = {kind for output in outputs for kind in output.get("data", {})}
    assert "image/svg+xml" in kinds
    assert not [output for output in outputs if output.output_type == "error"]
    told = "3 verdicts on 1 suite" if has_reports else "these are the demo's four scenes"
    assert any(told in output.get("data", {}).get("text/plain", "") for output in outputs)
