"""How numbers are written for people: rates in %, differences in points, with the decimals that keep the meaning."""

from __future__ import annotations

from collections.abc import Sequence

from litmus_nb.contracts.verdict import ClassVerdict

__all__ = [
    "MINUS",
    "change_in_words",
    "confidence_words",
    "decimals_apart",
    "decimals_that_keep_the_outcome",
    "in_points",
    "percent",
    "plural",
    "points",
    "signed_points",
]

MINUS = "\N{MINUS SIGN}"
_MOST_DECIMALS = 7


def points(fraction: float, decimals: int = 1) -> str:
    """A difference of rates in percentage points, without the unit: 0.12 is `12.0`."""
    text = f"{fraction * 100:.{decimals}f}"
    if float(text) == 0:
        text = text.removeprefix("-")
    return text.replace("-", MINUS)


def signed_points(fraction: float, decimals: int = 1) -> str:
    """The same with its sign: `+12.0`, `−3.1`, and `0.0` for what rounds to nothing."""
    text = points(fraction, decimals)
    return text if text.startswith(MINUS) or not any(digit in text for digit in "123456789") else f"+{text}"


def in_points(fraction: float | None) -> float | None:
    """Where a difference of rates lies on a chart's scale of percentage points; null where it is not known."""
    return None if fraction is None else round(fraction * 100, _MOST_DECIMALS)


def change_in_words(value: float | None, low: float | None, high: float | None) -> str | None:
    """A change in points with its interval, `+3.1 (0.2 to 6.0)`; None where one of them is not known."""
    if value is None or low is None or high is None:
        return None
    return f"{signed_points(value)} ({points(low)} to {points(high)})"


def percent(fraction: float, decimals: int = 1) -> str:
    """A rate: 0.083 is `8.3 %`, with a space that does not break."""
    return f"{fraction * 100:.{decimals}f}\N{NO-BREAK SPACE}%"


def confidence_words(confidence: float | None, interval: str | None = None) -> str:
    """`95 % interval`, `exact 95 % interval` of one that is not the default; without the number where it is unknown."""
    words = "interval" if confidence is None else f"{confidence * 100:.10g}\N{NO-BREAK SPACE}% interval"
    return words if interval is None else f"{interval} {words}"


def plural(count: int, one: str, many: str | None = None) -> str:
    """`1 class`, `3 classes`."""
    return f"{count} {one if count == 1 else many or one + 's'}"


def decimals_that_keep_the_outcome(classes: Sequence[ClassVerdict]) -> int:
    """The fewest decimals (at least 1) at which no bound looks equal to, or on the other side of, its tolerance.

    A lower bound of 5.004 against a tolerance of 5.0 is a FAIL; written `5.0` it would look like an error of ours.
    """
    pairs = [
        (bound, row.tolerance)
        for row in classes
        if row.tolerance is not None
        for bound in (row.ci_low, row.ci_high)
        if bound is not None
    ]
    for decimals in range(1, _MOST_DECIMALS):
        if all(_order(bound, tolerance) == _order_as_written(bound, tolerance, decimals) for bound, tolerance in pairs):
            return decimals
    return _MOST_DECIMALS


def decimals_apart(left: float, right: float) -> int:
    """The fewest decimals (at least 1) at which two different fractions look different as points."""
    for decimals in range(1, _MOST_DECIMALS):
        if _order(left, right) == _order_as_written(left, right, decimals):
            return decimals
    return _MOST_DECIMALS


def _order(bound: float, tolerance: float) -> int:
    return (bound > tolerance) - (bound < tolerance)


def _order_as_written(bound: float, tolerance: float, decimals: int) -> int:
    left, right = f"{bound * 100:.{decimals}f}", f"{tolerance * 100:.{decimals}f}"
    return (float(left) > float(right)) - (float(left) < float(right))
