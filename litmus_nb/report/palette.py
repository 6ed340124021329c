"""The colours of charts and pages: told apart by the colour-blind and in print; no meaning hangs on one alone."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["LIGHT", "OUTCOME_COLOURS", "REJECTED_COLOUR", "Palette"]


class Palette(NamedTuple):
    """What a chart is drawn with. A page turns each into a CSS variable: the reader's dark setting holds for it too."""

    ink: str
    muted: str
    rule: str
    forbidden: str
    passed: str
    failed: str
    undecided: str


LIGHT = Palette(
    ink="#1b1f24",
    muted="#5b636d",
    rule="#c9ced6",
    forbidden="#f3e4dc",
    passed="#005a9c",
    failed="#b3310b",
    undecided="#6a5300",
)
"""After the Okabe-Ito scheme (blue, vermilion, a dark yellow), darkened until text has a contrast of 4.5 on white."""

OUTCOME_COLOURS = {"PASS": LIGHT.passed, "FAIL": LIGHT.failed, "NO_VERDICT": LIGHT.undecided}
REJECTED_COLOUR = "#6b2c8f"
