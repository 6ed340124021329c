"""From a params file to everything that a decision is made from."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

from litmus_nb.contracts.canonical import digest_of_bytes
from litmus_nb.contracts.evidence import Evidence, Part, RunEvidence, SuiteEvidence, Unreadable
from litmus_nb.contracts.gate import GateFile
from litmus_nb.contracts.params import GateParams
from litmus_nb.contracts.strict_yaml import parse_yaml
from litmus_nb.contracts.suite_changes import suite_changes, summary_of
from litmus_nb.errors import Fault, UnreadableInput
from litmus_nb.evidence.admission import read_admission
from litmus_nb.evidence.declaration import FOLDER, ReadRun, read_declared_only, split_source
from litmus_nb.evidence.manifest import MANIFEST, manifest_of, read_manifest
from litmus_nb.evidence.suite import read_suite
from litmus_nb.files import MOST_CONTRACT_BYTES, is_there, read_bytes

__all__ = ["load_evidence", "read_params"]


def read_params(path: Path) -> GateParams:
    """The params file at `path`.

    Raises:
        UnreadableInput: with every fault of the file.
    """
    return GateParams.read(parse_yaml(read_bytes(path, limit=MOST_CONTRACT_BYTES), file=str(path)), file=str(path))


def load_evidence(params: GateParams, *, as_of: date, with_trials: bool = True) -> Evidence:
    """Everything that the params name, read and unjudged.

    What cannot be read is None in the result, with the faults beside it; nothing is raised for what files hold.

    Args:
        params: paths are taken relative to the working directory.
        as_of: the day that ages are counted from; the caller has settled what `params.as_of: null` means.
        with_trials: False leaves all trials unread (before a run there are none).
    """
    return _Loader(with_trials).evidence(params, as_of)


_CANDIDATE = (Part.CANDIDATE, Part.CANDIDATE_TRIALS, Part.CANDIDATE_ANCHORS)
_BASELINE = (Part.BASELINE, Part.BASELINE_TRIALS, Part.BASELINE_ANCHORS)


class _Loader:
    """Collects faults while it reads."""

    def __init__(self, with_trials: bool) -> None:
        self._with_trials = with_trials
        self._unreadable: list[Unreadable] = []

    def evidence(self, params: GateParams, as_of: date) -> Evidence:
        gate, gate_sha256 = self._gate(Path(params.gate))
        beside = Path(params.gate).parent
        suite = self._suite(beside / gate.suite) if gate else None
        return Evidence(
            as_of=as_of,
            gate=gate,
            gate_sha256=gate_sha256,
            suite=suite,
            changes_since_frozen=_changes(beside / gate.suite, gate, suite) if gate and suite else None,
            candidate=self._run(params.candidate, Path(), _CANDIDATE),
            baseline=self._baseline(gate, beside) if gate else None,
            ledger=self._ledger(beside / gate.ledger) if gate else None,
            admission=read_admission(params.candidate, gate) if gate and gate.require_admission else None,
            unreadable=tuple(sorted(self._unreadable)),
        )

    def _gate(self, path: Path) -> tuple[GateFile | None, str | None]:
        sha256 = None
        try:
            content = read_bytes(path, limit=MOST_CONTRACT_BYTES)
            sha256 = digest_of_bytes(content)
            return GateFile.read(parse_yaml(content, file=str(path)), file=str(path)), sha256
        except UnreadableInput as unreadable:
            self._note(Part.GATE, unreadable.faults)
            return None, sha256

    def _suite(self, path: Path) -> SuiteEvidence | None:
        try:
            return read_suite(path)
        except UnreadableInput as unreadable:
            self._note(Part.SUITE, unreadable.faults)
            return None

    def _baseline(self, gate: GateFile, beside: Path) -> RunEvidence | None:
        if gate.baseline is None:
            return None
        path = beside / split_source(gate.baseline.run)[1]
        if not is_there(path):
            fault = Fault(str(path), "", "the pinned baseline", "nothing there")
            self._note(Part.BASELINE_FOLDER, (fault,))
            return None
        return self._run(gate.baseline.run, beside, _BASELINE)

    def _run(self, source: str, beside: Path, parts: tuple[Part, Part, Part]) -> RunEvidence | None:
        result = self._read(source, beside)
        of_declaration, of_trials, of_anchors = parts
        self._note(of_declaration, result.declaration_faults)
        self._note(of_trials, result.trials_faults)
        self._note(of_anchors, result.anchor_faults)
        return result.run

    def _read(self, source: str, beside: Path) -> ReadRun:
        if not self._with_trials and split_source(source)[0] == FOLDER:
            return self._declared_only(beside / split_source(source)[1])
        # Deferred: reading trials needs polars, and preflight must start without it.
        from litmus_nb.evidence.sources import read_source

        return read_source(source, beside)

    def _declared_only(self, folder: Path) -> ReadRun:
        """A run's declaration alone. That its trials were not read is said, so that nobody takes them for absent."""
        unread = Fault(str(folder), "", "trials", "not read: only the declaration was asked for")
        return replace(read_declared_only(folder), trials_faults=(unread,))

    def _ledger(self, path: Path) -> bytes | None:
        try:
            return read_bytes(path)
        except UnreadableInput as unreadable:
            self._note(Part.LEDGER, unreadable.faults)
            return None

    def _note(self, part: Part, faults: tuple[Fault, ...]) -> None:
        self._unreadable.extend(Unreadable(part, fault) for fault in faults)


def _changes(path: Path, gate: GateFile, suite: SuiteEvidence) -> str | None:
    """What changed since the suite was frozen, where the frozen manifest is at hand and is the one that was frozen."""
    if suite.manifest_hash == gate.frozen_manifest_hash:
        return None
    try:
        frozen = read_manifest(path.parent / MANIFEST)
        return (
            summary_of(suite_changes(frozen, manifest_of(path)))
            if frozen.manifest_hash == gate.frozen_manifest_hash
            else None
        )
    except UnreadableInput:
        return None  # it explains and decides nothing: the drift itself is found by its hash
