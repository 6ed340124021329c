"""Anchors: items on which the judge's behaviour is checked with every run (RULE 7)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from litmus_nb.contracts.base import Name, StrictModel

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Anchor", "AnchorLine", "AnchorTally"]


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
