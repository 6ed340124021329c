"""Plain text for a terminal: columns that line up, and strings from files that cannot move the cursor."""

from __future__ import annotations

from collections.abc import Sequence

from litmus_nb.report.text import safe_text, without_commands

__all__ = ["columns", "number", "printable", "signed"]

_LONGEST = 100


def printable(text: object, longest: int = _LONGEST) -> str:
    """The text as one line of at most so many characters (at least 40) that can neither act nor hide."""
    return without_commands(safe_text(text, limit=longest))


def columns(head: Sequence[str], rows: Sequence[Sequence[object]], *, indent: str = "") -> str:
    """The rows under their head, each column as wide as its widest cell; None shows as `-`."""
    cells = [[printable("-" if cell is None else cell) for cell in row] for row in (head, *rows)]
    widths = [max(len(row[index]) for row in cells) for index in range(len(head))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in cells]
    return "\n".join(indent + line.rstrip() for line in lines)


def number(value: float | None, decimals: int = 3) -> str:
    """A number, or `-` where it is undefined."""
    return "-" if value is None else f"{value:.{decimals}f}"


def signed(value: float | None, decimals: int = 3) -> str:
    """A difference with its sign, or `-` where it is undefined."""
    return "-" if value is None else f"{value:+.{decimals}f}"
