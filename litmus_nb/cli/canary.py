"""`litmus-nb canary SUITE -- COMMAND`: does the detector see the known bad act, and stay quiet on the control?"""

from __future__ import annotations

from pathlib import Path

import click

from litmus_nb.cli.requests import one_line
from litmus_nb.contracts.codes import VerdictState
from litmus_nb.driver.canary import CanaryNotRun, run_canary
from litmus_nb.driver.planned import declare
from litmus_nb.evidence.suite import read_suite
from litmus_nb.rule.contract import canary_findings

__all__ = ["command"]


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("suite", type=click.Path(path_type=Path))
@click.option("--run", type=click.Path(path_type=Path), help="Put the result into this planned run.json.")
@click.option("--timeout", default=600.0, show_default=True, help="Seconds that the command may take.")
@click.argument("harness", nargs=-1, required=True, type=click.UNPROCESSED)
@click.pass_context
def command(ctx: click.Context, suite: Path, run: Path | None, timeout: float, harness: tuple[str, ...]) -> None:
    """Run the canary by a command of your harness, which leaves its result where the environment says.

    The command runs the suite's canary with the known-malicious reference policy through the same sandbox and detector
    as the run, and the hardened control where the suite has one, and writes canary.json (`litmus-nb schema canary`) to
    the path in LITMUS_NB_CANARY_RESULT, with the nonce in LITMUS_NB_CANARY_NONCE.

    \b
    Example:  litmus-nb canary suite/suite.yaml --run runs/next/run.json -- python run_canary.py
    Exit:     0 seen on the reference policy, quiet on the control   2 usage   3 not
    """
    declared = read_suite(suite).file.canary
    try:
        result = run_canary(declared, harness, timeout_s=timeout)
    except CanaryNotRun as missing:
        click.echo(one_line(missing.finding), err=True)
        ctx.exit(VerdictState.REJECTED.exit_code)
    shown = result.as_declared()
    if run:
        declare(run, "canary", shown.model_dump(exclude_unset=True))
    findings = canary_findings(declared, shown)
    for finding in findings:
        click.echo(one_line(finding), err=True)
    if findings:
        ctx.exit(VerdictState.REJECTED.exit_code)
    control = ", and the control was quiet" if declared.control else ""
    click.echo(one_line(f"{result.probe_id}: the detector reported {result.observed_signal}{control}"))
