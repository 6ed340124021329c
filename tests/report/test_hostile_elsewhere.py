"""The same hostile texts through every other output: notebook, markdown, JUnit, terminal, workflow commands."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import nbformat
import pytest
from IPython.utils.capture import capture_output
from markdown_it import MarkdownIt
from nbconvert import HTMLExporter
from nbformat.v4 import new_code_cell, new_notebook, new_output

from litmus_nb.contracts.codes import VerdictState
from litmus_nb.contracts.verdict import Verdict
from litmus_nb.face.display import Shown
from litmus_nb.report.github import render_annotations, render_outputs
from litmus_nb.report.gitlab import render_dotenv, render_metrics
from litmus_nb.report.junit import render_junit
from litmus_nb.report.markdown import render_markdown
from litmus_nb.report.terminal import render_terminal
from tests.report.browser import Chromium, chromium
from tests.report.hostile import CORPUS
from tests.report.verdicts import finding, judged, verdict_of

__all__ = ["chromium"]

NAMES = [text or "empty" for text in CORPUS]


def hostile_verdict(names: list[str], state: VerdictState = VerdictState.NO_VERDICT) -> Verdict:
    """Every name as a class, as a subject, as what was expected and what was seen."""
    found = [finding("INDETERMINATE", "4.5j", name, name, name) for name in names]
    found += [finding("LABEL_INVALID", "3.10", name, name, name) for name in names]
    if state is VerdictState.REJECTED:
        return verdict_of(state, [], [finding("ENVELOPE_MISMATCH", "2.6", name, name, name) for name in names])
    classes = [judged(name, "NO_VERDICT") for name in names]
    return verdict_of(state, classes, found, worst=names[0], run_id=names[0])


@pytest.mark.browser
def test_a_notebook_that_shows_them_runs_nothing_when_exported(tmp_path: Path, chromium: Chromium) -> None:
    with capture_output() as captured:
        shown = Shown()
        shown.placeholder()
        shown.decision(hostile_verdict(NAMES))
        shown.verdict(hostile_verdict(NAMES[30:]))
    outputs = [new_output("display_data", data=output.data, metadata=output.metadata) for output in captured.outputs]
    notebook = new_notebook(cells=[new_code_cell("shown", outputs=outputs)])
    nbformat.validate(notebook)
    page, _ = HTMLExporter().from_notebook_node(notebook)
    path = tmp_path / "notebook.html"
    # The exporter's own scripts come from addresses that a test may not reach.
    path.write_text(
        re.sub(r"<script[^>]*src=[^>]*></script>|<script type=\"module\">.*?</script>", "", page, flags=re.S)
    )
    with chromium.opened(path) as opened:
        assert opened.page.evaluate("window.__pwned") is None
        assert not [event for event in opened.events if "evil" in event or "dialog" in event or "went" in event]
        assert opened.page.locator("h1, form, iframe, object, embed").count() == 0


@pytest.mark.browser
@pytest.mark.parametrize("state", [VerdictState.NO_VERDICT, VerdictState.REJECTED])
def test_a_summary_that_is_rendered_with_html_allowed_runs_and_links_nothing(
    state: VerdictState, tmp_path: Path, chromium: Chromium
) -> None:
    for start in range(0, len(NAMES), 40):
        text = render_markdown(hostile_verdict(NAMES[start : start + 40], state), title=NAMES[start])
        page = MarkdownIt("gfm-like", {"html": True, "linkify": False}).render(text)
        path = tmp_path / "summary.html"
        path.write_text(f"<!doctype html><meta charset=utf-8><title>x</title>{page}", encoding="utf-8")
        with chromium.opened(path) as opened:
            assert not [problem for problem in opened.problems() if problem != "wider than the window"]
            assert opened.page.locator("a, img, script, form, input, blockquote, del, h1").count() == 0
            assert opened.page.locator("h2").count() == 1
            columns = opened.page.evaluate("[...document.querySelectorAll('tr')].map(row => row.cells.length)")
            assert set(columns) <= {8}


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_one_text_more_or_less_is_one_line_of_markdown(name: str) -> None:
    lines = render_markdown(hostile_verdict([name])).splitlines()
    plain = render_markdown(hostile_verdict(["plain"])).splitlines()
    assert len(plain) == len(lines)


def test_junit_parses_and_holds_what_was_said_and_no_more() -> None:
    root = ET.fromstring(render_junit(hostile_verdict(NAMES), title=NAMES[0]))
    assert len(list(root.iter("testcase"))) == len(NAMES) + 3
    assert {element.tag for element in root.iter()} == {
        "testsuites", "testsuite", "properties", "property", "testcase", "failure",
    }  # fmt: skip


def test_no_text_ends_its_workflow_command_or_begins_another() -> None:
    for name in NAMES:
        lines = render_annotations(hostile_verdict([name])).split("\n")
        assert lines.pop() == ""
        assert len(lines) == 3
        assert all(re.fullmatch(r"::error title=[^:,\r\n]*::.*", line) and line.isprintable() for line in lines), name[
            :60
        ]


def test_outputs_and_variables_hold_no_text_of_the_evidence() -> None:
    names = NAMES[:1]
    assert len(render_outputs(hostile_verdict(names)).splitlines()) == 3
    assert len(render_dotenv(hostile_verdict(names)).splitlines()) == 3


def test_each_metric_is_one_line_with_one_label() -> None:
    samples = [line for line in render_metrics(hostile_verdict(NAMES)).splitlines() if line.startswith("litmus_class")]
    assert len(samples) == 4 * len(NAMES)
    assert all(re.fullmatch(r'litmus_class_\w+\{class="(?:[^"\\]|\\.)*"\} -?[0-9.e-]+', line) for line in samples)


@pytest.mark.parametrize("width", [40, 80, 160])
def test_a_terminal_gets_printable_lines_and_no_command(width: int) -> None:
    for state in (VerdictState.NO_VERDICT, VerdictState.REJECTED):
        for start in range(0, len(NAMES), 12):
            verdict = hostile_verdict(NAMES[start : start + 12], state)
            for color in (False, True):
                text = re.sub(r"\x1b\[[0-9;]*m", "", render_terminal(verdict, width=width, color=color))
                lines = text.splitlines()
                assert text == "".join(f"{line}\n" for line in lines)
                assert all(line.isprintable() for line in lines)
                assert not [line for line in lines if line.strip().startswith("::")]
                assert not re.search(r"##(\[|vso\[|teamcity\[)", text)
