"""How checks say what they found: the stage comes from the code's own row in the table."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from litmus_nb.contracts.codes import reason_code
from litmus_nb.contracts.findings import Finding

__all__ = ["exact", "found", "listed"]

_MOST_EXAMPLES = 5


def found(code: str, paragraph: str, subject: str, *, expected: object, observed: object) -> Finding:
    """A finding of that code."""
    return Finding(
        code=code,
        paragraph=paragraph,
        stage=reason_code(code).stage,
        subject=subject,
        expected=str(expected),
        observed=str(observed),
    )


def listed(items: Iterable[object]) -> str:
    """The items in order as one line: all of a few, else the first few and how many more there are."""
    texts = sorted({str(item) for item in items})
    if not texts:
        return "none"
    shown = ", ".join(texts[:_MOST_EXAMPLES])
    return shown if len(texts) <= _MOST_EXAMPLES else f"{shown} and {len(texts) - _MOST_EXAMPLES} more"


def exact(number: float) -> Fraction:
    """The decimal number that a file wrote, exactly: 0.07 is 7/100, not the nearest binary fraction."""
    return Fraction(repr(number))
