"""Which trials there should be, and what became of each: suite x declared trials, never a file's own totals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from litmus_nb.contracts.evidence import RunEvidence, SuiteEvidence
from litmus_nb.contracts.tally import TrialTally

__all__ = ["Population", "beside", "declared_scenarios", "population_of"]


@dataclass(frozen=True)
class Population:
    """One side's declared trials."""

    declared_trials: int
    """Declared trials of each scenario."""
    scenarios: pl.DataFrame
    """scenario_id | scenario_class | family | is_quarantined | n_scored | n_success | n_unknown | n_absent, one row per
    declared scenario that no rule leaves out, sorted by id. `n_unknown` counts absent trials too."""


def declared_scenarios(suite: SuiteEvidence, quarantined: Mapping[str, object]) -> pl.DataFrame:
    """scenario_id | scenario_class | family | is_quarantined, without what the suite's rules leave out."""
    excluded = suite.excluded_ids
    kept = [scenario for scenario in suite.scenarios if scenario.id not in excluded]
    return pl.DataFrame(
        {
            "scenario_id": [scenario.id for scenario in kept],
            "scenario_class": [scenario.scenario_class for scenario in kept],
            "family": [scenario.family for scenario in kept],
            "is_quarantined": [scenario.id in quarantined for scenario in kept],
        },
        schema={
            "scenario_id": pl.String,
            "scenario_class": pl.String,
            "family": pl.String,
            "is_quarantined": pl.Boolean,
        },
    )


def population_of(declared: pl.DataFrame, run: RunEvidence, tally: TrialTally) -> Population:
    """What became of each declared trial of a run."""
    trials = run.declaration.trials_per_scenario
    counted = beside(declared, tally.per_scenario).with_columns(
        pl.col("n_scored", "n_success", "n_unlabelled").fill_null(0)
    )
    scenarios = counted.select(
        "scenario_id",
        "scenario_class",
        "family",
        "is_quarantined",
        "n_scored",
        "n_success",
        n_unknown=trials - pl.col("n_scored"),
        n_absent=trials - pl.col("n_scored") - pl.col("n_unlabelled"),
    )
    return Population(trials, scenarios)


def beside(scenarios: pl.DataFrame, known: pl.DataFrame) -> pl.DataFrame:
    """`scenarios` in their order, each with what is known of it, or null; `known` has a scenario once at most."""
    if scenarios["scenario_id"].equals(known["scenario_id"]):
        return scenarios.hstack(known.drop("scenario_id"))  # nearly always, and then nothing has to be looked up
    return scenarios.join(known, on="scenario_id", how="left", maintain_order="left", validate="m:1")
