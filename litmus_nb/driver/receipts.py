"""What the notebook hands over, and whether its verdict may be believed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from litmus_nb.contracts.codes import Stage, VerdictState
from litmus_nb.contracts.notebook import NotebookSources
from litmus_nb.contracts.strict_json import parse_json, parse_json_lines
from litmus_nb.contracts.verdict import Verdict
from litmus_nb.errors import UnreadableInput
from litmus_nb.files import read_bytes

__all__ = ["Handover", "check_handover", "expected_stages"]

_LIMIT = 64 * 1024 * 1024


@dataclass(frozen=True)
class Handover:
    """Everything that a notebook's execution left in the private folder."""

    run_id: str
    notebook: Any | None
    failure: str | None
    failed_cell: int | None
    receipts: tuple[Any, ...]
    verdict: Verdict | None
    unreadable: str | None

    @classmethod
    def collected(cls, private: Path, executed: Any, run_id: str) -> Handover:
        """Read what lies in the private folder; what cannot be read is None, with the reason."""
        receipts: list[Any] = []
        verdict, unreadable = None, None
        try:
            receipts = parse_json_lines(read_bytes(private / "receipts.jsonl", limit=_LIMIT), file="receipts")
            content = read_bytes(private / "verdict.json", limit=_LIMIT)
            verdict = Verdict.read(parse_json(content, file="verdict"), file="verdict")
        except UnreadableInput as error:
            unreadable = str(error)
        return cls(
            run_id, executed.notebook, executed.failure, executed.failed_cell, tuple(receipts), verdict, unreadable
        )


def expected_stages(verdict: Verdict) -> tuple[str, ...]:
    """The receipts that a notebook with this verdict leaves, in order."""
    if verdict.verdict is VerdictState.REJECTED:
        return ("begin", "admit", "verdict")
    stages = {reason.stage for reason in verdict.reasons}
    if verdict.verdict is VerdictState.NO_VERDICT and Stage.ELIGIBILITY in stages:
        return ("begin", "admit", "eligible", "verdict")
    return ("begin", "admit", "eligible", "compare", "decide", "finish", "verdict")


def check_handover(handover: Handover, own: Verdict, sources: NotebookSources) -> tuple[str, ...]:
    """Everything that keeps the notebook's verdict from being believed; empty where nothing does.

    Args:
        handover: what the execution left.
        own: what the package decides from the same inputs in the driver's process.
        sources: of the pinned notebook.
    """
    return (
        *_problems_of_verdict(handover, own, sources),
        *_problems_of_receipts(handover, own),
        *_problems_of_cells(handover, own, sources),
    )


def _problems_of_verdict(handover: Handover, own: Verdict, sources: NotebookSources) -> Iterator[str]:
    verdict = handover.verdict
    if verdict is None:
        yield f"the notebook left no verdict ({handover.failure or handover.unreadable or 'no reason known'})"
        return
    if verdict.execution.run_id != handover.run_id:
        yield "the notebook's verdict is of another execution"
    if verdict.execution.notebook_sha256 != sources.digest:
        yield "the notebook's verdict is of another notebook"
    if verdict != own:
        differing = [name for name in Verdict.model_fields if getattr(verdict, name) != getattr(own, name)]
        yield f"the notebook's verdict is not what the package decides: {', '.join(differing)} differ"


def _problems_of_receipts(handover: Handover, own: Verdict) -> Iterator[str]:
    expected = [{"stage": stage, "run_id": handover.run_id} for stage in expected_stages(own)]
    if list(handover.receipts) != expected:
        seen = [receipt.get("stage") if isinstance(receipt, dict) else None for receipt in handover.receipts]
        yield f"the stages left receipts {json.dumps(seen)}, expected {json.dumps([e['stage'] for e in expected])}"


def _problems_of_cells(handover: Handover, own: Verdict, sources: NotebookSources) -> Iterator[str]:
    """Every code cell ran once and in order; an open gate saw no error, a closed one ended in its refusal."""
    if handover.notebook is None:
        yield f"there is no executed notebook ({handover.failure or 'it cannot be read'})"
        return
    cells = [
        cell
        for cell in handover.notebook.cells
        if cell.cell_type == "code"
        and cell.source.strip()
        and "injected-parameters" not in cell.metadata.get("tags", [])
    ]
    if tuple(cell.source for cell in cells) != sources.code:
        yield "the executed notebook has other cells than the pinned one"
        return
    if own.verdict is VerdictState.PASS:
        if handover.failure is not None:
            yield f"a cell failed: {handover.failure}"
        counts = [cell.get("execution_count") for cell in cells]
        if any(count is None for count in counts) or counts != sorted(set(counts)):
            yield f"not every cell ran once and in order: {counts}"
        if any(output.output_type == "error" for cell in cells for output in cell.outputs):
            yield "a cell has an error among its outputs"
    elif handover.failure is None or handover.failed_cell is None:
        yield f"the gate is closed and the notebook did not end in a refusal ({handover.failure or 'no cell failed'})"
