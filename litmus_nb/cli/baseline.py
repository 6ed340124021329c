"""`litmus-nb baseline`: which run candidates are compared with, and how it came to be that one."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from litmus_nb.cli.baseline_text import change_text
from litmus_nb.cli.decisions import by_and_reason, now, params_argument, said, usable
from litmus_nb.cli.plain import columns
from litmus_nb.cli.requests import override_option
from litmus_nb.errors import HarnessAdmissibilityError, InvalidVerdictConditions, UsageError
from litmus_nb.files import read_bytes
from litmus_nb.ledger.append import gate_of, whole_chain
from litmus_nb.ledger.baseline import Nominee, first_baseline, nominate, pin_baseline, read_rejudged, rebump_baseline
from litmus_nb.ledger.baseline_change import BaselineChange, describe_change
from litmus_nb.rule.chain import BaselineEntry

__all__ = ["command"]

_NOT_FIT = "the run cannot be a baseline; nothing was written"

rejudged_option = click.option(
    "--rejudged",
    metavar="RUN",
    help="The old baseline's trajectories labelled by the new judge, or the new run's by the old; splits the shift.",
)
first_option = click.option(
    "--first", metavar="FOLDER", type=click.Path(path_type=Path), help="Where the first pinned baseline's run lies."
)


@click.group()
def command() -> None:
    """Pin, replace, show and compare baselines.

    \b
    Example:  litmus-nb baseline show params/demo.yaml
    Exit:     0 done   2 usage, nothing written   3 the run is inadmissible   4 the run or the ledger is ineligible
    """


@command.command()
@params_argument
@override_option
@by_and_reason
@click.pass_context
def pin(ctx: click.Context, params: Path, override: tuple[tuple[str, str], ...], *, by: str, reason: str) -> None:
    """Pin the params' candidate as the gate's first baseline, in gate.yaml and in the ledger.

    \b
    Example:  litmus-nb baseline pin params/demo.yaml -p candidate runs/2026-09 --by "R. Owner" \\
                  --reason "first release with the frozen suite"
    Exit:     0 pinned   2 usage   3 the run is inadmissible   4 the run or the ledger is ineligible
    """
    nominee = _nominee(ctx, params, override)
    click.echo(said(pin_baseline(nominee, by=by, reason=reason, clock=now)))
    click.echo(f"baseline: {nominee.source} {nominee.pin.sha256}")


@command.command()
@params_argument
@override_option
@by_and_reason
@rejudged_option
@first_option
@click.option("--yes", "is_agreed", is_flag=True, help="Write without asking; what changes is printed all the same.")
@click.option("--return-to-earlier", is_flag=True, help="Allow a run that was the baseline before.")
@click.option("--without-history", is_flag=True, help="Go on although the shift since the first pin is unknown.")
@click.pass_context
def rebump(
    ctx: click.Context,
    params: Path,
    override: tuple[tuple[str, str], ...],
    *,
    by: str,
    reason: str,
    rejudged: str | None,
    first: Path | None,
    is_agreed: bool,
    return_to_earlier: bool,
    without_history: bool,
) -> None:
    """Replace the baseline by the params' candidate, after showing what that changes.

    Shown first: policy, judge, template, decoding, manifest; each class's rates with intervals; how much of the shift
    is the judge's, where labels of both judges are at hand; and the whole shift since the first pin.

    \b
    Example:  litmus-nb baseline rebump params/demo.yaml --by "R. Owner" --reason "release 2026.12 is the new normal"
    Exit:     0 replaced   2 usage, or not agreed   3 the run is inadmissible   4 the run or the ledger is ineligible
    """
    nominee = _nominee(ctx, params, override)
    change = _change(nominee, rejudged, first)
    click.echo(change_text(change))
    if not without_history and any(of_class.since_first is None for of_class in change.classes):
        raise UsageError(
            "the first pinned baseline's run is not at hand, so the shift since then is unknown; "
            "say where it lies with --first FOLDER, or --without-history if it is lost"
        )
    if not is_agreed and not _agrees():
        raise UsageError("not agreed; nothing was written")
    appended = rebump_baseline(nominee, by=by, reason=reason, clock=now, may_return_to_earlier=return_to_earlier)
    click.echo(said(appended))
    click.echo(f"baseline: {nominee.source} {nominee.pin.sha256}")


@command.command()
@params_argument
@override_option
@rejudged_option
@first_option
@click.pass_context
def diff(
    ctx: click.Context,
    params: Path,
    override: tuple[tuple[str, str], ...],
    *,
    rejudged: str | None,
    first: Path | None,
) -> None:
    """Show what making the params' candidate the baseline would change; writes nothing.

    \b
    Example:  litmus-nb baseline diff params/demo.yaml
    Exit:     0 shown   2 usage   3 the run is inadmissible   4 the run or the ledger is ineligible
    """
    click.echo(change_text(_change(_nominee(ctx, params, override), rejudged, first)))


@command.command()
@params_argument
@override_option
def show(params: Path, override: tuple[tuple[str, str], ...]) -> None:
    """Show the baseline in force and those before it: when, who, why.

    \b
    Example:  litmus-nb baseline show params/demo.yaml
    Exit:     0 shown   2 the gate file or the ledger cannot be read
    """
    gate_path = Path(_gate(params, override))
    gate = gate_of(gate_path)
    path = gate_path.parent / gate.ledger
    chain = whole_chain(read_bytes(path), path)
    pinned = f"{gate.baseline.run} {gate.baseline.sha256}" if gate.baseline else "none"
    click.echo(f"pinned in gate.yaml: {pinned}")
    rows = [
        (entry.seq, entry.at, entry.kind, entry.run_digest, entry.by, entry.reason)
        for entry in chain.entries
        if isinstance(entry, BaselineEntry)
    ]
    click.echo(columns(("seq", "at", "kind", "run", "by", "reason"), rows))


def _gate(params: Path, override: tuple[tuple[str, str], ...]) -> str:
    return usable(params, override).params.gate


def _nominee(ctx: click.Context, params: Path, override: tuple[tuple[str, str], ...]) -> Nominee:
    asked = usable(params, override)
    try:
        return nominate(asked.params, as_of=asked.as_of)
    except (HarnessAdmissibilityError, InvalidVerdictConditions) as refusal:
        for finding in refusal.findings:
            click.echo(f"litmus-nb: {finding}", err=True)
        click.echo(f"litmus-nb: {_NOT_FIT}", err=True)
        ctx.exit(3 if isinstance(refusal, HarnessAdmissibilityError) else 4)


def _change(nominee: Nominee, rejudged: str | None, first: Path | None) -> BaselineChange:
    if nominee.in_force is None:
        raise UsageError("there is no baseline in force to compare with, or its run cannot be read")
    pinned = nominee.gate.baseline
    places = [nominee.gate_path.parent / nominee.source / ".."]
    places += [nominee.gate_path.parent / pinned.run / ".."] if pinned else []
    rebumps = sum(entry.kind == "baseline_rebump" for entry in nominee.chain.entries)
    return describe_change(
        nominee.gate,
        nominee.admitted.suite,
        before=nominee.in_force,
        after=nominee.run,
        first=first_baseline(nominee, [first] if first else places),
        rejudged=read_rejudged(rejudged) if rejudged else None,
        rebumps=rebumps,
    )


def _agrees() -> bool:
    if not sys.stdin.isatty():
        click.echo("litmus-nb: nobody is here to ask; add --yes once the change above is agreed", err=True)
        return False
    return click.confirm("Replace the baseline?", default=False)
