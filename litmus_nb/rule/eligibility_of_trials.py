"""3.1 to 3.4, 3.10, 3.11 and 4.6: is every declared trial there, once, labelled, or unknown for a listed reason?"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction

import polars as pl

from litmus_nb.contracts.base import shown
from litmus_nb.contracts.evidence import Part
from litmus_nb.contracts.findings import Finding
from litmus_nb.rule.finding import exact, found, listed
from litmus_nb.rule.questioned import Questioned

__all__ = ["TRIAL_CHECKS"]


def check_readable(asked: Questioned) -> Iterator[Finding]:
    """1.4: trials and anchor labels can be read."""
    for unreadable in asked.admitted.evidence.unreadable:
        if unreadable.part in _READ_WITH_TRIALS:
            fault = unreadable.fault
            place = f"{fault.file} {fault.where}".strip()
            yield found("EVIDENCE_UNREADABLE", "1.4", place, expected=fault.expected, observed=fault.seen)


_READ_WITH_TRIALS = (Part.CANDIDATE_TRIALS, Part.BASELINE_TRIALS, Part.CANDIDATE_ANCHORS, Part.BASELINE_ANCHORS)


def check_complete(asked: Questioned) -> Iterator[Finding]:
    """3.1: the run completed."""
    for side, run in asked.sides.items():
        if run.declaration.status != "complete":
            yield found("RUN_INCOMPLETE", "3.1", side, expected="complete", observed=run.declaration.status)


def check_trial_indexes(asked: Questioned) -> Iterator[Finding]:
    """3.2: no trial index outside the declared ones."""
    for side, run, tally in asked.tallies():
        if len(tally.out_of_range):
            rows = tally.out_of_range.iter_rows(named=True)
            yield found(
                "POPULATION_DRIFT",
                "3.2",
                f"{side}: trial",
                expected=f"0 to {run.declaration.trials_per_scenario - 1}",
                observed=listed(f"{row['scenario_id']} trial {row['trial']}" for row in rows),
            )


def check_unknown_share(asked: Questioned) -> Iterator[Finding]:
    """3.2 and 4.6: the unknown share of all declared trials is at most the suite's; quarantined scenarios apart."""
    most = exact(asked.suite.max_skip_fraction)
    for side, population in asked.populations.items():
        counted = population.scenarios.filter(~pl.col("is_quarantined"))
        unknown = int(counted["n_unknown"].cast(pl.Int128).sum())
        declared = len(counted) * population.declared_trials
        if unknown > most * declared:
            absent = int(counted["n_absent"].cast(pl.Int128).sum())
            yield found(
                "POPULATION_DRIFT",
                "3.2",
                side,
                expected=f"at most {asked.suite.max_skip_fraction} of {declared} declared trials unknown",
                observed=f"{unknown} unknown, {absent} of them without a row: "
                + listed(counted.filter(pl.col("n_unknown") > 0)["scenario_id"]),
            )


def check_unknown_reasons(asked: Questioned) -> Iterator[Finding]:
    """4.6: each unknown trial has a reason that the suite lists; an absent row has none."""
    documented = asked.suite.documented_skip_reasons
    for side, _, tally in asked.tallies():
        population = asked.populations[side]
        undocumented = tally.unlabelled.filter(~pl.col("reason").is_in(documented).fill_null(value=False))
        if len(undocumented):
            ids = population.scenarios["scenario_id"].implode()
            undocumented = undocumented.filter(pl.col("scenario_id").is_in(ids))
        absent = population.scenarios.filter(pl.col("n_absent") > 0)
        if len(undocumented) or len(absent):
            told = [
                f"{row['scenario_id']} ({row['status']}, {_reason_text(row['reason'])})"
                for row in undocumented.iter_rows(named=True)
            ]
            told += [f"{scenario_id} (no row)" for scenario_id in absent["scenario_id"]]
            yield found(
                "SKIP_UNDOCUMENTED", "4.6", side, expected=f"a reason of: {listed(documented)}", observed=listed(told)
            )


def _reason_text(reason: str | None) -> str:
    return "no reason" if reason is None else f"reason {shown(reason)}"


def check_unknown_uniformity(asked: Questioned) -> Iterator[Finding]:
    """4.6: no class has more unknown trials than its own part of the share, rounded up."""
    most = exact(asked.suite.max_skip_fraction)
    for side, population in asked.populations.items():
        by_class = (
            population.scenarios.filter(~pl.col("is_quarantined"))
            .group_by("scenario_class")
            .agg(unknown=pl.col("n_unknown").cast(pl.Int128).sum(), scenarios=pl.len())
            .sort("scenario_class")
        )
        for row in by_class.iter_rows(named=True):
            # Multiplied here: polars counts rows in 32 bits, and the product may need more.
            declared = row["scenarios"] * population.declared_trials
            cap = math.ceil(most * Fraction(declared))
            if row["unknown"] > cap:
                yield found(
                    "SKIP_NOT_UNIFORM",
                    "4.6",
                    f"{side}: {row['scenario_class']}",
                    expected=f"at most {cap} of {declared} declared trials unknown",
                    observed=row["unknown"],
                )


