"""notebooks/judge_drift.ipynb as a person uses it: opened in JupyterLab, run, clicked."""

from __future__ import annotations

import json
import re

import pytest

from tests.lab.conftest import SCREENSHOTS

pytestmark = [pytest.mark.browser, pytest.mark.kernel, pytest.mark.slow, pytest.mark.timeout(1500)]


@pytest.fixture(scope="module")
def opened(ran):
    """The notebook after Run All, with whatever its page asked for elsewhere."""
    found = ran("judge_drift.ipynb")
    assert found.errors == []
    return found


@pytest.fixture(scope="module")
def notebook(opened):
    """Its page."""
    return opened.page


def chart(notebook, holding):
    """The chart whose text holds something."""
    found = notebook.locator(".jp-RenderedVegaCommon5", has_text=holding).first
    found.scroll_into_view_if_needed()
    found.wait_for()
    return found


def texts(found):
    """Every text in a chart, in order."""
    return found.locator("svg text").all_text_contents()


def items_in(found):
    """The items that a chart lists."""
    return [text for text in texts(found) if "anchor-" in text or "#" in text]


def test_it_runs_to_its_end_and_leaves_its_findings(notebook, lab):
    assert notebook.locator(".jp-RenderedText[data-mime-type='application/vnd.jupyter.stderr']").count() == 0
    report = json.loads((lab.folder / "reports/judge-drift/drift.json").read_bytes())
    assert (report["conclusion"]["is_drift"], report["conclusion"]["classes"]) == ("yes", ["tool-misuse"])
    assert (lab.folder / "reports/judge-drift/report.html").exists()
    notebook.screenshot(path=str(SCREENSHOTS / "judge-drift-lab-end.png"))


def test_a_click_on_a_class_lists_its_items_and_excerpts(notebook):
    flips = chart(notebook, "Click a class")
    before = items_in(flips)
    assert {item.split("-")[0].removeprefix("agent") for item in before} != {"tool"}
    flips.locator("path[aria-label*='tool-misuse']").first.click()
    notebook.wait_for_function(
        """() => [...document.querySelectorAll('.jp-RenderedVegaCommon5 svg text')].map(e => e.textContent)
            .filter(t => t.includes('anchor-') || t.includes('#')).every(t => t.includes('tool-'))"""
    )
    after = items_in(flips)
    assert after
    assert after != before
    assert all("tool-" in item for item in after)
    notebook.screenshot(path=str(SCREENSHOTS / "judge-drift-lab-clicked.png"))


def test_excerpts_are_text_and_nothing_else(notebook, opened):
    flips = chart(notebook, "Click a class")
    assert any("<b onmouseover=alert(1)>" in text for text in texts(flips))
    assert notebook.locator(".jp-OutputArea b[onmouseover]").count() == 0
    assert opened.dialogs == []


def test_a_period_that_is_dragged_over_changes_what_was_missed_in_it(notebook):
    timeline = chart(notebook, "Drag over a period")
    before = [text for text in texts(timeline) if re.match(r"\d+ of \d+", text)]
    box = timeline.locator("svg").first.bounding_box()
    notebook.mouse.move(box["x"] + 0.70 * box["width"], box["y"] + 130)
    notebook.mouse.down()
    notebook.mouse.move(box["x"] + 0.80 * box["width"], box["y"] + 150, steps=5)
    notebook.mouse.move(box["x"] + 0.90 * box["width"], box["y"] + 160, steps=5)
    notebook.mouse.up()
    notebook.wait_for_function(
        """before => { const after = [...document.querySelectorAll('.jp-RenderedVegaCommon5 svg text')]
            .map(e => e.textContent).filter(t => /^\\d+ of \\d+/.test(t)); return '' + after !== '' + before; }""",
        arg=before,
    )
    after = [text for text in texts(timeline) if re.match(r"\d+ of \d+", text)]
    notebook.screenshot(path=str(SCREENSHOTS / "judge-drift-lab-brushed.png"))
    assert len(before) == len(after) == 5
    assert before != after


def test_nothing_is_fetched_from_anywhere_else(opened):
    assert opened.elsewhere == []
