"""What the deciding commands have in common: overrides, and the refusal of unusable parameters."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping

import click

from litmus_nb.contracts.verdict import Verdict
from litmus_nb.driver.params import Requested
from litmus_nb.outcome.output import OutputUnusable, claimed, incomplete

__all__ = ["override_option", "refuse_unusable", "show_verdict"]

USAGE_EXIT = 2

override_option = click.option(
    "-p",
    "override",
    type=(str, str),
    multiple=True,
    metavar="NAME VALUE",
    help="Override a parameter; typed by the contract, never guessed.",
)


def refuse_unusable(asked: Requested, run_id: str) -> int:
    """Say everything that is wrong with the parameters, leave a NO_VERDICT where the folder is known; exit status 2."""
    for fault in asked.faults:
        click.echo(f"litmus-nb: {fault}", err=True)
    if asked.output_dir is not None:
        observed = "; ".join(str(fault) for fault in asked.faults)
        with contextlib.suppress(OutputUnusable), claimed(asked.output_dir) as folder:
            folder.open_with(incomplete(run_id, asked.as_of.isoformat(), observed, code="USAGE"))
            click.echo(f"litmus-nb: a NO_VERDICT was left in {asked.output_dir}", err=True)
    return USAGE_EXIT


def show_verdict(verdict: Verdict, *, as_json: bool, paths: Mapping[str, str]) -> None:
    """Print the verdict: as JSON, or as a table for people with where everything was left."""
    if as_json:
        click.echo(verdict.model_dump_json(indent=2))
        return
    click.echo(f"{verdict.verdict}")
    for reason in verdict.reasons:
        click.echo(str(reason))
    for what, path in paths.items():
        click.echo(f"{what}: {path}")
