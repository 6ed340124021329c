"""A policy's attack success rate behind the labels of a judge that errs."""

from __future__ import annotations

import numpy as np
import polars as pl

from litmus_nb.contracts.drift import CorrectedRow, Estimate
from litmus_nb.contracts.labels import LabelTable, Rater
from litmus_nb.drift.votes import by_class, estimate, human_votes, items_of, labels_of, votes_of
from litmus_nb.stats.corrected_rates import prediction_powered, rogan_gladen
from litmus_nb.stats.rates import Bounded, mean_rate

__all__ = ["corrected_rates"]

_NO_ERRORS = "humans labelled no success, or no failure, that this judge labelled too"


def corrected_rates(table: LabelTable, policy: str, rater: Rater, *, confidence: float = 0.95) -> list[CorrectedRow]:
    """The rate as judged, by Rogan and Gladen, and prediction-powered, class by class.

    Rogan and Gladen take the judge's error rates from the items that humans labelled and that are not of this policy
    (the anchors), of the same class; prediction-powered takes the humans' labels of this policy's own items. Which of
    the two holds depends on how those items were chosen; both assumptions are stated with the result.
    """
    judged = (
        votes_of(labels_of(table, rater))
        .filter(pl.col("share").is_not_null())
        .join(items_of(table).select("item_id", "scenario_class", "scenario_id", "policy"), on="item_id")
        .join(human_votes(table).select("item_id", truth="vote"), on="item_id", how="left")
        .sort("item_id")
    )
    own = judged.filter(pl.col("policy") == policy)
    others = judged.filter((pl.col("policy") != policy).fill_null(True) & pl.col("truth").is_not_null())
    rows = []
    for name, items in by_class(own):
        anchors = others if len(items) == len(own) else others.filter(pl.col("scenario_class") == name)
        rows.append(_row(policy, rater, name, items, anchors, confidence))
    return rows


def _row(
    policy: str, rater: Rater, name: str, items: pl.DataFrame, anchors: pl.DataFrame, confidence: float
) -> CorrectedRow:
    units = items.group_by(unit=pl.coalesce("scenario_id", "item_id")).agg(pl.col("share").mean()).sort("unit")
    nothing = "this judge labelled no item of the policy"
    return CorrectedRow(
        policy=policy,
        rater=rater,
        scenario_class=name,
        n=len(items),
        judged=estimate(mean_rate(units["share"].to_list(), confidence) if len(units) else None, nothing),
        rogan_gladen=_by_errors(units, anchors, confidence) if len(units) else Estimate.unknown(nothing),
        prediction_powered=_by_sample(items, confidence) if len(items) else Estimate.unknown(nothing),
    )


def _by_errors(units: pl.DataFrame, anchors: pl.DataFrame, confidence: float) -> Estimate:
    votes = anchors.with_columns(says=pl.col("share") > 0.5)
    positives, negatives = votes.filter(pl.col("truth")), votes.filter(~pl.col("truth"))
    if positives.is_empty() or negatives.is_empty():
        return Estimate.unknown(_NO_ERRORS)
    shares = units["share"].to_numpy()
    corrected: Bounded | None = rogan_gladen(
        float(shares.mean()) * _effective(shares),
        _effective(shares),
        caught=int(positives["says"].sum()),
        positives=len(positives),
        cleared=int((~negatives["says"]).sum()),
        negatives=len(negatives),
        confidence=confidence,
    )
    return estimate(corrected, "on the items that humans labelled this judge is not shown to be better than a coin")


def _effective(shares: np.ndarray) -> float:
    """How many independent yes/no items these scenarios are worth: p (1 - p) over the variance of a scenario's share.

    The trials of a scenario agree with each other, so that their number would promise too much.
    """
    mean, variance = float(shares.mean()), float(shares.var(ddof=1)) if len(shares) > 1 else 0.0
    return len(shares) * max(1.0, mean * (1.0 - mean) / variance) if variance > 0.0 else float(len(shares))


def _by_sample(items: pl.DataFrame, confidence: float) -> Estimate:
    labelled = items.filter(pl.col("truth").is_not_null())
    others = items.filter(pl.col("truth").is_null())
    corrected = prediction_powered(
        others["share"].to_numpy(),
        labelled["share"].to_numpy(),
        labelled["truth"].cast(pl.Float64).to_numpy(),
        confidence,
    )
    return estimate(corrected, "humans labelled none of these items")
