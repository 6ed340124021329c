"""The commands of a page, as a reader would type them."""

from __future__ import annotations

import importlib
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click

from litmus_nb.cli import COMMANDS

TESTED = "<!-- tested: every command below is run in order in a folder of its own -->"
"""What a page says whose commands all run."""

_BLOCK = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
_EXIT = re.compile(r"\s+#.*?\bexit (\d)\b.*$")


@dataclass(frozen=True)
class Command:
    """One command line (or several, for a here-document) and the exit status that the page promises."""

    text: str
    status: int


def commands_of(page: str) -> list[Command]:
    """The lines after `$ ` in the page's console blocks; lines that follow a here-document's belong to it."""
    found = []
    for block in _BLOCK.findall(page):
        lines = block.splitlines()
        while lines:
            line = lines.pop(0)
            if not line.startswith("$ "):
                continue  # what the command prints
            text = line[2:]
            while text.endswith("\\"):
                text += "\n" + lines.pop(0)
            if ended := re.search(r"<<'(\w+)'", text):
                while lines:
                    line = lines.pop(0)
                    text += "\n" + line
                    if line == ended[1]:
                        break
            promised = _EXIT.search(text.splitlines()[0])
            found.append(
                Command(_EXIT.sub("", text) if "\n" not in text else text, int(promised[1]) if promised else 0)
            )
    return found


def run_in_order(page: str, folder: Path, environment: dict[str, str] | None = None) -> None:
    """Run a page's commands in one shell's environment, each held to the exit status that the page promises.

    Raises:
        AssertionError: a command ended otherwise; what it printed is in the message.
    """
    commands = commands_of(page)
    assert commands, "the page shows no command"
    script = ["set -u -o pipefail"]
    for number, command in enumerate(commands):
        script += [
            f"echo '=== {number}' >&2",
            command.text,
            f'status=$?; [ "$status" = {command.status} ] && told=0 || told=1',
            f'[ $told = 0 ] || {{ echo "=== exit $status, promised {command.status}" >&2; exit 90; }}',
        ]
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    ended = subprocess.run(
        ["bash", "-c", "\n".join(script)],
        cwd=folder,
        env={**os.environ, **(environment or {}), "PATH": path, "COLUMNS": "100"},
        capture_output=True,
        text=True,
        timeout=550,
    )
    if ended.returncode:
        last = int(re.findall(r"^=== (\d+)$", ended.stderr, re.MULTILINE)[-1])
        raise AssertionError(f"{commands[last].text}\n{ended.stdout[-1500:]}\n{ended.stderr[-3000:]}")


def code_of(page: str) -> str:
    """What stands as a command in a page: its blocks of code, and `litmus-nb ...` within a line."""
    found = re.findall(r"^```(?:console|sh|yaml)?\n(.*?)^```|`(litmus-nb [^`]*)`", page, re.MULTILINE | re.DOTALL)
    return "\n".join(block or inline for block, inline in found)


def shown_commands(code: str) -> Iterator[list[str]]:
    """The words of every `litmus-nb ...` in code, up to a `--`, behind which is another program's command line."""
    for line in re.sub(r"\\\n\s*", " ", code).splitlines():
        for found in re.finditer(r"litmus-nb (?=[a-z])([^`#|&;),]*)", line):
            try:
                words = shlex.split(found[1])
            except ValueError:  # cut off within quotes
                words = found[1].replace("'", " ").replace('"', " ").split()
            yield words[: words.index("--")] if "--" in words else words


def assert_is_a_command(words: list[str]) -> None:
    """The words name a command that there is, with options that it has; `freeze|show` means both."""
    assert words[0] in COMMANDS, words
    command = importlib.import_module(COMMANDS[words[0]][0]).command
    rest = words[1:]
    while isinstance(command, click.Group) and rest and not rest[0].startswith("-"):
        names = rest[0].split("|")
        assert set(names) <= set(command.commands), words
        command, rest = command.commands[names[0]], rest[1:]
    known = {option for parameter in command.params for option in parameter.opts} | {"-h", "--help"}
    assert {word for word in rest if word.startswith("-") and len(word) > 1} <= known, words
