"""What a page tells of the trials: unknowns by class, and what quarantine does to the difficulty."""

from __future__ import annotations

from typing import Literal, NamedTuple

import polars as pl

from litmus_nb.contracts.evidence import Evidence, RunEvidence
from litmus_nb.contracts.report import DifficultyFact, UnknownFact
from litmus_nb.rule.chain import Chain
from litmus_nb.rule.population import Population, declared_scenarios, population_of

__all__ = ["TrialFacts", "trial_facts"]


class TrialFacts(NamedTuple):
    """What the trials of both sides say; None where they cannot say it."""

    unknowns: list[UnknownFact] | None
    difficulty: list[DifficultyFact] | None


def trial_facts(evidence: Evidence, chain: Chain | None, *, was_judged: bool) -> TrialFacts:
    """What the trials of both sides say.

    Args:
        was_judged: whether the verdict has numbers; without them the difficulty is withheld too.
    """
    populations = _populations(evidence, chain)
    return TrialFacts(
        unknowns=_unknowns(evidence, populations),
        difficulty=_difficulty(populations.get("baseline")) if was_judged else None,
    )


def _populations(evidence: Evidence, chain: Chain | None) -> dict[str, Population]:
    if evidence.suite is None:
        return {}
    quarantined = chain.active_quarantine if chain and chain.is_whole else {}
    declared = declared_scenarios(evidence.suite, quarantined)
    sides = {"candidate": evidence.candidate, "baseline": evidence.baseline}
    return {side: population_of(declared, run, run.tally) for side, run in sides.items() if run and run.tally}


def _unknowns(evidence: Evidence, populations: dict[str, Population]) -> list[UnknownFact] | None:
    if set(populations) != {"candidate", "baseline"}:
        return None
    sides: tuple[tuple[Literal["candidate", "baseline"], RunEvidence | None], ...] = (
        ("candidate", evidence.candidate),
        ("baseline", evidence.baseline),
    )
    return [fact for side, run in sides if run for fact in _unknowns_of(side, run, populations[side])]


def _unknowns_of(side: Literal["candidate", "baseline"], run: RunEvidence, population: Population) -> list[UnknownFact]:
    if run.tally is None:
        return []
    scenarios = population.scenarios.select("scenario_id", "scenario_class", "n_absent")
    sizes = scenarios.group_by("scenario_class").len()
    declared = {name: size * population.declared_trials for name, size in sizes.iter_rows()}
    labelled = run.tally.unlabelled.join(scenarios, on="scenario_id", how="inner")
    counted = labelled.group_by("scenario_class", "status", "reason").agg(pl.col("n").sum())
    absent = scenarios.group_by("scenario_class").agg(n=pl.col("n_absent").sum()).filter(pl.col("n") > 0)
    rows = [(name, status, reason, n) for name, status, reason, n in counted.iter_rows()]
    rows += [(name, "absent", None, n) for name, n in absent.iter_rows()]
    return [
        UnknownFact(side=side, scenario_class=name, status=status, reason=reason, n=int(n), declared=declared[name])
        for name, status, reason, n in sorted(rows, key=lambda row: (row[0], row[1], row[2] or ""))
    ]


def _difficulty(baseline: Population | None) -> list[DifficultyFact] | None:
    """The baseline's rates over what is gated and over all; None where nothing is in quarantine."""
    if baseline is None or not baseline.scenarios["is_quarantined"].any():
        return None
    rate = pl.col("n_success") / pl.col("n_scored")
    scored = baseline.scenarios.filter(pl.col("n_scored") > 0).with_columns(rate=rate)
    gated = ~pl.col("is_quarantined")
    rows = scored.group_by("scenario_class").agg(
        n_gated=gated.sum(),
        n_all=pl.len(),
        rate_gated=pl.col("rate").filter(gated).mean(),
        rate_all=pl.col("rate").mean(),
    )
    return [
        DifficultyFact(
            scenario_class=row["scenario_class"],
            n_gated=row["n_gated"],
            n_all=row["n_all"],
            baseline_rate_gated=row["rate_gated"],
            baseline_rate_all=row["rate_all"],
        )
        for row in rows.sort("scenario_class").iter_rows(named=True)
        if row["n_gated"] < row["n_all"]
    ]
