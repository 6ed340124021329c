"""`litmus-nb guard PARAMS -- COMMAND...`: the harness runs only if admitted, and what it leaves is gated."""

from __future__ import annotations

import shlex
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
    silence,
    tell_step,
    telling,
    usable_or_exit,
)
from litmus_nb.driver.guard import GuardPlan, run_guard
from litmus_nb.driver.log_taking import log_source
from litmus_nb.errors import UsageError
from litmus_nb.outcome.output import VERDICT

__all__ = ["command"]


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("params", type=click.Path(path_type=Path))
@override_option
@key_option
@click.option(
    "--in", "prefix", metavar="COMMAND", help="Measure the sandbox that this prefix enters; '' measures here."
)
@click.option("--beacon", multiple=True, metavar="ADDRESS", help="Where the beacon listens. Default: loopback.")
@click.option("--canary", metavar="COMMAND", help="Run the canary by this command, before the run.")
@click.option("--canary-after", is_flag=True, help="And once more after it.")
@click.option(
    "--log", "source", metavar="READER:FOLDER", help="Where the harness leaves its log, such as inspect:logs."
)
@click.option("--declarations", type=click.Path(path_type=Path), help="How that log is read: NAME.litmus.yaml.")
@click.option("--timeout", default=86400.0, show_default=True, help="Seconds that the harness may take.")
@click.option("--json", "as_json", is_flag=True, help="Print verdict.json instead of a table.")
@click.option("--quiet", is_flag=True, help="No progress and no table: one line with the state.")
@notify_option
@ci_options
@click.argument("harness", nargs=-1, required=True, type=click.UNPROCESSED)
@click.pass_context
def command(
    ctx: click.Context,
    params: Path,
    override: tuple[tuple[str, str], ...],
    key: Path | None,
    prefix: str | None,
    beacon: tuple[str, ...],
    canary: str | None,
    source: str | None,
    declarations: Path | None,
    timeout: float,
    harness: tuple[str, ...],
    *,
    canary_after: bool,
    notify: tuple[str, ...],
    as_json: bool,
    quiet: bool,
    junit: Path | None,
    github: bool,
    gitlab: Path | None,
) -> None:
    """Run a harness under guard: preflight, start it only if admitted, then gate what it leaves.

    The harness finds its ticket in LITMUS_NB_ADMISSION, the gate file in LITMUS_NB_GATE and the folder of its run in
    LITMUS_NB_RUN. It leaves that run complete, or a log that --log says how to read. Ctrl-C, a crash, an exit status
    other than 0, and a harness that has run nothing all leave the gate closed.

    \b
    Example:  litmus-nb guard params/next.yaml --in ./sandbox.sh --canary 'python canary.py'
                --log inspect:logs --declarations source.yaml -- inspect eval redteam.py
    Exit:     0 PASS   1 FAIL   2 usage   3 REJECTED   4 NO_VERDICT
    """
    formats = CiFormats(junit, github, gitlab)
    asked = usable_or_exit(params, override, formats)
    with closed_on_usage_error(asked):
        if (source is None) != (declarations is None):
            raise UsageError("--log and --declarations: expected both or neither")
        if canary_after and canary is None:
            raise UsageError("--canary-after: expected --canary too")
        plan = GuardPlan(
            harness=harness,
            private_key=private_key_at(key),
            sandbox=None if prefix is None else tuple(shlex.split(prefix)),
            beacon=beacon,
            canary=tuple(shlex.split(canary or "")),
            canary_after=canary_after,
            log=log_source(source, declarations) if source is not None and declarations is not None else None,
            timeout_s=timeout,
        )
        progress = silence if quiet or as_json else tell_step
        verdict = run_guard(asked.params, plan, as_of=asked.as_of, progress=progress)
    with telling(verdict, asked.output_dir / VERDICT):
        show_verdict(verdict, as_json=as_json, is_quiet=quiet, paths=left_in(asked.output_dir))
        formats.leave(verdict, title=asked.params.candidate)
        tell_owners(verdict, notify, asked.output_dir, asked.params.candidate)
    ctx.exit(verdict.verdict.exit_code)
