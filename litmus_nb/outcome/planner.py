"""How many scenarios a class needs, and how small a regression it shows: from evidence to the planner's questions."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from litmus_nb.contracts.evidence import Evidence
from litmus_nb.contracts.verdict import ClassVerdict, Outcome, Verdict
from litmus_nb.errors import UsageError
from litmus_nb.rule.chain import walk_chain
from litmus_nb.rule.population import declared_scenarios, population_of
from litmus_nb.stats.agreement import mean_pair_agreement
from litmus_nb.stats.power import (
    OutcomeProbabilities,
    Thresholds,
    TrialModel,
    like_a_class,
    outcome_probabilities,
    smallest_caught,
    smallest_n,
)

__all__ = ["MOST_SCENARIOS", "ClassPlan", "plans", "scenarios_to_decide"]

MOST_SCENARIOS = 20_000
"""Where the search for a number of scenarios ends."""

TRIALS = (1, 3, 5, 10)
"""How many trials per scenario are weighed against more scenarios."""


@dataclass(frozen=True)
class ClassPlan:
    """The planner's answers for one class. None means that no answer was found, and `disagreement_from` may say why."""

    name: str
    outcome: Outcome | None
    """What the verdict says of it; None where it was not judged."""
    n: int
    """Units: of the verdict where it counted them, else those that the suite declares."""
    trials: int
    baseline_rate: float
    disagreement: float | None
    """How often two trials of one scenario of the baseline differ; None where it cannot be known."""
    disagreement_from: str
    thresholds: Thresholds
    now: OutcomeProbabilities | None
    """How a candidate that is like the baseline would end, with the units there are."""
    n_to_pass: int | None
    """Units with which a candidate like the baseline passes with the wanted probability."""
    smallest_shown: float | None
    """The smallest rise that the units there are show with the wanted probability."""
    n_to_pass_by_trials: dict[int, int | None]
    n_to_decide: int | None
    """Units with which a class that ended without a verdict would have been decided with the wanted probability."""


def plans(
    verdict: Verdict, evidence: Evidence | None, *, probability: float = 0.8, disagreement: float | None = None
) -> list[ClassPlan]:
    """A plan for every class of the suite that has a threshold, by name.

    Args:
        verdict: on this evidence; it may be any, also of a candidate that has not run yet.
        evidence: what it was decided on.
        probability: wanted of a PASS, of a regression shown, of a decision; strictly between 0 and 1.
        disagreement: how often two trials of one scenario differ, where the evidence cannot say.

    Raises:
        UsageError: where there is no gate, no suite or no baseline with trials to plan from.
    """
    if evidence is None or evidence.gate is None or evidence.suite is None:
        raise UsageError("the planner needs a gate and a suite that can be read; litmus-nb evaluate says what is wrong")
    baseline = evidence.baseline
    if baseline is None or baseline.tally is None:
        raise UsageError("the planner needs a baseline with trials: it plans from how often the baseline disagrees")
    chain = None if evidence.ledger is None else walk_chain(evidence.ledger)
    quarantined = chain.active_quarantine if chain and chain.is_whole else {}
    population = population_of(declared_scenarios(evidence.suite, quarantined), baseline, baseline.tally)
    judged = {row.name: row for row in verdict.classes}
    found = []
    for name, limits in sorted(evidence.gate.classes.items()):
        scenarios = population.scenarios.filter((pl.col("scenario_class") == name) & ~pl.col("is_quarantined"))
        if scenarios["n_scored"].sum() == 0:
            continue
        facts = _ClassFacts.of(
            scenarios,
            population.declared_trials,
            judged.get(name),
            given=disagreement,
            is_deterministic=baseline.declaration.deterministic,
        )
        thresholds = Thresholds(
            tolerance=limits.tolerance,
            confidence=evidence.gate.confidence,
            decision_margin=evidence.suite.file.decision_margin,
            min_n=limits.min_n,
        )
        found.append(_planned(name, facts, thresholds, judged.get(name), probability))
    return found


def scenarios_to_decide(row: ClassVerdict, thresholds: Thresholds, probability: float) -> int | None:
    """Units with which a class like this one would have passed or failed with `probability`; None where none would do.

    None too where the class was decided or its numbers are withheld.
    """
    if row.outcome != "NO_VERDICT" or not row.n or row.delta is None or row.noise_floor is None:
        return None
    unit = like_a_class(row.n, row.delta, row.noise_floor)
    return smallest_n(unit, thresholds, probability, outcome="decides", largest=MOST_SCENARIOS)


@dataclass(frozen=True)
class _ClassFacts:
    n: int
    trials: int
    rate: float
    disagreement: float | None
    disagreement_from: str

    @classmethod
    def of(
        cls,
        scenarios: pl.DataFrame,
        trials: int,
        row: ClassVerdict | None,
        *,
        given: float | None,
        is_deterministic: bool,
    ) -> _ClassFacts:
        scored = scenarios.filter(pl.col("n_scored") > 0)
        rates = scored["n_success"] / scored["n_scored"]
        families = scenarios["family"].drop_nulls().n_unique()
        declared = families + scenarios["family"].null_count()
        n = row.n if row is not None and row.n else declared
        disagreement, source = _disagreement(scenarios, trials, row, given=given, is_deterministic=is_deterministic)
        return cls(n, trials, float(rates.cast(pl.Float64).sum()) / len(rates), disagreement, source)


def _disagreement(
    scenarios: pl.DataFrame, trials: int, row: ClassVerdict | None, *, given: float | None, is_deterministic: bool
) -> tuple[float | None, str]:
    if given is not None:
        return given, "as given"
    agreement = mean_pair_agreement(
        scenarios["n_success"].to_numpy(), (scenarios["n_scored"] - scenarios["n_success"]).to_numpy(), trials
    )
    if agreement is not None:
        return float(1 - agreement), "the baseline's own trials"
    if row is not None and row.n and row.delta is not None and row.noise_floor is not None:
        unit = like_a_class(row.n, row.delta, row.noise_floor)
        return float(unit.probabilities[[0, 2]].sum()), "the change seen in this candidate"
    if is_deterministic:
        return 0.0, "the baseline is attested deterministic"
    return None, "one trial and no comparison: it cannot be known, give it"


def _planned(
    name: str, facts: _ClassFacts, thresholds: Thresholds, row: ClassVerdict | None, probability: float
) -> ClassPlan:
    model = None if facts.disagreement is None else TrialModel(facts.rate, facts.disagreement)
    needed: dict[int, int | None] = {}
    shown = now = None
    if model is not None:
        now = outcome_probabilities(model.delta_distribution(facts.trials), facts.n, thresholds)
        for trials in sorted({*TRIALS, facts.trials}):
            unit = model.delta_distribution(trials)
            needed[trials] = smallest_n(unit, thresholds, probability, largest=MOST_SCENARIOS)
        if facts.rate < 1.0:
            shown = smallest_caught(
                lambda delta: model.delta_distribution(facts.trials, delta),
                facts.n,
                thresholds,
                probability,
                largest=1.0 - facts.rate,
            )
    return ClassPlan(
        name=name,
        outcome=None if row is None or row.n is None else row.outcome,
        n=facts.n,
        trials=facts.trials,
        baseline_rate=facts.rate,
        disagreement=facts.disagreement,
        disagreement_from=facts.disagreement_from,
        thresholds=thresholds,
        now=now,
        n_to_pass=needed.get(facts.trials),
        smallest_shown=shown,
        n_to_pass_by_trials=needed,
        n_to_decide=None if row is None else scenarios_to_decide(row, thresholds, probability),
    )
