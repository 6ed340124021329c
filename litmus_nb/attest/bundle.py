"""Verdict, report, suite, gate, runs and ledger in one archive from which another machine decides the same."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from litmus_nb.attest.archive import extract_archive, write_archive
from litmus_nb.attest.at_hand import file_digests
from litmus_nb.contracts.attestation import DSSE_ENVELOPE, KEYLESS_BUNDLE, STATEMENT
from litmus_nb.contracts.bundle import MANIFEST, BundleManifest
from litmus_nb.contracts.canonical import canonical_json
from litmus_nb.contracts.gate import GateFile
from litmus_nb.contracts.params import GateParams
from litmus_nb.contracts.strict_json import parse_json
from litmus_nb.contracts.strict_yaml import parse_yaml
from litmus_nb.contracts.suite import SuiteFile
from litmus_nb.contracts.verdict import Verdict
from litmus_nb.errors import Fault, GateInvariantViolation, UnreadableInput, UsageError
from litmus_nb.evidence.declaration import split_source
from litmus_nb.evidence.inventory import EvidenceFile, evidence_files
from litmus_nb.evidence.trials_files import file_digest
from litmus_nb.files import read_bytes, replacing

__all__ = ["Unpacked", "pack_bundle", "unpacked"]

VERDICT = "verdict.json"
_BESIDE = (STATEMENT, DSSE_ENVELOPE, KEYLESS_BUNDLE, "report.html", "report.ipynb")
_EVIDENCE, _CANDIDATE = "evidence", "candidate"


@dataclass(frozen=True)
class Unpacked:
    """A bundle's files on disk, for as long as somebody looks at them."""

    verdict_path: Path
    params: GateParams
    names: tuple[str, ...]


def pack_bundle(params: GateParams, target: Path) -> tuple[str, ...]:
    """Write the bundle of a gate that has run: its output folder and all its evidence. Give the members' names.

    Under `evidence/` gate file, ledger, suite and baseline keep their places relative to each other, so that gate.yaml
    is packed byte for byte as it is; the candidate lies in `candidate/`.

    Raises:
        UnreadableInput: verdict or evidence is absent, a symbolic link, or unreadable.
        UsageError: gate.yaml names an absolute path, or a file name is not portable.
        OSError: the target cannot be written.
    """
    output = Path(params.output_dir)
    verdict = Verdict.read(parse_json(read_bytes(output / VERDICT), file=VERDICT), file=VERDICT)
    members = {name: output / name for name in (VERDICT, *_BESIDE) if (output / name).is_file()}
    if STATEMENT not in members:
        raise UnreadableInput([Fault(str(output / STATEMENT), "", "the statement beside the verdict", "nothing there")])
    reader, candidate_path = _split(params.candidate)
    evidence = evidence_files(params)
    _refuse_absolute(Path(params.gate), evidence)
    of_candidate = {file.path for file in evidence if file.name.startswith(f"{_CANDIDATE}/")}
    candidate = _Part(_CANDIDATE, Path(candidate_path), of_candidate)
    others = {file.path for file in evidence if not file.name.startswith(f"{_CANDIDATE}/")}
    related = _Part(_EVIDENCE, Path(params.gate), others)
    members |= related.members | candidate.members
    manifest = BundleManifest(
        gate=related.place_of(related.named),
        candidate=reader + candidate.place_of(candidate.named),
        as_of=verdict.execution.as_of,
        files={name: file_digest(path) for name, path in members.items()},
    )
    packed: dict[str, Path | bytes] = members | {MANIFEST: canonical_json(manifest.model_dump()) + b"\n"}
    with replacing(target) as stream:  # a bundle is too large to be held in memory
        write_archive(packed, stream)
    try:
        _refuse_unless_it_unpacks(target, file_digests(params, verdict), verdict)
    except BaseException:
        target.unlink()
        raise
    return tuple(sorted(packed))


def _refuse_unless_it_unpacks(target: Path, packed: Mapping[str, str], verdict: Verdict) -> None:
    """A bundle that does not lead back to the same files is none: found here, not by the auditor."""
    with unpacked(target) as bundle:
        if file_digests(bundle.params, verdict) != packed:
            raise GateInvariantViolation(f"{target}: the bundle does not lead back to the files that were packed")


