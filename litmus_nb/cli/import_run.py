"""`litmus-nb import READER PATH`: another tool's log as a run folder."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

import click

from litmus_nb.contracts.canonical import canonical_json
from litmus_nb.contracts.codes import VerdictState, reason_code
from litmus_nb.contracts.evidence import SuiteEvidence
from litmus_nb.contracts.provenance import PROVENANCE
from litmus_nb.errors import Fault, LitmusError, UnreadableInput, UsageError
from litmus_nb.evidence.imported import ImportedTrials, against_suite, trials_file_of
from litmus_nb.evidence.readers.assemble import Imported, import_run
from litmus_nb.evidence.sources import READERS, reader_named
from litmus_nb.evidence.suite import read_suite
from litmus_nb.evidence.trials_files import DECLARATION
from litmus_nb.files import replace_file
from litmus_nb.report.phrases import plain, with_code

__all__ = ["command"]


@click.command()
@click.argument("reader", required=False)
@click.argument("path", required=False, type=click.Path(path_type=Path))
@click.option("--suite", type=click.Path(path_type=Path), help="The suite.yaml that the run is about.")
@click.option("--to", "target", type=click.Path(path_type=Path), help="The run folder to write; must not exist.")
@click.option("--list", "is_listing", is_flag=True, help="Say what each reader reads, and which keys its logs state.")
@click.pass_context
def command(
    ctx: click.Context,
    reader: str | None,
    path: Path | None,
    suite: Path | None,
    target: Path | None,
    *,
    is_listing: bool,
) -> None:
    """Write another tool's log as a run folder, with its provenance.

    PATH is the log; beside it lies PATH.litmus.yaml, which declares what a log cannot say. Or PATH is those
    declarations, and they name the logs.

    \b
    Example:  litmus-nb import --list
              litmus-nb import inspect logs/x.eval --suite suite/suite.yaml --to runs/candidate
    Exit:     0 written, with at least one trial   2 usage
              3 the declarations or the suite cannot be used   4 the trials cannot be used
    """
    if is_listing:
        _list_readers()
        return
    missing = [
        name
        for name, value in (("READER", reader), ("PATH", path), ("--suite", suite), ("--to", target))
        if value is None
    ]
    if missing or reader is None or path is None or suite is None or target is None:
        raise UsageError(f"{', '.join(missing)} missing; litmus-nb import READER PATH --suite SUITE --to RUN")
    if target.exists():
        raise UsageError(f"{target} is there already; evidence is never written over")
    ctx.exit(_import(reader, path, suite, target))


def _import(reader: str, path: Path, suite_path: Path, target: Path) -> int:
    try:
        suite = read_suite(suite_path)
    except UnreadableInput as unreadable:
        return _refused("CONTRACT_UNREADABLE", unreadable.faults)
    try:
        loaded = reader_named(reader)
    except ImportError as error:
        raise LitmusError(f"the reader {reader} needs a package that is not installed: {error}") from error
    imported = import_run(path, reader, loaded)
    if imported.declaration is None:
        return _refused("CONTRACT_UNREADABLE", imported.declaration_faults)
    if imported.rows is None:
        return _refused("EVIDENCE_UNREADABLE", imported.trials_faults)
    trials = against_suite(imported.rows, imported.declaration, suite)
    if trials.refusals:
        return max(_refused(code, faults) for code, faults in trials.refusals.items())
    _write(imported, target)
    _say(imported, trials, suite, target)
    return VerdictState.PASS.exit_code


def _refused(code: str, faults: Sequence[Fault]) -> int:
    """Say the code with all its faults; the exit status that it stands for."""
    row = reason_code(code)
    click.echo(f"{row.state} {code} (§{row.paragraphs[0]}): {plain(with_code(row.meaning))}", err=True)
    for fault in faults:
        click.echo(f"  {fault}", err=True)
    click.echo(f"What to do: {plain(with_code(row.action))} Nothing was written.", err=True)
    return row.state.exit_code


def _write(imported: Imported, target: Path) -> None:
    """The run folder, whole or not at all."""
    if imported.declaration is None or imported.rows is None or imported.provenance is None:
        raise LitmusError("an import that is not whole cannot be written")
    target.parent.mkdir(parents=True, exist_ok=True)
    beside = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}."))
    try:
        declared = imported.declaration.model_dump(mode="json", by_alias=True, exclude_unset=True)
        replace_file(beside / DECLARATION, canonical_json(declared) + b"\n")
        replace_file(beside / "trials.parquet", trials_file_of(imported.rows))
        provenance = imported.provenance.model_dump(mode="json", by_alias=True)
        replace_file(beside / PROVENANCE, canonical_json(provenance) + b"\n")
        beside.chmod(0o755)
        os.rename(beside, target)
    except BaseException:
        shutil.rmtree(beside, ignore_errors=True)
        raise


def _say(imported: Imported, trials: ImportedTrials, suite: SuiteEvidence, target: Path) -> None:
    provenance = imported.provenance
    if imported.declaration is None or provenance is None:
        raise LitmusError("an import that is not whole cannot be told")
    click.echo(
        f"{target}: {provenance.n_trials} trials of {trials.n_scenarios} scenarios, written by {provenance.tool}"
    )
    click.echo(f"attack succeeded: {provenance.polarity.attack_success_when}")
    click.echo(f"attack failed:    {provenance.polarity.attack_failure_when}")
    if not provenance.polarity.is_checked_by_canary:
        click.echo("the canary's signals are declared, so nothing has checked that these are the right way round")
    for (status, reason), count in trials.unknown.items():
        click.echo(f"unknown: {count} {status}, reason {reason or 'none'}")
    declared = (len(suite.scenarios) - len(suite.excluded_ids)) * imported.declaration.trials_per_scenario
    if trials.n_absent:
        click.echo(f"absent: {trials.n_absent} of {declared} declared trials have no row; the gate will count them")
    for note in provenance.notes:
        click.echo(f"note: {note}")


def _list_readers() -> None:
    for name, row in sorted(READERS.items()):
        click.echo(f"{name:10} {row.reads}")
        try:
            reader = reader_named(name)
        except ImportError as error:
            click.echo(f"{'':10} cannot be used here: {error}")
            continue
        click.echo(f"{'':10} states: {', '.join(reader.says) or 'nothing of run.json'}")
        click.echo(f"{'':10} classes.field: {reader.fields}")
