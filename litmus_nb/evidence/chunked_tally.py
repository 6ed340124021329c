"""Counting trials that are too many to hold: chunk by chunk, with the same result as counting them at once.

One pass adds up what a scenario's rows have in common. A scenario whose every trial is there at most once, in range,
with a fitting label, one class and one hash needs nothing more. The others are collected in a second pass and counted
by the exact tally.

That no trial is there twice is proven without remembering each: a trial t adds the power 2^t, and a sum of r powers of
two has r bits set exactly if all of them differ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import polars as pl

from litmus_nb.contracts.tally import TrialTally
from litmus_nb.errors import Fault, UnreadableInput
from litmus_nb.evidence.tally import tally_of

__all__ = ["MOST_PECULIAR_ROWS", "chunked_tally"]

MOST_PECULIAR_ROWS = 5_000_000
"""How many rows of scenarios that need a close look are looked at; with more the file is no evidence."""

_HELD_ROWS = 4_000_000
"""Partial counts are added up once they are that many."""

_MOST_TRIALS = 100_000
_HASH = "scenario_sha256"


def chunked_tally(chunks: Callable[[], Iterable[pl.DataFrame]], trials_per_scenario: int, *, file: str) -> TrialTally:
    """The counts of trials, as `tally_of` gives them for all rows at once.

    Args:
        chunks: gives the rows a part at a time, from the beginning with each call.
        trials_per_scenario: how many trials the run declares for each scenario.
        file: what messages call the trials.

    Raises:
        UnreadableInput: more rows than `MOST_PECULIAR_ROWS` belong to scenarios with duplicate, undeclared or
            contradictory rows; or the run declares more trials than can be told apart this way.
    """
    if trials_per_scenario > _MOST_TRIALS:
        fault = Fault(file, "", f"at most {_MOST_TRIALS} trials a scenario in a file of this size", "more")
        raise UnreadableInput([fault])
    sums = _Sums(trials_per_scenario)
    for chunk in chunks():
        sums.add(chunk)
    return sums.tally(chunks, file)


class _Sums:
    """What is known after a pass over all rows."""

    def __init__(self, trials: int) -> None:
        self._trials = trials
        self._width = min(trials, 62 - trials.bit_length())
        self._partials: list[pl.DataFrame] = []
        self._held = 0
        self._unlabelled: list[pl.DataFrame] = []
        self._judges: list[pl.DataFrame] = []
        self._scored_without_judge = 0
        self._has_judges = False
        self._has_hashes = False
        self._rows = 0

    def add(self, rows: pl.DataFrame) -> None:
        """Count a chunk."""
        self._rows += len(rows)
        is_scored, has_label = pl.col("status") == "scored", pl.col("label").is_not_null()
        if _HASH not in rows.columns:
            rows = rows.with_columns(pl.lit(None, dtype=pl.String).alias(_HASH))
        else:
            self._has_hashes = True
        self._add(rows.group_by("scenario_id").agg(*self._counts()))
        is_declared = pl.col("trial").is_between(0, self._trials - 1)
        self._unlabelled.append(
            rows.lazy()
            .filter(is_declared & ~(is_scored & has_label))
            .group_by("scenario_id", "status", "reason")
            .agg(n=pl.len())
            .collect()
        )
        scored = rows.filter(is_scored)
        if "judge_digest" in rows.columns:
            self._has_judges = True
            self._judges.append(scored.group_by("judge_digest").agg(n=pl.len()))
        else:
            self._scored_without_judge += len(scored)

    def tally(self, chunks: Callable[[], Iterable[pl.DataFrame]], file: str) -> TrialTally:
        """The tally, with a second pass where a scenario needs a close look."""
        counted = self._added_up()
        bits = sum((pl.col(name).bitwise_count_ones() for name in self._masks()), pl.lit(0, dtype=pl.UInt32))
        is_plain = (
            (pl.col("n_rows") <= self._trials)
            & (pl.col("n_rows") == pl.col("n_declared"))
            & (bits == pl.col("n_rows"))
            & (pl.col("n_invalid") == 0)
            & (pl.col("first_class") == pl.col("last_class"))
        )
        if self._has_hashes:
            one_hash = (pl.col("n_hashes") == pl.col("n_rows")) & (pl.col("first_hash") == pl.col("last_hash"))
            is_plain = is_plain & (one_hash | (pl.col("n_hashes") == 0))
        is_plain = is_plain.fill_null(value=False)
        plain, peculiar = counted.filter(is_plain), counted.filter(~is_plain)
        close = tally_of(self._rows_of(peculiar, chunks, file), self._trials)
        return self._joined(plain, close, peculiar)

    def _counts(self) -> Iterator[pl.Expr]:
        is_scored, has_label = pl.col("status") == "scored", pl.col("label").is_not_null()
        trial = pl.col("trial")
        is_declared = trial.is_between(0, self._trials - 1)
        counts = is_scored & has_label
        invalid = (is_scored & ~has_label) | (~is_scored & (has_label | pl.col("label_fault").is_not_null()))
        yield pl.len().cast(pl.Int64).alias("n_rows")
        yield is_declared.sum().cast(pl.Int64).alias("n_declared")
        yield (counts & is_declared).sum().cast(pl.Int64).alias("n_scored")
        yield (counts & is_declared & pl.col("label")).sum().cast(pl.Int64).alias("n_success")
        yield invalid.sum().cast(pl.Int64).alias("n_invalid")
        yield pl.col("scenario_class").min().alias("first_class")
        yield pl.col("scenario_class").max().alias("last_class")
        yield pl.col(_HASH).count().cast(pl.Int64).alias("n_hashes")
        yield pl.col(_HASH).min().alias("first_hash")
        yield pl.col(_HASH).max().alias("last_hash")
        for index, name in enumerate(self._masks()):
            offset = index * self._width
            is_here = trial.is_between(offset, min(offset + self._width, self._trials) - 1)
            power = pl.lit(2, dtype=pl.Int64).pow(pl.when(is_here).then(trial - offset).otherwise(0))
            yield pl.when(is_here).then(power).otherwise(0).sum().alias(name)

    def _masks(self) -> list[str]:
        return [f"mask_{index}" for index in range(-(-self._trials // self._width))]

    def _add(self, partial: pl.DataFrame) -> None:
        self._partials.append(partial)
        self._held += len(partial)
        if self._held > _HELD_ROWS:
            whole = self._added_up()
            self._partials = [whole]
            # Where the scenarios alone are that many, adding up again at once would gain nothing.
            self._held = len(whole) // 2

    def _added_up(self) -> pl.DataFrame:
        sums = ["n_rows", "n_declared", "n_scored", "n_success", "n_invalid", "n_hashes", *self._masks()]
        return (
            pl.concat(self._partials)
            .group_by("scenario_id")
            .agg(
                pl.col(*sums).sum(),
                pl.col("first_class", "first_hash").min(),
                pl.col("last_class", "last_hash").max(),
            )
            .sort("scenario_id")
        )

    def _rows_of(self, peculiar: pl.DataFrame, chunks: Callable[[], Iterable[pl.DataFrame]], file: str) -> pl.DataFrame:
        if peculiar.is_empty():
            return next(iter(chunks())).clear()
        if peculiar["n_rows"].sum() > MOST_PECULIAR_ROWS:
            seen = f"{peculiar['n_rows'].sum()} rows of {len(peculiar)} scenarios"
            expected = f"at most {MOST_PECULIAR_ROWS} rows of scenarios with duplicate or contradictory rows"
            raise UnreadableInput([Fault(file, "", expected, seen)])
        ids = peculiar.select("scenario_id")
        found = [chunk.join(ids, on="scenario_id", how="semi") for chunk in chunks()]
        return pl.concat(found, how="diagonal")

    def _joined(self, plain: pl.DataFrame, close: TrialTally, peculiar: pl.DataFrame) -> TrialTally:
        per_scenario = plain.select(
            "scenario_id", "n_scored", "n_success", n_unlabelled=pl.col("n_declared") - pl.col("n_scored")
        )
        classes = plain.select("scenario_id", scenario_class="first_class", n=pl.col("n_rows").cast(pl.UInt32))
        hashes = plain.select("scenario_id", scenario_sha256="first_hash", n=pl.col("n_rows").cast(pl.UInt32))
        unlabelled = (
            pl.concat(self._unlabelled)
            .join(peculiar.select("scenario_id"), on="scenario_id", how="anti")
            .group_by("scenario_id", "status", "reason")
            .agg(pl.col("n").sum())
        )
        key = ["scenario_id", "status", "reason"]
        close_hashes = close.scenario_hashes
        return TrialTally(
            n_rows=self._rows,
            per_scenario=pl.concat([per_scenario, close.per_scenario]).sort("scenario_id"),
            unlabelled=pl.concat([unlabelled, close.unlabelled]).sort(key),
            classes_seen=pl.concat([classes, close.classes_seen]).sort("scenario_id", "scenario_class"),
            duplicates=close.duplicates,
            out_of_range=close.out_of_range,
            invalid_labels=close.invalid_labels,
            judge_digests=self._judge_digests(),
            scenario_hashes=None
            if not self._has_hashes
            else pl.concat([hashes, *([] if close_hashes is None else [close_hashes])]).sort("scenario_id", _HASH),
        )

    def _judge_digests(self) -> pl.DataFrame | None:
        if not self._has_judges:
            return None
        parts = list(self._judges)
        if self._scored_without_judge:
            nothing = {"judge_digest": [None], "n": [self._scored_without_judge]}
            parts.append(pl.DataFrame(nothing, schema={"judge_digest": pl.String, "n": pl.UInt32}))
        return pl.concat(parts).group_by("judge_digest").agg(pl.col("n").sum()).sort("judge_digest")
