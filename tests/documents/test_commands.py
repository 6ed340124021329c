"""Pages that say so show commands that run, in order, in a folder of their own; every page, commands that there are."""

from __future__ import annotations

import importlib

import click
import pytest

from litmus_nb.cli import COMMANDS
from litmus_nb.evidence.sources import READERS
from tests.conftest import ROOT
from tests.documents.commands import (
    TESTED,
    Command,
    assert_is_a_command,
    code_of,
    commands_of,
    run_in_order,
    shown_commands,
)

PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for folder in ("", "docs", "examples")
    for path in (ROOT.glob("*.md") if not folder else (ROOT / folder).rglob("*.md"))
)
RUN = [name for name in PAGES if TESTED in (ROOT / name).read_text(encoding="utf-8")]


def test_a_command_that_ends_otherwise_is_told(tmp_path):
    with pytest.raises(AssertionError, match="promised 0"):
        run_in_order("```console\n$ true\n$ false\n```\n", tmp_path)
    with pytest.raises(AssertionError, match="promised 3"):
        run_in_order("```console\n$ true  # exit 3\n```\n", tmp_path)
    with pytest.raises(AssertionError, match="no command"):
        run_in_order("nothing", tmp_path)


@pytest.mark.parametrize(
    "shown",
    ["another", "one", "three\n$ true\ntwo", "two\none two", "one … three", "sha256:ab", "/elsewhere/three"],
)
def test_a_command_that_prints_something_else_is_told(shown, tmp_path):
    with pytest.raises(AssertionError, match="printed no line"):
        run_in_order(f"```console\n$ printf 'one two\\nthree\\n'\n{shown}\n```\n", tmp_path)


def test_what_differs_from_machine_to_machine_and_from_day_to_day_is_not_compared(tmp_path):
    prints = (
        'echo "$PWD/a   sha256:0123abc… at 2026-11-30T09:00:00.123Z of 2026-11-30"; echo more >&2; echo one two three'
    )
    shown = "a sha256:f00d at 2027-01-01T00:00:00Z of 2027-01-01\n\none … three"
    run_in_order(f"```console\n$ {prints}\n{shown}\n$ true\n```\n", tmp_path)


def test_output_of_no_command_is_told(tmp_path):
    with pytest.raises(AssertionError, match="no command prints this line: 'printed'"):
        commands_of("```console\nprinted\n$ true\n```\n")


def test_commands_are_taken_whole():
    page = "```console\n$ one \\\n    more\nprinted\n\ntoo\n$ cat > f <<'END'\na: 1\nEND\n$ last  # exit 4\n```\n"
    assert commands_of(page) == [
        Command("one \\\n    more", 0, ("printed", "too")),
        Command("cat > f <<'END'\na: 1\nEND", 0),
        Command("last", 4),
    ]


@pytest.mark.slow
@pytest.mark.kernel
@pytest.mark.parametrize("name", RUN)
def test_every_command_of_the_page_runs(name, tmp_path):
    run_in_order((ROOT / name).read_text(encoding="utf-8"), tmp_path)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_help_text_has_an_example_and_says_what_the_exit_codes_mean(name):
    command = importlib.import_module(COMMANDS[name][0]).command
    for called in command.commands.values() if isinstance(command, click.Group) else [command]:
        assert "Example:" in (called.help or ""), f"{name} {called.name}: no example in its docstring"
        assert "Exit:" in called.help, f"{name} {called.name}: no exit codes in its docstring"


@pytest.mark.parametrize("name", READERS)
def test_every_reader_is_told_of(name):
    told = (ROOT / "docs/readers.md").read_text(encoding="utf-8").lower()
    assert name in told, f"docs/readers.md says nothing of the reader {name}"


@pytest.mark.parametrize("name", [name for name in PAGES if "decisions" not in name])
def test_every_command_that_is_shown_exists(name):
    for words in shown_commands(code_of((ROOT / name).read_text(encoding="utf-8"))):
        assert_is_a_command(words)
