"""`litmus-nb preflight PARAMS`: may the planned run start at all?"""

from __future__ import annotations

from pathlib import Path

import click

from litmus_nb.cli.admission_key import key_option, private_key_at
from litmus_nb.cli.ci_formats import CiFormats, ci_options
from litmus_nb.cli.owners import notify_option, tell_owners
from litmus_nb.cli.requests import (
    closed_on_usage_error,
    left_in,
    override_option,
    show_verdict,
    telling,
    usable_or_exit,
)
from litmus_nb.driver.preflight import run_preflight
from litmus_nb.outcome.output import VERDICT

__all__ = ["command"]


@click.command()
@click.argument("params", type=click.Path(path_type=Path))
@override_option
@key_option
@click.option("--json", "as_json", is_flag=True, help="Print verdict.json, or the ticket, instead of lines for people.")
@click.option("--quiet", is_flag=True, help="One line.")
@notify_option
@ci_options
@click.pass_context
def command(
    ctx: click.Context,
    params: Path,
    override: tuple[tuple[str, str], ...],
    key: Path | None,
    *,
    notify: tuple[str, ...],
    as_json: bool,
    quiet: bool,
    junit: Path | None,
    github: bool,
    gitlab: Path | None,
) -> None:
    """Ask all of the rule's section 2 of a planned run, and leave an admission ticket with it, or a REJECTED verdict.

    Exit 0 means that the run may start, not that anything passed: verdict.json says NO_VERDICT until the gate has run.

    \b
    Example:  litmus-nb preflight params/next.yaml --key ~/.litmus-nb/admission.pem
    Exit:     0 admitted   2 usage   3 REJECTED   4 an error of our own
    """
    formats = CiFormats(junit, github, gitlab)
    asked = usable_or_exit(params, override, formats)
    with closed_on_usage_error(asked):
        result = run_preflight(asked.params, as_of=asked.as_of, private_key=private_key_at(key))
    if result.ticket is None:
        with telling(result.verdict, asked.output_dir / VERDICT):
            show_verdict(result.verdict, as_json=as_json, is_quiet=quiet, paths=left_in(asked.output_dir))
            formats.leave(result.verdict, title=asked.params.candidate)
            tell_owners(result.verdict, notify, asked.output_dir, asked.params.candidate)
        ctx.exit(result.verdict.verdict.exit_code)
    if as_json:
        click.echo(result.ticket.model_dump_json(by_alias=True, indent=2))
        return
    signed = "signed" if result.ticket.signature else "not signed: the gate pins no admission_key"
    click.echo(f"admitted until {result.ticket.expires_at}; ticket ({signed}): {result.ticket_path}")
