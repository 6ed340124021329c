"""Which files a decision is made from, by name: what must not change between a verdict and whoever checks it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from litmus_nb.contracts.gate import GateFile
from litmus_nb.contracts.params import GateParams
from litmus_nb.contracts.strict_yaml import parse_yaml
from litmus_nb.contracts.suite import SuiteFile
from litmus_nb.errors import Fault, UnreadableInput
from litmus_nb.evidence.admission import ticket_path
from litmus_nb.evidence.declaration import FOLDER, split_source
from litmus_nb.evidence.manifest import MANIFEST
from litmus_nb.evidence.trials_files import (
    ANCHOR_FILES,
    DECLARATION,
    SHARDS,
    file_digest,
    run_digest,
    trials_names,
)
from litmus_nb.files import is_there, read_bytes

__all__ = ["GATE", "LEDGER", "EvidenceFile", "evidence_files", "folder_digest", "source_files"]

GATE, LEDGER = "gate", "ledger"


@dataclass(frozen=True, order=True)
class EvidenceFile:
    """One file of the evidence."""

    name: str
    """What it is to the decision: `gate`, `ledger`, `suite`, `suite/probes`, `candidate/run.json`, ... Not its path."""
    path: Path


def evidence_files(params: GateParams) -> tuple[EvidenceFile, ...]:
    """The files that a gate on these params reads, sorted by name. The files need not be sound, only named.

    A run folder is taken whole: every file in it, at any depth, so that nothing can be laid beside the evidence.

    Raises:
        UnreadableInput: with every file that is absent, no regular file, or a symbolic link; and where gate.yaml or
            suite.yaml cannot be read, since they name the others.
    """
    gate_path = Path(params.gate)
    gate = GateFile.read(parse_yaml(_regular(gate_path), file=str(gate_path)), file=str(gate_path))
    beside = gate_path.parent
    files = [EvidenceFile(GATE, gate_path), EvidenceFile(LEDGER, beside / gate.ledger)]
    files += _suite_files(beside / gate.suite)
    files += _outside(Path(params.output_dir), source_files("candidate", params.candidate, Path()), params.candidate)
    if gate.baseline is not None:
        files += source_files("baseline", gate.baseline.run, beside)
    faults = [fault for file in files for fault in _faults_of(file.path)]
    if faults:
        raise UnreadableInput(faults)
    return tuple(sorted(files))


def _outside(output_dir: Path, files: list[EvidenceFile], source: str) -> list[EvidenceFile]:
    """Without what gates leave in an output folder that lies inside the run's own folder."""
    run = Path(os.path.abspath(split_source(source)[1]))
    output = Path(os.path.abspath(output_dir))
    if run not in output.parents or output.relative_to(run).parts[0] == SHARDS:
        return files
    return [file for file in files if output not in Path(os.path.abspath(file.path)).parents]


def source_files(name: str, source: str, beside: Path) -> list[EvidenceFile]:
    """The files of a run's source, each called `name`/ and its path from the run's folder (or the declarations').

    Raises:
        UnreadableInput: no such file or folder, declarations that cannot be read, or a symbolic link.
    """
    reader, path = split_source(source)
    root = beside / path
    if root.is_symlink() or not root.exists():
        seen = "a symbolic link" if root.is_symlink() else "nothing there"
        raise UnreadableInput([Fault(str(root), "", f"the {name}'s files", seen)])
    if reader == FOLDER:
        return [EvidenceFile(f"{name}/{file.relative_to(root).as_posix()}", file) for file in _files_below(root)]
    # Deferred: the readers need polars, a run folder does not.
    from litmus_nb.evidence.sources import read_files_of

    named = read_files_of(reader, root)
    if is_there(ticket := ticket_path(f"{reader}:{root}")):
        named |= {ticket.name: ticket}
    return [EvidenceFile(f"{name}/{inside}", file) for inside, file in named.items()]


def _files_below(root: Path) -> list[Path]:
    if root.is_file():
        raise UnreadableInput([Fault(str(root), "", "a run folder", "a file")])
    found: list[Path] = []
    faults: list[Fault] = []
    for folder, folders, files in os.walk(root):
        folders.sort()
        for entry in sorted([*folders, *files]):
            path = Path(folder, entry)
            if path.is_symlink() or (entry in files and not path.is_file()):
                faults.append(Fault(str(path), "", "a regular file or folder", "a symbolic link, pipe or device"))
            elif entry in files:
                found.append(path)
    if faults:
        raise UnreadableInput(faults)
    return found


def folder_digest(folder: Path) -> str | None:
    """The run digest of a run folder, from its bytes alone; None where it holds no run.json or no trials.

    Raises:
        UnreadableInput: a file that is there cannot be read, or there is more than one kind of trials.
    """
    if not is_there(folder / DECLARATION) or not (names := trials_names(folder)):
        return None
    anchors = [name for name in ANCHOR_FILES if is_there(folder / name)]
    return run_digest({name: file_digest(folder / name) for name in (DECLARATION, *names, *anchors)})


def _suite_files(path: Path) -> list[EvidenceFile]:
    suite = SuiteFile.read(parse_yaml(_regular(path), file=str(path)), file=str(path))
    named = {
        "suite": path,
        "suite/probes": path.parent / suite.probes,
        "suite/trace_schema": path.parent / suite.trace_schema,
        "suite/judge_template": path.parent / suite.judge.template,
    }
    if suite.anchors is not None:
        named["suite/anchors"] = path.parent / suite.anchors.labels
    if is_there(path.parent / MANIFEST):
        named["suite/manifest"] = path.parent / MANIFEST
    return [EvidenceFile(name, file) for name, file in named.items()]


def _regular(path: Path) -> bytes:
    if faults := _faults_of(path):
        raise UnreadableInput(faults)
    return read_bytes(path)


def _faults_of(path: Path) -> list[Fault]:
    if path.is_symlink():
        return [Fault(str(path), "", "a regular file", "a symbolic link")]
    if not path.is_file():
        return [Fault(str(path), "", "a regular file", "something else" if path.exists() else "nothing there")]
    return []