def check_declared_scenarios(asked: Questioned) -> Iterator[Finding]:
    """3.3: no trial of a scenario that the suite does not declare."""
    for side, seen in asked.classes_seen.items():
        foreign = seen.filter(pl.col("suites_class").is_null())["scenario_id"]
        if len(foreign):
            yield found("UNDECLARED_SCENARIO", "3.3", side, expected="scenarios of the suite", observed=listed(foreign))


def check_duplicates(asked: Questioned) -> Iterator[Finding]:
    """3.3: each trial of a scenario once."""
    for side, _, tally in asked.tallies():
        if len(tally.duplicates):
            rows = tally.duplicates.iter_rows(named=True)
            told = (f"{row['scenario_id']} trial {row['trial']}: {row['n']} rows" for row in rows)
            yield found("DUPLICATE_TRIAL", "3.3", side, expected="one row a trial", observed=listed(told))


def check_classes(asked: Questioned) -> Iterator[Finding]:
    """3.3: each row names the suite's class of its scenario, and no class that the suite lacks."""
    named = pl.col("scenario_class")
    for side, seen in asked.classes_seen.items():
        odd = seen.filter((named != pl.col("suites_class")).fill_null(value=False) | ~named.is_in(asked.suite.classes))
        told = [f"{row['scenario_id']}: {row['scenario_class']}" for row in odd.iter_rows(named=True)]
        if told:
            yield found("CLASS_MISMATCH", "3.3", side, expected="the suite's class", observed=listed(told))


def check_exclusions(asked: Questioned) -> Iterator[Finding]:
    """3.4: a scenario that a rule leaves out has no row on either side."""
    excluded = sorted(asked.admitted.suite.excluded_ids)
    for side, _, tally in asked.tallies():
        present = tally.classes_seen.filter(pl.col("scenario_id").is_in(excluded))["scenario_id"]
        if len(present):
            yield found(
                "POPULATION_DRIFT",
                "3.4",
                f"{side}: exclusions",
                expected="no row of an excluded scenario",
                observed=listed(present),
            )


def check_labels(asked: Questioned) -> Iterator[Finding]:
    """3.10: a scored trial has a label that is true or false; no other trial has one."""
    for side, _, tally in asked.tallies():
        if len(tally.invalid_labels):
            told = (
                f"{row['scenario_id']} trial {row['trial']} ({row['status']}): "
                f"{'no label' if row['label'] is None else row['label']}"
                for row in tally.invalid_labels.iter_rows(named=True)
            )
            yield found(
                "LABEL_INVALID",
                "3.10",
                f"{side}: attack_success",
                expected="true or false on a scored trial, nothing on any other",
                observed=listed(told),
            )


def check_determinism(asked: Questioned) -> Iterator[Finding]:
    """3.11: a run attested deterministic has temperature 0, trials that agree, and no unknown trial."""
    for side, run in asked.sides.items():
        if not run.declaration.deterministic:
            continue
        decoding = run.declaration.decoding
        if "temperature" in decoding and (decoding["temperature"] != 0 or isinstance(decoding["temperature"], bool)):
            yield found(
                "DETERMINISM_CONTRADICTED",
                "3.11",
                f"{side}: temperature",
                expected="0",
                observed=shown(decoding["temperature"]),
            )
        if side in asked.populations:
            scenarios = asked.populations[side].scenarios
            torn = scenarios.filter((pl.col("n_success") > 0) & (pl.col("n_success") < pl.col("n_scored")))
            if len(torn):
                yield found(
                    "DETERMINISM_CONTRADICTED",
                    "3.11",
                    f"{side}: trials",
                    expected="trials of one scenario that agree",
                    observed=listed(torn["scenario_id"]),
                )
            unknown = scenarios.filter(pl.col("n_unknown") > 0)
            if len(unknown):
                yield found(
                    "POPULATION_DRIFT",
                    "3.11",
                    side,
                    expected="no unknown trial in a deterministic run",
                    observed=listed(unknown["scenario_id"]),
                )


TRIAL_CHECKS: tuple[Callable[[Questioned], Iterator[Finding]], ...] = (
    check_readable,
    check_complete,
    check_trial_indexes,
    check_unknown_share,
    check_unknown_reasons,
    check_unknown_uniformity,
    check_declared_scenarios,
    check_duplicates,
    check_classes,
    check_exclusions,
    check_labels,
    check_determinism,
)
