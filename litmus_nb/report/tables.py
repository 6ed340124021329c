"""A table as a page shows it: rows of clean text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from litmus_nb.report.phrases import Quoted
from litmus_nb.report.text import safe_text

__all__ = ["Table", "table"]


@dataclass(frozen=True)
class Table:
    """Every cell is clean text; what the evidence wrote is `Quoted`."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    n_more: int = 0
    """How many rows were left out."""


def table(columns: Sequence[str], rows: Sequence[Sequence[object]], *, n_more: int = 0) -> Table:
    """The table of these cells, of which `n_more` rows were left out."""
    return Table(tuple(columns), tuple(tuple(_cell(cell) for cell in row) for row in rows), n_more)


def _cell(value: object) -> str:
    """A cell. A space of ours that does not break, as in `8.3 %`, is no control character of somebody else's."""
    if isinstance(value, Quoted):
        return value
    return "\N{NO-BREAK SPACE}".join(safe_text(part) for part in str(value).split("\N{NO-BREAK SPACE}"))
