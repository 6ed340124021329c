"""What a site keeps of each verdict that was published on it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from litmus_nb.contracts.base import Name, StrictModel
from litmus_nb.contracts.canonical import Digest
from litmus_nb.contracts.codes import VerdictState
from litmus_nb.contracts.times import Day, UtcTime
from litmus_nb.contracts.verdict import Outcome

__all__ = ["Published", "PublishedClass", "SeenFile", "SiteState"]

PublishedId = Annotated[str, StringConstraints(pattern=r"^\d{4}-\d{2}-\d{2}-[0-9a-f]{12}$")]
"""The verdict's day and the first digits of its file's digest: for ever the same, whatever else is published."""


class PublishedClass(StrictModel):
    """One class's numbers; fractions, null where the verdict withholds them."""

    name: Name
    outcome: Outcome
    delta: float | None
    ci_low: float | None
    ci_high: float | None
    tolerance: float | None


class Published(StrictModel):
    """One verdict on the site."""

    id: PublishedId
    sha256: Digest = Field(description="Of verdict.json's bytes.")
    as_of: Day
    made_at: UtcTime | None = Field(description="When the report was written; null where nobody said.")
    state: VerdictState = Field(strict=False)
    degraded: bool
    suite: str | None = Field(description="The suite's name; null where the report did not say.")
    suite_version: str | None
    candidate: str | None = Field(description="The policy's name; identifies nothing.")
    manifest_hash: Digest | None
    policy_digest: Digest | None
    codes: list[str] = Field(description="Reason codes, each once, in the order of the rule.")
    worst_class: str | None
    classes: list[PublishedClass]
    run_id: str


class SeenFile(StrictModel):
    """A verdict.json as it was when it was last looked at, so that an unchanged one is not read again."""

    size: int
    mtime_us: int
    id: PublishedId


class SiteState(StrictModel):
    """site.json: everything that was ever published here."""

    schema_: Literal["litmus-nb/site/v1"] = Field(alias="schema")
    published: list[Published]
    seen: dict[str, SeenFile] = Field(description="Path of a verdict.json to what it was.")
