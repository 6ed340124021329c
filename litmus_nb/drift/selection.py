"""Proposing anchors: items that show a drift, chosen without looking at the labels that it will be measured against.

Choosing items on which the pinned judge was right, or sure, would make any judge look worse later (regression to the
mean). So an item's place depends on its class, its family, what humans say and what other raters say; the pinned labels
are only written down.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import polars as pl

from litmus_nb.contracts.anchors import AnchorLine
from litmus_nb.contracts.drift import Limit
from litmus_nb.contracts.labels import LabelTable, Rater
from litmus_nb.drift.votes import human_votes, items_of, labels_of

__all__ = ["Proposal", "propose_anchors"]


@dataclass(frozen=True)
class Proposal:
    """A proposed anchor set."""

    anchors: tuple[AnchorLine, ...]
    """In order of class and id."""
    counts: pl.DataFrame
    """scenario_class | positive | negative | borderline: what was chosen."""
    limits: tuple[Limit, ...]


def propose_anchors(
    table: LabelTable,
    pinned: Rater,
    *,
    per_class: int,
    share_borderline: float = 0.3,
    share_positive: float = 0.5,
    seed: str = "",
) -> Proposal:
    """An anchor set from labelled items: stratified by class and by what humans say, borderline items among them.

    An item is borderline where humans are not of one mind, or where other raters than the pinned judge contradict their
    majority or each other. Families take turns, so that near-copies do not fill a class.

    Args:
        table: labels by humans, by the pinned judge and, better, by other judges.
        pinned: whose labels become the pinned ones; several judgements of each item (`repeat`) are all kept.
        per_class: anchors wanted of each class, at least 2.
        share_borderline: of them, 0 to 1; where there are fewer, clear ones take their place.
        share_positive: share that most humans call a success of the attack.
        seed: another text gives another choice; the same gives the same.

    Raises:
        ValueError: a share or number lies outside its range.
    """
    if per_class < 2 or not 0 <= share_borderline <= 1 or not 0 <= share_positive <= 1:
        raise ValueError("at least 2 anchors a class and shares in [0, 1]")
    eligible, limits = _eligible(table, pinned)
    n_positive = round(per_class * share_positive)
    chosen: list[dict[str, object]] = []
    for name in sorted(set(items_of(table)["scenario_class"])):
        of_class = eligible.filter(pl.col("scenario_class") == name)
        for is_positive, wanted in ((True, n_positive), (False, per_class - n_positive)):
            rows = _ordered(of_class.filter(pl.col("truth") == is_positive), seed)
            picked = _picked(rows, wanted, round(wanted * share_borderline))
            chosen += picked
            if len(picked) < wanted:
                word = "success" if is_positive else "failure"
                because = f"{len(picked)} items that most humans call a {word} have the pinned judge's labels"
                limits.append(Limit(subject=name, cannot=f"propose {wanted} of them", because=because))
    return Proposal(tuple(_lines(table, pinned, chosen)), _counts(chosen), tuple(limits))


def _eligible(table: LabelTable, pinned: Rater) -> tuple[pl.DataFrame, list[Limit]]:
    """Items with a human majority and as many readable pinned labels as most have."""
    votes = human_votes(table).filter(pl.col("vote").is_not_null())
    readable = labels_of(table, pinned).filter(pl.col("label").is_not_null())
    readable = readable.join(votes.select("item_id"), on="item_id", how="semi")
    counts = readable.group_by("item_id").agg(n=pl.len())
    if counts.is_empty():
        because = f"{pinned.title} labelled no item that has a human majority"
        return _nothing(), [Limit(subject="anchors", cannot="be proposed", because=because)]
    usual = int(counts["n"].mode().min())  # type: ignore[arg-type]  # a count, never a date
    limits = []
    if short := int((counts["n"] < usual).sum()):
        because = f"{short} {'item has' if short == 1 else 'items have'} fewer than {usual} labels of the pinned judge"
        limits.append(Limit(subject="anchors", cannot="use every item", because=because))
    if usual == 1:
        because = "the pinned judge labelled each item once: its own noise cannot be told from drift; five are better"
        limits.append(Limit(subject="agreement", cannot="be judged apart from noise", because=because))
    rows = (
        votes.join(counts.filter(pl.col("n") >= usual).select("item_id"), on="item_id")
        .join(items_of(table).select("item_id", "scenario_class", "family"), on="item_id")
        .join(_others(table, pinned), on="item_id", how="left")
        .with_columns(truth="vote", n_pinned=pl.lit(usual))
    )
    is_torn = (pl.col("n_yes") > 0) & (pl.col("n_no") > 0)
    contradicted = pl.when(pl.col("truth")).then(pl.col("others_no") > 0).otherwise(pl.col("others_yes") > 0)
    return rows.with_columns(is_borderline=is_torn | contradicted.fill_null(False)), limits


def _nothing() -> pl.DataFrame:
    return pl.DataFrame(
        schema={
            "item_id": pl.String,
            "scenario_class": pl.String,
            "family": pl.String,
            "truth": pl.Boolean,
            "is_borderline": pl.Boolean,
            "n_pinned": pl.Int64,
        }
    )


def _others(table: LabelTable, pinned: Rater) -> pl.DataFrame:
    """item_id | others_yes | others_no: labels by judges of another name than the pinned one's."""
    others = table.frame.filter((pl.col("rater_kind") == "judge") & (pl.col("rater") != pinned.name))
    return others.group_by("item_id").agg(
        others_yes=pl.col("label").sum().cast(pl.Int64), others_no=(~pl.col("label")).sum().cast(pl.Int64)
    )


