"""Imported trials against the suite that they are said to be about. States facts with their code, decides nothing."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from litmus_nb.contracts.base import shown
from litmus_nb.contracts.evidence import SuiteEvidence
from litmus_nb.contracts.run import RunFile
from litmus_nb.errors import Fault

__all__ = ["ImportedTrials", "against_suite", "trials_file_of"]

_MOST_FAULTS = 10


@dataclass(frozen=True)
class ImportedTrials:
    """What the trials are, and what of the suite they contradict."""

    n_scenarios: int
    n_absent: int
    """Declared trials of scenarios that are not excluded, without a row."""
    unknown: Mapping[tuple[str, str | None], int]
    """Status and reason of the trials that have no label, to their number."""
    refusals: Mapping[str, tuple[Fault, ...]]
    """Reason code to what is contradicted; empty where the run is about the suite."""


def against_suite(rows: pl.DataFrame, declaration: RunFile, suite: SuiteEvidence) -> ImportedTrials:
    """The facts of imported rows that only the suite can tell."""
    classes = {scenario.id: scenario.scenario_class for scenario in suite.scenarios}
    due = (len(classes) - len(suite.excluded_ids)) * declaration.trials_per_scenario
    seen = dict(rows.select("scenario_id", "scenario_class").unique(maintain_order=True).iter_rows())
    refusals: dict[str, tuple[Fault, ...]] = {}
    if declaration.manifest_hash != suite.manifest_hash:
        fault = Fault(
            "suite", "manifest hash", f"what the run declares, {declaration.manifest_hash}", suite.manifest_hash
        )
        refusals["PROBE_SET_DRIFT"] = (fault,)
    if undeclared := sorted(set(seen) - set(classes)):
        expected = "scenarios of the suite only"
        faults = [Fault("trials", "", expected, shown(id_)) for id_ in undeclared[:_MOST_FAULTS]]
        more = Fault("trials", "", expected, f"{len(undeclared)} that it lacks")
        refusals["UNDECLARED_SCENARIO"] = (*faults, more)
    if wrong := sorted(id_ for id_ in set(seen) & set(classes) if seen[id_] != classes[id_]):
        refusals["CLASS_MISMATCH"] = tuple(
            Fault("trials", id_, f"the suite's class {shown(classes[id_])}", shown(seen[id_]))
            for id_ in wrong[:_MOST_FAULTS]
        )
    unlabelled = rows.filter(pl.col("label").is_null()).group_by("status", "reason").agg(n=pl.len())
    unknown = {(status, reason): n for status, reason, n in unlabelled.sort("status", "reason").iter_rows()}
    in_range = rows.filter(pl.col("trial").is_between(0, declaration.trials_per_scenario - 1))
    present = in_range.filter(pl.col("scenario_id").is_in(list(classes))).select("scenario_id", "trial").n_unique()
    return ImportedTrials(len(seen), max(0, due - present), unknown, refusals)


def trials_file_of(rows: pl.DataFrame) -> bytes:
    """The rows as the bytes of a trials.parquet."""
    frame = rows.drop("label_fault").rename({"label": "attack_success"}).sort("scenario_id", "trial")
    buffer = io.BytesIO()
    frame.write_parquet(buffer)
    return buffer.getvalue()
