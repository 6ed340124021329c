"""What a report page shows: the verdict, and the circumstances around it as far as they are known.

Every field but the verdict is optional, so that a page can always be made. None means not known, which is not the same
as none: an empty list says that somebody looked and there was nothing.
"""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from litmus_nb.contracts.base import Name, StrictModel
from litmus_nb.contracts.canonical import Digest
from litmus_nb.contracts.gate import QuarantinePolicy
from litmus_nb.contracts.times import UtcTime
from litmus_nb.contracts.verdict import Verdict

__all__ = [
    "BaselineFact",
    "CanaryFact",
    "DifficultyFact",
    "EnvelopeFact",
    "ExclusionFact",
    "JudgeFact",
    "PassChance",
    "PowerFact",
    "QuarantineFact",
    "ReportFacts",
    "ShownChance",
    "Side",
    "SideFact",
    "SourceFact",
    "UnknownFact",
]

Side = Literal["candidate", "baseline"]


def _checked_link(text: str) -> str:
    if not re.fullmatch(r"https?://[^\s\"'<>\\^`{|}]+|[A-Za-z0-9_.][A-Za-z0-9_./-]*", text) or ".." in text:
        raise ValueError("an http(s) address or a relative path of plain characters")
    return text


def _checked_file_name(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.-]*", text):
        raise ValueError("a file name of plain characters, without a folder")
    return text


Link = Annotated[str, AfterValidator(_checked_link)]
"""Where a link may lead: an http(s) address or a relative path; never a script, never data."""

FileName = Annotated[str, AfterValidator(_checked_file_name)]
"""A file beside the page."""


class SideFact(StrictModel):
    """One run, as it declared itself."""

    policy: str | None = Field(default=None, description="The policy's name; identifies nothing.")
    run_id: str | None = None
    trials_per_scenario: int | None = None
    is_deterministic: bool | None = None
    decoding: str | None = Field(default=None, description="Decoding parameters as canonical JSON.")
    started_at: UtcTime | None = None
    finished_at: UtcTime | None = None


class SourceFact(StrictModel):
    """Another tool's log that a run was read from, and which of its words were read as an attack that worked."""

    side: Side
    reader: str
    tool: str = Field(description="What wrote the log, with its version.")
    attack_success_when: str
    attack_failure_when: str
    is_checked_by_canary: bool = Field(description="Whether the canary was read from logs through the same words.")
    is_read_by_the_gate: bool = Field(
        description="Whether this gate read the log itself; else an imported run's provenance.json says so."
    )
    source_digest: Digest
    notes: list[str] = Field(default=[], description="What the reader set aside, and why.")


class UnknownFact(StrictModel):
    """Trials without a label: of one side, class, status and reason."""

    side: Side
    scenario_class: str
    status: str = Field(description="A status of the trials' format, or `absent`: there is no row.")
    reason: str | None = None
    n: Annotated[int, Field(ge=1)]
    declared: Annotated[int, Field(ge=1)] = Field(description="Declared trials of that side and class.")


class QuarantineFact(StrictModel):
    """An active quarantine. Age and what is left of it are in days, as of the verdict's day."""

    scenario_id: str
    scenario_class: str | None = None
    reason: str | None = None
    by: str
    since: UtcTime
    age_days: int
    max_age_days: int | None = None


class DifficultyFact(StrictModel):
    """How hard what is gated is, against the whole of its class: the baseline's attack success rates, 0 to 1."""

    scenario_class: str
    n_gated: int
    n_all: int
    baseline_rate_gated: float | None
    baseline_rate_all: float | None


class ExclusionFact(StrictModel):
    """Scenarios that a rule of the suite leaves out."""

    rule: str
    reason: str
    n: int


class JudgeFact(StrictModel):
    """Who labelled the trials: asked for, answered, pinned."""

    pinned_digest: Digest | None = None
    pinned_template_sha256: Digest | None = None
    candidate_requested: str | None = None
    candidate_resolved: Digest | None = None
    candidate_template_sha256: Digest | None = None
    baseline_requested: str | None = None
    baseline_resolved: Digest | None = None
    baseline_template_sha256: Digest | None = None
    has_anchors: bool | None = None


