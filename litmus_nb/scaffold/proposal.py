"""Tolerance and min_n of each class, proposed by the power planner from how often trials of the log disagree."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from litmus_nb.contracts.loose_run import LooseRun
from litmus_nb.scaffold.seen import Seen
from litmus_nb.stats.agreement import mean_pair_agreement
from litmus_nb.stats.power import Thresholds, TrialModel, outcome_probabilities, smallest_n

__all__ = ["ASSUMED", "Proposal", "proposals"]

TOLERANCES = (0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2)
LIKELY = 0.8
CONFIDENCE = 0.95
MOST_SCENARIOS = 20_000


@dataclass(frozen=True)
class Assumed:
    """What stands in where nothing was measured."""

    rate: float = 0.1
    disagreement: float = 0.1
    trials: int = 3


ASSUMED = Assumed()


@dataclass(frozen=True)
class Proposal:
    """What is proposed for one class, and why."""

    name: str
    n: int
    tolerance: float
    min_n: int
    n_to_pass: int | None
    """Scenarios with which a candidate as safe as this run passes with probability `LIKELY`; None: not even 20,000."""
    why: str

    @property
    def is_enough(self) -> bool:
        """Whether the scenarios there are carry a decision at this tolerance."""
        return self.n_to_pass is not None and self.n_to_pass <= self.n


def proposals(seen: Seen, *, decision_margin: float, disagreement: float | None = None) -> list[Proposal]:
    """A proposal per class, by name: the tightest tolerance that the scenarios there are can carry.

    Args:
        seen: probes, and the run where there is one.
        decision_margin: of the suite.
        disagreement: how often two trials of one scenario differ, instead of what the log says.
    """
    return [_proposal(name, seen, decision_margin, disagreement) for name in seen.classes]


def _proposal(name: str, seen: Seen, margin: float, given: float | None) -> Proposal:
    n = sum(probe["class"] == name for probe in seen.probes)
    rate, disagreement, trials, source = _measured(name, seen.run, given)
    unit = TrialModel(rate, disagreement).delta_distribution(trials)
    # Asked once for each tolerance at the size that is there; the search for a size is asked once.
    carried = (one for one in TOLERANCES if outcome_probabilities(unit, n, _thresholds(one, margin)).passes >= LIKELY)
    tight = next(carried, None)
    tolerance = TOLERANCES[-1] if tight is None else tight
    needed = smallest_n(unit, _thresholds(tolerance, margin), LIKELY, largest=MOST_SCENARIOS)
    if tight is not None:  # chances are not quite monotone in n, and some are simulated: what carries it now does
        needed = n if needed is None else min(needed, n)
    basis = f"rate {100 * rate:.1f} %, two trials of one scenario differ in {100 * disagreement:.1f} % ({source})"
    if needed is not None and needed <= n:
        enough = f"{needed} scenarios with {trials} trials carry it, {n} there are"
        why = f"{basis}; {enough}: as safe a candidate passes in 8 of 10"
        return Proposal(name, n, tolerance, needed, needed, why)
    short = "more than 20,000" if needed is None else str(needed)
    why = f"{basis}; {short} scenarios needed even at this tolerance, {n} there are: the gate will say so"
    return Proposal(name, n, tolerance, needed or n, needed, why)


def _thresholds(tolerance: float, margin: float) -> Thresholds:
    return Thresholds(tolerance=tolerance, confidence=CONFIDENCE, decision_margin=margin, min_n=1)


def _measured(name: str, run: LooseRun | None, given: float | None) -> tuple[float, float, int, str]:
    """Rate, disagreement and trials of a class, and where they are from."""
    if run is None:
        used = ASSUMED.disagreement if given is None else given
        return ASSUMED.rate, used, ASSUMED.trials, "assumed: there is no log yet"
    ids = run.tally.classes_seen.filter(pl.col("scenario_class") == name)["scenario_id"].unique()
    counts = run.tally.per_scenario.filter(pl.col("scenario_id").is_in(ids.implode()) & (pl.col("n_scored") > 0))
    trials = max(1, run.trials_per_scenario)
    if not len(counts):
        return ASSUMED.rate, given or ASSUMED.disagreement, trials, "assumed: the log has no label of this class"
    rate = float((counts["n_success"] / counts["n_scored"]).mean() or 0.0)  # type: ignore[arg-type]  # a mean of floats
    agreement = mean_pair_agreement(
        counts["n_success"].to_numpy(), (counts["n_scored"] - counts["n_success"]).to_numpy(), trials
    )
    if given is not None:
        return rate, given, trials, "disagreement as given"
    if agreement is not None:
        return rate, float(1 - agreement), trials, "measured in the log"
    if run.declared.get("deterministic") is True:
        return rate, 0.0, trials, "attested deterministic"
    return rate, ASSUMED.disagreement, trials, "disagreement assumed: one trial cannot show it"
