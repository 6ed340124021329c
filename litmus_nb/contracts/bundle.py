"""MANIFEST.json of a bundle: litmus-nb/bundle/v1."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from litmus_nb.contracts.base import Name, StrictModel
from litmus_nb.contracts.canonical import Digest
from litmus_nb.contracts.times import Day

__all__ = ["MANIFEST", "BundleManifest"]

MANIFEST = "MANIFEST.json"


class BundleManifest(StrictModel):
    """What a bundle holds, and how to decide again from it."""

    schema_: Literal["litmus-nb/bundle/v1"] = Field(alias="schema", default="litmus-nb/bundle/v1")
    gate: Name = Field(description="Where gate.yaml lies in the archive.")
    candidate: Name = Field(description="The candidate's run in the archive, with its READER: where it has one.")
    as_of: Day = Field(description="The day that the verdict counted from.")
    files: dict[Name, Digest] = Field(description="Every other member of the archive: digest of its bytes.")
