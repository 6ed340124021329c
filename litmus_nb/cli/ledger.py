"""`litmus-nb ledger`: is the record of decisions whole, only ever appended to, and what does it say?"""

from __future__ import annotations

import json
from pathlib import Path

import click

from litmus_nb.cli.decisions import now, params_argument, said, usable
from litmus_nb.cli.plain import columns
from litmus_nb.cli.requests import override_option
from litmus_nb.contracts.ledger import LedgerEntry
from litmus_nb.contracts.strict_json import parse_json
from litmus_nb.contracts.verdict import Verdict
from litmus_nb.errors import Fault, UsageError
from litmus_nb.files import read_bytes
from litmus_nb.ledger.append import gate_of, ledger_of, whole_chain
from litmus_nb.ledger.head import pin_head
from litmus_nb.ledger.record import record_verdict
from litmus_nb.ledger.since import committed, faults_against, faults_of_moved_ledger
from litmus_nb.ledger.verify import MERGE_ADVICE, faults_of_ledger, is_merge_leftover
from litmus_nb.rule.chain import BaselineEntry, Chain, attempts_of

__all__ = ["command"]

_BROKEN = 4


@click.group()
def command() -> None:
    """Verify, show and extend the ledger.

    \b
    Example:  litmus-nb ledger verify params/demo.yaml --since origin/main
    Exit:     0 whole, or done   2 usage   4 broken, or history was rewritten
    """


@command.command()
@params_argument
@override_option
@click.option("--since", metavar="REF", help="The base branch: its ledger must be a byte prefix of this one.")
@click.pass_context
def verify(ctx: click.Context, params: Path, override: tuple[tuple[str, str], ...], *, since: str | None) -> None:
    """Check chain, canonical lines, order, pins; and with --since that history was only appended to.

    PARAMS is a params file, or a ledger by itself (FILE.jsonl). The chain alone proves nothing against whoever rewrites
    it and chains it anew: only --since, run by CI against the protected branch, shows that.

    \b
    Example:  litmus-nb ledger verify params/demo.yaml --since origin/main
    Exit:     0 whole   2 usage   4 broken, or history was rewritten
    """
    gate_path, path = _gate_and_ledger(params, override)
    gate = gate_of(gate_path) if gate_path else None
    content = read_bytes(path)
    chain, faults = faults_of_ledger(content, gate, now(), file=str(path))
    if since is not None:
        faults += _faults_since(since, gate_path, path, content)
    for fault in faults:
        click.echo(f"litmus-nb: {fault}", err=True)
    if faults and is_merge_leftover(content):
        click.echo(f"\n{MERGE_ADVICE}", err=True)
    if faults:
        ctx.exit(_BROKEN)
    compared = f", an append to the one of {since}" if since else ""
    click.echo(f"whole: {len(chain.entries)} entries, head {chain.head or 'none'}{compared}")


@command.command()
@params_argument
@override_option
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def log(params: Path, override: tuple[tuple[str, str], ...], *, as_json: bool) -> None:
    """Show every entry: when, what, who, why; verdicts with the number of the attempt.

    \b
    Example:  litmus-nb ledger log params/demo.yaml
    Exit:     0 shown   2 usage, or the chain is broken (`ledger verify` says where)
    """
    _, path = _gate_and_ledger(params, override)
    chain = whole_chain(read_bytes(path), path)
    attempts = _attempts(chain)
    if as_json:
        for entry, attempt in zip(chain.entries, attempts, strict=True):
            click.echo(json.dumps(entry.model_dump(mode="json") | {"attempt": attempt}, ensure_ascii=True))
        return
    rows = [
        (entry.seq, entry.at, entry.kind, _about(entry, attempt), entry.by, entry.reason)
        for entry, attempt in zip(chain.entries, attempts, strict=True)
    ]
    click.echo(columns(("seq", "at", "kind", "what", "by", "reason"), rows))


@command.command()
@params_argument
@override_option
@click.argument("verdict", type=click.Path(path_type=Path))
@click.option("--by", default="litmus-nb", show_default=True, envvar="LITMUS_NB_BY", help="Who records it.")
@click.option("--reason", default="recorded after the gate", show_default=True, help="Why.")
def record(params: Path, override: tuple[tuple[str, str], ...], verdict: Path, *, by: str, reason: str) -> None:
    """Append a verdict that was given to the ledger, as `gate --record` does.

    \b
    Example:  litmus-nb ledger record params/demo.yaml reports/demo/verdict.json
    Exit:     0 recorded   2 usage, or the verdict is not about this ledger
    """
    gate_path, _ = _gate_and_ledger(params, override)
    if gate_path is None:
        raise UsageError("expected a params file, seen a ledger")
    given = Verdict.read(parse_json(read_bytes(verdict), file=str(verdict)), file=str(verdict))
    click.echo(said(record_verdict(gate_path, given, by=by, reason=reason, clock=now)))


@command.command("pin-head")
@params_argument
@override_option
def pin_head_command(params: Path, override: tuple[tuple[str, str], ...]) -> None:
    """Pin the ledger's present head in gate.yaml (`ledger_head`), so that its last lines cannot be cut off unseen.

    \b
    Example:  litmus-nb ledger pin-head params/demo.yaml
    Exit:     0 pinned   2 usage, or the chain is broken
    """
    gate_path, _ = _gate_and_ledger(params, override)
    if gate_path is None:
        raise UsageError("expected a params file, seen a ledger")
    click.echo(f"ledger_head: {pin_head(gate_path)}")


def _gate_and_ledger(params: Path, override: tuple[tuple[str, str], ...]) -> tuple[Path | None, Path]:
    if params.suffix == ".jsonl":
        return None, params
    gate_path = Path(usable(params, override).params.gate)
    return gate_path, ledger_of(gate_path)


def _faults_since(since: str, gate_path: Path | None, path: Path, content: bytes) -> list[Fault]:
    faults = faults_against(committed(path, since), content, file=str(path))
    if gate_path is not None:
        faults += faults_of_moved_ledger(committed(gate_path, since), gate_path, path)
    return faults


def _attempts(chain: Chain) -> list[int | None]:
    """The number of the attempt that each verdict entry is; None for other entries."""
    return [
        attempts_of(Chain(chain.entries[: entry.seq + 1], None, ()), entry.policy_digest, None)
        if entry.kind == "verdict"
        else None
        for entry in chain.entries
    ]


def _about(entry: LedgerEntry, attempt: int | None) -> str:
    if entry.kind == "verdict":
        return f"{entry.verdict} for policy {entry.policy_digest[:19]}, attempt {attempt}"
    if entry.kind in ("quarantine", "release"):
        days = f" for {entry.max_age_days} days" if entry.kind == "quarantine" else ""
        return f"{entry.scenario_id}{days}"
    return entry.run_digest[:19] if isinstance(entry, BaselineEntry) else ""
