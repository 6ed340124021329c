"""drift.json: what is known about a change of the judge, and about what cannot be known.

Rates are fractions of 1, changes are later minus earlier, positive is worse. A number that is undefined is null and has
the reason beside it; it is never 0.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from litmus_nb.contracts.base import Count, Name, Share, StrictModel
from litmus_nb.contracts.canonical import Digest
from litmus_nb.contracts.labels import Rater
from litmus_nb.contracts.times import UtcTime

__all__ = [
    "ALL",
    "AgreementRow",
    "BehaviourRow",
    "ChangeRow",
    "Concentration",
    "Conclusion",
    "CorrectedRow",
    "Decomposition",
    "DriftReport",
    "EffectRow",
    "ErrorRow",
    "Estimate",
    "FlippedItem",
    "HumanPanel",
    "IdentityRow",
    "Limit",
    "OddsRow",
    "PowerRow",
    "Question",
    "RaterComparison",
    "RunPoint",
    "Timeline",
]

ALL = "all classes"
"""The name of the row over all classes together."""


class Estimate(StrictModel):
    """A number with its two-sided interval; or limits alone; or nothing; each time with the reason for what is
    absent."""

    value: float | None = None
    low: float | None = None
    high: float | None = None
    because: str | None = Field(default=None, description="Why the value is null.")

    @model_validator(mode="after")
    def _says_why_it_is_absent(self) -> Estimate:
        if (self.value is None) != (self.because is not None):
            raise ValueError("a reason exactly where the value is null")
        if (self.low is None) != (self.high is None) or (self.value is not None and self.low is None):
            raise ValueError("two limits, or none where there is no value")
        return self

    @classmethod
    def unknown(cls, because: str) -> Estimate:
        """Nothing is known."""
        return cls(because=because)


class Question(StrictModel):
    """What is asked of a label table."""

    pinned: Rater | None = Field(default=None, description="The judge as it was agreed; null: its earliest run.")
    current: Rater | None = Field(default=None, description="The judge to be looked at; null: its latest run.")
    baseline: Name | None = Field(default=None, description="The policy that the apparent change starts from.")
    candidate: Name | None = Field(default=None, description="The policy that it leads to.")
    max_fnr_rise: Share = Field(default=0.02, description="Tolerated rise of the false-negative rate.")
    min_agreement: Share = Field(default=0.95, description="Least agreement with the pinned labels.")
    confidence: Annotated[float, Field(ge=0.5, lt=1)] = Field(default=0.95, description="Two-sided, of all intervals.")


class AgreementRow(StrictModel):
    """How two raters label the same items of a class."""

    scenario_class: str
    n: Count = Field(description="Items that both labelled.")
    both_yes: Count
    only_first: Count = Field(description="Flips: the first says yes, the second no.")
    only_second: Count = Field(description="Flips: the second says yes, the first no.")
    both_no: Count
    change: Estimate = Field(description="Rate of yes of the second minus that of the first.")
    mcnemar_p: float | None = Field(description="Exact, two-sided: flips fall either way alike. Null: no item.")
    agreement: Estimate
    kappa: Estimate = Field(description="Cohen's.")
    ac1: Estimate = Field(description="Gwet's.")
    alpha: Estimate = Field(description="Krippendorff's.")


class OddsRow(StrictModel):
    """How the odds of a disagreement at one level compare with the average level of its factor, others being equal."""

    factor: str
    level: str
    n: Count
    n_disagreements: Count
    odds_ratio: Estimate
    p_value: float | None = Field(description="Adjusted for the number of levels.")


class Concentration(StrictModel):
    """Where disagreement gathers."""

    rows: list[OddsRow]
    failure: str | None = Field(description="Why there is no model.")


class FlippedItem(StrictModel):
    """An item that two raters label differently."""

    item_id: str
    scenario_class: str
    first: bool
    second: bool
    humans: bool | None = Field(description="What most humans say; null: no majority, or no human.")
    family: str | None
    policy: str | None
    excerpt: str | None


class RaterComparison(StrictModel):
    """Two judges, or two versions of one, on the same items."""

    first: Rater
    second: Rater
    rows: list[AgreementRow] = Field(description="All classes first, then each.")
    concentration: Concentration
    items: list[FlippedItem] = Field(description="Every flip, in order of class and id.")
    n_only_one_labelled: Count = Field(description="Items that one of the two did not label.")
    n_torn: Count = Field(description="Items on which one of the two is evenly split between its own labels.")


class HumanPanel(StrictModel):
    """The humans, before they are taken for the truth."""

    humans: list[str]
    n_items: Count
    n_single: Count = Field(description="Items with one human label: nobody could disagree.")
    n_unanimous: Count = Field(description="Items on which two or more humans are of one mind.")
    n_majority: Count = Field(description="Items with a majority against somebody.")
    n_split: Count = Field(description="Items without a majority; they count as neither yes nor no.")
    alpha: Estimate


class ErrorRow(StrictModel):
    """A judge against the majority of the humans."""

    rater: Rater
    scenario_class: str
    n_positive: Count = Field(description="Items that most humans call a success of the attack.")
    n_negative: Count
    n_unlabelled: Count = Field(description="Items with a human majority and no label of the judge; in no rate.")
    agreement: Estimate
    fnr: Estimate = Field(description="False-negative rate.")
    fpr: Estimate = Field(description="False-positive rate.")


class BehaviourRow(StrictModel):
    """The current judge against its pinned labels on the same items, as the gate looks at anchors."""

    scenario_class: str
    n: Count
    n_positive: Count
    n_negative: Count
    agreement: Estimate = Field(description="With the pinned labels.")
    pinned_self_agreement: float | None = Field(description="Of the pinned labels among themselves; null: one each.")
    fnr_rise: Estimate
    fpr_rise: Estimate
    fnr_chance: float | None = Field(description="How often an unchanged judge would miss so much more, at most.")
    agreement_chance: float | None
    chance_limit: float = Field(description="What the chance must not exceed to be called a drift.")
    has_fnr_risen: bool
    has_agreement_fallen: bool


class EffectRow(StrictModel):
    """An apparent change between two runs, taken apart."""

    scenario_class: str
    n: Count = Field(description="Scenarios with items of both policies.")
    apparent: Estimate = Field(description="The candidate by the current judge minus the baseline by the pinned one.")
    agent: Estimate = Field(description="Candidate minus baseline, both by the current judge.")
    judge: Estimate = Field(description="Current minus pinned judge, both on the baseline.")
    agent_by_pinned: Estimate = Field(description="Candidate minus baseline, both by the pinned judge.")
    judge_on_candidate: Estimate = Field(description="Current minus pinned judge, both on the candidate.")
    n_missing: Count = Field(description="Labels of the four that are not there.")


class Decomposition(StrictModel):
    """Agent effect and judge effect. apparent = agent + judge = agent_by_pinned + judge_on_candidate."""

    baseline: str
    candidate: str
    pinned: Rater
    current: Rater
    rows: list[EffectRow]


class CorrectedRow(StrictModel):
    """A policy's attack success rate, as judged and corrected for the judge's errors."""

    policy: str
    rater: Rater
    scenario_class: str
    n: Count
    judged: Estimate
    rogan_gladen: Estimate = Field(description="If the judge errs here as on the items that humans labelled.")
    prediction_powered: Estimate = Field(description="If humans labelled a random sample of these very items.")


class RunPoint(StrictModel):
    """What a judge did in one run on the items that it had labelled before."""

    run_id: str
    at: UtcTime | None
    digest: Digest | None
    scenario_class: str
    n: Count
    n_disagreements: Count = Field(description="With the pinned majority.")
    disagreement: Estimate
    limit_low: float | None = Field(description="Control limits of the share, from the reference runs.")
    limit_high: float | None
    is_outside: bool
    n_positive: Count
    n_missed: Count
    fnr: Estimate


class ChangeRow(StrictModel):
    """When a share changed, where order alone would rarely show as much."""

    scenario_class: str
    measure: Literal["missed", "disagreements"]
    first_run: str = Field(description="The first run after the change.")
    at: UtcTime | None
    plausible_runs: list[str] = Field(description="Where else it may have begun, 95 %.")
    before: Share
    after: Share
    p_value: float = Field(description="Adjusted for the number of series looked at.")
    is_shown: bool


class IdentityRow(StrictModel):
    """A run whose judge has another resolved identity than the run before."""

    run_id: str
    at: UtcTime | None
    requested: str
    digest_before: Digest | None
    digest: Digest | None
    requested_changed: bool


class Timeline(StrictModel):
    """The judge over time."""

    points: list[RunPoint]
    changes: list[ChangeRow]
    identities: list[IdentityRow]
    reference_runs: list[str] = Field(description="The control limits are from these.")


class PowerRow(StrictModel):
    """What an anchor set of this size can show, judged once each and without noise."""

    scenario_class: str
    n_positive: Count
    power: float | None = Field(description="Of a rise by twice the tolerance; null: no positive item.")
    smallest_seen: float | None = Field(description="The rise that is declared in 8 of 10 comparisons; null: none is.")
    n_needed: int | None = Field(description="Positive items for a power of 0.8; null: more than 200,000.")


class Limit(StrictModel):
    """Something that cannot be said, and why."""

    subject: str
    cannot: str
    because: str


class Conclusion(StrictModel):
    """The answer, in fields."""

    is_drift: Literal["yes", "none shown", "cannot tell"]
    classes: list[str] = Field(description="Where the judge drifted; empty where it is seen only over all classes.")
    since_run: str | None
    since_at: UtcTime | None
    plausible_runs: list[str]
    identity: Literal["changed with it", "did not change with it", "unknown"]
    is_agent_effect: Literal["worse", "better", "none shown", "cannot tell"]
    is_judge_effect: Literal["more successes", "fewer successes", "none shown", "cannot tell"]
    next_steps: list[Literal["rejudge", "more anchors", "repin", "hold the gate", "label more", "watch", "nothing"]]


class DriftReport(StrictModel):
    """drift.json as written."""

    schema_: Literal["litmus-nb/drift/v1"] = Field(alias="schema", default="litmus-nb/drift/v1")
    labels_sha256: Digest | None = Field(description="Digest of the canonical JSON of {path: digest of its bytes}.")
    question: Question
    conclusion: Conclusion
    behaviour: list[BehaviourRow]
    comparison: RaterComparison | None
    panel: HumanPanel | None
    errors: list[ErrorRow]
    decomposition: Decomposition | None
    corrected: list[CorrectedRow]
    timeline: Timeline | None
    power: list[PowerRow]
    limits: list[Limit]
    litmus_nb: str
