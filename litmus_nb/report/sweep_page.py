"""The page of a sweep: the matrix of its cells, each leading to its report. No script, no network, a strict policy."""

from __future__ import annotations

from typing import Any

from litmus_nb.contracts.codes import VerdictState
from litmus_nb.contracts.sweep import CellResult, SweepFile, SweepMatrix
from litmus_nb.report.markup import rendered_page
from litmus_nb.report.states import css_class, in_words

__all__ = ["render_sweep_page"]


def render_sweep_page(sweep: SweepFile, matrix: SweepMatrix) -> str:
    """The matrix as a self-contained HTML document, beside the cells' folders.

    A cell without a verdict reads as NO VERDICT and leads nowhere.
    """
    by_name = {cell.name: _cell_row(cell) for cell in matrix.cells}
    grid = [
        (candidate, [by_name[f"{candidate}--{gate}"] for gate in sweep.gates])
        for candidate in sweep.candidates
        if sweep.gates
    ]
    view: dict[str, Any] = {
        "title": f"{in_words(matrix.state.value)}: sweep of {len(matrix.cells)} cells",
        "matrix": matrix,
        "state": in_words(matrix.state.value),
        "state_class": css_class(matrix.state.value),
        "happened": _happened(matrix),
        "total": len(matrix.cells),
        "gates": list(sweep.gates),
        "grid": grid,
        "cells": list(by_name.values()),
    }
    return rendered_page("sweep.html.j2", view)


def _happened(matrix: SweepMatrix) -> str:
    total = len(matrix.cells)
    if matrix.all_open:
        return "Every cell is PASS."
    opened = sum(cell.state is VerdictState.PASS for cell in matrix.cells)
    absent = sum(cell.state is None for cell in matrix.cells)
    told = f"{opened} of {total} {'cell is' if total == 1 else 'cells are'} PASS; the matrix is closed"
    if not absent:
        return f"{told}."
    return f"{told}. {absent} {'has' if absent == 1 else 'have'} no verdict at all, which is not a PASS."


def _cell_row(cell: CellResult) -> dict[str, Any]:
    state = VerdictState.NO_VERDICT if cell.state is None else cell.state
    return {
        "name": cell.name,
        "state": in_words(state.value),
        "state_name": state.value,
        "state_class": css_class(state.value),
        "href": None if cell.state is None else f"{cell.name}/report.html",
        "why": cell.problem or ", ".join(cell.codes),
        "attempts": cell.attempts,
    }
