"""`gate`: the notebook through papermill, and a verdict that is fresh, whole, and what the package decides itself.

1. Claim the output folder; replace any old verdict by NO_VERDICT `EXECUTION_INCOMPLETE`.
2. Refuse a notebook whose sources are not the pinned ones.
3. Run it in a kernel of our own, with a nonce, into a private folder.
4. Decide in this process meanwhile, from the same inputs, and prepare the report.
5. Accept the notebook's verdict only if the nonce and the notebook's digest match, every stage left its receipt, every
   code cell ran once and in order without an error other than the last refusal, and it equals ours.
6. Leave report, executed notebook and, last, the verdict; the exit status is read from the file.
"""

from __future__ import annotations

import contextlib
import json
import threading
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from litmus_nb.contracts.codes import VerdictState
from litmus_nb.contracts.evidence import Evidence
from litmus_nb.contracts.notebook import NotebookSources
from litmus_nb.contracts.params import GateParams
from litmus_nb.contracts.report import PowerFact
from litmus_nb.contracts.verdict import Verdict
from litmus_nb.driver.closing import written
from litmus_nb.driver.receipts import Handover, check_handover
from litmus_nb.errors import LitmusError
from litmus_nb.files import replace_file
from litmus_nb.outcome.output import (
    EXECUTED_NOTEBOOK,
    OutputFolder,
    claimed,
    incomplete,
    private_folder,
)
from litmus_nb.shipped.notebooks import UntrustedNotebook, pinned_sources

if TYPE_CHECKING:
    from litmus_nb.outcome.decide import Decided
    from litmus_nb.outcome.page import PreparedReport

__all__ = ["GateResult", "Progress", "Recorder", "run_gate"]

NOTEBOOK = "notebooks/gate.ipynb"

Progress = Callable[[str], None]
"""Told the name of each step as it begins."""

Recorder = Callable[[Verdict], object]
"""Appends a verdict to the ledger, or raises."""


@dataclass(frozen=True)
class GateResult:
    """What a gate left."""

    verdict: Verdict
    output_dir: Path
    error: BaseException | None
    """An error of our own, for --debug."""
    unrecorded: str | None
    """Why the verdict is not in the ledger although it was to be recorded; None where nothing is missing."""
    power: PowerFact | None = None
    """How many units would have decided the class whose reason leads, as the page says it."""

    @property
    def exit_code(self) -> int:
        """The exit status that the verdict stands for."""
        return self.verdict.verdict.exit_code


def run_gate(
    params: GateParams,
    *,
    as_of: date,
    timeout_s: int = 3600,
    progress: Progress = lambda step: None,
    record: Recorder | None = None,
) -> GateResult:
    """Run the gate notebook on the params and leave verdict.json, report.html and report.ipynb in the output folder.

    Args:
        params: paths are relative to the working directory.
        as_of: the day that ages are counted from.
        timeout_s: seconds that one cell may take, and twice that the whole; a gate that takes longer is closed.
        progress: told each step.
        record: appends the verdict to the ledger, before it is left. A PASS that cannot be recorded is none; any other
            verdict stands, and says so in `unrecorded`.

    Raises:
        OutputUnusable: the output folder is claimed by another gate or cannot be written; nothing says PASS there.
    """
    run_id = uuid.uuid4().hex
    with claimed(Path(params.output_dir)) as folder:
        folder.open_with(incomplete(run_id, as_of.isoformat(), "the gate started and has not finished"))
        with private_folder(folder.path) as private:
            return _run_claimed(_Run(params, as_of, run_id, timeout_s, progress, record), folder, private)


@dataclass(frozen=True)
class _Run:
    params: GateParams
    as_of: date
    run_id: str
    timeout_s: int
    progress: Progress
    record: Recorder | None


