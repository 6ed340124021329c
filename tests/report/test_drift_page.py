"""The page of an investigation: every picture is there, the banner says it all, no word of the evidence acts."""

from __future__ import annotations

import re

import pytest

from litmus_nb.face import judge_drift
from litmus_nb.report.drift_charts import CHARTS
from litmus_nb.report.drift_page import panel_html, panels, render_drift_page
from litmus_nb.report.markup import themed
from litmus_nb.shipped import shipped_path
from tests.report.browser import Chromium, chromium

__all__ = ["chromium"]

PICTURES = 4


@pytest.fixture(scope="module")
def report():
    """Of the demo, whose excerpts hold markup and handlers of events."""
    path = shipped_path("data/judge-drift-demo/labels.parquet")
    return judge_drift.investigate(path, baseline="agent-1.4", candidate="agent-1.5").report


@pytest.fixture(scope="module")
def page(report):
    return render_drift_page(report)


def test_no_picture_is_left_out(page, report):
    """A picture that cannot be drawn fails nothing, so that this has to be looked at."""
    assert any("onmouseover=" in (item.excerpt or "") for item in report.comparison.items)
    assert page.count('<figure class="plot">') == PICTURES
    assert page.count("<svg") == PICTURES + 1  # and the banner's shape
    assert "<b onmouseover" not in page
    assert "could not be drawn" not in page
    assert not re.search(r"<svg[^>]*>.*(fill|stroke)=\"(#|black|white)", page)


def test_the_banner_says_where_how_much_since_when_agent_or_judge_and_what_next(page):
    banner = page[page.index("<header") : page.index("</header>")]
    for words in ("drifted in", "25.4 points more", "Since", "no change of the agent is shown"):
        assert words in banner
    assert page.count("Hold the gate") == 2  # right below the banner, and among the steps at the end
    assert "What to do now.</strong> Hold the gate" in page[page.index("</header>") :][:300]


def test_a_long_table_waits_to_be_opened_and_says_how_long_it_is(page, report):
    flipped = len(report.comparison.items)
    assert f"<summary>Items labelled differently: {flipped} rows</summary>" in page
    assert page.count("<details>") == page.count("</details>") == 2


def test_what_a_table_leaves_out_is_counted(report):
    many = report.comparison.model_copy(update={"items": report.comparison.items * 4})
    longer = report.model_copy(update={"comparison": many})
    left_out = len(many.items) - 200
    assert f"200 rows, and {left_out} more in drift.json" in render_drift_page(longer)
    assert f"and {len(many.items) - 30} more rows" in panel_html(panels(longer)["where"])


def test_the_words_of_an_attribute_are_words():
    assert themed('<svg><g aria-label="a &lt;b onclick=x href=y> style="></g></svg>')
    for tag in ('<g aria-label="x" onload="y">', '<g/onload="y">', '<g aria-label="x"onload="y">'):
        with pytest.raises(ValueError, match="does not need"):
            themed(f"<svg>{tag}</g></svg>")
    with pytest.raises(ValueError, match="does not end"):
        themed('<svg><g aria-label="x</svg>')


@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 390])
def test_the_page_fits_and_does_nothing(report, tmp_path, chromium: Chromium, width):
    (tmp_path / "report.html").write_text(render_drift_page(report), encoding="utf-8")
    with chromium.opened(tmp_path / "report.html", width=width) as opened:
        assert opened.problems() + opened.crowding() == []


def test_a_picture_that_fails_is_told_of_and_one_without_numbers_is_not(page, report, monkeypatch):
    def broken(*_: object) -> None:
        raise RuntimeError

    monkeypatch.setitem(CHARTS, "flips", broken)
    told = render_drift_page(report)
    assert told.count("The picture could not be drawn (RuntimeError)") == 1
    assert told.count('<figure class="plot">') == PICTURES - 1
    undrawable = report.model_copy(update={"comparison": None, "timeline": None, "decomposition": None})
    assert "(RuntimeError)" in render_drift_page(undrawable)
    monkeypatch.undo()
    assert "could not be drawn" not in render_drift_page(undrawable)
