"""What raters say of items: one vote an item, ties and unreadable labels kept apart from noes."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from litmus_nb.contracts.drift import ALL, Estimate
from litmus_nb.contracts.labels import LabelTable, Rater
from litmus_nb.stats.rates import Bounded

__all__ = ["by_class", "estimate", "human_votes", "items_of", "judge_versions", "labels_of", "votes_of"]

_DECIMALS = 9
_ITEM = ("scenario_class", "scenario_id", "policy", "family", "length", "excerpt")


def items_of(table: LabelTable) -> pl.DataFrame:
    """item_id and what belongs to the item, one row an item, sorted by id."""
    known = [pl.col(name).drop_nulls().first() for name in _ITEM]
    return table.frame.group_by("item_id").agg(known).sort("item_id")


def labels_of(table: LabelTable, rater: Rater) -> pl.DataFrame:
    """The rows of a rater: of one artefact and of one run, where it names them."""
    rows = table.frame.filter(pl.col("rater") == rater.name)
    if rater.digest is not None:
        rows = rows.filter(pl.col("rater_digest") == rater.digest)
    if rater.run_id is not None:
        rows = rows.filter(pl.col("run_id") == rater.run_id)
    return rows


def votes_of(rows: pl.DataFrame) -> pl.DataFrame:
    """item_id | n_yes | n_no | n_unknown | share | vote, sorted by id, over rows of one rater.

    `share` is the share of yes among the labels that can be read, null where there is none; `vote` their majority, null
    for a tie or none.
    """
    counted = rows.group_by("item_id").agg(
        n_yes=pl.col("label").sum().cast(pl.Int64),
        n_no=(~pl.col("label")).sum().cast(pl.Int64),
        n_unknown=pl.col("label").is_null().sum().cast(pl.Int64),
    )
    return _with_vote(counted).sort("item_id")


def human_votes(table: LabelTable) -> pl.DataFrame:
    """item_id | n_yes | n_no | n_unknown | share | vote over humans, each of whom has one vote an item."""
    humans = table.frame.filter(pl.col("rater_kind") == "human")
    each = humans.group_by("item_id", "rater").agg(
        yes=pl.col("label").sum().cast(pl.Int64), no=(~pl.col("label")).sum().cast(pl.Int64)
    )
    counted = each.group_by("item_id").agg(
        n_yes=(pl.col("yes") > pl.col("no")).sum().cast(pl.Int64),
        n_no=(pl.col("no") > pl.col("yes")).sum().cast(pl.Int64),
        n_unknown=(pl.col("no") == pl.col("yes")).sum().cast(pl.Int64),
    )
    return _with_vote(counted).sort("item_id")


def _with_vote(counted: pl.DataFrame) -> pl.DataFrame:
    yes, no = pl.col("n_yes"), pl.col("n_no")
    return counted.with_columns(
        share=pl.when(yes + no > 0).then(yes / (yes + no)),
        vote=pl.when(yes > no).then(True).when(no > yes).then(False).otherwise(None),
    )


def judge_versions(table: LabelTable) -> list[Rater]:
    """Every judge, told apart by artefact and run, in order of time; those without a time last."""
    judges = table.frame.filter(pl.col("rater_kind") == "judge")
    versions = (
        judges.group_by("rater", "rater_digest", "run_id")
        .agg(at=pl.col("at").min())
        .sort("at", "run_id", "rater", "rater_digest", nulls_last=True)
    )
    return [
        Rater(name=row["rater"], digest=row["rater_digest"], run_id=row["run_id"])
        for row in versions.iter_rows(named=True)
    ]


def by_class(frame: pl.DataFrame) -> Iterator[tuple[str, pl.DataFrame]]:
    """All rows, then those of each class in order of the names; a single class is not told twice."""
    names = sorted(set(frame["scenario_class"]))
    yield ALL, frame
    if len(names) > 1:
        for name in names:
            yield name, frame.filter(pl.col("scenario_class") == name)


def estimate(bounded: Bounded | None, because: str) -> Estimate:
    """The number as it is written, or why it is absent."""
    if bounded is None:
        return Estimate.unknown(because)
    return Estimate(
        value=round(bounded.value, _DECIMALS), low=round(bounded.low, _DECIMALS), high=round(bounded.high, _DECIMALS)
    )
