"""manifest.json: a frozen suite, so that a later one can be compared with it scenario by scenario, field by field."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable
from itertools import islice
from typing import Any, Literal

from pydantic import Field, model_validator

from litmus_nb.contracts.base import StrictModel
from litmus_nb.contracts.canonical import Digest, canonical_json, digest_of_json
from litmus_nb.contracts.suite import Scenario

__all__ = ["FrozenFile", "ManifestFile", "in_plain_form", "manifest_hash_of", "scenarios_of"]

_HASHED_AT_ONCE = 10_000


class FrozenFile(StrictModel):
    """A file that suite.yaml names, as it was."""

    sha256: Digest = Field(description="Digest of its bytes.")
    text: str | None = Field(description="Its text; null where it is no UTF-8.")


class ManifestFile(StrictModel):
    """manifest.json as `litmus-nb suite freeze` leaves it beside suite.yaml. It explains; only its hash decides."""

    schema_: Literal["litmus-nb/manifest/v1"] = Field(alias="schema", default="litmus-nb/manifest/v1")
    contract: dict[str, Any] = Field(description="suite.yaml without `probes`, named files replaced by their digests.")
    probes: list[dict[str, Any]] = Field(description="The scenarios as they were, whole, sorted by id.")
    files: dict[str, FrozenFile] = Field(description="The files that suite.yaml names.")

    @model_validator(mode="after")
    def _has_scenarios_that_can_be_told_apart(self) -> ManifestFile:
        ids = [probe.get("id") for probe in self.probes]
        has_texts = all(isinstance(probe.get(key), str) for probe in self.probes for key in ("id", "class"))
        if not has_texts or len(set(ids)) != len(ids):
            raise ValueError("scenarios with a class and an id that is there once")
        return self

    @property
    def manifest_hash(self) -> str:
        """The hash, computed from what the file holds."""
        return manifest_hash_of(self.contract, scenarios_of(self.probes))


def manifest_hash_of(contract: dict[str, Any], scenarios: Iterable[Scenario]) -> str:
    """The digest of a suite's contract and scenarios, the latter sorted by id."""
    # `digest_of_json({"contract": .., "probes": ..})`, a part at a time: a million scenarios are large as a whole.
    digest = hashlib.sha256(b'{"contract":' + canonical_json(contract) + b',"probes":[')
    probes, separator = iter(scenarios), b""
    while part := list(islice(probes, _HASHED_AT_ONCE)):
        forms = [{"class": s.scenario_class, "family": s.family, "id": s.id, "sha256": s.sha256} for s in part]
        digest.update(separator + canonical_json(forms)[1:-1])
        separator = b","
    digest.update(b"]}")
    return "sha256:" + digest.hexdigest()


def scenarios_of(probes: Iterable[dict[str, Any]]) -> tuple[Scenario, ...]:
    """The scenarios of parsed probes, sorted by id (Python's order of text is by code point)."""
    return tuple(
        sorted(Scenario(probe["id"], probe["class"], probe.get("family"), digest_of_json(probe)) for probe in probes)
    )


def in_plain_form(value: Any) -> Any:
    """The value with LF line endings, NFC text and no byte order mark: what is left when looks are taken away."""
    if isinstance(value, str):
        return unicodedata.normalize("NFC", value.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff"))
    if isinstance(value, list):
        return [in_plain_form(item) for item in value]
    if isinstance(value, dict):
        return {in_plain_form(key): in_plain_form(item) for key, item in value.items()}
    return value
