"""Counting trials that are too many to hold: part by part, with the same result as counting them at once.

One pass adds up what a scenario's rows have in common. A scenario whose every trial is there at most once, in range,
with a fitting label, one class and one hash needs nothing more. The others are collected in a second pass and counted
by the exact tally.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import polars as pl

from litmus_nb.contracts.tally import TrialTally
from litmus_nb.errors import Fault, UnreadableInput
from litmus_nb.evidence.partial_counts import Counting, PartialCounts
from litmus_nb.evidence.tally import tally_of

__all__ = ["MOST_PECULIAR_ROWS", "PartsOf", "chunked_tally"]

MOST_PECULIAR_ROWS = 5_000_000
"""How many rows of scenarios that need a close look are looked at; with more the file is no evidence."""

PartsOf = Callable[[Counting], Iterable[PartialCounts]]
"""Counts all rows, a part at a time."""

_HELD_ROWS = 4_000_000
"""Partial counts are added up once they are that many."""

_MOST_TRIALS = 100_000
_HASH = "scenario_sha256"
_UNLABELLED = ["scenario_id", "status", "reason"]
_NO_ROWS = {
    "scenario_id": pl.String,
    "scenario_class": pl.String,
    "trial": pl.Int64,
    "status": pl.String,
    "label": pl.Boolean,
    "label_fault": pl.String,
    "reason": pl.String,
}


def chunked_tally(
    chunks: Callable[[], Iterable[pl.DataFrame]], trials_per_scenario: int, *, file: str, parts: PartsOf | None = None
) -> TrialTally:
    """The counts of trials, as `tally_of` gives them for all rows at once.

    Args:
        chunks: gives the rows a part at a time, from the beginning with each call.
        trials_per_scenario: how many trials the run declares for each scenario.
        file: what messages call the trials.
        parts: counts the same rows by a faster way, where there is one.

    Raises:
        UnreadableInput: more rows than `MOST_PECULIAR_ROWS` belong to scenarios with duplicate, undeclared or
            contradictory rows; or the run declares more trials than can be told apart this way.
    """
    if trials_per_scenario > _MOST_TRIALS:
        fault = Fault(file, "", f"at most {_MOST_TRIALS} trials a scenario in a file of this size", "more")
        raise UnreadableInput([fault])
    counting = Counting(trials_per_scenario)
    sums = _Sums(counting)
    for part in parts(counting) if parts else map(counting.of_rows, chunks()):
        sums.add(part)
    return sums.tally(chunks, file)


class _Sums:
    """What is known after a pass over all rows."""

    def __init__(self, counting: Counting) -> None:
        self._counting = counting
        self._partials: list[pl.DataFrame] = []
        self._held = 0
        self._unlabelled: list[pl.DataFrame] = []
        self._judges: list[pl.DataFrame] = []
        self._scored_without_judge = 0
        self._has_hashes = False
        self._rows = 0

    def add(self, part: PartialCounts) -> None:
        """Take a part's counts in."""
        self._rows += part.n_rows
        self._has_hashes = self._has_hashes or part.has_hashes
        self._unlabelled.append(part.unlabelled)
        if part.judges is None:
            self._scored_without_judge += part.n_judged
        else:
            self._judges.append(part.judges)
        self._partials.append(part.per_scenario)
        self._held += len(part.per_scenario)
        if self._held > _HELD_ROWS:
            whole = self._counting.added_up(self._partials)
            self._partials = [whole]
            # Where the scenarios alone are that many, adding up again at once would gain nothing.
            self._held = len(whole) // 2

    def tally(self, chunks: Callable[[], Iterable[pl.DataFrame]], file: str) -> TrialTally:
        """The tally, with a second pass where a scenario needs a close look."""
        unlabelled = pl.concat(self._unlabelled).group_by(_UNLABELLED).agg(pl.col("n", "n_labels").sum())
        invalid = unlabelled.filter((pl.col("status") == "scored") | (pl.col("n_labels") > 0))
        counted = self._counting.added_up(self._partials).with_columns(
            is_plain=self._counting.is_plain() & ~pl.col("scenario_id").is_in(invalid["scenario_id"].implode())
        )
        plain, peculiar = counted.filter("is_plain"), counted.filter(~pl.col("is_plain"))
        close = tally_of(self._rows_of(peculiar, chunks, file), self._counting.trials)
        rest = unlabelled.drop("n_labels").join(peculiar.select("scenario_id"), on="scenario_id", how="anti")
        return self._joined(plain, rest, close)

    def _rows_of(self, peculiar: pl.DataFrame, chunks: Callable[[], Iterable[pl.DataFrame]], file: str) -> pl.DataFrame:
        if peculiar.is_empty():
            return pl.DataFrame(schema=_NO_ROWS | ({_HASH: pl.String} if self._has_hashes else {}))
        if peculiar["n_rows"].sum() > MOST_PECULIAR_ROWS:
            seen = f"{peculiar['n_rows'].sum()} rows of {len(peculiar)} scenarios"
            expected = f"at most {MOST_PECULIAR_ROWS} rows of scenarios with duplicate or contradictory rows"
            raise UnreadableInput([Fault(file, "", expected, seen)])
        ids = peculiar.select("scenario_id")
        found = [chunk.join(ids, on="scenario_id", how="semi") for chunk in chunks()]
        return pl.concat(found, how="diagonal")

    def _joined(self, plain: pl.DataFrame, unlabelled: pl.DataFrame, close: TrialTally) -> TrialTally:
        per_scenario = plain.select(
            "scenario_id", "n_scored", "n_success", n_unlabelled=pl.col("n_rows") - pl.col("n_scored")
        )
        classes = plain.select("scenario_id", scenario_class="first_class", n=pl.col("n_rows").cast(pl.UInt32))
        hashes = plain.select("scenario_id", scenario_sha256="first_hash", n=pl.col("n_rows").cast(pl.UInt32))
        close_hashes = close.scenario_hashes
        return TrialTally(
            n_rows=self._rows,
            per_scenario=pl.concat([per_scenario, close.per_scenario]).sort("scenario_id"),
            unlabelled=pl.concat([unlabelled, close.unlabelled]).sort(_UNLABELLED),
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
        if not self._judges:
            return None
        parts = list(self._judges)
        if self._scored_without_judge:
            nothing = {"judge_digest": [None], "n": [self._scored_without_judge]}
            parts.append(pl.DataFrame(nothing, schema={"judge_digest": pl.String, "n": pl.UInt32}))
        return pl.concat(parts).group_by("judge_digest").agg(pl.col("n").sum()).sort("judge_digest")
