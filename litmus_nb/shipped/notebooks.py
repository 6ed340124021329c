"""The shipped notebooks, and the proof that they are the ones this version was released with."""

from __future__ import annotations

import json

from litmus_nb.contracts.notebook import NotebookSources, sources_of
from litmus_nb.errors import LitmusError, UnreadableInput
from litmus_nb.files import read_bytes
from litmus_nb.shipped import shipped_path
from litmus_nb.shipped.notebook_pins import NOTEBOOK_PINS

__all__ = ["UntrustedNotebook", "pinned_sources", "shipped_sources"]


class UntrustedNotebook(LitmusError):
    """A shipped notebook is not the one that this version of the package pins."""


def shipped_sources(name: str) -> NotebookSources:
    """The sources of a shipped notebook, whatever they are.

    Raises:
        UntrustedNotebook: it is absent or is no notebook.
    """
    try:
        return sources_of(json.loads(read_bytes(shipped_path(name))))
    except (OSError, UnreadableInput, ValueError, RecursionError) as error:
        raise UntrustedNotebook(f"{name}: no notebook of this installation: {error}") from error


def pinned_sources(name: str) -> NotebookSources:
    """The sources of a shipped notebook, once they are the pinned ones.

    Raises:
        UntrustedNotebook: they are not, or the notebook could skip a cell or swallow an error.
    """
    sources = shipped_sources(name)
    if sources.problems:
        raise UntrustedNotebook(f"{name}: {'; '.join(sources.problems)}")
    if sources.digest != NOTEBOOK_PINS.get(name):
        raise UntrustedNotebook(
            f"{name}: its sources are not the ones of this release; install litmus_nb anew "
            f"(seen {sources.digest}, pinned {NOTEBOOK_PINS.get(name)})"
        )
    return sources
