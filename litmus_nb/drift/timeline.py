"""The judge over time: each run's labels of the same items against the pinned ones, and when that changed."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import polars as pl
from statsmodels.stats.multitest import multipletests

from litmus_nb.contracts.drift import ALL, ChangeRow, Estimate, IdentityRow, RunPoint, Timeline
from litmus_nb.contracts.labels import LabelTable, Rater
from litmus_nb.drift.votes import estimate, human_votes, items_of, labels_of, votes_of
from litmus_nb.stats.change_point import ChangePoint, change_point, control_limits
from litmus_nb.stats.rates import mean_rate

__all__ = ["over_time"]

SHOWN_AT = 0.05
"""Adjusted p-value up to which a change is called shown."""
_LEAST_REFERENCE_RUNS = 3


@dataclass(frozen=True)
class _Run:
    run_id: str
    at: str | None
    requested: str
    digest: str | None
    items: pl.DataFrame
    """scenario_class | disagrees | is_positive | missed, one row an item with both votes."""


def over_time(table: LabelTable, pinned: Rater, name: str, *, confidence: float = 0.95) -> Timeline | None:
    """Disagreement with the pinned labels and missed attacks, run by run, as a control chart with its change points.

    Items that fewer than half of the runs labelled are left alone: a series must be about the same items throughout.

    Args:
        table: labels of the same items in several runs.
        pinned: whose labels are the reference; its own run is not among the points.
        name: the judge's requested name.
        confidence: two-sided, of each point's interval.

    Returns:
        None where no run but the pinned one labelled any of the pinned items.
    """
    frame = table.frame.filter((pl.col("rater") == name) & pl.col("run_id").is_not_null())
    seen = frame.group_by("item_id").agg(n=pl.col("run_id").n_unique())
    steady = seen.filter(pl.col("n") * 2 >= frame["run_id"].n_unique())["item_id"]
    is_steady = pl.col("item_id").is_in(steady.implode())
    reference = votes_of(labels_of(table, pinned)).filter(pl.col("vote").is_not_null() & is_steady)
    runs = [run for run in _runs(frame, reference, table) if run.run_id != pinned.run_id]
    if not runs:
        return None
    n_reference = min(len(runs), max(_LEAST_REFERENCE_RUNS, len(runs) // 3))
    classes = sorted({name for run in runs for name in run.items["scenario_class"]})
    shown = [ALL, *classes] if len(classes) > 1 else [ALL]
    points = [
        point for scenario_class in shown for point in _points(scenario_class, runs, runs[:n_reference], confidence)
    ]
    return Timeline(
        points=points,
        changes=_changes(shown, runs),
        identities=_identities(_runs(frame, reference, table)),
        reference_runs=[run.run_id for run in runs[:n_reference]],
    )


def _runs(frame: pl.DataFrame, reference: pl.DataFrame, table: LabelTable) -> list[_Run]:
    truth = human_votes(table).select("item_id", truth="vote")
    classes = items_of(table).select("item_id", "scenario_class")
    order = (
        frame.group_by("run_id")
        .agg(at=pl.col("at").min(), requested=pl.col("rater").first(), digests=pl.col("rater_digest").unique())
        .sort("at", "run_id", nulls_last=True)
    )
    runs = []
    for row in order.iter_rows(named=True):
        votes = votes_of(frame.filter(pl.col("run_id") == row["run_id"]))
        items = (
            reference.select("item_id", pinned="vote")
            .join(votes.select("item_id", now="vote"), on="item_id")
            .join(truth, on="item_id", how="left")
            .join(classes, on="item_id")
            .sort("item_id")
        )
        # What has no readable label now counts against the judge, as everywhere.
        disagrees = (pl.col("now") != pl.col("pinned")).fill_null(True)
        is_positive = pl.col("truth").fill_null(False)
        items = items.select(
            "scenario_class",
            disagrees=disagrees,
            is_positive=is_positive,
            missed=is_positive & ~pl.col("now").fill_null(False),
        )
        digests = row["digests"]
        digest = digests[0] if len(digests) == 1 else None
        if len(items):
            runs.append(_Run(row["run_id"], row["at"], row["requested"], digest, items))
    return runs


def _of(run: _Run, scenario_class: str) -> pl.DataFrame:
    return run.items if scenario_class == ALL else run.items.filter(pl.col("scenario_class") == scenario_class)


def _points(scenario_class: str, runs: list[_Run], reference: list[_Run], confidence: float) -> list[RunPoint]:
    before = [_of(run, scenario_class) for run in reference]
    n_before = sum(len(items) for items in before)
    rate = sum(int(items["disagrees"].sum()) for items in before) / n_before if n_before else None
    return [_point(run, scenario_class, rate, confidence) for run in runs]


def _point(run: _Run, scenario_class: str, rate: float | None, confidence: float) -> RunPoint:
    items = _of(run, scenario_class)
    n, positive = len(items), items.filter(pl.col("is_positive"))
    low, high = control_limits(rate, n) if rate is not None and n else (None, None)
    disagreements = int(items["disagrees"].sum())
    return RunPoint(
        run_id=run.run_id,
        at=run.at,
        digest=run.digest,
        scenario_class=scenario_class,
        n=n,
        n_disagreements=disagreements,
        disagreement=_rate(items["disagrees"], confidence, "no pinned item of this class was labelled in the run"),
        limit_low=low,
        limit_high=high,
        is_outside=bool(n and low is not None and high is not None and not low <= disagreements / n <= high),
        n_positive=len(positive),
        n_missed=int(positive["missed"].sum()),
        fnr=_rate(positive["missed"], confidence, "humans call no item here a success of the attack"),
    )


def _rate(values: pl.Series, confidence: float, because: str) -> Estimate:
    return estimate(mean_rate(values.cast(pl.Float64).to_list(), confidence) if len(values) else None, because)


def _changes(classes: list[str], runs: list[_Run]) -> list[ChangeRow]:
    """Every series with a change point, the clearest first; p-values adjusted over all series (Holm 1979)."""
    found: list[tuple[str, str, list[_Run], ChangePoint]] = []
    for scenario_class in classes:
        for measure, among in (("missed", "is_positive"), ("disagreements", None)):
            series = [(run, _of(run, scenario_class)) for run in runs]
            if among:
                series = [(run, items.filter(pl.col(among))) for run, items in series]
            series = [(run, items) for run, items in series if len(items)]
            column = "missed" if among else "disagrees"
            point = change_point([int(items[column].sum()) for _, items in series], [len(items) for _, items in series])
            if point is not None:
                found.append((scenario_class, measure, [run for run, _ in series], point))
    if not found:
        return []
    adjusted = multipletests([point.p_value for *_, point in found], method="holm")[1].tolist()
    rows = [_change(*entry, p_value=p) for entry, p in zip(found, adjusted, strict=True)]
    return sorted(rows, key=lambda row: (row.p_value, -abs(row.after - row.before), row.scenario_class, row.measure))


def _change(scenario_class: str, measure: str, runs: list[_Run], point: ChangePoint, *, p_value: float) -> ChangeRow:
    return ChangeRow.model_validate(
        {
            "scenario_class": scenario_class,
            "measure": measure,
            "first_run": runs[point.first_after].run_id,
            "at": runs[point.first_after].at,
            "plausible_runs": [runs[index].run_id for index in point.plausible],
            "before": round(point.before, 9),
            "after": round(point.after, 9),
            "p_value": p_value,
            "is_shown": p_value <= SHOWN_AT,
        }
    )


def _identities(runs: list[_Run]) -> list[IdentityRow]:
    return [
        IdentityRow(
            run_id=run.run_id,
            at=run.at,
            requested=run.requested,
            digest_before=before.digest,
            digest=run.digest,
            requested_changed=run.requested != before.requested,
        )
        for before, run in itertools.pairwise(runs)
        if run.digest != before.digest or run.requested != before.requested
    ]
