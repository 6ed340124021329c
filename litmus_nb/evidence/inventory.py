"""Which files a decision is made from, by name: what must not change between a verdict and whoever checks it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from litmus_nb.contracts.canonical import digest_of_bytes, digest_of_json
from litmus_nb.contracts.gate import GateFile
from litmus_nb.contracts.params import GateParams
from litmus_nb.contracts.strict_yaml import parse_yaml
from litmus_nb.contracts.suite import SuiteFile
from litmus_nb.errors import Fault, UnreadableInput
from litmus_nb.evidence.declaration import DECLARATION, FOLDER, split_source
from litmus_nb.evidence.trial_rows import TRIALS_FILES
from litmus_nb.files import read_bytes

__all__ = ["LEDGER", "EvidenceFile", "evidence_files", "folder_digest", "source_files"]

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
    files += source_files("candidate", params.candidate, Path())
    if gate.baseline is not None:
        files += source_files("baseline", gate.baseline.run, beside)
    faults = [fault for file in files for fault in _faults_of(file.path)]
    if faults:
        raise UnreadableInput(faults)
    return tuple(sorted(files))


def source_files(name: str, source: str, beside: Path) -> list[EvidenceFile]:
    """The files of a run's source, each called `name`/ and its path inside the run's folder (of a log file, its name).

    Raises:
        UnreadableInput: there is no such file or folder, or the folder is a symbolic link or holds one.
    """
    root = beside / split_source(source)[1]
    if root.is_symlink() or not root.exists():
        seen = "a symbolic link" if root.is_symlink() else "nothing there"
        raise UnreadableInput([Fault(str(root), "", f"the {name}'s files", seen)])
    if root.is_file():
        return [EvidenceFile(f"{name}/{root.name}", root)]
    found: list[EvidenceFile] = []
    faults: list[Fault] = []
    for folder, folders, files in os.walk(root):
        folders.sort()
        for entry in sorted([*folders, *files]):
            path = Path(folder, entry)
            if path.is_symlink() or (entry in files and not path.is_file()):
                faults.append(Fault(str(path), "", "a regular file or folder", "a symbolic link, pipe or device"))
            elif entry in files:
                found.append(EvidenceFile(f"{name}/{path.relative_to(root).as_posix()}", path))
    if faults:
        raise UnreadableInput(faults)
    return found


def folder_digest(folder: Path) -> str | None:
    """The run digest of a run folder, from its bytes alone; None where it holds no run.json or not one trials file.

    Raises:
        UnreadableInput: a file that is there cannot be read.
    """
    present = [name for name in TRIALS_FILES if (folder / name).exists()]
    if not (folder / DECLARATION).exists() or len(present) != 1:
        return None
    return digest_of_json({name: digest_of_bytes(read_bytes(folder / name)) for name in (DECLARATION, present[0])})


def is_folder_source(source: str) -> bool:
    """Whether a run's source is a plain run folder."""
    return split_source(source)[0] == FOLDER


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
