"""Reading a run folder: run.json and its trials, hashed as they are read."""

from __future__ import annotations

from pathlib import Path

from litmus_nb.contracts.canonical import digest_of_bytes
from litmus_nb.contracts.evidence import RunEvidence
from litmus_nb.contracts.run import RunFile
from litmus_nb.errors import Fault, UnreadableInput
from litmus_nb.evidence.chunked_tally import chunked_tally
from litmus_nb.evidence.declaration import ReadRun, declaration_of
from litmus_nb.evidence.tally import tally_of
from litmus_nb.evidence.trial_chunks import chunks_of, is_small
from litmus_nb.evidence.trial_rows import rows_of
from litmus_nb.evidence.trials_files import DECLARATION, SHARDS, TRIALS_FILES, file_digest, run_digest, trials_names
from litmus_nb.files import MOST_CONTRACT_BYTES, read_bytes

__all__ = ["read_run"]


def read_run(folder: Path) -> ReadRun:
    """A run folder as evidence; never raises for what the files hold."""
    path = folder / DECLARATION
    try:
        declared_bytes = read_bytes(path, limit=MOST_CONTRACT_BYTES)
        declaration = declaration_of(declared_bytes, file=str(path))
    except UnreadableInput as unreadable:
        return ReadRun(None, declaration_faults=unreadable.faults)
    try:
        names = trials_names(folder)
        if not names and declaration.status == "planned":
            return ReadRun(RunEvidence(declaration, None, None))
        if not names:
            expected = f"exactly one of {', '.join(TRIALS_FILES)}, or the folder {SHARDS}"
            raise UnreadableInput([Fault(str(folder), "", expected, "none of them")])
        is_whole = is_small(folder, names)
    except UnreadableInput as unreadable:
        return ReadRun(RunEvidence(declaration, _digest(folder, declared_bytes), None), trials_faults=unreadable.faults)
    read = _with_small_trials if is_whole else _with_large_trials
    return read(folder, names, declaration, declared_bytes)


def _digest(folder: Path, declared_bytes: bytes) -> str | None:
    """The run digest of trials that cannot be read as rows, but as bytes."""
    try:
        digests = {name: file_digest(folder / name) for name in trials_names(folder)}
    except UnreadableInput:
        return None
    return run_digest(digest_of_bytes(declared_bytes), digests) if digests else None


def _with_small_trials(folder: Path, names: tuple[str, ...], declaration: RunFile, declared_bytes: bytes) -> ReadRun:
    """One file, read once: the bytes that are hashed are the bytes that are counted."""
    (name,) = names
    try:
        content = read_bytes(folder / name)
    except UnreadableInput as unreadable:
        return ReadRun(RunEvidence(declaration, None, None), trials_faults=unreadable.faults)
    digest = run_digest(digest_of_bytes(declared_bytes), {name: digest_of_bytes(content)})
    try:
        tally = tally_of(rows_of(content, file=str(folder / name)), declaration.trials_per_scenario)
    except UnreadableInput as unreadable:
        return ReadRun(RunEvidence(declaration, digest, None), trials_faults=unreadable.faults)
    return ReadRun(RunEvidence(declaration, digest, tally))


def _with_large_trials(folder: Path, names: tuple[str, ...], declaration: RunFile, declared_bytes: bytes) -> ReadRun:
    chunks = chunks_of(folder, names)
    try:
        tally = chunked_tally(chunks.each, declaration.trials_per_scenario, file=str(folder))
    except UnreadableInput as unreadable:
        return ReadRun(RunEvidence(declaration, _digest(folder, declared_bytes), None), trials_faults=unreadable.faults)
    return ReadRun(RunEvidence(declaration, run_digest(digest_of_bytes(declared_bytes), chunks.digests), tally))
