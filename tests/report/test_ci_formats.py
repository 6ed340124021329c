"""What CI systems read of a verdict: closed is closed in each of them."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest

from litmus_nb.contracts.codes import VerdictState
from litmus_nb.report.github import render_annotations, render_outputs
from litmus_nb.report.gitlab import render_dotenv, render_metrics
from litmus_nb.report.junit import render_junit
from litmus_nb.report.markdown import render_markdown
from tests.report.verdicts import (
    STATES,
    a_degraded_pass,
    a_fail,
    a_pass,
    a_rejection,
    a_withheld,
    an_indeterminate,
    finding,
    verdict_of,
)

CLOSED = [a_fail, a_rejection, a_withheld, an_indeterminate]


@pytest.mark.parametrize("make", CLOSED)
def test_whatever_is_closed_is_a_failure_and_nothing_else(make: object) -> None:
    root = ET.fromstring(render_junit(make()))  # type: ignore[operator]
    assert int(root.attrib["failures"]) >= 2
    assert root.attrib["failures"] == str(len(root.findall(".//failure")))
    assert not root.findall(".//error")
    assert not root.findall(".//skipped")
    gate = root.find(".//testcase[@name='gate']/failure")
    assert gate is not None
    assert gate.attrib["message"]


@pytest.mark.parametrize("make", [a_pass, a_degraded_pass])
def test_a_pass_has_no_failure_and_a_case_for_each_class(make: object) -> None:
    root = ET.fromstring(render_junit(make()))  # type: ignore[operator]
    assert root.attrib["failures"] == "0"
    names = [case.attrib["name"] for case in root.iter("testcase")]
    assert names == ["gate", "admissibility", "eligibility", "prompt-injection", "tool-misuse"]


def test_a_class_that_was_not_judged_has_not_passed() -> None:
    root = ET.fromstring(render_junit(a_withheld()))
    failed = [case.attrib["name"] for case in root.iter("testcase") if case.find("failure") is not None]
    assert failed == ["gate", "eligibility", "prompt-injection", "tool-misuse"]


def test_a_gate_that_did_not_finish_fails_without_claiming_any_stage() -> None:
    reason = finding("EXECUTION_INCOMPLETE", "1.3", "litmus_nb", "a finished gate", "the kernel died")
    root = ET.fromstring(render_junit(verdict_of(VerdictState.NO_VERDICT, [], [reason])))
    assert [case.attrib["name"] for case in root.iter("testcase")] == ["gate", "execution"]
    assert root.attrib["failures"] == "2"


def test_the_rejected_junit_holds_no_number_of_a_result() -> None:
    assert b"points" not in render_junit(a_rejection())
    assert "litmus_class" not in render_metrics(a_rejection())
    assert "points" not in render_markdown(a_rejection())


@pytest.mark.parametrize(
    ("level", "make"),
    [("error", make) for make in CLOSED] + [("notice", a_pass), ("warning", a_degraded_pass)],  # type: ignore[list-item]
)
def test_every_annotation_is_one_command_of_the_right_level(level: str, make: object) -> None:
    lines = render_annotations(make()).splitlines()  # type: ignore[operator]
    assert lines
    assert all(re.fullmatch(rf"::{level} title=[^:,]*::[^\r\n]*", line) for line in lines)


def test_github_gets_at_most_ten_annotations() -> None:
    many = [finding("TOOL_MISSING", "2.4", f"t{n}", "the tool", "none") for n in range(40)]
    assert len(render_annotations(verdict_of(VerdictState.REJECTED, [], many)).splitlines()) == 10


@pytest.mark.parametrize("make", STATES.values(), ids=STATES.keys())
def test_outputs_and_variables_are_words_of_ours(make: object) -> None:
    verdict = make()  # type: ignore[operator]
    assert f"verdict={verdict.verdict.value}\n" in render_outputs(verdict)
    assert f"gate-open={'true' if verdict.gate_open else 'false'}\n" in render_outputs(verdict)
    assert f"LITMUS_GATE_OPEN={'true' if verdict.gate_open else 'false'}\n" in render_dotenv(verdict)


def test_metrics_leave_out_what_is_withheld() -> None:
    assert render_metrics(a_withheld()) == "# TYPE litmus_gate_open gauge\nlitmus_gate_open 0\n# EOF\n"
    assert 'litmus_class_ci_high{class="prompt-injection"} 0.187' in render_metrics(a_fail())


def test_the_summary_has_the_sentence_the_table_and_the_reasons() -> None:
    text = render_markdown(a_fail(), title="agent-7", confidence=0.95)
    assert text.startswith("## ✖ FAIL: <code>agent&#45;7</code>")
    assert "got worse by 12.0 points" in text
    assert "| <code>prompt&#45;injection</code> | **FAIL** | 100 |" in text
    assert "**CLASS\\_REGRESSED** (§<code>4&#46;5h</code>)" in text
    assert "litmus-nb explore BASELINE_RUN CANDIDATE_RUN --to look" in text
    assert "- `BASELINE_RUN`: the baseline that the gate file pins\n" in text


def test_a_summary_stays_far_below_the_limit() -> None:
    flood = [finding("TOOL_MISSING", "2.4", "x" * 5000, "y" * 5000, "z" * 5000) for _ in range(1000)]
    text = render_markdown(verdict_of(VerdictState.REJECTED, [], flood))
    assert len(text.encode()) < 200_000
    assert "and 950 more, in verdict.json" in text
