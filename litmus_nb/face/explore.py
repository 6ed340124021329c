"""What the cells of the exploration notebook call, and what is pleasant in a scratch notebook. It decides nothing.

seen = litmus_nb.explore("runs/baseline", "inspect:logs/candidate.eval")
seen                                        # what stands at the top, the classes, how far from a gate
seen.flips_chart()                          # live in JupyterLab: click a scenario for its trials
seen.select(scenario_class="tool-misuse").export("selection.csv")
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from litmus_nb.contracts.exploration import Exploration, SeenTrial
from litmus_nb.errors import UsageError
from litmus_nb.exploration.explore import seen_trials
from litmus_nb.exploration.pairing import paired
from litmus_nb.face.outputs import LiveChart
from litmus_nb.files import replace_file
from litmus_nb.outcome.exploration import explored, leave_exploration, read_sides
from litmus_nb.report.exploration_charts import flips_chart, forest_chart, missing_chart
from litmus_nb.report.exploration_page import exploration_html, exploration_text
from litmus_nb.report.phrases import plain, with_code
from litmus_nb.report.text import csv_cell, safe_text

__all__ = ["Exploring", "Selection", "explore"]

_TRIALS = {
    "side": pl.String,
    "scenario": pl.String,
    "class": pl.String,
    "family": pl.String,
    "trial": pl.Int64,
    "status": pl.String,
    "attack_success": pl.Boolean,
    "reason": pl.String,
    "excerpt": pl.String,
}


@dataclass(frozen=True)
class Selection:
    """Some trials of both sides."""

    trials: tuple[SeenTrial, ...]

    @property
    def frame(self) -> pl.DataFrame:
        """A row a trial; every text of the evidence cleaned."""
        return pl.DataFrame([_row(trial) for trial in self.trials], schema=_TRIALS)

    def export(self, path: str | Path) -> Path:
        """Write the selection as CSV (no cell is a formula) or, by its ending, as JSON Lines.

        Raises:
            UsageError: the name ends otherwise, or the file is there already.
        """
        target = Path(path)
        if target.exists():
            raise UsageError(f"{target} is there already; a selection never overwrites")
        if target.suffix == ".jsonl":
            content = "".join(trial.model_dump_json() + "\n" for trial in self.trials)
        elif target.suffix == ".csv":
            texts = [name for name, kind in _TRIALS.items() if kind == pl.String]
            safe = [pl.col(name).map_elements(csv_cell, return_dtype=pl.String) for name in texts]
            content = self.frame.with_columns(safe).write_csv()
        else:
            raise UsageError(f"{target}: a name that ends in .csv or .jsonl expected")
        replace_file(target, content.encode())
        return target

    def __len__(self) -> int:
        return len(self.trials)

    def __repr__(self) -> str:
        return f"{len(self.trials)} trials\n{self.frame}"

    def _repr_html_(self) -> str:
        return self.frame._repr_html_()


class Exploring:
    """Two runs side by side. `exploration` has everything as fields."""

    def __init__(self, exploration: Exploration, trials: Iterable[SeenTrial]) -> None:
        self.exploration = exploration
        self._trials = tuple(trials)

    @property
    def frame(self) -> pl.DataFrame:
        """A row a class; undefined numbers are null, and `because` says why."""
        rows = [
            {
                "class": safe_text(row.name),
                "n": row.n,
                "baseline": row.rates.baseline,
                "candidate": row.rates.candidate,
                "change": row.delta,
                "low": row.ci_low,
                "high": row.ci_high,
                "if best": row.best_delta,
                "if worst": row.worst_delta,
                "unknown": sum(count.n for count in row.unknowns),
                "because": row.because,
            }
            for row in self.exploration.classes
        ]
        numbers = ("baseline", "candidate", "change", "low", "high", "if best", "if worst")
        kinds = {"class": pl.String, "n": pl.Int64, **dict.fromkeys(numbers, pl.Float64), "unknown": pl.Int64}
        return pl.DataFrame(rows, schema=kinds | {"because": pl.String})

    @property
    def checklist(self) -> pl.DataFrame:
        """What a gate would have said, the cheapest to mend first."""
        rows = [
            {
                "code": item.finding.code,
                "about": safe_text(item.finding.subject),
                "to mend it": item.cost_words,
                "do": plain(with_code(item.action)),
            }
            for item in self.exploration.checklist
        ]
        return pl.DataFrame(rows, schema=dict.fromkeys(("code", "about", "to mend it", "do"), pl.String))

    def select(
        self,
        *,
        scenario_class: str | None = None,
        family: str | None = None,
        status: str | None = None,
        scenario: str | None = None,
        differing: bool = True,
    ) -> Selection:
        """Trials of both sides; every condition that is given holds.

        Args:
            scenario_class, family, scenario: as the evidence writes them.
            status: scored, error, timeout, skipped, cancelled, unparsed.
            differing: only scenarios that came out differently.
        """
        flipped = {flip.scenario_id for flip in self.exploration.flips}
        wanted = {"scenario_class": scenario_class, "family": family, "status": status, "scenario_id": scenario}
        chosen = [
            trial
            for trial in self._trials
            if (not differing or trial.scenario_id in flipped)
            and all(value is None or getattr(trial, name) == value for name, value in wanted.items())
        ]
        return Selection(tuple(chosen))

    def forest_chart(self) -> LiveChart:
        """The change of each class with its interval. Raises ValueError where no class has one."""
        return LiveChart(forest_chart(self.exploration), "the change of each class; no verdict")

    def missing_chart(self) -> LiveChart:
        """What became of the declared trials. Raises ValueError where there is no class."""
        return LiveChart(missing_chart(self.exploration), "what became of the trials; no verdict")

    def flips_chart(self) -> LiveChart:
        """Scenarios that came out differently; click one for its trials. Raises ValueError where there is none."""
        chart = flips_chart(self.exploration, self.select().trials)
        return LiveChart(chart, "scenarios that came out differently; no verdict")

    def save(self, folder: str | Path) -> Path:
        """Leave exploration.html and exploration.json. Gives the folder."""
        leave_exploration(self.exploration, Path(folder))
        return Path(folder)

    def _repr_html_(self) -> str:
        return exploration_html(self.exploration)

    def __repr__(self) -> str:
        return exploration_text(self.exploration)


def explore(
    baseline: str | Path,
    candidate: str | Path,
    *,
    suite: str | Path | None = None,
    declarations: str | Path | None = None,
    confidence: float = 0.95,
) -> Exploring:
    """Two runs side by side: what `litmus-nb explore` shows, for a notebook. Not a verdict.

    Args:
        baseline, candidate: a run folder, or READER:PATH.
        suite: the suite.yaml that both should be runs of.
        declarations: NAME.litmus.yaml for logs that have none beside them.
        confidence: two-sided, of all intervals; strictly between 0 and 1.

    Raises:
        UnreadableInput: with the faults of everything that cannot be read.
        UsageError: a source names a reader that there is not.
        ValueError: where `confidence` is not strictly between 0 and 1.
    """
    first, second, read = read_sides(
        str(baseline),
        str(candidate),
        suite=None if suite is None else Path(suite),
        declarations=None if declarations is None else Path(declarations),
    )
    seen = explored(first, second, read, confidence=confidence)
    runs = {"baseline": first, "candidate": second}
    return Exploring(seen, seen_trials(runs, paired(first, second, read)))


def _row(trial: SeenTrial) -> dict[str, object]:
    return {
        "side": trial.side,
        "scenario": safe_text(trial.scenario_id),
        "class": safe_text(trial.scenario_class),
        "family": None if trial.family is None else safe_text(trial.family),
        "trial": trial.trial,
        "status": safe_text(trial.status),
        "attack_success": trial.attack_success,
        "reason": None if trial.reason is None else safe_text(trial.reason),
        "excerpt": None if trial.excerpt is None else safe_text(trial.excerpt, limit=600),
    }
