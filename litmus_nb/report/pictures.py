"""A chart shows and never decides: one that fails costs nothing but itself, and the page says that it failed."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from markupsafe import Markup

__all__ = ["NothingToDraw", "Picture", "picture"]


class NothingToDraw(ValueError):
    """There is no number that a picture could show. That is no failure."""


class Picture(NamedTuple):
    """A chart for a page, or why there is none."""

    drawn: Markup | None
    failure: str | None = None
    """What went wrong, in a word; None where it is drawn, and where there is nothing to draw."""


def picture(draw: Callable[[], Markup]) -> Picture:
    """What `draw` draws; never raises for what goes wrong in it."""
    try:
        return Picture(draw())
    except NothingToDraw:
        return Picture(None)
    except Exception as error:  # the chart libraries raise many kinds; the page's tables hold the same numbers
        return Picture(None, type(error).__name__)
