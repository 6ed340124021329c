"""The output folder: claimed by one gate at a time, and never holding a verdict that this gate did not give."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path

from filelock import FileLock, Timeout

from litmus_nb.attest.leave import leave_statement
from litmus_nb.contracts.attestation import DSSE_ENVELOPE, KEYLESS_BUNDLE, STATEMENT
from litmus_nb.contracts.codes import VerdictState
from litmus_nb.contracts.evidence import Evidence
from litmus_nb.contracts.findings import Finding
from litmus_nb.contracts.params import GateParams
from litmus_nb.contracts.strict_json import parse_json
from litmus_nb.contracts.verdict import Verdict, verdict_bytes
from litmus_nb.errors import LitmusError, UnreadableInput, UsageError
from litmus_nb.files import read_bytes, replace_file
from litmus_nb.rule.decided import closed_by, emit_verdict
from litmus_nb.rule.finding import found

__all__ = [
    "EXECUTED_NOTEBOOK",
    "FACTS",
    "REPORT",
    "VERDICT",
    "OutputFolder",
    "OutputUnusable",
    "claimed",
    "incomplete",
    "private_folder",
    "verdict_bytes",
    "write_verdict",
]

VERDICT = "verdict.json"
REPORT = "report.html"
FACTS = "report.json"
EXECUTED_NOTEBOOK = "report.ipynb"

_LOCK = ".litmus-nb.lock"


class OutputUnusable(LitmusError):
    """The output folder cannot be claimed or written; no verdict of ours is there."""


def write_verdict(path: Path, verdict: Verdict) -> None:
    """Leave the verdict at `path`, or no verdict at all.

    Raises:
        OutputUnusable: it could not be written; whatever verdict stood there is gone.
    """
    try:
        replace_file(path, verdict_bytes(verdict))
    except OSError as error:
        _take_away(path)
        raise OutputUnusable(f"{path}: the verdict could not be written: {error}") from error


def _take_away(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink(missing_ok=True)


def incomplete(run_id: str, as_of: str, observed: str, code: str = "EXECUTION_INCOMPLETE") -> Verdict:
    """The verdict of a gate that has not finished: closed."""
    paragraph = {"USAGE": "1", "EXECUTION_INCOMPLETE": "1.3"}[code]
    reason = found(code, paragraph, "litmus_nb", expected="a finished gate", observed=observed)
    return closed_verdict(reason, run_id, as_of)


def closed_verdict(reason: Finding, run_id: str, as_of: str) -> Verdict:
    """A NO_VERDICT for a reason that is not about the evidence."""
    decision = closed_by(VerdictState.NO_VERDICT, (reason,), [])
    return emit_verdict(decision, None, run_id=run_id, as_of=as_of)


class OutputFolder:
    """A claimed output folder. From the claim on, what stands there is closed until `settle` says otherwise."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def open_with(self, verdict: Verdict) -> None:
        """Replace whatever an earlier gate left by a verdict that is not a PASS.

        Raises:
            UsageError: the verdict to begin with is a PASS.
            OutputUnusable: the folder cannot be written.
        """
        if verdict.verdict is VerdictState.PASS:
            raise UsageError("a gate does not begin with a PASS")
        write_verdict(self.path / VERDICT, verdict)
        for name in (REPORT, FACTS, EXECUTED_NOTEBOOK, STATEMENT, DSSE_ENVELOPE, KEYLESS_BUNDLE):
            try:
                (self.path / name).unlink(missing_ok=True)
            except OSError as error:
                raise OutputUnusable(f"{self.path / name}: an old report cannot be removed: {error}") from error

    def settle(
        self, verdict: Verdict, params: GateParams, *, issued_at: datetime, evidence: Evidence | None = None
    ) -> Verdict:
        """Leave the statement, then the verdict, and give back what the file now says.

        A PASS whose evidence cannot be read any more, to bind it to the verdict, is none: NO_VERDICT is left instead.

        Args:
            verdict: what was decided.
            params: where the evidence lies.
            issued_at: the present.
            evidence: what it was decided from; files whose digests it has are not read again.

        Raises:
            OutputUnusable: it could not be written, or the file does not say what was written; no verdict stands then.
        """
        path = self.path / VERDICT
        verdict = self._stated(verdict, params, issued_at, evidence.file_digests if evidence else {})
        write_verdict(path, verdict)
        try:
            written = Verdict.read(parse_json(read_bytes(path), file=str(path)), file=str(path))
        except Exception as error:
            _take_away(path)
            raise OutputUnusable(f"{path}: the verdict just written cannot be read back: {error!r}") from error
        if written != verdict:
            _take_away(path)
            raise OutputUnusable(f"{path}: another verdict than the one just written stood there")
        return written

    def _stated(self, verdict: Verdict, params: GateParams, issued_at: datetime, read: Mapping[str, str]) -> Verdict:
        try:
            leave_statement(self.path, verdict, params, issued_at=issued_at, read=read)
        except UnreadableInput as changed:
            if verdict.verdict is not VerdictState.PASS:  # what else than a PASS is stated whatever it is about
                raise OutputUnusable(f"{self.path}: the statement could not be made: {changed}") from changed
            circumstances = verdict.execution
            observed = f"the evidence changed while the gate ran: {changed}"
            return self._stated(
                incomplete(circumstances.run_id, circumstances.as_of, observed), params, issued_at, read
            )
        except OSError as error:
            raise OutputUnusable(f"{self.path}: the statement could not be written: {error}") from error
        return verdict


@contextlib.contextmanager
def claimed(path: Path) -> Iterator[OutputFolder]:
    """The output folder, held by this process alone while the block runs.

    Raises:
        OutputUnusable: another gate holds it, or it cannot be made.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
        lock = FileLock(path / _LOCK, timeout=0)
        lock.acquire()
    except Timeout as error:
        raise OutputUnusable(
            f"{path}: another gate is running on this folder; wait for it, or give this one its own output_dir"
        ) from error
    except OSError as error:
        raise OutputUnusable(f"{path}: the output folder cannot be used: {error}") from error
    try:
        yield OutputFolder(path)
    finally:
        # The lock's file stays: removing it would let two gates hold two files of one name.
        lock.release()


@contextlib.contextmanager
def private_folder(beside: Path) -> Iterator[Path]:
    """A folder that nobody else writes in, for the time of the block.

    Raises:
        OutputUnusable: none can be made there.
    """
    try:
        private = Path(tempfile.mkdtemp(prefix=".run-", dir=beside)).resolve()
    except OSError as error:
        raise OutputUnusable(f"{beside}: no private folder can be made: {error}") from error
    try:
        yield private
    finally:
        shutil.rmtree(private, ignore_errors=True)
