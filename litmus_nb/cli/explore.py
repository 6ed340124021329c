"""`litmus-nb explore BASELINE CANDIDATE`: two runs side by side, without a gate. No verdict."""

from __future__ import annotations

from pathlib import Path

import click

from litmus_nb.cli.declaring import saying_how_to_declare
from litmus_nb.errors import UsageError
from litmus_nb.outcome.exploration import EXPLORATION, PAGE, exploration_bytes, explored, leave_exploration, read_sides
from litmus_nb.report.exploration_page import exploration_text

__all__ = ["command"]

_PATH = click.Path(path_type=Path)


@click.command()
@click.argument("baseline")
@click.argument("candidate")
@click.option("--to", "folder", required=True, type=_PATH, help="Where exploration.html and exploration.json are left.")
@click.option("--suite", type=_PATH, help="The suite.yaml that both should be runs of: classes, families, what is due.")
@click.option("--declarations", type=_PATH, help="NAME.litmus.yaml for logs that have none beside them.")
@click.option(
    "--confidence",
    default=0.95,
    show_default=True,
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    help="Two-sided, of all intervals.",
)
@click.option("--json", "as_json", is_flag=True, help="Print exploration.json instead of sentences.")
def command(
    baseline: str,
    candidate: str,
    folder: Path,
    suite: Path | None,
    declarations: Path | None,
    *,
    confidence: float,
    as_json: bool,
) -> None:
    """Set two runs side by side: rates, intervals, flips, what is missing, and what a gate would have said against it.

    BASELINE and CANDIDATE are run folders or READER:PATH. For a log, say once which of its words mean that an attack
    worked: in PATH.litmus.yaml beside it, or in one file for both, --declarations. docs/readers.md has the words.

    It is not a verdict: it exits 0 whatever it finds, and `litmus-nb check` refuses what it leaves.

    \b
    Example:  litmus-nb explore data/demo/runs/baseline data/demo/runs/regressed --to look
              litmus-nb explore inspect:logs/a.eval inspect:logs/b.eval --declarations source.yaml --to look
    Exit:     0 whatever was found   2 usage, or something cannot be read
    """
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"--to {folder}: a folder expected, seen a file")
    with saying_how_to_declare(baseline, candidate):
        first, second, read = read_sides(baseline, candidate, suite=suite, declarations=declarations)
    seen = explored(first, second, read, confidence=confidence)
    try:
        leave_exploration(seen, folder)
    except OSError as error:
        raise UsageError(f"--to {folder}: cannot be written: {error}") from error
    if as_json:
        click.echo(exploration_bytes(seen).decode(), nl=False)
        return
    click.echo(exploration_text(seen))
    click.echo(f"{folder / PAGE}\n{folder / EXPLORATION}")
