"""How many scenarios a class needs, and how small a regression it shows: from evidence to the planner's questions."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import polars as pl

from litmus_nb.contracts.evidence import Evidence
from litmus_nb.contracts.report import PassChance, PowerFact, ShownChance
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

__all__ = ["MOST_SCENARIOS", "ClassPlan", "plans", "power_fact", "scenarios_to_decide"]

LIKELY = 0.8
"""With what probability a plan is to work out where nobody asks for another."""

MOST_SCENARIOS = 20_000
"""Where the search for a number of scenarios ends."""

AS_GIVEN = "as given"

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
    churn: float
    """Share of scenarios that got better for good, and as many worse, beyond what trials disagree; 0 where no candidate
    was compared."""
    thresholds: Thresholds
    unfit_for_exact: bool
    """The gate asks for the exact interval, which is not for this class: it is planned by the default."""
    now: OutcomeProbabilities | None
    """How a candidate would end that is as safe as the baseline on the whole, with the units there are."""
    n_to_pass: int | None
    """Units with which such a candidate passes with the wanted probability."""
    smallest_shown: float | None
    """The smallest rise that the units there are show with the wanted probability."""
    n_to_pass_by_trials: dict[int, int | None]
    """The same with other numbers of trials; empty where a single trial cannot tell noise from change."""
    n_to_decide: int | None
    """Units with which a class that ended without a verdict would have been decided with the wanted probability."""

    @property
    def model(self) -> TrialModel | None:
        """What the plan imagines of one scenario; None where the evidence cannot say."""
        return None if self.disagreement is None else TrialModel(self.baseline_rate, self.disagreement, self.churn)

    @property
    def largest_rise(self) -> float:
        """The largest true rise that can be imagined: the shares that turn unsafe and safe add up to 1 at most."""
        if self.baseline_rate >= 1.0:
            return 0.0
        staying = 1.0 - (self.churn / self.baseline_rate if self.churn else 0.0)
        return max(0.0, (1.0 - self.baseline_rate) * staying - self.churn)

    def pass_chances(self, sizes: Sequence[int]) -> list[PassChance]:
        """The chance of a PASS with each number of units and of trials that the plan weighs."""
        model = self.model
        if model is None:
            return []
        return [
            PassChance(
                scenario_class=self.name,
                trials=trials,
                n=n,
                chance=outcome_probabilities(model.delta_distribution(trials), n, self.thresholds).passes,
            )
            for trials in self.n_to_pass_by_trials
            for n in sizes
        ]

    def shown_chances(self, rises: Sequence[float]) -> list[ShownChance]:
        """The chance that each true rise is shown with the units there are; rises that cannot be are left out."""
        model = self.model
        if model is None:
            return []
        possible = [rise for rise in rises if rise <= self.largest_rise]
        return [
            ShownChance(
                scenario_class=self.name,
                n=self.n,
                delta=rise,
                chance=outcome_probabilities(
                    model.delta_distribution(self.trials, rise), self.n, self.thresholds
                ).indicated,
            )
            for rise in possible
        ]


def plans(
    verdict: Verdict, evidence: Evidence | None, *, probability: float = LIKELY, disagreement: float | None = None
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
        asks_for_exact = evidence.gate.interval == "exact"
        is_fit = not scenarios["family"].drop_nulls().is_duplicated().any() and (
            population.declared_trials == 1 or (baseline.declaration.deterministic and not disagreement)
        )
        thresholds = Thresholds(
            tolerance=limits.tolerance,
            confidence=evidence.gate.confidence,
            decision_margin=evidence.suite.file.decision_margin,
            min_n=limits.min_n,
            is_exact=asks_for_exact and is_fit,
        )
        row = judged.get(name)
        known = _known(name, facts, thresholds, row, unfit_for_exact=asks_for_exact and not is_fit)
        to_decide = None if row is None else scenarios_to_decide(row, thresholds, probability)
        found.append(_planned(replace(known, n_to_decide=to_decide), probability))
    return found


def power_fact(verdict: Verdict, evidence: Evidence, more_helps: Collection[str]) -> PowerFact | None:
    """For the worst class, if all its reasons are among `more_helps`: how many units would have decided it."""
    row = next((row for row in verdict.classes if row.name == verdict.worst_class), None)
    codes = {reason.code for reason in verdict.reasons if row is not None and reason.subject == row.name}
    if row is None or not codes or not codes <= set(more_helps) or evidence.gate is None or evidence.suite is None:
        return None
    if not row.n or row.tolerance is None or row.min_n is None:
        return None
    thresholds = Thresholds(
        row.tolerance,
        evidence.gate.confidence,
        evidence.suite.file.decision_margin,
        min_n=row.min_n,
        is_exact=evidence.gate.interval == "exact",
    )
    needed = scenarios_to_decide(row, thresholds, LIKELY)
    return PowerFact(scenario_class=row.name, n=row.n, n_to_decide=needed, searched=MOST_SCENARIOS, probability=LIKELY)


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
    churn: float

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
        rate = float(rates.cast(pl.Float64).sum()) / len(rates)
        disagreement, source = _disagreement(scenarios, trials, given=given, is_deterministic=is_deterministic)
        change = _change_seen(row)
        if disagreement is None and change is not None:
            disagreement, source = 0.0, "one trial: all the change seen in this candidate is taken for real"
        churn = 0.0
        if change is not None and disagreement is not None:
            possible = 0.45 * min(rate, 1.0 - rate)
            churn = min(max(0.0, (change - min(disagreement, 2.0 * rate * (1.0 - rate)) / trials) / 2.0), possible)
        return cls(n, trials, rate, disagreement, source, churn)


def _disagreement(
    scenarios: pl.DataFrame, trials: int, *, given: float | None, is_deterministic: bool
) -> tuple[float | None, str]:
    if given is not None:
        return given, AS_GIVEN
    agreement = mean_pair_agreement(
        scenarios["n_success"].to_numpy(), (scenarios["n_scored"] - scenarios["n_success"]).to_numpy(), trials
    )
    if agreement is not None:
        return float(1 - agreement), "the baseline's own trials"
    if is_deterministic:
        return 0.0, "the baseline is attested deterministic"
    return None, "one trial and no comparison: it cannot be known, give it"


def _change_seen(row: ClassVerdict | None) -> float | None:
    """The mean square of the unit deltas beyond what their mean asks for; None where nothing was compared."""
    if row is None or not row.n or row.delta is None or row.noise_floor is None:
        return None
    unit = like_a_class(row.n, row.delta, row.noise_floor)
    # Without the two units that the noise floor adds.
    square = (float(unit.probabilities[[0, 2]].sum()) * (row.n + 2) - 2.0) / row.n
    return max(0.0, square - abs(row.delta))


def _known(
    name: str, facts: _ClassFacts, thresholds: Thresholds, row: ClassVerdict | None, *, unfit_for_exact: bool
) -> ClassPlan:
    """What is known of the class, with nothing planned yet."""
    return ClassPlan(
        name=name,
        outcome=None if row is None or row.n is None else row.outcome,
        n=facts.n,
        trials=facts.trials,
        baseline_rate=facts.rate,
        disagreement=facts.disagreement,
        disagreement_from=facts.disagreement_from,
        churn=facts.churn,
        thresholds=thresholds,
        unfit_for_exact=unfit_for_exact,
        now=None,
        n_to_pass=None,
        smallest_shown=None,
        n_to_pass_by_trials={},
        n_to_decide=None,
    )


def _planned(known: ClassPlan, probability: float) -> ClassPlan:
    """The same with what its model says; as it is where it has none."""
    model, thresholds = known.model, known.thresholds
    if model is None:
        return known
    can_tell = not thresholds.is_exact and (known.trials > 1 or known.disagreement_from == AS_GIVEN)
    needed = {
        trials: smallest_n(model.delta_distribution(trials), thresholds, probability, largest=MOST_SCENARIOS)
        for trials in sorted({*TRIALS, known.trials} if can_tell else {known.trials})
    }
    return replace(
        known,
        now=outcome_probabilities(model.delta_distribution(known.trials), known.n, thresholds),
        n_to_pass=needed[known.trials],
        n_to_pass_by_trials=needed,
        smallest_shown=smallest_caught(
            lambda delta: model.delta_distribution(known.trials, delta),
            known.n,
            thresholds,
            probability,
            largest=known.largest_rise,
        ),
    )
