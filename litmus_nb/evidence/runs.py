"""Reading a run folder: run.json, one trials file, one anchor file; each read once and hashed as it was read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from litmus_nb.contracts.anchors import AnchorTally
from litmus_nb.contracts.canonical import digest_of_bytes, digest_of_json
from litmus_nb.contracts.evidence import RunEvidence
from litmus_nb.contracts.run import RunFile
from litmus_nb.contracts.tally import TrialTally
from litmus_nb.errors import Fault, UnreadableInput
from litmus_nb.evidence.anchors import anchor_tally
from litmus_nb.evidence.declaration import ANCHOR_FILES, DECLARATION, TRIALS_FILES, ReadRun, declaration_of
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
    trials, trials_faults = _one_of(folder, TRIALS_FILES)
    if trials is None and not trials_faults and declaration.status == "planned":
        return ReadRun(RunEvidence(declaration, None, None))
    anchors, anchor_faults = _one_of(folder, ANCHOR_FILES)
    if trials is None:
        found = trials_faults or (Fault(str(folder), "", f"one of {', '.join(TRIALS_FILES)}", "none of them"),)
        return ReadRun(RunEvidence(declaration, None, None), trials_faults=found, anchor_faults=anchor_faults)
    return _read(folder, declaration, declared_bytes, trials, anchors, anchor_faults)


def _one_of(folder: Path, names: Sequence[str]) -> tuple[tuple[str, bytes] | None, tuple[Fault, ...]]:
    """Name and bytes of the one file of these names that is there; None where none is, or, with faults, more are."""
    present = [name for name in names if is_there(folder / name)]
    if len(present) > 1:
        return None, (Fault(str(folder), "", f"at most one of {', '.join(names)}", " and ".join(present)),)
    try:
        return ((present[0], read_bytes(folder / present[0])), ()) if present else (None, ())
    except UnreadableInput as unreadable:
        return None, unreadable.faults


def _read(
    folder: Path,
    declaration: RunFile,
    declared_bytes: bytes,
    trials: tuple[str, bytes],
    anchors: tuple[str, bytes] | None,
    anchor_faults: tuple[Fault, ...],
) -> ReadRun:
    contents = {DECLARATION: declared_bytes} | dict([trials]) | (dict([anchors]) if anchors else {})
    # An anchor file that is there and cannot be read is in no digest; a run without a digest is no pinned baseline.
    digest = None if anchor_faults else digest_of_json({n: digest_of_bytes(c) for n, c in contents.items()})
    tally: TrialTally | None = None
    labels: AnchorTally | None = None
    trials_faults: tuple[Fault, ...] = ()
    try:
        tally = tally_of(rows_of(trials[1], file=str(folder / trials[0])), declaration.trials_per_scenario)
    except UnreadableInput as unreadable:
        trials_faults = unreadable.faults
    if anchors:
        try:
            labels = anchor_tally(anchors[1], file=str(folder / anchors[0]))
        except UnreadableInput as unreadable:
            anchor_faults = (*anchor_faults, *unreadable.faults)
    run = RunEvidence(declaration, digest, tally, anchor_labels=labels)
    return ReadRun(run, trials_faults=trials_faults, anchor_faults=anchor_faults)
