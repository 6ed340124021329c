"""From cells to one answer. An absent cell closes it."""

from __future__ import annotations

from collections.abc import Sequence

from litmus_nb.contracts.codes import VerdictState
from litmus_nb.contracts.sweep import CellResult, SweepCell, SweepMatrix

__all__ = ["matrix_of"]

_GRAVITY = (VerdictState.REJECTED, VerdictState.FAIL, VerdictState.NO_VERDICT)


def matrix_of(cells: Sequence[SweepCell], results: Sequence[CellResult]) -> SweepMatrix:
    """The matrix of a sweep: every planned cell, whether or not there is a result of it."""
    by_name = {result.name: result for result in results}
    listed = [by_name.get(cell.name) or _absent(cell.name) for cell in cells]
    states = {result.state or VerdictState.NO_VERDICT for result in listed}
    opens = bool(listed) and all(result.state is VerdictState.PASS for result in listed)
    gravest = next((state for state in _GRAVITY if state in states), VerdictState.NO_VERDICT)
    return SweepMatrix(
        schema="litmus-nb/sweep-matrix/v1",
        all_open=opens,
        state=VerdictState.PASS if opens else gravest,
        cells=listed,
    )


def _absent(name: str) -> CellResult:
    return CellResult(
        name=name,
        state=None,
        codes=[],
        attempts=0,
        verdict_sha256=None,
        candidate_digest=None,
        problem="the sweep ended without a result of this cell",
    )
