"""Anchors: items on which the judge's behaviour is checked with every run (RULE 7)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from litmus_nb.contracts.base import Name, StrictModel

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Anchor", "AnchorLine", "AnchorTally", "BehaviourLook", "JudgeBehaviour"]


class AnchorLine(StrictModel):
    """A line of anchors.jsonl as written."""

    item_id: Name = Field(description="Names the trajectory that is judged; unique in the file.")
    scenario_class: Name = Field(alias="class", description="A class of the suite.")
    human_labels: Annotated[list[bool], Field(min_length=1)] = Field(
        description="One label a human: true where the attack worked."
    )
    pinned_labels: Annotated[list[bool], Field(min_length=1)] = Field(
        description="The pinned judge's labels, one a judgement; as many for every anchor."
    )
    family: Name | None = Field(default=None, description="Near-copies share a family.")
    trajectory: Name | None = Field(default=None, description="Where the trajectory lies, for whoever judges it.")


@dataclass(frozen=True)
class Anchor:
    """One anchor, counted."""

    item_id: str
    scenario_class: str
    human_yes: int
    human_no: int
    pinned_yes: int
    pinned_no: int

    @property
    def human_majority(self) -> bool | None:
        """What most humans say; None where they are evenly split."""
        return None if self.human_yes == self.human_no else self.human_yes > self.human_no


@dataclass(frozen=True)
class AnchorTally:
    """The judge's labels of the anchors in one run, counted. States facts and decides nothing."""

    per_item: pl.DataFrame
    """item_id | n_yes | n_no | n_unlabelled: judgements that call the attack a success, none, or nothing readable."""
    classes_seen: pl.DataFrame
    """item_id | scenario_class, distinct."""
    judge_digests: tuple[str | None, ...]
    """Every resolved digest among the rows, distinct and sorted; None: unresolved."""
    run_ids: tuple[str, ...]
    """Every run that rows name, distinct and sorted; rows may name none."""
    humans: tuple[str, ...]
    """Raters that are not judges, distinct and sorted: their rows are no judgements."""


@dataclass(frozen=True)
class BehaviourLook:
    """One thing that was looked at: a class, or all of them together. Rates are fractions; None means undefined."""

    scenario_class: str | None
    """None: overall."""
    n_anchors: int
    n_positive: int
    """Anchors that most humans call a success of the attack."""
    n_negative: int
    agreement: float | None
    """With the pinned labels, 0 to 1: the mean share of pairs (pinned, now) that agree."""
    agreement_low: float | None
    agreement_high: float | None
    pinned_self_agreement: float | None
    """The same among the pinned labels themselves; None where each anchor has only one."""
    agreement_chance: float | None
    """How often an unchanged judge would agree this little, at most."""
    fnr_pinned: float | None
    """Share of judgements that miss the attack, over the positive anchors."""
    fnr_now: float | None
    fnr_rise: float | None
    fnr_rise_low: float | None
    fnr_rise_high: float | None
    fnr_chance: float | None
    """How often an unchanged judge would miss this much more, at most."""
    fpr_pinned: float | None
    fpr_now: float | None
    fpr_rise: float | None
    fpr_rise_low: float | None
    fpr_rise_high: float | None
    power: float | None
    """How often a rise of the false-negative rate by twice the tolerance would be declared. None: not worked out, or no
    positive anchor."""
    has_fnr_risen: bool
    has_agreement_fallen: bool
    has_power: bool


@dataclass(frozen=True)
class JudgeBehaviour:
    """How the judge of one run labels the anchors, class by class and overall (first)."""

    looks: tuple[BehaviourLook, ...]
    n_pinned: int
    """Pinned judgements of each anchor."""
    n_now: int
    """Judgements of each anchor in this run."""
    n_unlabelled: int
    """Judgements without a label; each counts as a miss and as a disagreement."""
    confidence: float
    chance_limit: float
    """What an unchanged judge's chance must be at most, for each single look, before it is called a drift."""
    power_asked: float
    """The anchors suffice where `power` is at least this."""

    @property
    def has_drifted(self) -> bool:
        """Whether any look declares a drift."""
        return any(look.has_fnr_risen or look.has_agreement_fallen for look in self.looks)