class EnvelopeFact(StrictModel):
    """What the sandbox granted: calibrated with the suite, measured around the candidate's run."""

    calibrated: list[str]
    effective: list[str] | None = None
    unknown: list[str] = Field(default=[])
    measured_by: str | None = None
    measured_at: UtcTime | None = None


class CanaryFact(StrictModel):
    """Whether the instrument detected what it must."""

    probe_id: str | None = None
    expected_signal: str
    observed_signal: str | None = None
    has_control: bool
    control_signal: str | None = None
    control_was_run: bool | None = None


class BaselineFact(StrictModel):
    """The baseline in force, as the ledger recorded it."""

    run_digest: Digest
    pinned_at: UtcTime
    by: str
    reason: str
    is_rebump: bool


class PowerFact(StrictModel):
    """How many units would have decided a class that ended without a verdict."""

    scenario_class: Name
    n: int = Field(description="Units that were compared.", ge=1)
    n_to_decide: int | None = Field(description="Units that would have; null where none up to `searched` would.", ge=1)
    searched: int = Field(description="Where the search ended.", ge=1)
    probability: float = Field(description="With which they would have, 0 to 1.", gt=0, lt=1)


class PassChance(StrictModel):
    """How likely a class passes whose candidate is as safe as the baseline on the whole."""

    scenario_class: Name
    trials: int = Field(description="Per scenario and side.", ge=1)
    n: int = Field(description="Units.", ge=1)
    chance: float = Field(ge=0, le=1)


class ShownChance(StrictModel):
    """How likely a true rise is shown by a lower bound above the tolerance."""

    scenario_class: Name
    n: int = Field(description="Units.", ge=1)
    delta: float = Field(description="The true rise.", ge=0, le=1)
    chance: float = Field(ge=0, le=1)


class ReportFacts(StrictModel):
    """Everything a gate report shows."""

    verdict: Verdict
    untold: str | None = Field(
        default=None, description="What went wrong, in a word, where the circumstances could not be told at all."
    )
    made_at: UtcTime | None = Field(default=None, description="When the report was written.")
    suite_name: str | None = None
    suite_version: str | None = None
    n_scenarios: int | None = None
    confidence: float | None = Field(default=None, description="Two-sided confidence of the intervals, 0 to 1.")
    decision_margin: float | None = None
    candidate: SideFact = SideFact()
    baseline_run: SideFact = SideFact()
    sources: list[SourceFact] | None = Field(
        default=None, description="The logs that runs were read from; empty where both are run folders made as such."
    )
    unknowns: list[UnknownFact] | None = None
    documented_skip_reasons: list[str] | None = None
    attempt: int | None = Field(
        default=None, description="This verdict's number among the recorded ones of the policy.", ge=1
    )
    max_attempts: int | None = None
    max_skip_fraction: float | None = None
    quarantine: list[QuarantineFact] | None = None
    quarantine_policy: QuarantinePolicy | None = None
    difficulty: list[DifficultyFact] | None = None
    exclusions: list[ExclusionFact] | None = None
    judge: JudgeFact | None = None
    envelope: EnvelopeFact | None = None
    canary: CanaryFact | None = None
    baseline: BaselineFact | None = None
    names: dict[str, str] = Field(
        default={},
        description="What the placeholders of a next command stand for, from where the gate ran; never absolute.",
    )
    power: PowerFact | None = Field(default=None, description="Of the class whose reason leads, where more units help.")
    gate_file: str | None = Field(default=None, description="The gate file as it was, whole.")
    recompute_command: str | None = Field(default=None, description="The command that decides again from the evidence.")
    runbook: Link | None = Field(default=None, description="Page with an entry for each code, `#code` in lower case.")
    attachment: FileName | None = Field(default=None, description="The executed notebook, beside the page.")
