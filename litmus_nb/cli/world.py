"""`litmus-nb world PLAN FOLDER`: a made world from a plan."""

from __future__ import annotations

from pathlib import Path

import click

from litmus_nb.worlds.judging import is_judging_plan, read_judging_plan, write_labels
from litmus_nb.worlds.make import make_world, read_plan, write_world

__all__ = ["command"]


@click.command()
@click.argument("plan", type=click.Path(path_type=Path))
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.option("--params/--no-params", "with_params", default=True, help="Whether to write params/ too.")
def command(plan: Path, folder: Path, with_params: bool) -> None:
    """Make the world of PLAN in FOLDER: suite, gate, ledger, runs and params; or a label table.

    The same plan gives the same bytes on every machine. Nothing in a made world is measured.

    \b
    Example:  litmus-nb world data/demo/world.yaml /tmp/world
              cd /tmp/world && litmus-nb evaluate params/candidate.yaml
              litmus-nb world data/judge-drift-demo/world.yaml /tmp/labels
    Exit:     0, or 2 for a plan that cannot be read
    """
    if is_judging_plan(plan):
        written = write_labels(read_judging_plan(plan), folder)
        click.echo(f"{written.name} in {folder}")
        return
    world = make_world(read_plan(plan))
    write_world(world, folder, with_params=with_params)
    click.echo(f"{len(world.files) + len(world.params) * with_params} files in {folder}")
