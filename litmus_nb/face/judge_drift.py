"""What the cells of the judge-drift notebook call, and what is pleasant in a scratch notebook.

from litmus_nb.face import judge_drift

case = judge_drift.investigate("labels.csv")     # or a polars or pandas frame, or several files
case                                             # is there drift?
case.where                                       # sentences and tables; .frame, .pandas() for the numbers
case.where.chart()                               # live in JupyterLab, a picture anywhere else
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
from pydantic import BaseModel

from litmus_nb.contracts.drift import DriftReport
from litmus_nb.contracts.drift_params import DriftParams
from litmus_nb.contracts.labels import LabelTable
from litmus_nb.drift.investigation import investigate as investigate_table
from litmus_nb.evidence.labels import label_table
from litmus_nb.face.handover import Handover
from litmus_nb.face.outputs import LiveChart
from litmus_nb.outcome.drift import leave_drift, read_label_sources
from litmus_nb.report.drift_charts import CHARTS
from litmus_nb.report.drift_page import Panel, panel_html, panels
from litmus_nb.report.phrases import plain

__all__ = ["Case", "Exhibit", "investigate"]


class Exhibit:
    """One step of an investigation: its sentences and tables on display, its numbers as frames."""

    def __init__(self, panel: Panel, report: DriftReport, rows: Sequence[BaseModel]) -> None:
        self._panel = panel
        self._report = report
        self._rows = rows

    @property
    def text(self) -> str:
        """What is answered, as plain sentences."""
        return "\n".join([*(plain(sentence) for sentence in self._panel.answers), *self._panel.steps])

    @property
    def frame(self) -> pl.DataFrame:
        """The numbers, unrounded for people: an estimate is three columns, NAME, NAME_low, NAME_high."""
        return pl.DataFrame([_flat(row) for row in self._rows], infer_schema_length=None)

    def pandas(self) -> Any:
        """The same as a pandas frame."""
        # Deferred: pandas costs half a second, and polars is enough for most.
        import pandas as pd

        return pd.DataFrame(self.frame.to_dict(as_series=False))

    def chart(self) -> LiveChart:
        """The picture of this step.

        Raises:
            ValueError: this step has no picture, or nothing to draw.
        """
        if self._panel.chart is None:
            raise ValueError(f"{self._panel.name!r} has no picture")
        return LiveChart(CHARTS[self._panel.chart](self._report, True), f"chart of {self._panel.chart}")

    def _repr_html_(self) -> str:
        return panel_html(self._panel)

    def __repr__(self) -> str:
        return f"{self._panel.question}\n{self.text}"


class Case:
    """An investigation. Each step is an exhibit; `report` has everything as fields."""

    def __init__(self, report: DriftReport, table: LabelTable) -> None:
        self.report = report
        self.table = table
        self._panels = panels(report)

    @property
    def drift(self) -> Exhibit:
        """Is there drift? The judge against its pinned labels."""
        return self._exhibit("drift", self.report.behaviour)

    @property
    def where(self) -> Exhibit:
        """Where? Flips both ways, agreement, and where disagreement gathers. `frame` is by class."""
        return self._exhibit("where", self.report.comparison.rows if self.report.comparison else [])

    @property
    def items(self) -> pl.DataFrame:
        """Every item that is labelled differently, with what humans say and its excerpt."""
        flipped = self.report.comparison.items if self.report.comparison else []
        return pl.DataFrame([_flat(item) for item in flipped], infer_schema_length=None)

    @property
    def humans(self) -> Exhibit:
        """Who is right? The humans among themselves, each judge against their majority."""
        return self._exhibit("humans", self.report.errors)

    @property
    def since(self) -> Exhibit:
        """Since when? Each run's labels of the same items; `frame` has a row per run and class."""
        return self._exhibit("since", self.report.timeline.points if self.report.timeline else [])

    @property
    def effects(self) -> Exhibit:
        """Agent or judge? An apparent change taken apart."""
        return self._exhibit("effects", self.report.decomposition.rows if self.report.decomposition else [])

    @property
    def rates(self) -> Exhibit:
        """What is the true rate behind the judge's labels?"""
        return self._exhibit("rates", self.report.corrected)

    @property
    def power(self) -> Exhibit:
        """How sure? What these items can show, and what cannot be said."""
        return self._exhibit("power", self.report.power)

    @property
    def next(self) -> Exhibit:
        """What next?"""
        return self._exhibit("next", [])

    def save(self, output_dir: str | Path) -> Path:
        """Leave report.html and drift.json; under the driver in its private folder. Gives the folder."""
        handover = Handover.received()
        folder = handover.private or Path(output_dir)
        leave_drift(self.report, folder)
        return folder

    def _exhibit(self, name: str, rows: Sequence[BaseModel]) -> Exhibit:
        return Exhibit(self._panels[name], self.report, rows)

    def _repr_html_(self) -> str:
        return self.drift._repr_html_()

    def __repr__(self) -> str:
        return repr(self.drift)


def investigate(labels: Any, *, output_dir: str = "unused", **parameters: Any) -> Case:
    """The investigation of labels.

    Args:
        labels: a path, several paths (label tables, run folders, READER:PATH), or a polars or pandas frame.
        output_dir: where `save` would leave its files; named here because a params file names it.
        parameters: those of a params file: pinned_judge, pinned_run, current_judge, current_run, baseline, candidate,
            max_fnr_rise, min_agreement, confidence.

    Raises:
        UnreadableInput: with everything that is wrong with the labels or the parameters.
        UsageError: a source names a reader that there is not.
    """
    is_paths = isinstance(labels, (str, Path, list, tuple))
    paths = [str(path) for path in ([labels] if isinstance(labels, (str, Path)) else labels)] if is_paths else ["frame"]
    params = DriftParams.read({"labels": paths, "output_dir": output_dir, **parameters}, file="parameters")
    table, digest = read_label_sources(params.labels) if is_paths else (label_table(labels), None)
    return Case(investigate_table(table, params.question, labels_sha256=digest), table)


def _flat(row: BaseModel) -> dict[str, Any]:
    """A row with its estimates as columns; what they lack is null, and the reason has a column of its own."""
    flat: dict[str, Any] = {}
    for name, value in row.model_dump().items():
        if isinstance(value, dict) and {"value", "low", "high", "because"} == set(value):
            flat |= {name: value["value"], f"{name}_low": value["low"], f"{name}_high": value["high"]}
            flat[f"{name}_because"] = value["because"]
        elif isinstance(value, dict):
            flat[name] = value.get("name")
        else:
            flat[name] = value
    return flat
