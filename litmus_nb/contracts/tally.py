"""What a trials file holds, counted. A tally states facts and decides nothing.

The frames are polars frames; this module imports polars for its types only, so that it stays light.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

__all__ = ["MANDATORY_COLUMNS", "OPTIONAL_COLUMNS", "STATUSES", "TrialTally"]

MANDATORY_COLUMNS = ("scenario_id", "scenario_class", "trial", "status", "attack_success")
OPTIONAL_COLUMNS = ("reason", "judge_digest", "scenario_sha256")
STATUSES = ("scored", "error", "timeout", "skipped", "cancelled", "unparsed")


@dataclass(frozen=True)
class TrialTally:
    """The counts of one run's trials. `declared` means a trial index from 0 to trials_per_scenario - 1.

    Rows of one declared trial that differ from each other count as one row without a label.
    """

    n_rows: int
    """Rows in the file, whatever they hold."""
    per_scenario: pl.DataFrame
    """scenario_id | n_scored | n_success | n_unlabelled: declared trials with a label, with the label true, and with
    a row but no label. One row per scenario that the file names."""
    unlabelled: pl.DataFrame
    """scenario_id | status | reason (null: none) | n: the declared trials that have a row but no label."""
    classes_seen: pl.DataFrame
    """scenario_id | scenario_class | n: rows by the class that they name."""
    duplicates: pl.DataFrame
    """scenario_id | trial | n: trials with more than one row."""
    out_of_range: pl.DataFrame
    """scenario_id | trial | n: rows with a trial index that is not declared."""
    invalid_labels: pl.DataFrame
    """scenario_id | trial | status | label: rows whose label does not fit their status, the label as text."""
    judge_digests: pl.DataFrame | None
    """judge_digest (null: unresolved) | n, over rows with the status scored; None without the column."""
    scenario_hashes: pl.DataFrame | None
    """scenario_id | scenario_sha256 (null: none) | n, over all rows; None without the column."""
