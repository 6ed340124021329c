"""How checks say what they found: the stage comes from the code's own row in the table."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from litmus_nb.contracts.codes import reason_code
from litmus_nb.contracts.findings import Finding
from litmus_nb.errors import GateInvariantViolation

__all__ = ["exact", "found", "listed"]

_MOST_EXAMPLES = 5
_EXAMPLE_LENGTH = 120
_TEXT_LENGTH = 2_000


def found(code: str, paragraph: str, subject: str, *, expected: object, observed: object) -> Finding:
    """A finding of that code; texts are cut at a length that a page can show, for evidence may be hostile.

    Raises:
        GateInvariantViolation: the table does not know the code from this paragraph of the rule.
    """
    row = reason_code(code)
    if paragraph not in row.paragraphs:
        raise GateInvariantViolation(f"{code} is given by {', '.join(row.paragraphs)} of the rule, not by {paragraph}")
    return Finding(
        code=code,
        paragraph=paragraph,
        stage=row.stage,
        subject=_cut(subject, _TEXT_LENGTH),
        expected=_cut(str(expected), _TEXT_LENGTH),
        observed=_cut(str(observed), _TEXT_LENGTH),
    )


def listed(items: Iterable[object]) -> str:
    """The items in order as one line: all of a few, else the first few and how many more there are."""
    texts = sorted({str(item) for item in items})
    if not texts:
        return "none"
    shown = ", ".join(_cut(text, _EXAMPLE_LENGTH) for text in texts[:_MOST_EXAMPLES])
    return shown if len(texts) <= _MOST_EXAMPLES else f"{shown} and {len(texts) - _MOST_EXAMPLES} more"


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 3] + "..."


def exact(number: float) -> Fraction:
    """The decimal number that a file wrote, exactly: 0.07 is 7/100, not the nearest binary fraction."""
    return Fraction(repr(number))
