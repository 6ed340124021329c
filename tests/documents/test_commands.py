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


def test_commands_are_taken_whole():
    page = "```console\n$ one \\\n    more\nprinted\n$ cat > f <<'END'\na: 1\nEND\n$ last  # exit 4\n```\n"
    assert [command.text for command in commands_of(page)] == ["one \\\n    more", "cat > f <<'END'\na: 1\nEND", "last"]
    assert commands_of(page)[-1] == Command("last", 4)


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
