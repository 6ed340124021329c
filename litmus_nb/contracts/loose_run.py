"""A run read as far as it can be read: what it declares, what its trials are, and what is open about it.

A gate refuses such a run where anything is open; an exploration says what is open and shows the rest. The frames are
polars frames; this module imports polars for its types only, so that it stays light.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from litmus_nb.contracts.tally import TrialTally
from litmus_nb.errors import Fault

if TYPE_CHECKING:
    import polars as pl

__all__ = ["LooseRun"]


@dataclass(frozen=True)
class LooseRun:
    """One side of an exploration. States facts and decides nothing."""

    source: str
    """A run folder, or READER:PATH, as it was asked for."""
    declared: Mapping[str, Any]
    """The keys of run.json that are declared or that the log states, whether or not they are complete."""
    open_declarations: tuple[Fault, ...]
    """What keeps `declared` from being a run.json."""
    trials_per_scenario: int
    """As declared, else the greatest trial index and one."""
    is_trial_count_declared: bool
    tally: TrialTally
    trials: pl.DataFrame
    """scenario_id | scenario_class | trial | status | label | reason | excerpt (null: the source has none), a row a
    trial as the source has them."""
    digest: str | None
    is_polarity_checked: bool | None
    """Of a log: whether a canary in the log checked which word means success. None: no log."""
