"""`litmus-nb quarantine`: scenarios put aside, each by name, with a reason and an end; and what that does."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import click

from litmus_nb.cli.decisions import by_and_reason, now, params_argument, said, usable
from litmus_nb.cli.plain import columns, number, signed
from litmus_nb.cli.requests import override_option
from litmus_nb.contracts.evidence import RunEvidence, SuiteEvidence
from litmus_nb.contracts.gate import GateFile
from litmus_nb.errors import UsageError
from litmus_nb.evidence.sources import read_source
from litmus_nb.evidence.suite import read_suite
from litmus_nb.files import read_bytes
from litmus_nb.ledger.append import gate_of, whole_chain
from litmus_nb.ledger.difficulty import difficulty_over_time
from litmus_nb.ledger.quarantine import (
    LONGEST_QUARANTINE_DAYS,
    QuarantineRow,
    add_quarantine,
    quarantine_rows,
    release_quarantine,
)
from litmus_nb.rule.chain import Chain
from litmus_nb.rule.eligibility_of_ledger import quarantine_findings, quarantine_room

__all__ = ["command"]

_FOUND_SOMETHING = 4


@click.group()
def command() -> None:
    """Put scenarios aside, take them back, and see what the list does.

    \b
    Example:  litmus-nb quarantine audit params/demo.yaml
    Exit:     0 done   2 usage, nothing written   4 the list would close the gate (list, audit)
    """


class _Asked:
    """Gate, suite and chain that the params name."""

    def __init__(self, params: Path, override: tuple[tuple[str, str], ...]) -> None:
        asked = usable(params, override)
        self.as_of: date = asked.as_of
        self.gate_path = Path(asked.params.gate)
        self.gate: GateFile = gate_of(self.gate_path)
        self.suite: SuiteEvidence = read_suite(self.gate_path.parent / self.gate.suite)

    def chain(self) -> Chain:
        path = self.gate_path.parent / self.gate.ledger
        return whole_chain(read_bytes(path), path)

    def baseline(self) -> RunEvidence:
        if self.gate.baseline is None:
            raise UsageError("no baseline is pinned: how hard a scenario is, is measured on the baseline")
        read = read_source(self.gate.baseline.run, self.gate_path.parent)
        if read.run is None or read.run.tally is None:
            faults = (*read.declaration_faults, *read.trials_faults)
            raise UsageError("\n".join(str(fault) for fault in faults) or "the baseline has no trials")
        if read.run.digest != self.gate.baseline.sha256:
            raise UsageError(f"the baseline's files are not the pinned ones: {read.run.digest}")
        return read.run


@command.command()
@params_argument
@override_option
@click.argument("scenario")
@click.option(
    "--days",
    type=click.IntRange(1, LONGEST_QUARANTINE_DAYS),
    required=True,
    help="Days until it expires; longer needs a renewal.",
)
@by_and_reason
def add(params: Path, override: tuple[tuple[str, str], ...], scenario: str, *, days: int, by: str, reason: str) -> None:
    """Put one scenario in quarantine, or renew its quarantine.

    \b
    Example:  litmus-nb quarantine add params/demo.yaml tool-0028 --days 14 --by "Red Team" \\
                  --reason "its fixture server moved; being rebuilt"
    Exit:     0 added   2 usage, or beyond the gate's quarantine.max_fraction
    """
    asked = _Asked(params, override)
    appended = add_quarantine(
        asked.gate_path,
        asked.suite,
        scenario,
        max_age_days=days,
        by=by,
        reason=reason,
        max_fraction=asked.gate.quarantine.max_fraction,
        clock=now,
    )
    click.echo(said(appended))


@command.command()
@params_argument
@override_option
@click.argument("scenario")
@by_and_reason
def release(params: Path, override: tuple[tuple[str, str], ...], scenario: str, *, by: str, reason: str) -> None:
    """Take one scenario out of quarantine.

    \b
    Example:  litmus-nb quarantine release params/demo.yaml tool-0028 --by "Red Team" --reason "fixture rebuilt in #41"
    Exit:     0 released   2 usage, or the scenario is in no quarantine
    """
    asked = _Asked(params, override)
    click.echo(said(release_quarantine(asked.gate_path, scenario, by=by, reason=reason, clock=now)))


@command.command("list")
@params_argument
@override_option
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.pass_context
def list_command(ctx: click.Context, params: Path, override: tuple[tuple[str, str], ...], *, as_json: bool) -> None:
    """List what is in quarantine: who, why, since when, days left.

    \b
    Example:  litmus-nb quarantine list params/demo.yaml
    Exit:     0 nothing wrong   2 usage   4 an entry is expired or invalid, or there are too many
    """
    asked = _Asked(params, override)
    chain = asked.chain()
    rows = quarantine_rows(chain, asked.suite, asked.as_of)
    if as_json:
        click.echo(json.dumps([row._asdict() for row in rows], indent=2, ensure_ascii=True))
    else:
        click.echo(_listed(rows))
    ctx.exit(_findings_exit(asked, chain))


@command.command()
@params_argument
@override_option
@click.pass_context
def audit(ctx: click.Context, params: Path, override: tuple[tuple[str, str], ...]) -> None:
    """Show what the list does to the gate: share of each class, and its difficulty through time.

    The baseline's attack success rate on what is gated, against the whole class: a list that absorbs the hardest
    scenarios makes the first fall away from the second.

    \b
    Example:  litmus-nb quarantine audit params/demo.yaml
    Exit:     0 nothing wrong   2 usage   4 an entry is expired or invalid, or there are too many
    """
    asked = _Asked(params, override)
    chain = asked.chain()
    click.echo(_listed(quarantine_rows(chain, asked.suite, asked.as_of)))
    click.echo("\n" + _shares(asked, chain))
    click.echo("\n" + _through_time(asked, chain))
    ctx.exit(_findings_exit(asked, chain))


def _listed(rows: list[QuarantineRow]) -> str:
    if not rows:
        return "Nothing is in quarantine."
    table = [
        (row.days_left, row.scenario_id, row.scenario_class or "unknown", row.by, row.since, row.reason) for row in rows
    ]
    return columns(("days left", "scenario", "class", "by", "since", "reason"), table)


def _shares(asked: _Asked, chain: Chain) -> str:
    most = asked.gate.quarantine.max_fraction
    rows = [
        (name, room.scenarios, room.quarantined, _share(room.quarantined, room.scenarios), number(most))
        for name, room in sorted(quarantine_room(chain, asked.suite).items())
    ]
    policy = asked.gate.quarantine.policy
    return f"Policy {policy}. Share of each class:\n" + columns(
        ("class", "scenarios", "quarantined", "share", "max_fraction"), rows, indent="  "
    )


def _share(part: int, whole: int) -> str:
    return number(part / whole if whole else None)


def _through_time(asked: _Asked, chain: Chain) -> str:
    rows = [
        (
            row.at,
            row.change,
            row.name,
            row.quarantined,
            number(row.full_rate),
            number(row.gated_rate),
            signed(row.shift),
            number(row.quarantined_rate),
        )
        for row in difficulty_over_time(chain, asked.suite, asked.baseline())
    ]
    head = ("at", "change", "class", "quarantined", "full ASR", "gated ASR", "shift", "ASR of quarantined")
    return "The pinned baseline's attack success rate (ASR) after each change:\n" + columns(head, rows, indent="  ")


def _findings_exit(asked: _Asked, chain: Chain) -> int:
    findings = list(quarantine_findings(chain, asked.gate, asked.suite, asked.as_of))
    for finding in findings:
        click.echo(f"litmus-nb: {finding}", err=True)
    return _FOUND_SOMETHING if findings else 0