def _ordered(rows: pl.DataFrame, seed: str) -> list[dict[str, object]]:
    """In an order of its own, families taking turns."""
    found = list(
        rows.select("item_id", "scenario_class", "family", "truth", "is_borderline", "n_pinned").iter_rows(named=True)
    )
    found.sort(key=lambda row: hashlib.sha256(f"{seed}\x1f{row['item_id']}".encode()).digest())
    seen: dict[object, int] = {}
    turns = []
    for row in found:
        family = row["family"] or row["item_id"]
        turns.append(seen.get(family, 0))
        seen[family] = turns[-1] + 1
    return [row for _, row in sorted(zip(turns, found, strict=True), key=lambda pair: pair[0])]


def _picked(rows: list[dict[str, object]], wanted: int, borderline: int) -> list[dict[str, object]]:
    unsure = [row for row in rows if row["is_borderline"]]
    clear = [row for row in rows if not row["is_borderline"]]
    n_unsure = min(len(unsure), max(borderline, wanted - len(clear)))
    return unsure[:n_unsure] + clear[: wanted - n_unsure]


def _lines(table: LabelTable, pinned: Rater, chosen: list[dict[str, object]]) -> list[AnchorLine]:
    ids = pl.Series([row["item_id"] for row in chosen], dtype=pl.String).implode()
    order = ["item_id", "run_id", "at", "repeat", "rater"]
    frame = table.frame.filter(pl.col("item_id").is_in(ids) & pl.col("label").is_not_null()).sort(order)
    humans = _listed(frame.filter(pl.col("rater_kind") == "human"))
    judged = _listed(labels_of(LabelTable(frame), pinned))
    lines = [
        AnchorLine.model_validate(
            {
                "item_id": row["item_id"],
                "class": row["scenario_class"],
                "human_labels": humans[str(row["item_id"])],
                "pinned_labels": judged[str(row["item_id"])][: int(str(row["n_pinned"]))],
                "family": row["family"],
            }
        )
        for row in chosen
    ]
    return sorted(lines, key=lambda line: (line.scenario_class, line.item_id))


def _listed(rows: pl.DataFrame) -> dict[str, list[bool]]:
    listed = rows.group_by("item_id", maintain_order=True).agg("label")
    return dict(zip(listed["item_id"].to_list(), listed["label"].to_list(), strict=True))


def _counts(chosen: list[dict[str, object]]) -> pl.DataFrame:
    rows = [
        {"scenario_class": r["scenario_class"], "truth": r["truth"], "is_borderline": r["is_borderline"]}
        for r in chosen
    ]
    frame = pl.DataFrame(rows, schema={"scenario_class": pl.String, "truth": pl.Boolean, "is_borderline": pl.Boolean})
    return (
        frame.group_by("scenario_class")
        .agg(
            positive=pl.col("truth").sum().cast(pl.Int64),
            negative=(~pl.col("truth")).sum().cast(pl.Int64),
            borderline=pl.col("is_borderline").sum().cast(pl.Int64),
        )
        .sort("scenario_class")
    )
