"""What a run says about itself, where it says it in the form that run.json has; None where it does not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from litmus_nb.contracts.loose_run import LooseRun

__all__ = ["listed_names", "said", "text"]


def said(run: LooseRun, key: str) -> Any:
    """The value of a dotted key such as `judge.resolved_digest`; None where it is absent or something is in the way."""
    value: Any = run.declared
    for part in key.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value


def text(run: LooseRun, key: str) -> str | None:
    """The same, where it is a text that is not empty."""
    value = said(run, key)
    return value if isinstance(value, str) and value else None


def listed_names(run: LooseRun, key: str) -> list[str] | None:
    """The same, where it is a list of texts."""
    value = said(run, key)
    return sorted(value) if isinstance(value, list) and all(isinstance(name, str) for name in value) else None
