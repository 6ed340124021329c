"""One cell on a worker: inputs fetched, the gate run in a process of its own, results left with the verdict last."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from litmus_nb.attest.statement import read_statement
from litmus_nb.contracts.attestation import STATEMENT
from litmus_nb.contracts.canonical import canonical_json, digest_of_bytes, digest_of_json
from litmus_nb.contracts.codes import VerdictState
from litmus_nb.contracts.params import GateParams
from litmus_nb.contracts.strict_json import parse_json
from litmus_nb.contracts.sweep import CellResult, SweepCell
from litmus_nb.contracts.verdict import Verdict
from litmus_nb.errors import UnreadableInput
from litmus_nb.evidence.declaration import FOLDER, split_source
from litmus_nb.evidence.inventory import evidence_files
from litmus_nb.evidence.trials_files import file_digest
from litmus_nb.outcome.output import VERDICT, incomplete, verdict_bytes
from litmus_nb.sweep.storage import Storage

__all__ = ["CellTask", "finished_result", "run_cell"]

_MARK = "cell.json"


@dataclass(frozen=True)
class CellTask:
    """Everything that a worker needs to know of a cell."""

    cell: SweepCell
    inputs: str
    output: str
    as_of: str
    timeout_s: int
    retries: int

    @property
    def digest(self) -> str:
        """Names the cell's question: a result of another question is not resumed."""
        return digest_of_json(
            {
                "gate": self.cell.gate,
                "candidate": self.cell.candidate,
                "inputs": self.inputs,
                "as_of": self.as_of,
            }
        )


def finished_result(task: CellTask, inputs: Callable[[], Path]) -> CellResult | None:
    """The result of an earlier sweep, if the cell was finished then; None where it is to be run.

    Finished means: its mark names this question and the digest of the verdict that lies there, and every file of the
    evidence has the bytes that the verdict's statement names. A candidate that was measured anew is a new question.

    Args:
        task: the cell.
        inputs: gives a local folder with everything that cells are made of; called only where there is a mark.
    """
    output = Storage(task.output)
    read = {name: output.read(f"{task.cell.name}/{name}") for name in (_MARK, VERDICT, STATEMENT)}
    mark, verdict, statement = read[_MARK], read[VERDICT], read[STATEMENT]
    if mark is None or verdict is None or statement is None:
        return None
    try:
        if parse_json(mark, file=_MARK) != {"cell": task.digest, "verdict": digest_of_bytes(verdict)}:
            return None
        stated = read_statement(statement, file=STATEMENT).predicate
        if stated.verdict_sha256 != digest_of_bytes(verdict) or stated.files != _digests_now(task, inputs()):
            return None
        return _result(task, verdict, attempts=0)
    except UnreadableInput:
        return None


def _digests_now(task: CellTask, inputs: Path) -> dict[str, str]:
    """The digest of every file that the cell's gate would read now, by what the file is to the decision."""
    reader, path = split_source(task.cell.candidate)
    source = str(inputs / path) if reader == FOLDER else f"{reader}:{inputs / path}"
    params = GateParams(gate=str(inputs / task.cell.gate), candidate=source, output_dir=task.output)
    return {file.name: file_digest(file.path) for file in evidence_files(params)}


def run_cell(task: CellTask) -> CellResult:
    """Run the cell's gate and leave verdict, report and notebook in its place of the output.

    Whatever verdict lay there is replaced by a NO_VERDICT first. A gate that did not finish (a dead kernel, a killed
    process) is tried again; a verdict never is.
    """
    stale = incomplete(uuid.uuid4().hex, task.as_of, "the cell started and has not finished")
    Storage(task.output).leave(f"{task.cell.name}/{VERDICT}", verdict_bytes(stale))
    result = _without_verdict(task, 0, "it was not started")
    for attempt in range(1, task.retries + 2):
        result = _attempt(task, attempt)
        if not _is_infrastructure_failure(result):
            break
    return result


def _attempt(task: CellTask, attempt: int) -> CellResult:
    with tempfile.TemporaryDirectory(prefix="litmus-cell-", ignore_cleanup_errors=True) as scratch:
        try:
            root = Storage(task.inputs).fetch_all(Path(scratch) / "inputs")
        except UnreadableInput as unreadable:
            return _without_verdict(task, attempt, str(unreadable))
        left = Path(scratch) / "left"
        problem = _gate(task, root, left, Path(scratch) / "params.yaml")
        verdict_path = left / VERDICT
        if not verdict_path.exists():
            return _without_verdict(task, attempt, problem or "the gate left no verdict")
        content = verdict_path.read_bytes()
        try:
            result = _result(task, content, attempts=attempt)
        except UnreadableInput as unreadable:
            return _without_verdict(task, attempt, str(unreadable))
        output = Storage(task.output)
        output.leave_folder(task.cell.name, left, last=VERDICT)
        if not _is_infrastructure_failure(result):
            mark = {"cell": task.digest, "verdict": digest_of_bytes(content)}
            output.leave(f"{task.cell.name}/{_MARK}", canonical_json(mark) + b"\n")
        return result


def _gate(task: CellTask, root: Path, left: Path, params: Path) -> str | None:
    """Run the gate in a process group of its own, so that nothing of it outlives the cell."""
    asked = {
        "gate": task.cell.gate,
        "candidate": task.cell.candidate,
        "output_dir": str(left),
        "as_of": task.as_of,
    }
    params.write_bytes(canonical_json(asked))  # JSON is YAML
    command = [sys.executable, "-P", "-m", "litmus_nb", "gate", str(params), "--quiet"]
    with subprocess.Popen(
        command, cwd=root, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        try:
            _, said = process.communicate(timeout=task.timeout_s)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return f"the cell took longer than {task.timeout_s} seconds"
    return said.strip()[-300:] or None


def _result(task: CellTask, content: bytes, *, attempts: int) -> CellResult:
    verdict = Verdict.read(parse_json(content, file=VERDICT), file=VERDICT)
    return CellResult(
        name=task.cell.name,
        state=verdict.verdict,
        codes=sorted({reason.code for reason in verdict.reasons}),
        attempts=attempts,
        verdict_sha256=digest_of_bytes(content),
        candidate_digest=verdict.evidence.candidate_digest,
    )


def _without_verdict(task: CellTask, attempts: int, problem: str) -> CellResult:
    return CellResult(
        name=task.cell.name,
        state=None,
        codes=[],
        attempts=attempts,
        verdict_sha256=None,
        candidate_digest=None,
        problem=problem,
    )


_UNFINISHED = frozenset({"EXECUTION_INCOMPLETE"})


def _is_infrastructure_failure(result: CellResult) -> bool:
    return result.state is None or (
        result.state is VerdictState.NO_VERDICT and bool(result.codes) and set(result.codes) <= _UNFINISHED
    )
