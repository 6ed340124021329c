"""`litmus-nb drift PARAMS`: did the agent change, or the judge?"""

from __future__ import annotations

from pathlib import Path

import click

from litmus_nb.cli.requests import override_option, silence, tell_step
from litmus_nb.driver.drift import DRIFT, EXECUTED_NOTEBOOK, PAGE, read_drift_params, run_drift
from litmus_nb.outcome.drift import drift_bytes
from litmus_nb.report.drift_page import panels
from litmus_nb.report.phrases import plain

__all__ = ["command"]

EXITS = {"none shown": 0, "yes": 1, "cannot tell": 4}


@click.command()
@click.argument("params", type=click.Path(path_type=Path))
@override_option
@click.option("--json", "as_json", is_flag=True, help="Print drift.json instead of sentences.")
@click.option("--quiet", is_flag=True, help="No progress.")
@click.option("--timeout", default=3600, show_default=True, type=click.IntRange(min=1), help="Seconds a cell may take.")
@click.pass_context
def command(
    ctx: click.Context, params: Path, override: tuple[tuple[str, str], ...], *, as_json: bool, quiet: bool, timeout: int
) -> None:
    """Run the judge-drift notebook and leave drift.json, report.html and report.ipynb.

    The labels are a table (docs/formats.md), run folders, or logs of other tools; docs/judge-drift.md teaches the rest.

    \b
    Example:  litmus-nb drift params/judge-drift.yaml
              litmus-nb drift params/judge-drift.yaml -p max_fnr_rise 0.05
    Exit:     0 no drift shown   1 drift   2 usage   4 cannot tell, or the notebook did not finish
    """
    asked = read_drift_params(params, override)
    progress = silence if quiet or as_json else tell_step
    left = run_drift(asked, timeout_s=timeout, progress=progress)
    if as_json:
        click.echo(drift_bytes(left.report).decode(), nl=False)
    else:
        for panel in panels(left.report).values():
            click.echo(panel.question)
            for line in (*(plain(sentence) for sentence in panel.answers), *panel.steps):
                click.echo(f"  {line}")
        for name in (DRIFT, PAGE, EXECUTED_NOTEBOOK):
            click.echo(f"{left.output_dir / name}")
    ctx.exit(EXITS[left.report.conclusion.is_drift])
