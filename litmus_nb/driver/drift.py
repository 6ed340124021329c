"""`drift`: the judge-drift notebook through papermill, and a drift.json that is what the package finds itself.

1. Claim the output folder and remove what an earlier investigation left there.
2. Refuse a notebook whose sources are not the pinned ones.
3. Run it in a kernel of our own, into a private folder; investigate in this process, from the same inputs.
4. Accept the notebook's findings only if no cell failed and they equal ours.
5. Leave executed notebook, page and, last, drift.json.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from litmus_nb.contracts.drift import DriftReport
from litmus_nb.contracts.drift_params import DriftParams
from litmus_nb.driver.params import params_values
from litmus_nb.errors import LitmusError, UnreadableInput
from litmus_nb.files import read_bytes, replace_file
from litmus_nb.outcome.drift import DRIFT, PAGE, drift_bytes, leave_drift, report_of
from litmus_nb.outcome.output import EXECUTED_NOTEBOOK, OutputUnusable, claimed, private_folder
from litmus_nb.shipped.notebooks import pinned_sources

__all__ = [
    "DRIFT",
    "EXECUTED_NOTEBOOK",
    "PAGE",
    "DriftUnfinished",
    "Investigated",
    "read_drift_params",
    "run_drift",
]

NOTEBOOK = "notebooks/judge_drift.ipynb"


class DriftUnfinished(LitmusError):
    """The notebook did not come to its end, or found something else than the package does."""


@dataclass(frozen=True)
class Investigated:
    """What an investigation left."""

    report: DriftReport
    output_dir: Path


def read_drift_params(path: Path, overrides: tuple[tuple[str, str], ...] = ()) -> DriftParams:
    """The params file at `path` with overrides laid over it, as `params_values` reads them.

    Raises:
        UnreadableInput: with every fault of the file and of the overrides.
    """
    values, faults = params_values(DriftParams, path, overrides)
    if faults:
        raise UnreadableInput(faults)
    return DriftParams.read(values, file=str(path))


def run_drift(
    params: DriftParams, *, timeout_s: int = 3600, progress: Callable[[str], None] = lambda step: None
) -> Investigated:
    """Run the judge-drift notebook and leave drift.json, report.html and report.ipynb in the output folder.

    Args:
        params: paths are relative to the working directory.
        timeout_s: seconds that one cell may take.
        progress: told each step.

    Raises:
        UnreadableInput: with everything that is wrong with the labels.
        DriftUnfinished: the notebook failed, or found something else; no drift.json is left.
        UntrustedNotebook: the notebook is not the one of this release.
        OutputUnusable: the folder is claimed by another run, or cannot be written.
    """
    with claimed(Path(params.output_dir)) as folder:
        _clear(folder.path)
        pinned_sources(NOTEBOOK)
        progress("investigating")
        report = report_of(params)
        with private_folder(folder.path) as private:
            progress("running the notebook")
            found = _executed(params, private, timeout_s, progress)
            executed = private / EXECUTED_NOTEBOOK
            if executed.exists():
                replace_file(folder.path / EXECUTED_NOTEBOOK, executed.read_bytes())
        if found != drift_bytes(report):
            raise DriftUnfinished("the notebook's findings are not what the package finds from the same labels")
        leave_drift(report, folder.path)
        return Investigated(report, folder.path)


def _clear(folder: Path) -> None:
    """What an earlier investigation left must not be taken for this one's."""
    for name in (DRIFT, PAGE, EXECUTED_NOTEBOOK):
        try:
            (folder / name).unlink(missing_ok=True)
        except OSError as error:
            raise OutputUnusable(f"{folder / name}: an old report cannot be removed: {error}") from error


def _executed(params: DriftParams, private: Path, timeout_s: int, progress: Callable[[str], None]) -> bytes:
    # Deferred: a refusal before the kernel does not owe the import.
    from litmus_nb.driver.execution import execute

    handed = {
        "LITMUS_NB_HANDOVER": json.dumps(
            {"run_id": uuid.uuid4().hex, "private": str(private), "notebook_sha256": pinned_sources(NOTEBOOK).digest}
        )
    }
    executed = execute(
        NOTEBOOK,
        private / EXECUTED_NOTEBOOK,
        params.model_dump(),
        handed,
        private,
        timeout_s=timeout_s,
        progress=progress,
    )
    if executed.failure is not None:
        raise DriftUnfinished(f"the notebook did not come to its end: {executed.failure}")
    try:
        return read_bytes(private / DRIFT)
    except UnreadableInput as unreadable:
        raise DriftUnfinished(f"the notebook left no findings: {unreadable}") from unreadable
