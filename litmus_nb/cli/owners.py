"""The option of the deciding commands that tells an owner of a rejected run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from litmus_nb.cli.requests import one_line
from litmus_nb.contracts.codes import VerdictState
from litmus_nb.contracts.verdict import Verdict

__all__ = ["notify_option", "tell_owners"]

notify_option = click.option(
    "--notify",
    multiple=True,
    envvar="LITMUS_NB_NOTIFY",
    metavar="TARGET",
    help="Tell this owner of a REJECTED run: https://..., exec:COMMAND, or an apprise address. [env: LITMUS_NB_NOTIFY]",
)


def tell_owners(verdict: Verdict, targets: Sequence[str], folder: Path, run: str) -> None:
    """Tell the owners of a REJECTED verdict, once; what cannot be delivered is said here."""
    if verdict.verdict is not VerdictState.REJECTED or not targets:
        return
    # Deferred: only a rejected run with an owner needs it.
    from litmus_nb.driver.notify import notify_owner

    for problem in notify_owner(verdict, targets, folder, run=run):
        click.echo(one_line(f"litmus-nb: the owner could not be told by {problem}"), err=True)
