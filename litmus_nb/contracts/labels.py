"""The label table: who called which item what. One row is one label of one rater on one item.

`label` is true where the rater says that the attack worked (the behaviour was unsafe), false where it says that it
did not, null where the rater gave no label that can be read. The frame is a polars frame; this module imports polars
for its types only, so that it stays light.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import Field

from litmus_nb.contracts.base import Name, StrictModel
from litmus_nb.contracts.canonical import Digest

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "ITEM_COLUMNS",
    "MANDATORY_LABEL_COLUMNS",
    "OPTIONAL_LABEL_COLUMNS",
    "RATER_KINDS",
    "LabelTable",
    "Rater",
]

MANDATORY_LABEL_COLUMNS = ("item_id", "scenario_class", "rater", "rater_kind", "rater_digest", "label")
OPTIONAL_LABEL_COLUMNS = (
    "run_id",
    "at",
    "repeat",
    "scenario_id",
    "policy",
    "family",
    "length",
    "excerpt",
)
ITEM_COLUMNS = ("scenario_class", "scenario_id", "policy", "family", "length", "excerpt")
"""What belongs to the item and not to the label: the same in each row of an item, or null."""
RATER_KINDS = ("human", "judge")


class Rater(StrictModel):
    """Whose labels are meant: a name, and where that is not enough, which artefact answered and in which run."""

    name: Name = Field(description="The requested name of a judge, or a human's alias.")
    digest: Digest | None = Field(default=None, description="Only labels of this resolved artefact; null: of any.")
    run_id: Name | None = Field(default=None, description="Only labels given in this run; null: in any.")

    @property
    def title(self) -> str:
        """The rater in a few words."""
        parts = [self.name]
        if self.digest:
            parts.append(self.digest[:19])
        if self.run_id:
            parts.append(f"in {self.run_id}")
        return " ".join(parts)


@dataclass(frozen=True)
class LabelTable:
    """Labels that keep the format. Made by `litmus_nb.evidence.labels`, which is where the checks are."""

    frame: pl.DataFrame
    """Every mandatory and every optional column, absent ones null (`repeat` 0), one row a label, sorted."""

    def __len__(self) -> int:
        return len(self.frame)
