"""Which scenarios the two sides share, which they do not, and what became of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from litmus_nb.contracts.evidence import SuiteEvidence
from litmus_nb.contracts.loose_run import LooseRun

__all__ = ["SIDES", "Pairing", "paired"]

SIDES = ("baseline", "candidate")


@dataclass(frozen=True)
class Pairing:
    """The scenarios of both sides, one row each."""

    scenarios: pl.DataFrame
    """scenario_id | scenario_class | family | has_baseline | has_candidate | and of each SIDE: n_scored_SIDE,
    n_success_SIDE; sorted by id. Scenarios that cannot be paired are not in it."""
    edited: tuple[str, ...]
    """Scenarios whose content differs between the sides, as their hashes say. Left out."""
    torn: Mapping[str, tuple[str, ...]]
    """Scenarios that are of several classes, to those. Left out."""

    @property
    def n_shared(self) -> int:
        """How many scenarios both sides have."""
        return len(self.scenarios.filter(pl.col("has_baseline") & pl.col("has_candidate")))


def paired(baseline: LooseRun, candidate: LooseRun, suite: SuiteEvidence | None) -> Pairing:
    """The scenarios of both sides. A suite says their class and family, and which of them there should be."""
    sides = {"baseline": baseline, "candidate": candidate}
    classes, torn = _classes(sides, suite)
    families = {} if suite is None else {one.id: one.family for one in suite.scenarios}
    edited = _edited(sides)
    ids = sorted(set(classes) - set(edited) - set(torn))
    frame = pl.DataFrame(
        {
            "scenario_id": ids,
            "scenario_class": [classes[id_] for id_ in ids],
            "family": [families.get(id_) for id_ in ids],
        },
        schema={"scenario_id": pl.String, "scenario_class": pl.String, "family": pl.String},
    )
    for side, run in sides.items():
        counts = run.tally.per_scenario.select(
            "scenario_id",
            pl.col("n_scored").alias(f"n_scored_{side}"),
            pl.col("n_success").alias(f"n_success_{side}"),
            pl.lit(value=True).alias(f"has_{side}"),
        )
        frame = frame.join(counts, on="scenario_id", how="left", maintain_order="left").with_columns(
            pl.col(f"n_scored_{side}", f"n_success_{side}").fill_null(0),
            pl.col(f"has_{side}").fill_null(value=False),
        )
    return Pairing(frame, tuple(edited), torn)


def _classes(
    sides: Mapping[str, LooseRun], suite: SuiteEvidence | None
) -> tuple[dict[str, str], dict[str, tuple[str, ...]]]:
    """Scenario to class, and the scenarios that are of several. With a suite, only its scenarios and its classes."""
    if suite is not None:
        excluded = suite.excluded_ids
        return {one.id: one.scenario_class for one in suite.scenarios if one.id not in excluded}, {}
    seen: dict[str, set[str]] = {}
    for run in sides.values():
        for id_, name in run.tally.classes_seen.select("scenario_id", "scenario_class").iter_rows():
            seen.setdefault(id_, set()).add(name)
    torn = {id_: tuple(sorted(names)) for id_, names in seen.items() if len(names) > 1}
    return {id_: next(iter(names)) for id_, names in seen.items() if len(names) == 1}, torn


def _edited(sides: Mapping[str, LooseRun]) -> list[str]:
    """Scenarios of one id and two contents, where both sides say what the content was."""
    hashes: list[dict[str, str]] = []
    for run in sides.values():
        said = run.tally.scenario_hashes
        if said is None:
            return []
        known = said.drop_nulls("scenario_sha256").sort("scenario_id", "scenario_sha256")
        hashes.append(dict(known.select("scenario_id", "scenario_sha256").iter_rows()))
    first, second = hashes
    return sorted(id_ for id_ in set(first) & set(second) if first[id_] != second[id_])
