"""The commands of a page, as a reader would type them."""

from __future__ import annotations

import importlib
import os
import re
import shlex
import subprocess
import sys
import uuid
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
    """One command line (or several, for a here-document) and what the page promises of it."""

    text: str
    status: int
    printed: tuple[str, ...] = ()
    """Lines that it prints among others, in this order; `…` stands for anything."""


def commands_of(page: str) -> list[Command]:
    """The lines after `$ ` in the page's console blocks, and below each what it prints.

    Lines that follow a here-document's belong to it.
    """
    found: list[Command] = []
    for block in _BLOCK.findall(page):
        lines = block.splitlines()
        while lines:
            line = lines.pop(0)
            if not line.startswith("$ "):
                raise AssertionError(f"no command prints this line: {line!r}")
            text = line[2:]
            while text.endswith("\\"):
                text += "\n" + lines.pop(0)
            if ended := re.search(r"<<'(\w+)'", text):
                while lines:
                    line = lines.pop(0)
                    text += "\n" + line
                    if line == ended[1]:
                        break
            printed = []
            while lines and not lines[0].startswith("$ "):
                printed.append(lines.pop(0))
            promised = _EXIT.search(text.splitlines()[0])
            text = _EXIT.sub("", text) if "\n" not in text else text
            found.append(Command(text, int(promised[1]) if promised else 0, tuple(filter(str.strip, printed))))
    return found


_VARYING = (
    (re.compile(r"sha256:[0-9a-f]+…?"), "DIGEST"),
    (re.compile(r"\d{4}-\d\d-\d\dT[0-9:.]+Z"), "TIME"),
    (re.compile(r"\d{4}-\d\d-\d\d"), "DAY"),
    (re.compile(r"\s+"), " "),
)


def line_without_chance(line: str, folder: Path) -> str:
    """The line as every machine prints it on every day: without the folder's path, digests, times and widths."""
    line = line.replace(f"{folder}/", "").strip()
    for pattern, word in _VARYING:
        line = pattern.sub(word, line)
    return line


def missing_line(printed: tuple[str, ...], output: str, folder: Path) -> str | None:
    """The first line that the page shows and the output lacks behind the lines before it; None where there is none."""
    seen = [line_without_chance(line, folder) for line in output.splitlines()]
    for line in printed:
        pieces = line_without_chance(line, folder).split("…")
        wanted = re.compile(".*".join(re.escape(piece) for piece in pieces))
        place = next((place for place, there in enumerate(seen) if wanted.fullmatch(there)), None)
        if place is None:
            return line
        seen = seen[place + 1 :]
    return None


def run_in_order(page: str, folder: Path, environment: dict[str, str] | None = None) -> None:
    """Run a page's commands in one shell's environment, each held to exit status and output that the page promises.

    Raises:
        AssertionError: a command ended otherwise, or printed something else; what it printed is in the message.
    """
    commands = commands_of(page)
    assert commands, "the page shows no command"
    mark = f"=== {uuid.uuid4().hex}"
    script = ["set -u -o pipefail"]
    for command in commands:
        script += [
            f"echo '{mark}'",
            command.text,
            f'status=$?; [ "$status" = {command.status} ] || {{ echo "exit $status"; exit 90; }}',
        ]
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    ended = subprocess.run(
        ["bash", "-c", "\n".join(script)],
        cwd=folder,
        env={**os.environ, **(environment or {}), "PATH": path, "COLUMNS": "100"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=550,
    )
    outputs = ended.stdout.split(f"{mark}\n")[1:]
    for command, output in zip(commands, outputs, strict=False):
        lacking = missing_line(command.printed, output, folder)
        assert lacking is None, f"{command.text}\nprinted no line {lacking!r}:\n{output[-4500:]}"
    if ended.returncode:
        last = commands[len(outputs) - 1]
        raise AssertionError(f"{last.text}\npromised {last.status}, was otherwise:\n{outputs[-1][-4500:]}")


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
