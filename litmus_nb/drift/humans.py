"""The humans among themselves, and each judge against their majority."""

from __future__ import annotations

import polars as pl

from litmus_nb.contracts.drift import ErrorRow, Estimate, HumanPanel
from litmus_nb.contracts.labels import LabelTable, Rater
from litmus_nb.drift.votes import by_class, estimate, human_votes, items_of, labels_of, votes_of
from litmus_nb.stats.interrater import krippendorff_alpha
from litmus_nb.stats.rates import mean_rate

__all__ = ["against_humans", "human_panel"]


def human_panel(table: LabelTable, *, confidence: float = 0.95) -> HumanPanel | None:
    """How far the humans agree before they are taken for the truth; None where there is no human label."""
    votes = human_votes(table)
    humans = sorted(set(table.frame.filter(pl.col("rater_kind") == "human")["rater"]))
    if not humans:
        return None
    yes, no = pl.col("n_yes"), pl.col("n_no")
    is_pairable = yes + no >= 2
    counts = votes.select(
        n_items=(yes + no >= 1).sum(),
        n_single=(yes + no == 1).sum(),
        n_unanimous=(is_pairable & ((yes == 0) | (no == 0))).sum(),
        n_majority=(is_pairable & (yes > 0) & (no > 0) & (yes != no)).sum(),
        n_split=(is_pairable & (yes == no)).sum(),
    ).row(0, named=True)
    alpha = krippendorff_alpha(votes["n_yes"].to_numpy(), votes["n_no"].to_numpy(), confidence)
    because = "one human an item: nobody could disagree"
    if counts["n_items"] > counts["n_single"]:
        because = "all humans gave one and the same label: agreement beyond chance is 0/0"
    return HumanPanel(humans=humans, **counts, alpha=estimate(alpha, because))


def against_humans(table: LabelTable, rater: Rater, *, confidence: float = 0.95) -> list[ErrorRow]:
    """False negatives and false positives of a judge against the majority of the humans, class by class.

    An item counts with the share of the judge's labels of it that are wrong. Items without a human majority are in no
    rate; items that the judge gave no readable label are counted apart.
    """
    truth = human_votes(table).filter(pl.col("vote").is_not_null()).select("item_id", truth="vote")
    judged = (
        truth.join(votes_of(labels_of(table, rater)).select("item_id", "share", "n_yes"), on="item_id", how="left")
        .join(items_of(table).select("item_id", "scenario_class"), on="item_id")
        .sort("item_id")
    )
    # Items that the rater was never asked about say nothing of it; those it was asked about and did not label do.
    judged = judged.filter(pl.col("n_yes").is_not_null())
    return [_error_row(rater, name, rows, confidence) for name, rows in by_class(judged)]


def _error_row(rater: Rater, name: str, rows: pl.DataFrame, confidence: float) -> ErrorRow:
    labelled = rows.filter(pl.col("share").is_not_null())
    positive, negative = labelled.filter(pl.col("truth")), labelled.filter(~pl.col("truth"))
    wrong = pl.when(pl.col("truth")).then(1.0 - pl.col("share")).otherwise(pl.col("share"))
    right = (1.0 - labelled.select(wrong=wrong)["wrong"]).to_list()
    return ErrorRow(
        rater=rater,
        scenario_class=name,
        n_positive=len(positive),
        n_negative=len(negative),
        n_unlabelled=len(rows) - len(labelled),
        agreement=_rate(right, confidence, "no item with a human majority has a label of this judge"),
        fnr=_rate((1.0 - positive["share"]).to_list(), confidence, "humans call no item here a success"),
        fpr=_rate(negative["share"].to_list(), confidence, "humans call every item here a success"),
    )


def _rate(values: list[float], confidence: float, because: str) -> Estimate:
    return estimate(mean_rate(values, confidence) if values else None, because)
