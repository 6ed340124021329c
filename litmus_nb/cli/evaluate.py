"""`litmus-nb evaluate PARAMS`: decide in this process, leave verdict.json."""

from __future__ import annotations

import functools
import traceback
import uuid
from datetime import UTC, datetime
from pathlib import Path

import click

from litmus_nb.cli.ci_formats import CiFormats, ci_options
from litmus_nb.cli.requests import names_of, override_option, show_verdict, telling, usable_or_exit
from litmus_nb.outcome.decide import decided
from litmus_nb.outcome.facts import units_to_decide
from litmus_nb.outcome.output import VERDICT, claimed, incomplete

__all__ = ["command"]


@click.command()
@click.argument("params", type=click.Path(path_type=Path))
@override_option
@click.option("--json", "as_json", is_flag=True, help="Print verdict.json instead of a table.")
@click.option("--quiet", is_flag=True, help="No table: one line with the state.")
@ci_options
@click.pass_context
def command(
    ctx: click.Context,
    params: Path,
    override: tuple[tuple[str, str], ...],
    *,
    as_json: bool,
    quiet: bool,
    junit: Path | None,
    github: bool,
    gitlab: Path | None,
) -> None:
    """Decide by the rule, in this process: no kernel, no report, the same verdict.

    \b
    Example:  litmus-nb evaluate params/demo.yaml
              litmus-nb evaluate params/demo.yaml -p candidate data/demo/runs/regressed
    Exit:     0 PASS   1 FAIL   2 usage   3 REJECTED   4 NO_VERDICT
    """
    formats = CiFormats(junit, github, gitlab)
    asked = usable_or_exit(params, override, formats)
    run_id = uuid.uuid4().hex
    with claimed(asked.output_dir) as folder:
        folder.open_with(incomplete(run_id, asked.as_of.isoformat(), "the gate started and has not finished"))
        result = decided(asked.params, as_of=asked.as_of, run_id=run_id)
        issued_at = datetime.now(UTC)
        verdict = folder.settle(result.verdict, asked.params, issued_at=issued_at, evidence=result.evidence)
    if result.error is not None and ctx.find_root().obj["debug"]:
        traceback.print_exception(result.error)
    path = folder.path / VERDICT
    names = functools.partial(names_of, asked.params, params, override, path)
    with telling(verdict, path):
        power = None if as_json or quiet else units_to_decide(verdict, result.evidence)
        show_verdict(verdict, as_json=as_json, is_quiet=quiet, paths={"verdict": str(path)}, power=power, names=names)
        formats.leave(verdict, title=asked.params.candidate)
    ctx.exit(verdict.verdict.exit_code)
