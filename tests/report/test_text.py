"""What `safe_text` and its kin promise about any text at all."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litmus_nb.report.text import (
    annotation_property,
    csv_cell,
    markdown_text,
    safe_block,
    safe_text,
    short_digests,
    without_commands,
)

ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=[]), max_size=400)


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        ("plain words, ünïcödé, 日本語, שלום", "plain words, ünïcödé, 日本語, שלום"),
        (r"\x1b[31mred", "\x1b[31mred"),
        (r"line\nbreak\r\t\x00", "line\nbreak\r\t\x00"),
        (r"\u202etxt.exe\u2066", "\u202etxt.exe\u2066"),
        (r"ze\u200bro \ufeff\xad", "ze\u200bro \ufeff\u00ad"),
        (r"para\u2029graph\x85", "para\u2029graph\u0085"),
        (r"\U000e0041tag \ue000", "\U000e0041tag \ue000"),
        (r"\ud800", "\ud800"),
        (r"blank \u3164 \u2800 \xa0", "blank \u3164 \u2800 \u00a0"),
        (r"sign\ufe0f", "sign\ufe0f"),
    ],
)
def test_what_acts_or_hides_is_shown_as_an_escape(expected: str, text: str) -> None:
    assert expected == safe_text(text)


def test_marks_that_climb_over_other_lines_are_shown_after_the_third() -> None:
    assert safe_text("a" + "\u0301" * 8) == "a" + "\u0301" * 3 + "\\u0301" * 5


def test_a_megabyte_is_cut_and_says_so() -> None:
    shown = safe_text("x" * 1_000_000, limit=60)
    assert len(shown) == 60
    assert shown.endswith("… (1000000 characters)")


def test_a_limit_too_small_to_say_what_is_missing_is_refused() -> None:
    with pytest.raises(ValueError, match="40"):
        safe_text("x", limit=10)


@given(ANY_TEXT, st.integers(40, 200))
def test_any_text_becomes_one_printable_line_within_its_limit(text: str, limit: int) -> None:
    shown = safe_text(text, limit=limit)
    assert len(shown) <= limit
    assert shown.isprintable()
    assert [shown] == (shown.splitlines() or [""])
    shown.encode("utf-8")


@given(ANY_TEXT)
def test_cleaning_twice_is_cleaning_once(text: str) -> None:
    once = safe_text(text, limit=10_000)
    assert once == safe_text(once, limit=10_000)


def test_a_block_keeps_its_lines_and_nothing_else() -> None:
    assert safe_block("a:\n\tb\x1b\n") == "a:\n    b\\x1b\n"


def test_digests_are_shortened_wherever_they_stand() -> None:
    digest = "sha256:" + "0123456789ab" + "c" * 52
    assert short_digests(f"{digest} instead of sha256:zz") == "sha256:0123456789ab… instead of sha256:zz"


@given(ANY_TEXT)
def test_markdown_holds_no_punctuation_that_a_parser_could_take_for_its_own(text: str) -> None:
    inner = markdown_text(text, limit=2000).removeprefix("<code>").removesuffix("</code>")
    outside_entities = "".join(part.split(";", 1)[-1] for part in inner.split("&#"))
    assert all(character.isalnum() or character == " " for character in outside_entities)


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", " =1", "＝1", "|cmd", "%0A=1"])
def test_no_cell_begins_like_a_formula(text: str) -> None:
    assert csv_cell(text)[0] in ("'", "\\")


@given(ANY_TEXT)
def test_a_cell_comes_back_from_a_csv_reader_as_it_was_written(text: str) -> None:
    cell = csv_cell(text)
    buffer = io.StringIO()
    csv.writer(buffer).writerow([cell, "next"])
    assert [[cell, "next"]] == list(csv.reader(io.StringIO(buffer.getvalue())))


def test_a_property_of_a_workflow_command_cannot_end_itself() -> None:
    assert annotation_property("a::error,%b\n") == "a%3A%3Aerror%2C%25b\\n"


@pytest.mark.parametrize(
    "line",
    [
        "::set-env name=A::b",
        "   ::error::x",
        "\x1b[1m::add-mask::x",
        "│ ::error::x",
        "text ##[group]x",
        "##vso[task.x]y",
    ],
)
def test_no_line_is_a_command_to_the_machine_that_records_it(line: str) -> None:
    shown = without_commands(f"first\n{line}\nlast")
    assert not any(part.strip("\x1b[1m │").startswith("::") for part in shown.splitlines())
    assert "##[" not in shown
    assert "##vso[" not in shown
    assert shown.splitlines()[0] == "first"


def test_two_colons_inside_a_line_stay_as_they_are() -> None:
    assert without_commands("tests/a.py::test_b ok") == "tests/a.py::test_b ok"
