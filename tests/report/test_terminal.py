"""The verdict in a terminal."""

from __future__ import annotations

import subprocess
import sys

import pytest
from rich.cells import cell_len

from litmus_nb.contracts.codes import VerdictState
from litmus_nb.report.terminal import render_terminal
from tests.report.verdicts import STATES, a_fail, a_pass, a_rejection, finding, judged, verdict_of


@pytest.mark.parametrize("width", [20, 40, 60, 72, 80, 110, 200])
@pytest.mark.parametrize("make", STATES.values(), ids=STATES.keys())
def test_no_line_is_wider_than_the_terminal(make: object, width: int) -> None:
    text = render_terminal(make(), width=width, paths={"verdict": "reports/" + "very-long/" * 20})  # type: ignore[operator]
    assert max(cell_len(line) for line in text.splitlines()) <= max(width, 40)


def test_it_says_state_numbers_reason_next_step_and_paths() -> None:
    text = render_terminal(a_fail(), width=80, confidence=0.95, paths={"report": "reports/demo/report.html"})
    for told in (
        "[x] FAIL",
        "got worse by 12.0 points (95 % interval 5.1 to 18.7",
        "prompt-injection   FAIL",
        "CLASS_REGRESSED §4.5h",
        "next  Do not ship",
        "litmus-nb explore BASELINE_RUN CANDIDATE_RUN --to look",
        "report  reports/demo/report.html",
    ):
        assert told in text


def test_the_next_command_names_what_the_caller_knows_and_nothing_acts_in_it() -> None:
    names = {"BASELINE_RUN": "runs/the old", "CANDIDATE_RUN": "runs/$(new)\x1b[2J"}
    text = render_terminal(a_fail(), width=200, names=names)
    assert "litmus-nb explore 'runs/the old' 'runs/$(new)" in text
    assert "\x1b" not in text
    assert "check reports/verdict.json --params PARAMS" in render_terminal(
        a_pass(), width=200, names={"verdict.json": "reports/verdict.json"}
    )


def test_a_command_that_is_too_long_for_a_line_goes_on_behind_a_backslash() -> None:
    names = {"BASELINE_RUN": "data/demo/runs/baseline", "CANDIDATE_RUN": "data/demo/runs/regressed"}
    shown = render_terminal(a_fail(), width=80, names=names)
    line, rest = shown[shown.index("litmus-nb explore") :].splitlines()[:2]
    assert line.endswith(" \\")
    assert f"{line[:-1]}{rest.strip()}" == (
        "litmus-nb explore data/demo/runs/baseline data/demo/runs/regressed --to look"
    )


@pytest.mark.parametrize("width", [40, 80, 120])
def test_numbers_are_never_cut(width: int) -> None:
    text = render_terminal(a_fail(), width=width)
    assert "…" not in text
    assert "18.7" in text


def test_there_is_no_escape_sequence_where_nobody_sees_colour() -> None:
    assert "\x1b" not in render_terminal(a_fail(), color=False)
    assert "\x1b[" in render_terminal(a_fail(), color=True)


def test_a_rejection_shows_no_class_and_no_point() -> None:
    text = render_terminal(a_rejection(), width=100)
    assert "points" not in text
    assert "interval" not in text


def test_many_classes_and_reasons_are_cut_and_counted() -> None:
    reasons = [finding("TOOL_MISSING", "2.4", f"t{n}", "the tool", "none") for n in range(40)]
    text = render_terminal(verdict_of(VerdictState.REJECTED, [], reasons))
    assert "and 28 more reasons, in verdict.json" in text
    classes = [judged(f"class-{n}") for n in range(50)]
    assert "20 more classes in verdict.json" in render_terminal(
        verdict_of(VerdictState.PASS, classes, [], worst="class-0")
    )


def test_the_evidence_cannot_paint_move_or_command() -> None:
    hostile = "\x1b[2J\x1b[31m::set-env name=X::y\n::error::gone [bold]rich[/bold] :smile: \u202eexe"
    classes = [judged(hostile, "PASS")]
    text = render_terminal(verdict_of(VerdictState.PASS, classes, [], worst=hostile), width=40)
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "[bold]rich[/bold]" in text.replace("\n    ", "").replace("\n      ", "")
    assert not [line for line in text.splitlines() if line.strip().startswith("::")]


def test_the_words_are_ascii_where_a_log_needs_it() -> None:
    assert "−" not in render_terminal(a_pass(), width=80)


def test_terminal_and_sentences_load_no_chart_and_no_template_library() -> None:
    code = (
        "import sys, litmus_nb.report.terminal, litmus_nb.report.sentences\n"
        "heavy = {'altair', 'vl_convert', 'jinja2', 'polars', 'pandas', 'scipy'} & set(sys.modules)\n"
        "sys.exit(', '.join(sorted(heavy)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.returncode == 0
