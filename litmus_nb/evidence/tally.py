"""Counting trials: from rows to a tally. States facts, decides nothing."""

from __future__ import annotations

import polars as pl

from litmus_nb.contracts.tally import TrialTally

__all__ = ["tally_of"]

_KEY = ["scenario_id", "trial"]


def tally_of(rows: pl.DataFrame, trials_per_scenario: int) -> TrialTally:
    """The counts of trials.

    Args:
        rows: as `litmus_nb.evidence.trial_rows.rows_of` gives them.
        trials_per_scenario: how many trials the run declares for each scenario; at least 1.
    """
    is_scored = pl.col("status") == "scored"
    has_label = pl.col("label").is_not_null()
    is_declared = pl.col("trial").is_between(0, trials_per_scenario - 1)
    duplicates = rows.group_by(_KEY).agg(n=pl.len()).filter(pl.col("n") > 1).sort(_KEY)
    settled = _settled(rows, duplicates).filter(is_declared)
    counts = is_scored & has_label
    invalid = (is_scored & ~has_label) | (~is_scored & (has_label | pl.col("label_fault").is_not_null()))
    return TrialTally(
        n_rows=len(rows),
        per_scenario=settled.group_by("scenario_id")
        .agg(
            n_scored=counts.sum().cast(pl.Int64),
            n_success=(counts & pl.col("label")).sum().cast(pl.Int64),
            n_unlabelled=(~counts).sum().cast(pl.Int64),
        )
        .sort("scenario_id"),
        unlabelled=settled.filter(~counts)
        .group_by("scenario_id", "status", "reason")
        .agg(n=pl.len())
        .sort("scenario_id", "status", "reason"),
        classes_seen=rows.group_by("scenario_id", "scenario_class")
        .agg(n=pl.len())
        .sort("scenario_id", "scenario_class"),
        duplicates=duplicates,
        out_of_range=rows.filter(~is_declared).group_by(_KEY).agg(n=pl.len()).sort(_KEY),
        invalid_labels=rows.filter(invalid)
        .select(*_KEY, "status", label=pl.coalesce("label_fault", pl.col("label").cast(pl.String)))
        .sort(*_KEY, "status", "label"),
        judge_digests=_counted(rows.filter(is_scored), ["judge_digest"]),
        scenario_hashes=_counted(rows, ["scenario_id", "scenario_sha256"]),
    )


def _counted(rows: pl.DataFrame, columns: list[str]) -> pl.DataFrame | None:
    if columns[-1] not in rows.columns:
        return None
    return rows.group_by(columns).agg(n=pl.len()).sort(columns)


def _settled(rows: pl.DataFrame, duplicates: pl.DataFrame) -> pl.DataFrame:
    """One row a trial: equal rows are one, and rows that differ become one without a label or a reason."""
    columns = ["scenario_id", "trial", "status", "label", "reason"]
    if duplicates.is_empty():
        return rows.select(columns)
    distinct = rows.unique()
    differing = distinct.group_by(_KEY).agg(n=pl.len()).filter(pl.col("n") > 1)
    agreed = distinct.join(differing, on=_KEY, how="anti").select(columns)
    contradicted = differing.select(
        *_KEY,
        status=pl.lit("contradicted"),
        label=pl.lit(None, dtype=pl.Boolean),
        reason=pl.lit(None, dtype=pl.String),
    )
    return pl.concat([agreed, contradicted])
