"""`litmus-nb envelope measure|calibrate|diff`: what a sandbox really grants."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from datetime import UTC, datetime
from functools import reduce
from pathlib import Path
from typing import Any

import click

from litmus_nb.cli.requests import one_line
from litmus_nb.contracts.codes import VerdictState
from litmus_nb.contracts.envelope import EnvelopeFile, Scope
from litmus_nb.contracts.run import RunFile
from litmus_nb.contracts.strict_json import parse_json
from litmus_nb.contracts.strict_yaml import parse_yaml
from litmus_nb.contracts.suite import SuiteFile
from litmus_nb.contracts.yaml_edit import entry_text, with_entries
from litmus_nb.driver.planned import declare
from litmus_nb.envelope.capabilities import paths_of, scope_of
from litmus_nb.envelope.compare import difference, facet_changes
from litmus_nb.envelope.measure import EnvelopeUnmeasured, Measurement, measure_by_command
from litmus_nb.envelope.record import read_record, write_record
from litmus_nb.errors import UsageError
from litmus_nb.files import read_bytes, replace_file

__all__ = ["command"]

REJECTED = VerdictState.REJECTED.exit_code
_ENTRY = "calibrated_capabilities"

_MEASURING: tuple[Callable[[Any], Any], ...] = (
    click.option("--in", "prefix", default="", metavar="COMMAND", help="Command prefix that enters the sandbox."),
    click.option("--python", default="python3", show_default=True, help="The interpreter inside the sandbox."),
    click.option("--beacon", multiple=True, metavar="ADDRESS", help="Where the beacon listens. Default: loopback."),
    click.option("--watch", multiple=True, metavar="PATH", help="One more path to look at."),
    click.option("--without", multiple=True, metavar="GROUP", help="A group of facets to leave out."),
    click.option("--metadata", is_flag=True, help="Try the cloud's metadata address (raises alarms in some clouds)."),
    click.option("--witness", multiple=True, metavar="PATH=FOLDER", help="A folder outside that PATH is bound to."),
    click.option("--output", "-o", type=click.Path(path_type=Path), help="Where the record is left."),
    click.option("--seconds", default=120.0, show_default=True, help="How long the whole measurement may take."),
)


def _measuring(function: Callable[..., None]) -> Callable[..., None]:
    return reduce(lambda wrapped, option: option(wrapped), reversed(_MEASURING), function)


@click.group()
def command() -> None:
    """Measure what a sandbox really grants, by acting inside it; compare it with what the suite was calibrated on."""


@command.command()
@click.option(
    "--suite", type=click.Path(path_type=Path), help="Measure as this suite.yaml was calibrated, and compare."
)
@click.option("--run", type=click.Path(path_type=Path), help="Put the result into this planned run.json.")
@_measuring
def measure(suite: Path | None, run: Path | None, output: Path | None, **options: Any) -> None:
    """Measure a sandbox, and with --suite compare it with the calibrated set.

    \b
    Example:  litmus-nb envelope measure --in 'docker exec -i box' --suite suite/suite.yaml --run runs/next/run.json
    Exit:     0 measured, and as calibrated where --suite is given
              2 usage   3 not measured, something unknown, or not as calibrated
    """
    calibrated = None if suite is None else _suite(suite).calibrated_capabilities
    record = _measured(calibrated, **options)
    if output:
        write_record(record, output)
    if run:
        declare(run, "sandbox", record.sandbox.model_dump())
    _show(record)
    if calibrated is None:
        seen = difference(
            record.sandbox.effective_capabilities, record.sandbox.effective_capabilities, record.sandbox.unknown
        )
    else:
        seen = difference(calibrated, record.sandbox.effective_capabilities, record.sandbox.unknown)
        click.echo("as calibrated" if seen.is_none else "not as calibrated:")
        for line in seen.lines():
            click.echo(f"  {one_line(line)}")
    raise click.exceptions.Exit(0 if seen.is_none else REJECTED)


@command.command()
@click.option("--suite", type=click.Path(path_type=Path), help="Write the set into this suite.yaml.")
@_measuring
def calibrate(suite: Path | None, output: Path | None, **options: Any) -> None:
    """Measure a sandbox twice and give the calibrated set, as suite.yaml writes it.

    The set is given only where both measurements agree and nothing is unknown. With --suite the list in suite.yaml is
    replaced and the rest of the file kept as it is; the manifest hash changes, so freeze the suite anew.

    \b
    Example:  litmus-nb envelope calibrate --in 'docker exec -i box' --suite suite/suite.yaml
    Exit:     0 calibrated   2 usage   3 not measured, something unknown, or not reproducible
    """
    first, second = _measured(None, **options), _measured(None, **options)
    seen = difference(
        first.sandbox.effective_capabilities, second.sandbox.effective_capabilities, second.sandbox.unknown
    )
    if output:
        write_record(second, output)
    if not seen.is_none:
        click.echo("not calibrated: something is unknown, or two measurements differ", err=True)
        for line in seen.lines():
            click.echo(f"  {one_line(line)}", err=True)
        raise click.exceptions.Exit(REJECTED)
    capabilities = second.sandbox.effective_capabilities
    if suite:
        replace_file(suite, with_entries(read_bytes(suite), {_ENTRY: capabilities}, file=str(suite)))
        click.echo(f"{suite}: {len(capabilities)} capabilities; now: litmus-nb suite freeze")
    else:
        click.echo(entry_text(_ENTRY, capabilities))


@command.command()
@click.argument("before", type=click.Path(path_type=Path))
@click.argument("after", type=click.Path(path_type=Path))
def diff(before: Path, after: Path) -> None:
    """Explain how two envelopes differ: suite.yaml, run.json or a record of `measure`, in any combination.

    \b
    Example:  litmus-nb envelope diff suite/suite.yaml reports/envelope.json
    Exit:     0 equal and nothing unknown   2 usage   3 they differ, or something is unknown
    """
    old, new = _capabilities_in(before), _capabilities_in(after)
    seen = difference(old[0], new[0], new[1])
    for line in seen.lines():
        click.echo(one_line(line))
    if old[2] is not None and new[2] is not None:
        changes = facet_changes(old[2], new[2])
        click.echo("\n".join(["", "facets:", *map(one_line, changes)]) if changes else "no facet changed")
    if seen.is_none:
        click.echo("equal")
    raise click.exceptions.Exit(0 if seen.is_none else REJECTED)


def _measured(calibrated: list[str] | None, *, prefix: str, seconds: float, **options: Any) -> EnvelopeFile:
    measurement = Measurement(
        scope=_scope(calibrated, options),
        also=[] if calibrated is None else paths_of(calibrated),
        hosts=tuple(options["beacon"]),
        witnesses=dict(_witness(text) for text in options["witness"]),
        python=options["python"],
    )
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    try:
        return measure_by_command(measurement, shlex.split(prefix), measured_at=now, seconds=seconds)
    except EnvelopeUnmeasured as error:
        click.echo(one_line(f"ENVELOPE_UNMEASURED: {error}"), err=True)
        raise click.exceptions.Exit(REJECTED) from error


def _scope(calibrated: list[str] | None, options: dict[str, Any]) -> Scope:
    named = {
        "watch": sorted(set(options["watch"])),
        "without": sorted(set(options["without"])),
        "metadata": options["metadata"],
    }
    if calibrated is None:
        return Scope.read(named, file="the command line")
    if any(named.values()):
        raise UsageError("--watch, --without and --metadata: expected none beside --suite, which says what to look at")
    return scope_of(calibrated)


def _witness(text: str) -> tuple[str, Path]:
    inside, _, outside = text.partition("=")
    if not inside.startswith("/") or not Path(outside).is_dir():
        raise UsageError(f"--witness: expected /path/inside=/folder/outside, seen {text!r}")
    return inside, Path(outside)


def _show(record: EnvelopeFile) -> None:
    for capability in record.sandbox.effective_capabilities:
        click.echo(f"  {one_line(capability)}")
    for capability in record.sandbox.unknown:
        note = record.notes.get(capability)
        click.echo(one_line(f"? {capability}" + (f" ({note})" if note else "")))
    for contradiction in record.contradictions:
        line = f"{contradiction.facet}: the probe says {contradiction.claimed}, {contradiction.witnessed}"
        click.echo(one_line(f"! PROBE_CONTRADICTED {line}"))
    for path in record.residue:
        click.echo(one_line(f"! the probe could not remove {path}"))


def _suite(path: Path) -> SuiteFile:
    return SuiteFile.read(parse_yaml(read_bytes(path), file=str(path)), file=str(path))


def _capabilities_in(path: Path) -> tuple[list[str], list[str], EnvelopeFile | None]:
    if path.suffix in (".yaml", ".yml"):
        return _suite(path).calibrated_capabilities, [], None
    value = parse_json(read_bytes(path), file=str(path))
    if isinstance(value, dict) and value.get("schema") == "litmus-nb/run/v1":
        sandbox = RunFile.read(value, file=str(path)).sandbox
        return sandbox.effective_capabilities, sandbox.unknown, None
    record = read_record(path)
    return record.sandbox.effective_capabilities, record.sandbox.unknown, record
