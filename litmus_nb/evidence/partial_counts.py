"""What a part of many trials adds to their count: of rows that are held, or of a Parquet file that streams past.

Per scenario: how many rows, how many of them scored, how many of these successes, the least and the greatest class and
hash, and which trials were there. That no trial is there twice is proven without remembering each: a trial t adds the
power 2^t, and a sum of r powers of two has r bits set exactly if all of them differ. Where rows lie in runs (see
`litmus_nb.evidence.trial_runs`) the same sums are those of each run's first to last trial.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from litmus_nb.contracts.tally import MANDATORY_COLUMNS, OPTIONAL_COLUMNS, STATUSES
from litmus_nb.evidence.trial_runs import lies_in_runs, runs_of

__all__ = ["Counting", "PartialCounts"]

_HASH, _JUDGE = "scenario_sha256", "judge_digest"

_PEEKED_ROWS = 100_000
"""So many first rows tell whether a file is worth to be looked at as runs."""


@dataclass(frozen=True)
class PartialCounts:
    """The counts of a part of the rows."""

    n_rows: int
    n_judged: int
    """Rows with the status scored."""
    per_scenario: pl.DataFrame
    """As `Counting.added_up` has it."""
    unlabelled: pl.DataFrame
    """scenario_id | status | reason | n | n_labels, over the rows that are not scored with a label; `n_labels` counts
    labels where none belongs."""
    judges: pl.DataFrame | None
    """judge_digest | n, over scored rows; None without the column."""
    has_hashes: bool


class Counting:
    """How to count, for a number of declared trials a scenario."""

    def __init__(self, trials: int) -> None:
        self.trials = trials
        self._width = min(trials, 62 - trials.bit_length())

    def of_rows(self, rows: pl.DataFrame) -> PartialCounts:
        """The counts of rows in the form of `litmus_nb.evidence.trial_rows`."""
        runs = runs_of(rows)
        per_scenario = None if runs is None else self._counts_of_runs(runs)
        return self._of(rows.lazy(), set(rows.columns), "in-memory", per_scenario)

    def of_plain_parquet(self, file: pl.LazyFrame) -> PartialCounts | None:
        """The counts of a Parquet file in streams; None where its rows, or something about it, are to be looked at.

        Rows that seem to lie in runs are counted faster where they are held, by `of_rows`.
        What is given up on here is what `litmus_nb.evidence.trial_rows` has words for: another type than the usual, an
        unknown column, a missing id or status, an unknown status. A missing class or trial makes its scenario none of
        the plain ones.
        """
        schema = file.collect_schema()
        if not set(MANDATORY_COLUMNS) <= set(schema) <= {*MANDATORY_COLUMNS, *OPTIONAL_COLUMNS}:
            return None
        usual = dict.fromkeys(schema, pl.String) | {"attack_success": pl.Boolean, "trial": schema["trial"]}
        if dict(schema) != usual or not schema["trial"].is_integer():
            return None
        if lies_in_runs(file.select("scenario_id").head(_PEEKED_ROWS).collect().to_series()):
            return None
        reason = pl.col("reason") if "reason" in schema else pl.lit(None, dtype=pl.String)
        rows = file.with_columns(
            pl.col("trial").cast(pl.Int64, strict=False),
            label=pl.col("attack_success"),
            label_fault=pl.lit(None, dtype=pl.String),
            reason=reason,
        )
        counts = self._of(rows, set(schema), "streaming")
        has_ids = not counts.per_scenario["scenario_id"].null_count()
        # A missing status is no known word either.
        return counts if has_ids and set(counts.unlabelled["status"].unique()) <= set(STATUSES) else None

    def added_up(self, partials: list[pl.DataFrame]) -> pl.DataFrame:
        """scenario_id | n_rows | n_classes | n_scored | n_success | n_hashes | first_ and last_class | first_ and
        last_hash | mask_0, mask_1, .., by scenario."""
        ordered = pl.concat(partials)
        if not ordered["scenario_id"].is_sorted():
            # Streaming, for sorting all of them would take several times their memory.
            return _collected(self._summed(ordered.lazy()), "streaming").select(ordered.columns).sort("scenario_id")
        # As harnesses write them: only where one part ends and the next begins is a scenario in both.
        is_as_before = pl.col("scenario_id") == pl.col("scenario_id").shift(1)
        is_repeated = (is_as_before | is_as_before.shift(-1)).fill_null(value=False)
        repeated = ordered.filter(is_repeated)
        if repeated.is_empty():
            return ordered
        added = self._summed(repeated.lazy()).collect().select(ordered.columns).sort("scenario_id")
        return ordered.filter(~is_repeated).merge_sorted(added, key="scenario_id")

    def _summed(self, partials: pl.LazyFrame) -> pl.LazyFrame:
        sums = ["n_rows", "n_classes", "n_scored", "n_success", "n_hashes", *self._masks()]
        return partials.group_by("scenario_id").agg(
            pl.col(*sums).sum(), pl.col("first_class", "first_hash").min(), pl.col("last_class", "last_hash").max()
        )

    def is_plain(self) -> pl.Expr:
        """Whether a scenario of `added_up` has each trial at most once and in range, one class, one hash or none."""
        bits = sum((pl.col(name).bitwise_count_ones() for name in self._masks()), pl.lit(0, dtype=pl.UInt32))
        has_one_hash = (pl.col("n_hashes") == pl.col("n_rows")) & (pl.col("first_hash") == pl.col("last_hash"))
        is_plain = (
            (pl.col("n_rows") <= self.trials)
            & (bits == pl.col("n_rows"))
            & (pl.col("n_classes") == pl.col("n_rows"))
            & (pl.col("first_class") == pl.col("last_class"))
            & ((pl.col("n_hashes") == 0) | has_one_hash)
        )
        return is_plain.fill_null(value=False)

    def _of(
        self, rows: pl.LazyFrame, columns: set[str], engine: str, per_scenario: pl.DataFrame | None = None
    ) -> PartialCounts:
        if per_scenario is None:
            per_scenario = _collected(
                rows.group_by("scenario_id").agg(*self._counts(with_hash=_HASH in columns)), engine
            )
        is_scored, has_label = pl.col("status") == "scored", pl.col("label").is_not_null()
        n_rows, n_scored = int(per_scenario["n_rows"].sum()), int(per_scenario["n_scored"].sum())
        without_label = rows if n_scored < n_rows else rows.clear()
        judges = None
        if _JUDGE in columns:
            judges = _collected(rows.filter(is_scored).group_by(_JUDGE).agg(n=pl.len()), engine)
        unlabelled = _collected(
            without_label.filter(~(is_scored & has_label).fill_null(value=False))
            .group_by("scenario_id", "status", "reason")
            .agg(n=pl.len(), n_labels=(has_label | pl.col("label_fault").is_not_null()).sum().cast(pl.Int64)),
            engine,
        )
        n_judged = n_scored + int(unlabelled.filter(is_scored)["n"].sum())
        return PartialCounts(n_rows, n_judged, per_scenario, unlabelled, judges, _HASH in columns)

    def _counts(self, *, with_hash: bool) -> Iterator[pl.Expr]:
        label = pl.when(pl.col("status") == "scored").then(pl.col("label"))
        yield pl.len().cast(pl.Int64).alias("n_rows")
        yield pl.col("scenario_class").count().cast(pl.Int64).alias("n_classes")
        yield label.count().cast(pl.Int64).alias("n_scored")
        yield label.sum().cast(pl.Int64).alias("n_success")
        yield pl.col("scenario_class").min().alias("first_class")
        yield pl.col("scenario_class").max().alias("last_class")
        if with_hash:
            yield pl.col(_HASH).count().cast(pl.Int64).alias("n_hashes")
            yield pl.col(_HASH).min().alias("first_hash")
            yield pl.col(_HASH).max().alias("last_hash")
        else:
            yield pl.lit(0, dtype=pl.Int64).alias("n_hashes")
            yield pl.lit(None, dtype=pl.String).alias("first_hash")
            yield pl.lit(None, dtype=pl.String).alias("last_hash")
        trial = pl.col("trial")
        for name, offset, end in self._masked_trials():
            is_here = trial.is_between(offset, end - 1)
            power = pl.lit(2, dtype=pl.Int64).pow(pl.when(is_here).then(trial - offset).otherwise(0))
            yield pl.when(is_here).then(power).otherwise(0).sum().alias(name)

    def _counts_of_runs(self, runs: pl.DataFrame) -> pl.DataFrame:
        """What `_counts` counts, of rows that `runs_of` has found to be runs; a row a run."""
        has_hash = _HASH in runs.columns
        hash_ = pl.col(_HASH) if has_hash else pl.lit(None, dtype=pl.String)
        two, first, last = pl.lit(2, dtype=pl.Int64), pl.col("first_trial"), pl.col("last_trial")
        rises = first <= last
        return runs.select(
            "scenario_id",
            "n_rows",
            pl.when(pl.col("scenario_class").is_not_null()).then("n_rows").otherwise(0).alias("n_classes"),
            "n_scored",
            "n_success",
            first_class="scenario_class",
            last_class="scenario_class",
            n_hashes=pl.when(hash_.is_not_null()).then("n_rows").otherwise(0),
            first_hash=hash_,
            last_hash=hash_,
            **{
                name: pl.when(rises)
                .then(two.pow(last.clip(offset - 1, end - 1) + 1 - offset) - two.pow(first.clip(offset, end) - offset))
                .otherwise(0)
                for name, offset, end in self._masked_trials()
            },
        )

    def _masked_trials(self) -> Iterator[tuple[str, int, int]]:
        """The masks: name, first trial, and the one after the last."""
        for index, name in enumerate(self._masks()):
            yield name, index * self._width, min((index + 1) * self._width, self.trials)

    def _masks(self) -> list[str]:
        return [f"mask_{index}" for index in range(-(-self.trials // self._width))]


def _collected(frame: pl.LazyFrame, engine: str) -> pl.DataFrame:
    return frame.collect(engine="streaming" if engine == "streaming" else "in-memory")
