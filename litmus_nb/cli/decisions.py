"""What the commands around a gate have in common: who, why, when, and on which params."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import click

from litmus_nb.driver.params import Usable, requested_gate
from litmus_nb.errors import UnreadableInput
from litmus_nb.ledger.append import Appended

__all__ = ["by_and_reason", "now", "params_argument", "said", "usable"]

_Command = TypeVar("_Command", bound=Callable[..., Any])

params_argument = click.argument("params", type=click.Path(path_type=Path))


def by_and_reason(command: _Command) -> _Command:
    """The two options of every entry that a person makes."""
    command = click.option("--reason", required=True, help="Why, in a sentence.")(command)
    return click.option("--by", required=True, envvar="LITMUS_NB_BY", help="Who decides this. [env: LITMUS_NB_BY]")(
        command
    )


def usable(params: Path, override: tuple[tuple[str, str], ...] = ()) -> Usable:
    """The parameters of a file.

    Raises:
        UnreadableInput: with everything that is wrong with them.
    """
    asked = requested_gate(params, override)
    if asked.params is None:
        raise UnreadableInput(asked.faults)
    return Usable(asked.params, asked.as_of)


def now() -> datetime:
    """The present instant."""
    return datetime.now(UTC)


def said(appended: Appended) -> str:
    """What was written, in a line."""
    if appended.entry is None:
        return "gate.yaml was brought in line with the ledger; the entry was there already"
    return f"line {appended.length} of the ledger: {appended.entry.kind} at {appended.entry.at}, head {appended.head}"
