"""What the placeholders of a next command stand for, as a gate's own files name it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from litmus_nb.contracts.gate import GateFile
from litmus_nb.contracts.params import GateParams
from litmus_nb.evidence.declaration import FOLDER, split_source

__all__ = ["placeholder_names", "told_elsewhere"]


def placeholder_names(params: GateParams, gate: GateFile | None) -> dict[str, str]:
    """Placeholder to name, relative to where the params' own paths are; without what a command takes for an option.

    Args:
        params: what the gate was asked.
        gate: the gate file that they name; None where it does not say.
    """
    names = {"CANDIDATE_RUN": params.candidate}
    if gate is not None:
        here = Path(params.gate).parent
        names |= {"SUITE_FOLDER": str((here / gate.suite).parent), "LEDGER": str(here / gate.ledger)}
        if gate.baseline is not None:
            reader, path = split_source(gate.baseline.run)
            names["BASELINE_RUN"] = str(here / path) if reader == FOLDER else f"{reader}:{here / path}"
    return {word: name for word, name in names.items() if not name.startswith("-")}


def told_elsewhere(names: Mapping[str, str]) -> dict[str, str]:
    """Those that mean something on another machine too, and tell nothing of this one: all but absolute paths."""
    return {word: name for word, name in names.items() if not Path(split_source(name)[1]).is_absolute()}
