"""Two judges, or two versions of one, on the same items: how often they differ, which way, and where."""

from __future__ import annotations

import polars as pl

from litmus_nb.contracts.drift import AgreementRow, Concentration, FlippedItem, OddsRow, RaterComparison
from litmus_nb.contracts.labels import LabelTable, Rater
from litmus_nb.drift.votes import by_class, estimate, human_votes, items_of, labels_of, votes_of
from litmus_nb.stats.concentration import OddsRatio, logistic_odds
from litmus_nb.stats.interrater import (
    TwoRaters,
    cohen_kappa,
    gwet_ac1,
    krippendorff_alpha_of_two,
    raw_agreement,
)
from litmus_nb.stats.paired import mcnemar_exact
from litmus_nb.stats.rates import mean_change

__all__ = ["compare_raters"]

_NOTHING = "no item was labelled by both"
_ALL_ONE = "both gave one and the same label to every item: agreement beyond chance is 0/0"
_LEAST_FAMILY = 2


def compare_raters(table: LabelTable, first: Rater, second: Rater, *, confidence: float = 0.95) -> RaterComparison:
    """Flips both ways, exact McNemar, agreement beyond chance, and where disagreement gathers.

    A rater that labelled an item several times has the majority of its labels; ties and unreadable labels are no vote
    and are counted apart. Items of one family are not independent: agreement intervals take items as the units.

    Args:
        table: the labels.
        first: in time, or the reference.
        second: the other.
        confidence: two-sided, of every interval.
    """
    one, two = votes_of(labels_of(table, first)), votes_of(labels_of(table, second))
    joined = one.join(two, on="item_id", how="full", coalesce=True, suffix="_second")
    is_there = pl.col("n_yes").is_not_null() & pl.col("n_yes_second").is_not_null()
    both = joined.filter(is_there)
    voted = both.filter(pl.col("vote").is_not_null() & pl.col("vote_second").is_not_null())
    humans = human_votes(table).select("item_id", humans="vote")
    pairs = (
        voted.select("item_id", first="vote", second="vote_second")
        .join(items_of(table), on="item_id")
        .join(humans, on="item_id", how="left")
        .sort("scenario_class", "item_id")
    )
    return RaterComparison(
        first=first,
        second=second,
        rows=[_agreement(name, rows, confidence) for name, rows in by_class(pairs)],
        concentration=_concentration(pairs, confidence),
        items=[_flipped(row) for row in pairs.filter(pl.col("first") != pl.col("second")).iter_rows(named=True)],
        n_only_one_labelled=len(joined) - len(both),
        n_torn=len(both) - len(voted),
    )


def _agreement(name: str, pairs: pl.DataFrame, confidence: float) -> AgreementRow:
    first, second = pl.col("first"), pl.col("second")
    counts = pairs.select(
        both_yes=(first & second).sum(),
        only_first=(first & ~second).sum(),
        only_second=(~first & second).sum(),
        both_no=(~first & ~second).sum(),
    ).row(0, named=True)
    two = TwoRaters(**{key: int(value) for key, value in counts.items()})
    changes = [-1.0] * two.only_first + [1.0] * two.only_second + [0.0] * (two.both_yes + two.both_no)
    because = _NOTHING if two.n == 0 else _ALL_ONE
    return AgreementRow(
        scenario_class=name,
        n=two.n,
        both_yes=two.both_yes,
        only_first=two.only_first,
        only_second=two.only_second,
        both_no=two.both_no,
        change=estimate(mean_change(changes, confidence) if changes else None, because),
        mcnemar_p=mcnemar_exact(two.only_second, two.only_first) if two.n else None,
        agreement=estimate(raw_agreement(two, confidence), because),
        kappa=estimate(cohen_kappa(two, confidence), because),
        ac1=estimate(gwet_ac1(two, confidence), because),
        alpha=estimate(krippendorff_alpha_of_two(two, confidence), because),
    )


def _concentration(pairs: pl.DataFrame, confidence: float) -> Concentration:
    """One model of class, policy and length with families (else scenarios) as groups; families in a model of their own.

    A family lies inside a class, so the two cannot stand side by side in one model.
    """
    if pairs.is_empty():
        return Concentration(rows=[], failure=_NOTHING)
    disagrees = (pairs["first"] != pairs["second"]).to_list()
    groups = pairs.select(pl.coalesce("family", "scenario_id", "item_id"))["family"].to_list()
    factors = {"class": pairs["scenario_class"].to_list()}
    if pairs["policy"].null_count() == 0:
        factors["policy"] = pairs["policy"].to_list()
    lengths = {}
    if pairs["length"].null_count() == 0 and pairs["length"].n_unique() > 1:
        lengths["length"] = (pairs["length"].to_numpy() + 1.0).tolist()
    fit = logistic_odds(disagrees, factors, groups, numbers=lengths, confidence=confidence)
    rows = [_odds(term) for term in fit.terms]
    if pairs["family"].drop_nulls().n_unique() >= _LEAST_FAMILY and pairs["family"].null_count() == 0:
        of_families = logistic_odds(
            disagrees, {"family": pairs["family"].to_list()}, pairs["item_id"].to_list(), confidence=confidence
        )
        rows += [_odds(term) for term in of_families.terms]
    return Concentration(rows=rows, failure=fit.failure)


def _odds(term: OddsRatio) -> OddsRow:
    return OddsRow(
        factor=term.factor,
        level=term.level,
        n=term.n,
        n_disagreements=term.n_outcomes,
        odds_ratio=estimate(term.ratio, term.why or "not estimated"),
        p_value=term.p_value,
    )


def _flipped(row: dict[str, object]) -> FlippedItem:
    return FlippedItem.model_validate({name: row[name] for name in FlippedItem.model_fields})
