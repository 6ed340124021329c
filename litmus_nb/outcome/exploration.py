"""An exploration from two sources: runs read, numbers made, page written."""

from __future__ import annotations

import functools
from pathlib import Path

from litmus_nb.contracts.evidence import SuiteEvidence
from litmus_nb.contracts.exploration import Exploration
from litmus_nb.contracts.loose_run import LooseRun
from litmus_nb.errors import Fault, UnreadableInput
from litmus_nb.evidence.loose import read_loosely
from litmus_nb.evidence.suite import read_suite
from litmus_nb.exploration.explore import exploration_of
from litmus_nb.files import replace_file
from litmus_nb.report.exploration_page import render_exploration_page
from litmus_nb.shipped.runbook import runbook_entry

__all__ = ["EXPLORATION", "PAGE", "exploration_bytes", "explored", "leave_exploration", "read_sides"]

EXPLORATION = "exploration.json"
PAGE = "exploration.html"


def read_sides(
    baseline: str, candidate: str, *, suite: Path | None, declarations: Path | None
) -> tuple[LooseRun, LooseRun, SuiteEvidence | None]:
    """Both runs as far as they can be read, and the suite.

    Raises:
        UnreadableInput: with the faults of everything that cannot be read.
        UsageError: a source names a reader that there is not.
    """
    faults: list[Fault] = []
    runs: list[LooseRun] = []
    for source in (baseline, candidate):
        try:
            runs.append(read_loosely(source, declarations=declarations))
        except UnreadableInput as unreadable:
            faults.extend(unreadable.faults)
    read = None
    if suite is not None:
        try:
            read = read_suite(suite)
        except UnreadableInput as unreadable:
            faults.extend(unreadable.faults)
    if faults:
        raise UnreadableInput(list(dict.fromkeys(faults)))
    return runs[0], runs[1], read


def explored(
    baseline: LooseRun, candidate: LooseRun, suite: SuiteEvidence | None = None, *, confidence: float = 0.95
) -> Exploration:
    """The exploration of two runs, with what the runbook says about each code.

    Raises:
        ValueError: where `confidence` is not strictly between 0 and 1.
    """
    return exploration_of(baseline, candidate, suite=suite, confidence=confidence, runbook=_to_do)


@functools.cache
def _to_do(code: str) -> str:
    try:
        return runbook_entry(code).get("Do", "")
    except (KeyError, FileNotFoundError):
        return ""


def exploration_bytes(seen: Exploration) -> bytes:
    """exploration.json as it is written."""
    return (seen.model_dump_json(by_alias=True, indent=1) + "\n").encode()


def leave_exploration(seen: Exploration, folder: Path) -> None:
    """Write the page and, last, exploration.json. The names are not those of a gate's output.

    Raises:
        OSError: the folder cannot be written.
    """
    replace_file(folder / PAGE, render_exploration_page(seen).encode())
    replace_file(folder / EXPLORATION, exploration_bytes(seen))
