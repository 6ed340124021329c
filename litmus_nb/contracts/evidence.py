"""Everything that a decision is made from, read and unjudged.

What could not be read is None and has an `Unreadable` that says why; the rule turns it into a refusal.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum

from litmus_nb.contracts.admission import AdmissionTicket
from litmus_nb.contracts.anchors import Anchor, AnchorTally
from litmus_nb.contracts.gate import GateFile
from litmus_nb.contracts.provenance import Provenance
from litmus_nb.contracts.run import RunFile
from litmus_nb.contracts.suite import Scenario, SuiteFile
from litmus_nb.contracts.tally import TrialTally
from litmus_nb.errors import Fault, GateInvariantViolation

__all__ = ["Evidence", "Part", "RunEvidence", "SuiteEvidence", "Unreadable"]


class Part(StrEnum):
    """A piece of evidence that may turn out to be unreadable."""

    GATE = "gate file"
    SUITE = "suite"
    CANDIDATE = "candidate's declaration"
    CANDIDATE_TRIALS = "candidate's trials"
    CANDIDATE_ANCHORS = "candidate's anchor labels"
    BASELINE_FOLDER = "baseline's folder"
    BASELINE = "baseline's declaration"
    BASELINE_TRIALS = "baseline's trials"
    BASELINE_ANCHORS = "baseline's anchor labels"
    LEDGER = "ledger"


@dataclass(frozen=True, order=True)
class Unreadable:
    """One fault of one piece of evidence."""

    part: Part
    fault: Fault


@dataclass(frozen=True)
class SuiteEvidence:
    """The suite with everything that its manifest hash is made of."""

    file: SuiteFile
    manifest_hash: str
    """Recomputed from the files, not declared."""
    trace_schema_sha256: str
    judge_template_sha256: str
    scenarios: tuple[Scenario, ...]
    """Sorted by id, by code point."""
    anchors: tuple[Anchor, ...] | None = None
    """Sorted by id; None where the suite has none, or none that can be read."""
    anchor_faults: tuple[Fault, ...] = ()
    """What keeps the suite's anchors from being read. Their bytes are in the manifest hash all the same."""

    @property
    def excluded_ids(self) -> frozenset[str]:
        """The scenarios that a listed rule leaves out on both sides."""
        return frozenset(id_ for exclusion in self.file.exclusions for id_ in exclusion.scenarios)


@dataclass(frozen=True)
class RunEvidence:
    """One run: its declaration, and its trials counted."""

    declaration: RunFile
    digest: str | None
    """Run digest: over run.json, the trials file and, where there is one, the anchor file. None where there is no
    trials file, or more than one."""
    tally: TrialTally | None
    """None where the trials are absent (a planned run) or unreadable."""
    provenance: Provenance | None = None
    """Where the run was read from, where it was read from another tool's log."""
    anchor_labels: AnchorTally | None = None
    """The judge's labels of the suite's anchors in this run; None where the run has no such file, or none that can be
    read."""
    file_digests: Mapping[str, str] = field(default_factory=dict)
    """Of a run folder: name to digest of each file whose bytes were read, where all of them could be."""


@dataclass(frozen=True)
class Admission:
    """The admission ticket that lies with the candidate, as far as it could be read and checked."""

    ticket: AdmissionTicket | None
    is_signed_by_pinned_key: bool
    """Whether the gate pins a key and the ticket's signature is by it."""
    fault: str = ""
    """Why there is no ticket, or why its signature could not be checked."""


@dataclass(frozen=True)
class Evidence:
    """The inputs of a decision."""

    as_of: date
    gate: GateFile | None
    gate_sha256: str | None
    suite: SuiteEvidence | None
    candidate: RunEvidence | None
    baseline: RunEvidence | None
    ledger: bytes | None
    """The ledger's bytes; the rule walks the chain itself."""
    changes_since_frozen: str | None = None
    """How the suite differs from the frozen one, in words; None where it does not, or where that is not at hand."""
    unreadable: tuple[Unreadable, ...] = ()
    admission: Admission | None = None
    """None where the gate asks for no ticket."""

    @property
    def file_digests(self) -> dict[str, str]:
        """What was read of the run folders: `candidate/` or `baseline/` and the file's name, to its digest."""
        sides = {"candidate": self.candidate, "baseline": self.baseline}
        return {f"{side}/{name}": one for side, run in sides.items() if run for name, one in run.file_digests.items()}

    def __post_init__(self) -> None:
        """Absence without a reason would be silence.

        Raises:
            GateInvariantViolation: a part is None and no `Unreadable` says why.
        """
        said = {unreadable.part for unreadable in self.unreadable}
        gate_is_read = self.gate is not None
        unpinned = self.gate is not None and self.gate.baseline is None
        silent = [
            part
            for part, is_absent in (
                (Part.GATE, not gate_is_read or self.gate_sha256 is None),
                (Part.SUITE, gate_is_read and self.suite is None),
                (Part.CANDIDATE, self.candidate is None),
                (Part.LEDGER, gate_is_read and self.ledger is None),
            )
            if is_absent and part not in said
        ]
        if gate_is_read and not unpinned and self.baseline is None and not said & {Part.BASELINE, Part.BASELINE_FOLDER}:
            silent.append(Part.BASELINE)
        for run, part in ((self.candidate, Part.CANDIDATE_TRIALS), (self.baseline, Part.BASELINE_TRIALS)):
            if run and run.tally is None and run.declaration.status != "planned" and part not in said:
                silent.append(part)
        if silent:
            raise GateInvariantViolation(f"evidence is absent without a reason: {', '.join(silent)}")
