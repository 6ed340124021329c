"""Reading a run folder: run.json, its trials and its anchor labels, each hashed as it is read."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from litmus_nb.contracts.anchors import AnchorTally
from litmus_nb.contracts.canonical import digest_of_bytes
from litmus_nb.contracts.evidence import RunEvidence
from litmus_nb.contracts.provenance import PROVENANCE, Provenance
from litmus_nb.contracts.run import RunFile
from litmus_nb.contracts.strict_json import parse_json
from litmus_nb.contracts.tally import TrialTally
from litmus_nb.errors import Fault, UnreadableInput
from litmus_nb.evidence.anchors import anchor_tally
from litmus_nb.evidence.chunked_tally import chunked_tally
from litmus_nb.evidence.declaration import ReadRun, declaration_of
from litmus_nb.evidence.plain_csv import quick_rows_of
from litmus_nb.evidence.tally import tally_of
from litmus_nb.evidence.trial_chunks import chunks_of, is_small
from litmus_nb.evidence.trials_files import (
    ANCHOR_FILES,
    DECLARATION,
    SHARDS,
    TRIALS_FILES,
    file_digest,
    run_digest,
    trials_names,
)
from litmus_nb.files import MOST_CONTRACT_BYTES, is_there, read_bytes

__all__ = ["read_run"]


@dataclass(frozen=True)
class _Trials:
    """Trials as far as they could be read."""

    tally: TrialTally | None
    digests: dict[str, str] | None
    """None where not even their bytes could be read."""
    faults: tuple[Fault, ...] = ()


@dataclass(frozen=True)
class _Anchors:
    """Anchor labels as far as they could be read."""

    tally: AnchorTally | None
    digests: dict[str, str] | None
    """Empty where there are none; None where not even their bytes could be read."""
    faults: tuple[Fault, ...] = ()


def read_run(folder: Path) -> ReadRun:
    """A run folder as evidence; never raises for what the files hold."""
    path = folder / DECLARATION
    try:
        declared_bytes = read_bytes(path, limit=MOST_CONTRACT_BYTES)
        declaration = declaration_of(declared_bytes, file=str(path))
    except UnreadableInput as unreadable:
        return ReadRun(None, declaration_faults=unreadable.faults)
    trials = _trials(folder, declaration)
    anchors = _anchors(folder)
    # A file that is there and cannot be read is in no digest; a run without a digest is no pinned baseline.
    files: dict[str, str] = {}
    if trials.digests and anchors.digests is not None:
        files = {DECLARATION: digest_of_bytes(declared_bytes)} | trials.digests | anchors.digests
    run = RunEvidence(
        declaration,
        run_digest(files) if files else None,
        trials.tally,
        _provenance(folder),
        anchor_labels=anchors.tally,
        file_digests=files,
    )
    return ReadRun(run, trials_faults=trials.faults, anchor_faults=anchors.faults)


def _provenance(folder: Path) -> Provenance | None:
    """What an imported run says of its logs. It explains and decides nothing, so one that cannot be read is none."""
    path = folder / PROVENANCE
    try:
        return Provenance.read(parse_json(read_bytes(path, limit=MOST_CONTRACT_BYTES), file=str(path)), file=str(path))
    except UnreadableInput:
        return None


def _trials(folder: Path, declaration: RunFile) -> _Trials:
    try:
        names = trials_names(folder)
        if not names and declaration.status == "planned":
            return _Trials(None, None)
        if not names:
            expected = f"exactly one of {', '.join(TRIALS_FILES)}, or the folder {SHARDS}"
            return _Trials(None, None, (Fault(str(folder), "", expected, "none of them"),))
        read = _small_trials if is_small(folder, names) else _large_trials
    except UnreadableInput as unreadable:
        return _Trials(None, _digests(folder), unreadable.faults)
    return read(folder, names, declaration.trials_per_scenario)


def _small_trials(folder: Path, names: tuple[str, ...], trials_per_scenario: int) -> _Trials:
    """One file, read once: the bytes that are hashed are the bytes that are counted."""
    (name,) = names
    digests = None
    try:
        content = read_bytes(folder / name)
        digests = {name: digest_of_bytes(content)}
        return _Trials(tally_of(quick_rows_of(content, file=str(folder / name)), trials_per_scenario), digests)
    except UnreadableInput as unreadable:
        return _Trials(None, digests, unreadable.faults)


def _large_trials(folder: Path, names: tuple[str, ...], trials_per_scenario: int) -> _Trials:
    chunks = chunks_of(folder, names)
    try:
        tally = chunked_tally(chunks.each, trials_per_scenario, file=str(folder), parts=chunks.counts)
    except UnreadableInput as unreadable:
        return _Trials(None, _digests(folder), unreadable.faults)
    return _Trials(tally, chunks.digests)


def _digests(folder: Path) -> dict[str, str] | None:
    """The digests of trials that cannot be read as rows, but as bytes."""
    try:
        return {name: file_digest(folder / name) for name in trials_names(folder)}
    except UnreadableInput:
        return None


def _anchors(folder: Path) -> _Anchors:
    present = [name for name in ANCHOR_FILES if is_there(folder / name)]
    if not present:
        return _Anchors(None, {})
    if len(present) > 1:
        fault = Fault(str(folder), "", f"at most one of {', '.join(ANCHOR_FILES)}", " and ".join(present))
        return _Anchors(None, None, (fault,))
    (name,) = present
    digests = None
    try:
        content = read_bytes(folder / name)
        digests = {name: digest_of_bytes(content)}
        return _Anchors(anchor_tally(content, file=str(folder / name)), digests)
    except UnreadableInput as unreadable:
        return _Anchors(None, digests, unreadable.faults)
