"""Rows that lie as a harness writes them: scenario by scenario, trial 0, 1, 2, .., counted without hashing any of them.

A run here is rows that follow each other with one scenario, one class and one hash, each trial one more than the last.
Any rows are a sequence of such runs, at worst of one row each. What a run holds is known from where it begins and ends:
its trials differ because they rise.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl

__all__ = ["lies_in_runs", "runs_of"]

_ROWS_OF_A_RUN = 4
"""From so many rows a run on, runs are counted faster than rows are grouped."""


def lies_in_runs(ids: pl.Series) -> bool:
    """Whether rows with these scenario ids may be worth to be looked at as runs."""
    return len(_changes(ids)) * _ROWS_OF_A_RUN <= len(ids)


def runs_of(rows: pl.DataFrame) -> pl.DataFrame | None:
    """The runs of rows in the form of `litmus_nb.evidence.trial_rows`; None where they are too many.

    Returns:
        scenario_id | scenario_class | scenario_sha256 (where the rows have it) | first_trial | last_trial | n_rows |
        n_scored (with a label) | n_success, in the order of the rows.
    """
    if rows.is_empty():
        return None
    texts = [name for name in ("scenario_id", "scenario_class", "scenario_sha256") if name in rows.columns]
    begins = np.ones(len(rows), dtype=np.bool_)
    # A difference that does not fit 64 bits may come out as 1: `last_trial` is then less than `first_trial`.
    np.not_equal(np.diff(rows["trial"].to_numpy()), 1, out=begins[1:])
    for name in texts:
        begins[_changes(rows[name])] = True
    first = np.flatnonzero(begins)
    if len(first) * _ROWS_OF_A_RUN > len(rows):
        return None
    after = np.append(first[1:], len(rows))
    # False where there is no label, and so is what is true in both.
    counts = (rows["status"] == "scored") & rows["label"].is_not_null()
    # Column by column: a `select` of the frame would copy what was read in pieces.
    n_rows = pl.Series(after - first, dtype=pl.Int64)
    columns = {name: rows[name].gather(first) for name in texts} | {
        "first_trial": rows["trial"].gather(first),
        "last_trial": rows["trial"].gather(after - 1),
        "n_rows": n_rows,
        "n_scored": n_rows if counts.all() else _true_in_each(counts, first),
        "n_success": _true_in_each(counts & rows["label"], first),
    }
    return pl.DataFrame(columns)


def _changes(values: pl.Series) -> npt.NDArray[np.int64]:
    """Where the values become others than the ones before; 0 among them, unless there are none."""
    lengths: npt.NDArray[np.int64] = values.rle().struct.field("len").to_numpy().astype(np.int64)
    return np.cumsum(lengths) - lengths


def _true_in_each(flags: pl.Series, first: npt.NDArray[np.int64]) -> pl.Series:
    """How many of the flags are true from each of the positions up to the next."""
    return pl.Series(np.add.reduceat(flags.to_numpy(), first, dtype=np.int64))
