"""A machine on which no chart can be drawn: every page is there all the same, and says so."""

from __future__ import annotations

import sys

import pytest

from litmus_nb.contracts.report import ReportFacts
from litmus_nb.face import judge_drift
from litmus_nb.report.drift_page import render_drift_page
from litmus_nb.report.exploration_page import render_exploration_page
from litmus_nb.report.page import gate_pictures, render_gate_page
from litmus_nb.shipped import shipped_path
from tests.exploration.test_hostile import exploration, harmless
from tests.report.verdicts import a_fail

TOLD = "The picture could not be drawn (ModuleNotFoundError)"


@pytest.fixture
def no_charts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The drawing library cannot be imported, and nothing that needs it was imported before."""
    for name in ("charts", "drift_charts", "exploration_charts"):
        monkeypatch.delitem(sys.modules, f"litmus_nb.report.{name}", raising=False)
    monkeypatch.setitem(sys.modules, "vl_convert", None)


@pytest.mark.usefixtures("no_charts")
def test_the_gates_page_is_left_and_says_that_nothing_was_drawn() -> None:
    assert gate_pictures(a_fail()).failure == "ModuleNotFoundError"
    page = render_gate_page(ReportFacts(verdict=a_fail()))
    assert TOLD in page
    assert "5.1 to 18.7" in page


def test_the_page_of_an_investigation_is_left_and_says_that_nothing_was_drawn(request: pytest.FixtureRequest) -> None:
    path = shipped_path("data/judge-drift-demo/labels.parquet")
    report = judge_drift.investigate(path, baseline="agent-1.4", candidate="agent-1.5").report
    request.getfixturevalue("no_charts")
    page = render_drift_page(report)
    assert TOLD in page
    assert '<figure class="plot">' not in page


@pytest.mark.usefixtures("no_charts")
def test_the_page_of_an_exploration_is_left_and_says_that_nothing_was_drawn() -> None:
    page = render_exploration_page(exploration(harmless, 3))
    assert TOLD in page
    assert '<figure class="plot">' not in page