def _run_claimed(run: _Run, folder: OutputFolder, private: Path) -> GateResult:
    try:
        sources = pinned_sources(NOTEBOOK)
    except UntrustedNotebook as untrusted:
        return _closed(run, folder, str(untrusted), untrusted)
    own: list[_Own] = []
    deciding = threading.Thread(target=lambda: own.append(_decide(run, sources)), name="decide")
    run.progress("starting the kernel")
    handover = _executed(run, sources, private, meanwhile=deciding.start)
    deciding.join()
    run.progress("comparing the notebook's verdict with our own")
    if not own:
        return _closed(run, folder, "the driver's own decision did not come to an end", None)
    _keep_notebook(private, folder)
    found = own[0].decided
    # Where our own decision failed the gate is closed whatever the notebook says.
    problems = () if found.error else check_handover(handover, found.verdict, sources)
    if problems:
        return _closed(run, folder, "; ".join(problems), None)
    unrecorded = _record(run, found.verdict)
    if unrecorded and found.verdict.verdict is VerdictState.PASS:
        return _closed(run, folder, f"the verdict could not be recorded: {unrecorded}", None)
    run.progress("writing the report")
    power = _leave_page(folder, found.verdict, own[0], run)
    verdict = _settled(run, folder, found.verdict, found.evidence)
    return GateResult(verdict, folder.path, found.error, unrecorded, power)


@dataclass(frozen=True)
class _Own:
    """What this process finds while the notebook runs."""

    decided: Decided
    report: PreparedReport


def _decide(run: _Run, sources: NotebookSources) -> _Own:
    # Deferred: polars and the charts are imported while the kernel gets ready.
    from litmus_nb.outcome.decide import decided

    found = decided(run.params, as_of=run.as_of, run_id=run.run_id, notebook_sha256=sources.digest)
    return _Own(found, _prepared(found, run.params))


def _prepared(found: Decided, params: GateParams) -> PreparedReport:
    """The report of a verdict that may yet turn out not to be the gate's; then nobody sees it."""
    from litmus_nb.outcome.page import prepared_report

    return prepared_report(found.verdict, found.evidence, params)


def _executed(run: _Run, sources: NotebookSources, private: Path, *, meanwhile: Callable[[], None]) -> Handover:
    # Deferred: a refusal before the kernel does not owe the import.
    from litmus_nb.driver.execution import execute

    handed = {
        "LITMUS_NB_HANDOVER": json.dumps(
            {"run_id": run.run_id, "private": str(private), "notebook_sha256": sources.digest}
        )
    }
    parameters = run.params.model_dump() | {"as_of": run.as_of.isoformat()}
    executed = execute(
        NOTEBOOK,
        private / EXECUTED_NOTEBOOK,
        parameters,
        handed,
        private,
        timeout_s=run.timeout_s,
        progress=run.progress,
        meanwhile=meanwhile,
    )
    return Handover.collected(private, executed, run.run_id)


def _closed(run: _Run, folder: OutputFolder, observed: str, error: BaseException | None) -> GateResult:
    verdict = incomplete(run.run_id, run.as_of.isoformat(), observed)
    with contextlib.suppress(OSError, LitmusError):
        _leave_page(folder, verdict, None, run)
    return GateResult(_settled(run, folder, verdict), folder.path, error, None)


def _settled(run: _Run, folder: OutputFolder, verdict: Verdict, evidence: Evidence | None = None) -> Verdict:
    return folder.settle(verdict, run.params, issued_at=datetime.now(UTC), evidence=evidence)


def _record(run: _Run, verdict: Verdict) -> str | None:
    """Append the verdict to the ledger where that is asked for; None where nothing is missing, else why not."""
    if run.record is None:
        return None
    run.progress("recording the verdict")
    try:
        run.record(verdict)
    except (LitmusError, OSError) as error:
        return str(error)
    return None


def _keep_notebook(private: Path, folder: OutputFolder) -> None:
    executed = private / EXECUTED_NOTEBOOK
    if executed.exists():
        replace_file(folder.path / EXECUTED_NOTEBOOK, executed.read_bytes())


def _leave_page(folder: OutputFolder, verdict: Verdict, own: _Own | None, run: _Run) -> PowerFact | None:
    # Deferred: the page is needed only once there is something to show.
    from litmus_nb.outcome.page import leave_prepared, prepared_report

    report = own.report if own else prepared_report(verdict, None, run.params)
    return leave_prepared(folder.path, report, made_at=written(datetime.now(UTC))).power
