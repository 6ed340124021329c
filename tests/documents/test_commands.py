"""Pages that say so show commands that run, in order, in a folder of their own; every page, commands that there are."""

from __future__ import annotations

import importlib
import re
import shlex

import click
import pytest

from litmus_nb.cli import COMMANDS
from tests.conftest import ROOT
from tests.documents.commands import TESTED, Command, commands_of, run_in_order

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


def shown_commands(text: str):
    """Every `litmus-nb ...` in a page's code, one list of words each, up to a `--`."""
    code = re.findall(r"^```(?:console|sh|yaml)?\n(.*?)^```|`(litmus-nb [^`]*)`", text, re.MULTILINE | re.DOTALL)
    joined = re.sub(r"\\\n\s*", " ", "\n".join(block or inline for block, inline in code))
    for line in joined.splitlines():
        for found in re.finditer(r"litmus-nb (?=[a-z])([^`#|&;),<>]*)", line):
            try:
                words = shlex.split(found[1])
            except ValueError:  # cut off within quotes
                words = found[1].replace("'", " ").replace('"', " ").split()
            yield words[: words.index("--")] if "--" in words else words


@pytest.mark.parametrize("name", [name for name in PAGES if "decisions" not in name])
def test_every_command_that_is_shown_exists(name):
    for words in shown_commands((ROOT / name).read_text(encoding="utf-8")):
        assert words[0] in COMMANDS, words
        command = importlib.import_module(COMMANDS[words[0]][0]).command
        rest = words[1:]
        while isinstance(command, click.Group) and rest and not rest[0].startswith("-"):
            names = rest[0].split("|") if rest[0] not in command.commands else [rest[0]]
            assert set(names) <= set(command.commands), words
            command, rest = command.commands[names[0]], rest[1:]
        known = {option for parameter in command.params for option in parameter.opts} | {"-h", "--help"}
        assert {word for word in rest if re.match(r"--?[a-z]", word)} <= known, words
