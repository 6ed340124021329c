"""What the deciding commands have in common: overrides, and the refusal of unusable parameters."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import sys
import uuid
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import click

from litmus_nb.cli.ci_formats import CiFormats
from litmus_nb.contracts.canonical import DIGEST_PATTERN
from litmus_nb.contracts.gate import GateFile
from litmus_nb.contracts.params import GateParams
from litmus_nb.contracts.report import PowerFact
from litmus_nb.contracts.strict_yaml import parse_yaml
from litmus_nb.contracts.verdict import Verdict
from litmus_nb.driver.params import Requested, Usable, requested_gate
from litmus_nb.errors import LitmusError, UnreadableInput, UsageError
from litmus_nb.evidence.trials_files import file_digest
from litmus_nb.outcome.names import placeholder_names
from litmus_nb.outcome.output import EXECUTED_NOTEBOOK, REPORT, VERDICT, OutputUnusable, claimed, incomplete
from litmus_nb.report.text import safe_text, without_commands

__all__ = [
    "closed_on_usage_error",
    "digest_of",
    "left_in",
    "names_of",
    "one_line",
    "override_option",
    "show_verdict",
    "silence",
    "tell_step",
    "telling",
    "usable_or_exit",
]

USAGE_EXIT = 2

override_option = click.option(
    "-p",
    "override",
    type=(str, str),
    multiple=True,
    metavar="NAME VALUE",
    help="Override a parameter; typed by the contract, never guessed.",
)


def usable_or_exit(params: Path, override: tuple[tuple[str, str], ...], formats: CiFormats) -> Usable:
    """What a deciding command begins with: parameters it can use, and nothing of an earlier gate left for CI to read.

    Raises:
        Exit: the parameters are unusable, status 2. Everything that is wrong with them was said, and a NO_VERDICT
            stands in the output folder, where that is known, and in the formats.
        UsageError: the formats cannot be left here; a NO_VERDICT stands in the output folder, where that is known.
        OutputUnusable: an old file cannot be removed; the same.
    """
    asked = requested_gate(params, override)
    with closed_on_usage_error(asked):
        formats.clear()
    if asked.params is None:
        _refuse_unusable(asked, formats)
        raise click.exceptions.Exit(USAGE_EXIT)
    return Usable(asked.params, asked.as_of)


def _refuse_unusable(asked: Requested, formats: CiFormats) -> None:
    for fault in asked.faults:
        click.echo(f"litmus-nb: {one_line(fault)}", err=True)
    verdict = _unusable(asked, "; ".join(str(fault) for fault in asked.faults))
    if asked.output_dir is not None:
        with contextlib.suppress(OutputUnusable), claimed(asked.output_dir) as folder:
            folder.open_with(verdict)
            click.echo(f"litmus-nb: a NO_VERDICT was left in {one_line(asked.output_dir)}", err=True)
    formats.leave(verdict, title="unusable parameters")


@contextlib.contextmanager
def telling(verdict: Verdict, path: Path) -> Iterator[None]:
    """All that is told of a verdict that stands at `path`. What cannot be told fails the command, not the verdict.

    Raises:
        OutputUnusable: the telling was cut short; the message says what stands.
    """
    try:
        yield
    except LitmusError:
        raise
    except (Exception, KeyboardInterrupt) as error:
        why = f"{type(error).__name__} {error}".strip()
        raise OutputUnusable(
            f"the verdict stands: {verdict.verdict.value}, {path}; telling it failed: {why}"
        ) from error


@contextlib.contextmanager
def closed_on_usage_error(asked: Requested | Usable) -> Iterator[None]:
    """Where the words around the parameters are not usable, leave a NO_VERDICT too: no older verdict may stand."""
    try:
        yield
    except (UsageError, UnreadableInput, OutputUnusable) as error:
        if asked.output_dir is not None:
            with contextlib.suppress(OutputUnusable), claimed(asked.output_dir) as folder:
                folder.open_with(_unusable(asked, str(error)))
        raise


def _unusable(asked: Requested | Usable, why: str) -> Verdict:
    return incomplete(uuid.uuid4().hex, asked.as_of.isoformat(), why, code="USAGE")


def left_in(folder: Path) -> dict[str, str]:
    """The paths of what a gate left there, by what people call it."""
    names = {"verdict": VERDICT, "report": REPORT, "notebook": EXECUTED_NOTEBOOK}
    return {name: str(folder / file) for name, file in names.items() if (folder / file).exists()}


def digest_of(words: str, what: str) -> str:
    """The digest that the words are, or that the file of that name has.

    Raises:
        UsageError: they are neither; `what` is what messages call it.
    """
    if re.fullmatch(DIGEST_PATTERN, words):
        return words
    if not Path(words).is_file():
        raise UsageError(f"{what}: expected sha256: and 64 hex digits, or a file; seen {words!r}")
    return file_digest(Path(words))


def tell_step(step: str) -> None:
    """Say what is being done, beside the command's own output."""
    click.echo(f"  {step}", err=True, color=sys.stderr.isatty())


def silence(step: str) -> None:
    """Say nothing of it."""


def one_line(text: object) -> str:
    """Text that may come from a file, as a line that can neither act nor hide."""
    return without_commands(safe_text(text, limit=1000))


def show_verdict(
    verdict: Verdict,
    *,
    as_json: bool,
    is_quiet: bool,
    paths: Mapping[str, str],
    power: PowerFact | None = None,
    names: Callable[[], Mapping[str, str]] = dict,
) -> None:
    """Print the verdict: as JSON, in one line, or as a table for people with where everything was left.

    A table that cannot be made, for want of memory or of its library, decides nothing: the line stands in its place.
    `names` gives what is put in for the placeholders of the next command; asked only where one is shown.
    """
    if as_json:
        click.echo(verdict.model_dump_json(indent=2))
        return
    line = f"{verdict.verdict.value} {one_line(paths.get('verdict', ''))}".strip()
    if is_quiet:
        click.echo(line)
        return
    is_colored = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    try:
        text = _table(verdict, paths, power, names(), is_colored=is_colored)
    except Exception as error:
        click.echo(line)
        click.echo(f"litmus-nb: no table: {type(error).__name__} {one_line(error)}".rstrip(), err=True)
        return
    click.echo(text, nl=False, color=is_colored)


def _table(
    verdict: Verdict, paths: Mapping[str, str], power: PowerFact | None, names: Mapping[str, str], *, is_colored: bool
) -> str:
    # Deferred: rich is not needed for --json, nor by commands that only refuse their parameters.
    from litmus_nb.report.terminal import render_terminal

    width = shutil.get_terminal_size((80, 24)).columns
    return render_terminal(verdict, width=width, color=is_colored, paths=paths, power=power, names=names)


def names_of(asked: GateParams, params: Path, override: tuple[tuple[str, str], ...], verdict: Path) -> dict[str, str]:
    """What the placeholders of a next command stand for, as far as the call knows it; PARAMS only without overrides."""
    try:
        gate = GateFile.read(parse_yaml(Path(asked.gate).read_bytes(), file=asked.gate), file=asked.gate)
    except (OSError, UnreadableInput):
        gate = None
    names = {"verdict.json": str(verdict)} | placeholder_names(asked, gate)
    return names if override else names | {"PARAMS": str(params)}
