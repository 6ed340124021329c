"""From two runs to an exploration."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from litmus_nb._version import __version__
from litmus_nb.contracts.evidence import SuiteEvidence
from litmus_nb.contracts.exploration import Exploration, ExploredSide, Flip, SeenTrial
from litmus_nb.contracts.loose_run import LooseRun
from litmus_nb.exploration.checklist import checklist_of
from litmus_nb.exploration.notices import notices_of, withheld_because
from litmus_nb.exploration.numbers import explored_classes
from litmus_nb.exploration.pairing import SIDES, Pairing, paired
from litmus_nb.exploration.said import text

__all__ = ["exploration_of", "seen_trials"]

_MOST_TRIALS = 5_000
CONFIDENCE = 0.95


def exploration_of(
    baseline: LooseRun,
    candidate: LooseRun,
    *,
    suite: SuiteEvidence | None = None,
    confidence: float = CONFIDENCE,
    runbook: Callable[[str], str] = lambda code: "",
) -> Exploration:
    """Two runs side by side.

    Args:
        baseline: what the candidate is compared with.
        candidate: what the question is about.
        suite: the suite that both should be runs of: it says classes, families and what there should be.
        confidence: two-sided, of all intervals; strictly between 0 and 1.
        runbook: what to do about a reason code, in a paragraph.

    Raises:
        ValueError: where `confidence` is not strictly between 0 and 1.
    """
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence lies strictly between 0 and 1: {confidence!r} seen")
    runs = {"baseline": baseline, "candidate": candidate}
    pairing = paired(baseline, candidate, suite)
    withheld = withheld_because(baseline, candidate)
    classes = explored_classes(pairing, runs, confidence=confidence, withheld=withheld)
    flips = _flips(pairing)
    return Exploration(
        suite=None if suite is None else suite.file.name,
        confidence=confidence,
        baseline=_side(baseline),
        candidate=_side(candidate),
        notices=notices_of(baseline, candidate, pairing),
        classes=classes,
        flips=flips,
        trials=seen_trials(runs, pairing, {flip.scenario_id for flip in flips})[:_MOST_TRIALS],
        checklist=checklist_of(runs, suite, pairing, classes, runbook),
        litmus_nb=__version__,
    )


def _side(run: LooseRun) -> ExploredSide:
    return ExploredSide(
        source=run.source,
        digest=run.digest,
        policy=text(run, "policy.name"),
        run_id=text(run, "run_id"),
        judge=text(run, "judge.requested"),
        judge_digest=text(run, "judge.resolved_digest"),
        n_scenarios=len(run.tally.per_scenario),
        n_trials=run.tally.n_rows,
        trials_per_scenario=run.trials_per_scenario,
        is_trial_count_declared=run.is_trial_count_declared,
    )


def _flips(pairing: Pairing) -> list[Flip]:
    """Scenarios scored on both sides whose rates differ."""
    both = pairing.scenarios.filter((pl.col("n_scored_baseline") > 0) & (pl.col("n_scored_candidate") > 0))
    rated = both.with_columns(
        baseline_rate=pl.col("n_success_baseline") / pl.col("n_scored_baseline"),
        candidate_rate=pl.col("n_success_candidate") / pl.col("n_scored_candidate"),
    ).with_columns(rise=pl.col("candidate_rate") - pl.col("baseline_rate"))
    differing = rated.filter(pl.col("rise") != 0).sort(
        ["scenario_class", "rise", "scenario_id"], descending=[False, True, False]
    )
    return [
        Flip(
            scenario_id=row["scenario_id"],
            scenario_class=row["scenario_class"],
            family=row["family"],
            baseline_rate=round(row["baseline_rate"], 9),
            candidate_rate=round(row["candidate_rate"], 9),
            baseline_scored=row["n_scored_baseline"],
            candidate_scored=row["n_scored_candidate"],
        )
        for row in differing.iter_rows(named=True)
    ]


def seen_trials(runs: dict[str, LooseRun], pairing: Pairing, ids: set[str] | None = None) -> list[SeenTrial]:
    """The trials of both sides, by scenario, side and index.

    Args:
        runs: side to run.
        pairing: says class and family.
        ids: of the scenarios that are wanted; None: all.
    """
    known = {row["scenario_id"]: row for row in pairing.scenarios.iter_rows(named=True)}
    found: list[SeenTrial] = []
    for side in SIDES:
        for row in runs[side].trials.iter_rows(named=True):
            scenario = known.get(row["scenario_id"])
            if scenario is None or (ids is not None and row["scenario_id"] not in ids):
                continue
            found.append(
                SeenTrial.model_validate(
                    {
                        "side": side,
                        "scenario_id": row["scenario_id"],
                        "scenario_class": scenario["scenario_class"],
                        "family": scenario["family"],
                        "trial": row["trial"],
                        "status": row["status"],
                        "attack_success": row["label"],
                        "reason": row["reason"],
                        "excerpt": row["excerpt"],
                    }
                )
            )
    return sorted(found, key=lambda one: (one.scenario_id, one.side, one.trial))
