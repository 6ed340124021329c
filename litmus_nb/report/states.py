"""A state or an outcome as people read it, and as the style sheets name it."""

from __future__ import annotations

__all__ = ["css_class", "in_words"]


def in_words(state: str, *, is_degraded: bool = False) -> str:
    """`PASS, degraded`, `NO VERDICT`."""
    words = state.replace("_", " ")
    return f"{words}, degraded" if is_degraded else words


def css_class(state: str) -> str:
    """`pass`, `no-verdict`."""
    return state.lower().replace("_", "-")
