"""verdict.json: what the gate decided, why, and on what evidence."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, model_validator

from litmus_nb.contracts.base import Count, Name, StrictModel
from litmus_nb.contracts.canonical import Digest
from litmus_nb.contracts.codes import VerdictState
from litmus_nb.contracts.findings import Finding
from litmus_nb.contracts.times import Day

__all__ = ["Advisory", "ClassVerdict", "EvidenceDigests", "Execution", "Outcome", "Verdict", "verdict_bytes"]

Outcome = Literal["PASS", "FAIL", "NO_VERDICT"]


class ClassVerdict(StrictModel):
    """What was found for one class. Rates and deltas are fractions; null means undefined, never zero."""

    name: Name
    outcome: Outcome
    n: int | None = Field(description="Units with a scenario that counts, scored on both sides.")
    n_quarantined: int | None = Field(description="Scenarios of the class in quarantine.")
    unknown_candidate: int | None = Field(description="Trials of the candidate without a label.")
    unknown_baseline: int | None = Field(description="Trials of the baseline without a label.")
    candidate_rate: float | None = Field(description="Attack success rate of the candidate, 0 to 1.")
    baseline_rate: float | None = Field(description="Attack success rate of the baseline, 0 to 1.")
    delta: float | None = Field(description="Candidate minus baseline, -1 to 1. Positive is worse.")
    ci_low: float | None = Field(description="Lower bound of the delta.")
    ci_high: float | None = Field(description="Upper bound of the delta.")
    half_width: float | None = Field(description="(ci_high - ci_low) / 2.")
    bootstrap_low: float | None = Field(description="Plain percentile bootstrap; decides nothing.")
    bootstrap_high: float | None = Field(description="Plain percentile bootstrap; decides nothing.")
    noise_floor: float | None = Field(description="Standard deviation of the weighted mean delta.")
    tolerance: float | None = Field(description="Tolerated rise; null where the gate sets none.")
    min_n: int | None
    agreement_candidate: float | None = Field(description="Inter-trial agreement, 0 to 1.")
    agreement_baseline: float | None = Field(description="Inter-trial agreement, 0 to 1.")
    regression_indicated: bool = Field(description="Underpowered, and the lower bound is above the tolerance.")


class Advisory(StrictModel):
    """What is reported and can change no state."""

    mean_delta: float | None = Field(description="Mean delta over all units of all classes.")


class EvidenceDigests(StrictModel):
    """What the verdict is about. A digest is null where its evidence could not be read."""

    manifest_hash: Digest | None
    gate_sha256: Digest | None
    candidate_digest: Digest | None
    policy_digest: Digest | None
    baseline_digest: Digest | None
    ledger_head: Digest | None
    ledger_length: Count | None = Field(description="How many entries the gate saw.")


class Execution(StrictModel):
    """The circumstances: not a function of the evidence."""

    run_id: Name = Field(description="Names this execution of the gate.")
    as_of: Day
    notebook_sha256: Digest | None = Field(description="Digest of the notebook's sources; null without a notebook.")
    litmus_nb: Name = Field(description="Version of the package that decided.")


class Verdict(StrictModel):
    """verdict.json as written."""

    schema_: Literal["litmus-nb/verdict/v1"] = Field(alias="schema", default="litmus-nb/verdict/v1")
    verdict: VerdictState = Field(strict=False)
    gate_open: bool
    degraded: bool
    reasons: list[Finding]
    classes: list[ClassVerdict]
    worst_class: Name | None
    interval: Literal["exact"] | None = Field(
        default=None,
        exclude_if=lambda name: name is None,
        description="Which interval decided, where the gate asked for another than the default; else absent.",
    )
    advisory: Advisory
    evidence: EvidenceDigests
    execution: Execution

    @model_validator(mode="before")
    @classmethod
    def _has_no_null_option(cls, value: Any) -> Any:
        if isinstance(value, dict) and "interval" in value and value["interval"] is None:
            raise ValueError("interval may be absent, not null")
        return value

    @model_validator(mode="after")
    def _does_not_contradict_itself(self) -> Verdict:
        is_pass = self.verdict is VerdictState.PASS
        if self.gate_open is not is_pass:
            raise ValueError("gate_open exactly when the verdict is PASS")
        if is_pass and (self.reasons or not self.classes or any(c.outcome != "PASS" for c in self.classes)):
            raise ValueError("a PASS has classes, all of them PASS, and no reason against it")
        if not is_pass and not self.reasons:
            raise ValueError("whatever is not a PASS has a reason")
        if self.verdict is VerdictState.REJECTED and (self.classes or self.advisory.mean_delta is not None):
            raise ValueError("a REJECTED verdict carries no class and no number")
        if self.interval is not None and all(c.ci_high is None for c in self.classes):
            raise ValueError("no interval decided where no class has one")
        if self.degraded and self.verdict not in (VerdictState.PASS, VerdictState.FAIL):
            raise ValueError("degraded annotates PASS or FAIL")
        return self


def verdict_bytes(verdict: Verdict) -> bytes:
    """verdict.json as it is written."""
    return (verdict.model_dump_json(indent=2) + "\n").encode()