@contextmanager
def unpacked(path: Path) -> Iterator[Unpacked]:
    """The bundle at `path`, unpacked into a folder of its own that is gone afterwards.

    Raises:
        UnreadableInput: it is not exactly a litmus-nb/bundle/v1.
    """
    with tempfile.TemporaryDirectory(prefix="litmus-nb-bundle-") as made:
        folder = Path(made).resolve()
        names = extract_archive(path, folder)
        manifest = _manifest(folder, names, path.name)
        reader, inside = _split(manifest.candidate)
        params = GateParams(
            gate=str(folder / manifest.gate),
            candidate=f"{reader}{folder / inside}",
            output_dir=str(folder),
            as_of=manifest.as_of,
        )
        _refuse_outside(folder, params, path.name)
        yield Unpacked(folder / VERDICT, params, names)


def _manifest(folder: Path, names: tuple[str, ...], file: str) -> BundleManifest:
    if MANIFEST not in names or VERDICT not in names:
        raise UnreadableInput([Fault(file, "", f"{MANIFEST} and {VERDICT}", "not both of them")])
    manifest = BundleManifest.read(parse_json(read_bytes(folder / MANIFEST), file=MANIFEST), file=MANIFEST)
    seen = {name: file_digest(folder / name) for name in names if name != MANIFEST}
    differing = sorted(name for name in {*seen, *manifest.files} if seen.get(name) != manifest.files.get(name))
    faults = [
        Fault(file, name, manifest.files.get(name, "no such member"), seen.get(name, "no such member"))
        for name in differing
    ]
    if faults:
        raise UnreadableInput(faults)
    return manifest


def _refuse_outside(folder: Path, params: GateParams, file: str) -> None:
    """Manifest and gate.yaml can name files that the bundle does not hold: an auditor would look at their own."""
    faults = [
        Fault(file, evidence.name, "a member of the bundle", f"a file outside of it: {evidence.path}")
        for evidence in evidence_files(params)
        if not Path(os.path.abspath(evidence.path)).is_relative_to(folder)
    ]
    if faults:
        raise UnreadableInput(faults)


@dataclass(frozen=True)
class _Part:
    """A folder of the archive, in which files keep their places relative to each other."""

    name: str
    named: Path
    """The file or folder that the params name; it may be a folder of the files, which are not named one by one."""
    files: set[Path]

    @property
    def members(self) -> dict[str, Path]:
        """Place in the archive to file."""
        return {self.place_of(file): file for file in self.files}

    def place_of(self, path: Path) -> str:
        """Where a file or folder lies in the archive."""
        return f"{self.name}/{Path(os.path.abspath(path)).relative_to(self._root).as_posix()}"

    @cached_property
    def _root(self) -> str:
        """The deepest folder that holds all files and the file or folder that the params name."""
        return os.path.commonpath([Path(os.path.abspath(path)).parent for path in (self.named, *self.files)])


def _refuse_absolute(gate_path: Path, evidence: tuple[EvidenceFile, ...]) -> None:
    """What gate.yaml names must be found from gate.yaml on every machine."""
    gate = GateFile.read(parse_yaml(read_bytes(gate_path), file=str(gate_path)), file=str(gate_path))
    suite_path = gate_path.parent / gate.suite
    suite = SuiteFile.read(parse_yaml(read_bytes(suite_path), file=str(suite_path)), file=str(suite_path))
    named = {
        f"{gate_path}: suite": gate.suite,
        f"{gate_path}: ledger": gate.ledger,
        f"{gate_path}: baseline.run": split_source(gate.baseline.run)[1] if gate.baseline else "",
        f"{suite_path}: probes": suite.probes,
        f"{suite_path}: trace_schema": suite.trace_schema,
        f"{suite_path}: judge.template": suite.judge.template,
        f"{suite_path}: anchors.labels": suite.anchors.labels if suite.anchors else "",
    }
    named |= {file.name: file.name.partition("/")[2] for file in evidence}
    absolute = {where: path for where, path in named.items() if Path(path).is_absolute()}
    if absolute:
        raise UsageError(
            "\n".join(f"{where}: expected a relative path, seen {path}" for where, path in absolute.items())
        )


def _split(source: str) -> tuple[str, str]:
    path = split_source(source)[1]
    return source[: len(source) - len(path)], path
