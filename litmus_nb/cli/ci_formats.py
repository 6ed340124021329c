"""The options --junit, --github and --gitlab of the deciding commands: what else is left for a CI system."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

from litmus_nb.contracts.verdict import Verdict
from litmus_nb.errors import UsageError
from litmus_nb.files import replace_file
from litmus_nb.outcome.output import OutputUnusable

__all__ = ["CiFormats", "ci_options"]

_Command = TypeVar("_Command", bound=Callable[..., Any])

_SUMMARY, _OUTPUT = "GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"
_JUNIT, _METRICS, _DOTENV, _MARKDOWN = "junit.xml", "metrics.txt", "litmus.env", "summary.md"


def ci_options(command: _Command) -> _Command:
    """The command with the three options; they arrive as `junit`, `github` and `gitlab`."""
    folder = click.Path(path_type=Path)
    options = (
        click.option("--junit", type=folder, metavar="FILE", help="Leave JUnit XML there; all but PASS is a failure."),
        click.option("--github", is_flag=True, help="In GitHub Actions: job summary, annotations and outputs."),
        click.option(
            "--gitlab", type=folder, metavar="FOLDER", help=f"Leave {_JUNIT}, {_METRICS}, {_DOTENV}, {_MARKDOWN} there."
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


@dataclass(frozen=True)
class CiFormats:
    """What was asked for. Made before the gate runs, so that nothing of an earlier gate is left to be read."""

    junit: Path | None
    github: bool
    gitlab: Path | None

    def clear(self) -> None:
        """Remove what an earlier gate left in the same places.

        Raises:
            UsageError: --github outside GitHub Actions.
            OutputUnusable: an old file cannot be removed.
        """
        if self.github and not os.environ.get(_SUMMARY):
            raise UsageError(f"--github writes to the file that {_SUMMARY} names, and there is no {_SUMMARY}")
        for path in self._files():
            try:
                path.unlink(missing_ok=True)
            except OSError as error:
                raise OutputUnusable(f"{path}: an old file cannot be removed: {error}") from error

    def _files(self) -> list[Path]:
        names = (_JUNIT, _METRICS, _DOTENV, _MARKDOWN)
        in_folder = [self.gitlab / name for name in names] if self.gitlab else []
        return [*([self.junit] if self.junit else []), *in_folder]

    def leave(self, verdict: Verdict, *, title: str) -> None:
        """Write everything that was asked for; annotations go to stdout.

        Raises:
            OutputUnusable: a file cannot be written; a CI system that reads it would see nothing, so the command fails.
        """
        if not (self.junit or self.github or self.gitlab):
            return
        # Deferred: only who asks for these formats pays for them.
        from litmus_nb.report import github, gitlab, junit, markdown

        try:
            if self.junit:
                replace_file(self.junit, junit.render_junit(verdict, title=title))
            if self.gitlab:
                replace_file(self.gitlab / _JUNIT, junit.render_junit(verdict, title=title))
                replace_file(self.gitlab / _METRICS, gitlab.render_metrics(verdict).encode())
                replace_file(self.gitlab / _DOTENV, gitlab.render_dotenv(verdict).encode())
                replace_file(self.gitlab / _MARKDOWN, markdown.render_markdown(verdict, title=title).encode())
            if self.github:
                _append(_SUMMARY, markdown.render_markdown(verdict, title=title))
                _append(_OUTPUT, github.render_outputs(verdict))
                click.echo(github.render_annotations(verdict), nl=False)
        except OSError as error:
            raise OutputUnusable(f"the verdict stands; what CI reads of it could not be written: {error}") from error


def _append(variable: str, text: str) -> None:
    """Add to the file that a variable of the runner names; other steps may have written to it."""
    if path := os.environ.get(variable):
        with Path(path).open("a", encoding="utf-8") as stream:
            stream.write(text)
