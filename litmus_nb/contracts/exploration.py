"""exploration.json: two runs set side by side without a gate. It decides nothing and has no word for a decision.

Rates are fractions of 1, deltas are candidate minus baseline, positive is worse. A number that is undefined is null and
`because` says why; it is never 0.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from litmus_nb.contracts.base import Count, Share, StrictModel
from litmus_nb.contracts.canonical import Digest
from litmus_nb.contracts.findings import Finding

__all__ = [
    "NOT_A_VERDICT",
    "BothSides",
    "ChecklistItem",
    "Exploration",
    "ExploredClass",
    "ExploredSide",
    "Flip",
    "Notice",
    "OneSided",
    "SeenTrial",
    "UnknownCount",
]

NOT_A_VERDICT = "exploration, not a verdict"
"""What stands on every page and every chart of an exploration."""

Delta = Annotated[float, Field(ge=-1, le=1)]
SideName = Literal["baseline", "candidate"]


class ExploredSide(StrictModel):
    """One of the two runs, as far as it says what it is."""

    source: str = Field(description="As it was asked for.")
    digest: Digest | None
    policy: str | None
    run_id: str | None
    judge: str | None = Field(description="Requested name of the judge.")
    judge_digest: str | None
    n_scenarios: Count
    n_trials: Count = Field(description="Rows.")
    trials_per_scenario: Annotated[int, Field(ge=1)]
    is_trial_count_declared: bool


class UnknownCount(StrictModel):
    """Trials without a label, of one side of one class. `absent`: declared, and no row."""

    side: SideName
    status: str
    reason: str | None
    n: Count


class BothSides(StrictModel):
    """A number of each side; null where it is undefined."""

    baseline: float | None
    candidate: float | None


class OneSided(StrictModel):
    """Scenarios that are scored on one side and not on the other, and how hard they are."""

    side: SideName = Field(description="The side on which they are scored.")
    n: Count
    rate: Share | None = Field(description="Attack success rate of these scenarios; always there.")
    rate_of_shared: Share | None = Field(description="Of the same side, on the scenarios scored on both.")
    examples: list[str]


class ExploredClass(StrictModel):
    """One class on both sides."""

    name: str
    n: Count = Field(description="Units (families, else scenarios) scored on both sides: what the delta is of.")
    n_scenarios: BothSides
    declared_trials: BothSides = Field(description="Scenarios of the side, times its trials.")
    rates: BothSides = Field(description="Attack success rates over the n units; where n is 0, of each side alone.")
    agreement: BothSides = Field(description="Share of declared trial pairs that agree; null with one trial.")
    delta: Delta | None
    ci_low: Delta | None = Field(description="The bound of RULE 4.3 over the n units.")
    ci_high: Delta | None
    bootstrap_low: Delta | None = Field(description="The percentile bootstrap; decides nothing anywhere.")
    bootstrap_high: Delta | None
    best_delta: Delta | None = Field(description="If every unknown spoke for the candidate.")
    worst_delta: Delta | None = Field(description="If every unknown spoke against it.")
    best_low: Delta | None = Field(description="The bound's lower end in the best case.")
    worst_high: Delta | None = Field(description="The bound's upper end in the worst case.")
    because: str | None = Field(description="Why delta and bounds are null.")
    unknowns: list[UnknownCount]
    one_sided: list[OneSided]
    n_worse: Count = Field(description="Scenarios whose rate rose by more than a half.")
    n_better: Count = Field(description="Scenarios whose rate fell by more than a half.")


class Flip(StrictModel):
    """A scenario whose outcome is another on the other side."""

    scenario_id: str
    scenario_class: str
    family: str | None
    baseline_rate: Share
    candidate_rate: Share
    baseline_scored: Count
    candidate_scored: Count


class SeenTrial(StrictModel):
    """One trial of one side, for a table or a chart."""

    side: SideName
    scenario_id: str
    scenario_class: str
    family: str | None
    trial: int
    status: str
    attack_success: bool | None
    reason: str | None
    excerpt: str | None


class Notice(StrictModel):
    """Something that stands at the top of the page, because what is below means less for it."""

    kind: Literal[
        "no common scenario",
        "one side empty",
        "one class only",
        "different suites",
        "different trial counts",
        "different judges",
        "judge unknown",
        "different tools",
        "edited scenarios",
        "classes differ",
        "same run",
        "nothing scored",
    ]
    subject: str = Field(description="What it is about; may be empty.")
    baseline: str
    candidate: str


class ChecklistItem(StrictModel):
    """Something that would have kept a gate from deciding, and what mending it takes."""

    finding: Finding
    cost: Annotated[int, Field(ge=1, le=5)] = Field(description="1 a line in a file .. 5 more scenarios.")
    cost_words: str
    action: str
    how: str = Field(description="What the runbook says to do; empty where it has no entry.")


class Exploration(StrictModel):
    """exploration.json as written."""

    schema_: Literal["litmus-nb/exploration/v1"] = Field(alias="schema", default="litmus-nb/exploration/v1")
    is_a_decision: Literal[False] = False
    suite: str | None = Field(description="Name of the suite; null: none was given.")
    confidence: Annotated[float, Field(gt=0, lt=1)]
    baseline: ExploredSide
    candidate: ExploredSide
    notices: list[Notice]
    classes: list[ExploredClass]
    flips: list[Flip] = Field(description="Scenarios whose rate differs, by class, the greatest rise first.")
    trials: list[SeenTrial] = Field(default=[], description="The trials of the scenarios that differ, at most 5,000.")
    checklist: list[ChecklistItem] = Field(description="In order of what mending takes.")
    litmus_nb: str
