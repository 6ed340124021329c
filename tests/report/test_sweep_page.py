"""The page of a sweep says no more than its matrix."""

from __future__ import annotations

import re

from litmus_nb.contracts.sweep import CellResult, SweepFile, SweepMatrix
from litmus_nb.report.sweep_page import render_sweep_page
from litmus_nb.sweep.matrix import matrix_of

SWEEP = SweepFile.read(
    {
        "schema": "litmus-nb/sweep/v1",
        "output": "out",
        "gates": {"release": "gate.yaml"},
        "candidates": {"a": "runs/a", "b": "runs/b"},
    },
    file="sweep.yaml",
)


def result(name: str, state: str | None, **fields: object) -> CellResult:
    value = {"name": name, "state": state, "codes": [], "attempts": 1, "verdict_sha256": None, "candidate_digest": None}
    return CellResult.model_validate(value | fields)


def page(*results: CellResult) -> str:
    return render_sweep_page(SWEEP, matrix_of(SWEEP.all_cells, results))


def test_an_absent_cell_is_no_verdict_and_leads_nowhere():
    html = page(result("a--release", "PASS"))
    assert "1 of 2 cells are PASS; the matrix is closed. 1 has no verdict at all, which is not a PASS." in html
    assert 'class="banner no-verdict"' in html
    assert re.findall(r'href="([^"#]+)"', html) == ["a--release/report.html"] * 2
    assert "the sweep ended without a result of this cell" in html


def test_it_is_open_only_where_every_cell_is():
    html = page(result("a--release", "PASS"), result("b--release", "PASS"))
    assert "Every cell is PASS." in html
    assert 'class="banner pass"' in html
    assert "Every cell is PASS." not in page(result("a--release", "PASS"), result("b--release", "FAIL"))


def test_what_a_worker_said_is_text():
    html = page(result("a--release", None, problem="<script>alert(1)</script>\u202e"))
    assert "<script" not in html
    assert "\u202e" not in html


def test_single_cells_have_no_matrix():
    sweep = SWEEP.model_copy(update={"gates": {}, "candidates": {}})
    matrix = SweepMatrix.model_validate(matrix_of((), [result("x", "PASS")]).model_dump(by_alias=True))
    assert "Candidates against gates</h2>" not in render_sweep_page(sweep, matrix)
