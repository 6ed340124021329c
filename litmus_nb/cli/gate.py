"""`litmus-nb gate PARAMS`: the notebook through papermill, verdict, executed notebook and report."""

from __future__ import annotations

import functools
import traceback
from pathlib import Path

import click

from litmus_nb.cli.ci_formats import CiFormats, ci_options
from litmus_nb.cli.owners import notify_option, tell_owners
from litmus_nb.cli.requests import (
    left_in,
    names_of,
    override_option,
    show_verdict,
    silence,
    tell_step,
    telling,
    usable_or_exit,
)
from litmus_nb.driver.gate import Recorder, run_gate
from litmus_nb.outcome.output import VERDICT

__all__ = ["command"]


@click.command()
@click.argument("params", type=click.Path(path_type=Path))
@override_option
@click.option("--json", "as_json", is_flag=True, help="Print verdict.json instead of a table.")
@click.option("--quiet", is_flag=True, help="No progress and no table: one line with the state.")
@notify_option
@ci_options
@click.option("--timeout", default=3600, show_default=True, type=click.IntRange(min=1), help="Seconds a cell may take.")
@click.option("--record", is_flag=True, help="Append the verdict to the ledger; a PASS that cannot be is none.")
@click.option("--by", default="litmus-nb gate", show_default=True, envvar="LITMUS_NB_BY", help="Who records it.")
@click.pass_context
def command(
    ctx: click.Context,
    params: Path,
    override: tuple[tuple[str, str], ...],
    *,
    notify: tuple[str, ...],
    as_json: bool,
    quiet: bool,
    timeout: int,
    junit: Path | None,
    github: bool,
    gitlab: Path | None,
    record: bool,
    by: str,
) -> None:
    """Run the gate notebook and leave verdict.json, its statement, report.html and report.ipynb.

    \b
    Example:  litmus-nb gate params/demo.yaml
              litmus-nb gate params/demo.yaml --record
              litmus-nb gate params/demo.yaml -p candidate data/demo/runs/regressed
              litmus-nb gate params/demo.yaml --junit reports/demo/junit.xml
    Exit:     0 PASS   1 FAIL   2 usage   3 REJECTED   4 NO_VERDICT
    """
    formats = CiFormats(junit, github, gitlab)
    asked = usable_or_exit(params, override, formats)
    progress = silence if quiet or as_json else tell_step
    recorder = _recorder(Path(asked.params.gate), by) if record else None
    result = run_gate(asked.params, as_of=asked.as_of, timeout_s=timeout, progress=progress, record=recorder)
    if result.error is not None and ctx.find_root().obj["debug"]:
        traceback.print_exception(result.error)
    path = result.output_dir / VERDICT
    names = functools.partial(names_of, asked.params, params, override, path)
    with telling(result.verdict, path):
        show_verdict(
            result.verdict,
            as_json=as_json,
            is_quiet=quiet,
            paths=left_in(result.output_dir),
            power=result.power,
            names=names,
        )
        formats.leave(result.verdict, title=asked.params.candidate)
        tell_owners(result.verdict, notify, result.output_dir, asked.params.candidate)
        if result.unrecorded:
            click.echo(f"litmus-nb: not recorded: {result.unrecorded}", err=True)
    ctx.exit(result.exit_code)


def _recorder(gate_path: Path, by: str) -> Recorder:
    # Deferred: the ledger needs polars, and most gates do not write to it.
    from litmus_nb.cli.decisions import now
    from litmus_nb.ledger.record import record_verdict

    return lambda verdict: record_verdict(gate_path, verdict, by=by, reason="recorded by the gate", clock=now)
