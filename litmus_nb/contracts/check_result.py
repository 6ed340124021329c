"""What `litmus-nb check` found, for machines: litmus-nb/check/v1."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from litmus_nb.contracts.base import Name, StrictModel
from litmus_nb.contracts.canonical import Digest
from litmus_nb.contracts.check_codes import CHECK_CODES

__all__ = ["CheckResult", "CheckedWhat", "Refused"]

CheckedWhat = Literal[
    "schema",
    "pass",
    "age",
    "run_id",
    "notebook",
    "statement",
    "signature",
    "subject",
    "proof",
    "gate",
    "evidence",
    "ledger",
    "record",
    "recomputed",
]


class Refused(StrictModel):
    """One reason to refuse."""

    code: str = Field(description="A code of docs/evidence-chain.md.")
    subject: str = Field(description="What the reason is about: a file, a field, a key.")
    expected: str
    observed: str

    @model_validator(mode="after")
    def _is_in_the_table(self) -> Refused:
        if self.code not in CHECK_CODES:
            raise ValueError(f"a code of the table, not {self.code!r}")
        return self

    def __str__(self) -> str:
        return f"{self.code} {self.subject}: expected {self.expected}, observed {self.observed}"


class CheckResult(StrictModel):
    """The result of one check. Accepted exactly when nothing was refused and something was compared."""

    schema_: Literal["litmus-nb/check/v1"] = Field(alias="schema", default="litmus-nb/check/v1")
    accepted: bool
    refusals: list[Refused]
    checked: list[CheckedWhat] = Field(description="What was compared, in order.")
    policy_digest: Digest | None = Field(description="The artefact that the verdict is about.")
    candidate_digest: Digest | None
    verdict_sha256: Digest | None = Field(description="Digest of the bytes of verdict.json.")
    signed_by: list[Name] = Field(description="The pinned keys that signed, or the identity; empty: unsigned.")

    @model_validator(mode="after")
    def _does_not_contradict_itself(self) -> CheckResult:
        may_be_accepted = not self.refusals and {"schema", "pass", "age", "statement", "proof"} <= set(self.checked)
        if self.accepted and not may_be_accepted:
            raise ValueError("accepted only where nothing is refused and all that is always checked was checked")
        if not self.accepted and not self.refusals:
            raise ValueError("a refusal has a reason")
        return self
