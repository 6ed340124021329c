"""What the cells of the power notebook call: a plan of the gate's classes, as tables and charts. It decides nothing."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

import polars as pl

from litmus_nb.contracts.params import GateParams
from litmus_nb.face.outputs import LiveChart
from litmus_nb.outcome.decide import decided
from litmus_nb.outcome.planner import ClassPlan, plans
from litmus_nb.report.power_charts import pass_chances, shown_chances

__all__ = ["Planned", "plan"]

SIZES = (20, 40, 70, 100, 150, 220, 330, 500, 750, 1000)
RISES = tuple(step / 100 for step in range(2, 31, 4))


@dataclass(frozen=True)
class Planned:
    """The plans of a gate's classes."""

    classes: tuple[ClassPlan, ...]
    probability: float

    @property
    def frame(self) -> pl.DataFrame:
        """A row per class: what there is, what a PASS needs, what is shown."""
        return pl.DataFrame(
            {
                "class": [one.name for one in self.classes],
                "n": [one.n for one in self.classes],
                "trials": [one.trials for one in self.classes],
                "chance of a PASS": [None if one.now is None else one.now.passes for one in self.classes],
                "n for a PASS": [one.n_to_pass for one in self.classes],
                "smallest rise shown": [one.smallest_shown for one in self.classes],
                "n that would have decided": [one.n_to_decide for one in self.classes],
            },
            schema={
                "class": pl.String,
                "n": pl.Int64,
                "trials": pl.Int64,
                "chance of a PASS": pl.Float64,
                "n for a PASS": pl.Int64,
                "smallest rise shown": pl.Float64,
                "n that would have decided": pl.Int64,
            },
        )

    @property
    def by_trials(self) -> pl.DataFrame:
        """Scenarios for a PASS: a row per class, a column per number of trials."""
        rows = [
            {"class": one.name} | {f"{k} trials": n for k, n in one.n_to_pass_by_trials.items()} for one in self.classes
        ]
        return pl.DataFrame(rows)

    def pass_chart(self) -> LiveChart:
        """The chance of a PASS against scenarios and trials. Raises ValueError where no class can be planned."""
        rows = [row for one in self.classes for row in one.pass_chances(SIZES)]
        return LiveChart(pass_chances(rows, probability=self.probability), "the chance of a PASS")

    def shown_chart(self) -> LiveChart:
        """The chance that a rise is shown against its size. Raises ValueError where no class can be planned."""
        rows = [row for one in self.classes for row in one.shown_chances(RISES)]
        return LiveChart(shown_chances(rows, probability=self.probability), "the chance that a rise is shown")


def plan(*, gate: str, candidate: str, as_of: str, probability: float, disagreement: float | None = None) -> Planned:
    """Plan the classes of a gate.

    Args:
        gate: path of gate.yaml.
        candidate: a run folder, or READER:PATH; it may be a run that is only planned.
        as_of: the day that ages are counted from, as in a params file.
        probability: wanted of a PASS, of a rise shown, of a decision.
        disagreement: how often two trials of one scenario differ, where the baseline cannot say.

    Raises:
        UsageError: there is no gate, no suite or no baseline with trials to plan from.
        ValueError: `as_of` is no day.
    """
    params = GateParams(gate=gate, candidate=candidate, output_dir="unused", as_of=as_of)
    result = decided(params, as_of=date.fromisoformat(as_of), run_id="power")
    found = plans(result.verdict, result.evidence, probability=probability, disagreement=disagreement)
    return Planned(tuple(found), probability)
