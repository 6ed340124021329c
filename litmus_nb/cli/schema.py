"""`litmus-nb schema NAME`: the JSON Schema of a file."""

from __future__ import annotations

import json

import click

from litmus_nb.contracts.schemas import SCHEMAS, json_schema

__all__ = ["command"]


@click.command()
@click.argument("name", required=False, type=click.Choice(sorted(SCHEMAS)))
def command(name: str | None) -> None:
    """Print the JSON Schema of a file, or the names of all.

    \b
    Example:  litmus-nb schema gate > gate.schema.json
    Exit:     0, or 2 for a name that there is not
    """
    if name is None:
        for known in sorted(SCHEMAS):
            click.echo(f"{known:10} {SCHEMAS[known].description}")
        return
    click.echo(json.dumps(json_schema(name), indent=2, ensure_ascii=False))
