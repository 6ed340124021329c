"""Reading a run folder: run.json and one trials file, each read once and hashed as it was read."""

from __future__ import annotations

from pathlib import Path

from litmus_nb.contracts.canonical import digest_of_bytes, digest_of_json
from litmus_nb.contracts.evidence import RunEvidence
from litmus_nb.contracts.run import RunFile
from litmus_nb.errors import Fault, UnreadableInput
from litmus_nb.evidence.declaration import DECLARATION, TRIALS_FILES, ReadRun, declaration_of
from litmus_nb.evidence.tally import tally_of
from litmus_nb.evidence.trial_rows import rows_of
from litmus_nb.files import MOST_CONTRACT_BYTES, is_there, read_bytes

__all__ = ["read_run"]


def read_run(folder: Path) -> ReadRun:
    """A run folder as evidence; never raises for what the files hold."""
    path = folder / DECLARATION
    try:
        declared_bytes = read_bytes(path, limit=MOST_CONTRACT_BYTES)
        declaration = declaration_of(declared_bytes, file=str(path))
    except UnreadableInput as unreadable:
        return ReadRun(None, declaration_faults=unreadable.faults)
    present = [name for name in TRIALS_FILES if is_there(folder / name)]
    if not present and declaration.status == "planned":
        return ReadRun(RunEvidence(declaration, None, None))
    if len(present) != 1:
        seen = " and ".join(present) or "none of them"
        fault = Fault(str(folder), "", f"exactly one of {', '.join(TRIALS_FILES)}", seen)
        return ReadRun(RunEvidence(declaration, None, None), trials_faults=(fault,))
    return _with_trials(folder / present[0], declaration, declared_bytes)


def _with_trials(trials_path: Path, declaration: RunFile, declared_bytes: bytes) -> ReadRun:
    try:
        content = read_bytes(trials_path)
    except UnreadableInput as unreadable:
        return ReadRun(RunEvidence(declaration, None, None), trials_faults=unreadable.faults)
    digest = digest_of_json({DECLARATION: digest_of_bytes(declared_bytes), trials_path.name: digest_of_bytes(content)})
    try:
        tally = tally_of(rows_of(content, file=str(trials_path)), declaration.trials_per_scenario)
    except UnreadableInput as unreadable:
        return ReadRun(RunEvidence(declaration, digest, None), trials_faults=unreadable.faults)
    return ReadRun(RunEvidence(declaration, digest, tally))
