"""`litmus-nb completion SHELL`: the script that lets a shell complete commands, options and reason codes."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

__all__ = ["command"]

_VARIABLE = "_LITMUS_NB_COMPLETE"


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the completion script of a shell.

    \b
    Example:  eval "$(litmus-nb completion bash)"
              litmus-nb completion fish > ~/.config/fish/completions/litmus-nb.fish
    Exit:     0, or 2 for a shell that there is not
    """
    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"no completion for {shell}")
    click.echo(kind(ctx.find_root().command, {}, "litmus-nb", _VARIABLE).source())
