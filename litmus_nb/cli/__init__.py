"""The command line: one module per command, loaded only when it is called."""

from __future__ import annotations

import importlib
import sys
import traceback
from collections.abc import Sequence

import click
from click.shell_completion import CompletionItem

from litmus_nb._version import __version__
from litmus_nb.errors import LitmusError, UnreadableInput, UsageError
from litmus_nb.report.text import safe_text, without_commands

__all__ = ["COMMANDS", "main"]

COMMANDS: dict[str, tuple[str, str]] = {
    "explore": ("litmus_nb.cli.explore", "two runs side by side, without a gate: flips, intervals; no verdict"),
    "init": ("litmus_nb.cli.init", "a first gate in this repository, from a log or a folder of probes"),
    "gate": ("litmus_nb.cli.gate", "run the gate notebook: verdict, report, executed notebook"),
    "preflight": ("litmus_nb.cli.preflight", "before a run: a ticket, or REJECTED; no kernel"),
    "guard": ("litmus_nb.cli.guard", "run a harness only if its run is admitted, then gate what it leaves"),
    "admission-key": ("litmus_nb.cli.admission_key", "make the key that admission tickets are signed with"),
    "canary": ("litmus_nb.cli.canary", "run the canary: does the detector see the known bad act?"),
    "envelope": ("litmus_nb.cli.envelope", "measure what a sandbox really grants; calibrate; explain a difference"),
    "evaluate": ("litmus_nb.cli.evaluate", "decide in this process: verdict only, no kernel, no report"),
    "check": ("litmus_nb.cli.check", "may this verdict be relied upon, here and now?"),
    "attest": ("litmus_nb.cli.attest", "sign a verdict, after deciding again"),
    "bundle": ("litmus_nb.cli.bundle", "pack verdict, report and evidence into one archive"),
    "import": ("litmus_nb.cli.import_run", "write another tool's log as a run folder: Inspect, promptfoo, garak, ..."),
    "suite": ("litmus_nb.cli.suite", "freeze the scenarios; show them; say what was added, removed, edited"),
    "publish": ("litmus_nb.cli.publish", "a site over many gate reports: index, history, feeds"),
    "explain": ("litmus_nb.cli.explain", "say what a reason code means and what to do"),
    "demo": ("litmus_nb.cli.demo", "put the demo into this folder and gate it"),
    "baseline": ("litmus_nb.cli.baseline", "pin, replace, show and compare baselines"),
    "quarantine": ("litmus_nb.cli.quarantine", "put scenarios aside, take them back, audit the list"),
    "ledger": ("litmus_nb.cli.ledger", "verify, show and extend the record of decisions"),
    "sweep": ("litmus_nb.cli.sweep", "gate many candidates against many gates, on a cluster"),
    "drift": ("litmus_nb.cli.drift", "did the agent change, or the judge? where, since when, how sure"),
    "anchors": ("litmus_nb.cli.anchors", "propose anchors, and say how a run's judge labels them"),
    "power": ("litmus_nb.cli.power", "how many scenarios a PASS needs, and how small a regression is caught"),
    "schema": ("litmus_nb.cli.schema", "print the JSON Schema of a file"),
    "world": ("litmus_nb.cli.world", "make a world from a plan: suite, gate, ledger, runs"),
    "lab": ("litmus_nb.cli.lab", "open JupyterLab on copies of the notebooks"),
    "doctor": ("litmus_nb.cli.doctor", "say what this machine lacks, and for what"),
    "completion": ("litmus_nb.cli.completion", "print a shell's completion script"),
}
"""Name of a command to its module (which has a click command named `command`) and its line in the help."""

USAGE_EXIT = 2
_LONGEST_LINE = 2000


class _LazyGroup(click.Group):
    """Imports a command's module when it is called; listing them imports none."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command = importlib.import_module(COMMANDS[cmd_name][0]).command
        if not isinstance(command, click.Command):
            raise TypeError(f"{COMMANDS[cmd_name][0]}.command is no command")
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        commands = [
            CompletionItem(name, help=line) for name, (_, line) in COMMANDS.items() if name.startswith(incomplete)
        ]
        return commands + click.Command.shell_complete(self, ctx, incomplete)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="litmus-nb")
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
@click.pass_context
def cli(ctx: click.Context, *, debug: bool) -> None:
    """The gate that does not lie.

    \b
    Example:  litmus-nb gate params/demo.yaml
    Exit:     0 PASS   1 FAIL   2 usage   3 REJECTED   4 NO_VERDICT
    Only PASS opens the gate.
    """
    ctx.obj = {"debug": debug}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with the documented status; a traceback only with --debug."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    is_debugging = "--debug" in words
    if is_debugging:
        words = ["--debug", *(word for word in words if word != "--debug")]
    try:
        status = cli.main(args=words, prog_name="litmus-nb", standalone_mode=False)
    except click.exceptions.Exit as stop:
        status = stop.exit_code
    except click.ClickException as error:
        error.show()
        status = USAGE_EXIT
    except (UsageError, UnreadableInput) as error:
        _say(error, is_debugging)
        status = USAGE_EXIT
    except (KeyboardInterrupt, click.Abort):
        click.echo("litmus-nb: interrupted before the end", err=True)
        status = 4
    except LitmusError as error:
        _say(error, is_debugging)
        status = 4
    except Exception as error:
        _say(error, is_debugging)
        click.echo(
            "This is an error of litmus-nb itself, not a decision. Run again with --debug to see where.", err=True
        )
        status = 4
    # A command that has nothing to say about its end has come to it; anything else that is no status is no success.
    sys.exit(0 if status is None else status if isinstance(status, int) else 4)


def _say(error: Exception, is_debugging: bool) -> None:
    if is_debugging:
        traceback.print_exception(error)
    lines = str(error).splitlines() or [type(error).__name__]
    # A message may quote a file that an attacker wrote.
    shown = (without_commands(safe_text(line, limit=_LONGEST_LINE)) for line in lines)
    click.echo("\n".join(f"litmus-nb: {line}" for line in shown), err=True)
