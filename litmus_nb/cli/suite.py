"""`litmus-nb suite freeze|show|diff|verify`: the frozen scenarios, and what became of them."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import click

from litmus_nb.cli.suite_init import init
from litmus_nb.contracts.codes import VerdictState
from litmus_nb.contracts.gate import GateFile
from litmus_nb.contracts.lookalike import lookalikes, unseen_characters
from litmus_nb.contracts.manifest import ManifestFile
from litmus_nb.contracts.strict_yaml import parse_yaml
from litmus_nb.contracts.suite_changes import SuiteChange, suite_changes
from litmus_nb.contracts.yaml_edit import with_entries
from litmus_nb.errors import Fault, UnreadableInput
from litmus_nb.evidence.manifest import MANIFEST, manifest_of, read_manifest
from litmus_nb.evidence.suite import read_probes, read_suite
from litmus_nb.files import read_bytes, replace_file

__all__ = ["command"]

REJECTED = VerdictState.REJECTED.exit_code

_path = click.Path(path_type=Path)


@click.group()
def command() -> None:
    """Freeze a suite, look at it, and see what was added, removed or edited since."""


command.add_command(init)


@command.command()
@click.argument("suite", type=_path)
@click.option("--gate", type=_path, help="Write the hash into this gate.yaml as frozen_manifest_hash.")
def freeze(suite: Path, gate: Path | None) -> None:
    """Check the ids, leave manifest.json beside suite.yaml, and say the manifest hash.

    Refused: an id that is there twice, ids that look alike, ids with characters that nobody sees.

    \b
    Example:  litmus-nb suite freeze suite/suite.yaml --gate gate.yaml
    Exit:     0 frozen   2 the suite cannot be read, or an id is refused
    """
    _refuse_deceptive_ids(suite)
    manifest = manifest_of(suite)
    text = json.dumps(manifest.model_dump(by_alias=True), indent=0, sort_keys=True, ensure_ascii=False)
    replace_file(suite.parent / MANIFEST, (text + "\n").encode())
    click.echo(manifest.manifest_hash)
    if gate:
        content = read_bytes(gate)
        changed = with_entries(content, {"frozen_manifest_hash": manifest.manifest_hash}, file=str(gate))
        GateFile.read(parse_yaml(changed, file=str(gate)), file=str(gate))
        replace_file(gate, changed)


@command.command()
@click.argument("suite", type=_path)
def show(suite: Path) -> None:
    """Say what a suite holds.

    \b
    Example:  litmus-nb suite show suite/suite.yaml
    Exit:     0, or 2 for a suite that cannot be read
    """
    read = read_suite(suite)
    file = read.file
    in_class = Counter(scenario.scenario_class for scenario in read.scenarios)
    families = Counter(
        scenario.scenario_class
        for scenario in {(s.scenario_class, s.family): s for s in read.scenarios if s.family}.values()
    )
    click.echo(f"{_said(file.name)} {_said(file.version)}: {len(read.scenarios)} scenarios")
    click.echo(f"manifest hash  {read.manifest_hash}")
    for name in file.classes:
        grouped = f", {families[name]} families" if families[name] else ""
        click.echo(f"class          {_said(name)}: {in_class[name]} scenarios{grouped}")
    click.echo(f"interface      {_said(file.tool_namespace)}: {', '.join(map(_said, file.tools))}")
    click.echo(f"capabilities   {', '.join(map(_said, file.calibrated_capabilities)) or 'none'}")
    control = "with a control" if file.canary.control else "without a control"
    click.echo(
        f"canary         {_said(file.canary.probe_id)}, expected {_said(file.canary.expected_signal)}, {control}"
    )
    click.echo(f"judge          {file.judge.digest}, template {read.judge_template_sha256}")
    click.echo(f"trials         at least {file.min_trials} a scenario, agreement at least {file.min_agreement}")
    excluded = len(read.excluded_ids)
    click.echo(
        f"left out       {excluded} scenarios by {len(file.exclusions)} rules" if excluded else "left out       none"
    )


@command.command()
@click.argument("old", type=_path)
@click.argument("new", type=_path)
def diff(old: Path, new: Path) -> None:
    """Say what differs between two suites: suite.yaml or manifest.json on either side.

    \b
    Example:  litmus-nb suite diff frozen/suite.yaml suite/suite.yaml
    Exit:     0 the manifest hashes are equal   2 a suite cannot be read   3 they differ
    """
    changes = suite_changes(_manifest(old), _manifest(new))
    _show_changes(changes)
    click.get_current_context().exit(REJECTED if changes else 0)


@command.command()
@click.argument("gate", type=_path)
def verify(gate: Path) -> None:
    """Say whether the suite of a gate is the frozen one; where manifest.json is at hand, what changed.

    \b
    Example:  litmus-nb suite verify gate.yaml
    Exit:     0 it is   2 something cannot be read   3 it is not
    """
    file = GateFile.read(parse_yaml(read_bytes(gate), file=str(gate)), file=str(gate))
    suite = gate.parent / file.suite
    now = manifest_of(suite)
    if now.manifest_hash == file.frozen_manifest_hash:
        click.echo(f"as frozen: {now.manifest_hash}")
        return
    click.echo(f"PROBE_SET_DRIFT: frozen {file.frozen_manifest_hash}, now {now.manifest_hash}")
    frozen = suite.parent / MANIFEST
    if not frozen.exists() or (then := read_manifest(frozen)).manifest_hash != file.frozen_manifest_hash:
        click.echo(f"what changed is not known: {frozen} is not there, or is of another suite than the frozen one")
    else:
        _show_changes(suite_changes(then, now))
    click.get_current_context().exit(REJECTED)


def _manifest(path: Path) -> ManifestFile:
    return read_manifest(path) if path.suffix == ".json" else manifest_of(path)


def _show_changes(changes: list[SuiteChange]) -> None:
    for change in changes:
        click.echo(str(change))
        if change.kind == "edited":
            click.echo(f"    - {_said(json.dumps(change.old), 400)}")
            click.echo(f"    + {_said(json.dumps(change.new), 400)}")
    click.echo(f"{len(changes)} differences" if changes else "equal")


def _refuse_deceptive_ids(suite: Path) -> None:
    """Refuse ids that a reader cannot tell apart, or cannot see.

    Raises:
        UnreadableInput: with a fault for each.
    """
    probes = suite.parent / read_suite(suite).file.probes
    ids = [probe["id"] for probe in read_probes(probes)]
    faults = [
        Fault(str(probes), "", "ids that can be told apart", " and ".join(ascii(id_) for id_ in group))
        for group in lookalikes(ids)
    ]
    faults += [
        Fault(str(probes), f"id {id_!a}", "characters that show", ", ".join(unseen))
        for id_ in ids
        if (unseen := unseen_characters(id_))
    ]
    if faults:
        raise UnreadableInput(faults)


def _said(text: str, length: int = 120) -> str:
    """Text from a suite as a terminal may show it: ASCII, escaped, of bounded length."""
    shown = text.encode("unicode_escape").decode("ascii")
    return shown if len(shown) <= length else shown[: length - 3] + "..."
