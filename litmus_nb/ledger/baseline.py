"""Pinning a baseline and replacing it: gate.yaml and the ledger together, or neither."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

from litmus_nb.contracts.evidence import Evidence, Part, RunEvidence
from litmus_nb.contracts.gate import BaselinePin, GateFile
from litmus_nb.contracts.params import GateParams
from litmus_nb.errors import GateInvariantViolation, UnreadableInput, UsageError
from litmus_nb.evidence.declaration import split_source
from litmus_nb.evidence.inventory import folder_digest, source_files
from litmus_nb.evidence.load import load_evidence
from litmus_nb.evidence.sources import read_source
from litmus_nb.ledger.append import Appended, Clock, append_entry
from litmus_nb.ledger.words import signed_by
from litmus_nb.rule.admissibility import Admitted
from litmus_nb.rule.chain import BaselineEntry, Chain, walk_chain
from litmus_nb.rule.eligibility_as_baseline import assert_fit_as_baseline

__all__ = ["Nominee", "first_baseline", "nominate", "pin_baseline", "read_rejudged", "rebump_baseline"]


@dataclass(frozen=True)
class Nominee:
    """A run that may become the baseline. Only `nominate` makes one."""

    gate_path: Path
    source: str
    """As gate.yaml will have it: relative to gate.yaml."""
    gate: GateFile
    admitted: Admitted
    in_force: RunEvidence | None
    """The baseline in force; None where none is pinned or it cannot be read."""
    chain: Chain

    @property
    def run(self) -> RunEvidence:
        """The run itself."""
        return self.admitted.candidate

    @property
    def pin(self) -> BaselinePin:
        """What gate.yaml will say."""
        if self.run.digest is None:
            raise GateInvariantViolation("a nominee without a digest")
        return BaselinePin(run=self.source, sha256=self.run.digest)


def nominate(params: GateParams, *, as_of: date) -> Nominee:
    """The params' candidate as a baseline to be, once it is fit to be one.

    Raises:
        UnreadableInput: the gate file, the ledger or the run's files cannot be read.
        HarnessAdmissibilityError: the run violates the measurement contract.
        InvalidVerdictConditions: the run, or the ledger, can carry no decision.
    """
    source_files("run", params.candidate, Path())
    gate_path = Path(params.gate)
    evidence = _with_new_ledger(load_evidence(params, as_of=as_of), gate_path)
    admitted = assert_fit_as_baseline(evidence)
    if evidence.ledger is None or evidence.gate is None:
        raise GateInvariantViolation("a part is absent and no check said so")
    return Nominee(
        gate_path=gate_path,
        source=_relative_source(params.candidate, gate_path),
        gate=evidence.gate,
        admitted=admitted,
        in_force=evidence.baseline if evidence.baseline and evidence.baseline.tally is not None else None,
        chain=walk_chain(evidence.ledger),
    )


def pin_baseline(nominee: Nominee, *, by: str, reason: str, clock: Clock) -> Appended:
    """Pin the first baseline of a gate; begin its ledger where there is none.

    Raises:
        UsageError: a baseline was pinned before (`rebump` replaces it), or no reason; otherwise as `append_entry`.
    """
    words = signed_by(by=by, reason=reason)

    def propose(chain: Chain) -> Mapping[str, Any] | None:
        in_force = chain.baseline_in_force
        if in_force is None:
            return {"kind": "baseline_pin", "run_digest": nominee.pin.sha256, **words}
        if in_force.run_digest == nominee.pin.sha256 and not _is_pinned(nominee):
            return None  # the ledger has it and gate.yaml has not: an interrupted pin, finished now
        raise UsageError(
            f"a baseline is pinned already, {in_force.run_digest}; `litmus-nb baseline rebump` replaces it"
        )

    return append_entry(nominee.gate_path, propose, clock=clock, pin=nominee.pin, may_begin=True)


def rebump_baseline(
    nominee: Nominee, *, by: str, reason: str, clock: Clock, may_return_to_earlier: bool = False
) -> Appended:
    """Replace the baseline in force.

    Args:
        nominee: the run that is to replace it.
        by: who decides.
        reason: why.
        clock: the present instant.
        may_return_to_earlier: whether a run that was the baseline before may become it again.

    Raises:
        UsageError: there is none to replace, it is this one already, or it was one before; otherwise as `append_entry`.
    """
    words = signed_by(by=by, reason=reason)
    digest = nominee.pin.sha256

    def propose(chain: Chain) -> Mapping[str, Any] | None:
        in_force = chain.baseline_in_force
        if in_force is None:
            raise UsageError("no baseline was pinned yet; `litmus-nb baseline pin` pins the first one")
        if in_force.run_digest == digest:
            if _is_pinned(nominee):
                raise UsageError(f"this run is the baseline in force already: {digest}")
            return None  # the ledger has it and gate.yaml has not: an interrupted rebump, finished now
        earlier = {entry.run_digest for entry in chain.entries if isinstance(entry, BaselineEntry)}
        if digest in earlier and not may_return_to_earlier:
            raise UsageError(
                f"this run was the baseline before, {digest}; going back revives what was left behind. "
                "Say --return-to-earlier if that is meant"
            )
        return {"kind": "baseline_rebump", "run_digest": digest, "replaces": in_force.run_digest, **words}

    return append_entry(nominee.gate_path, propose, clock=clock, pin=nominee.pin)


def first_baseline(nominee: Nominee, places: list[Path]) -> RunEvidence | None:
    """The run that was pinned first, looked for by its digest in run folders inside `places`; None where it is not."""
    pinned = [entry.run_digest for entry in nominee.chain.entries if isinstance(entry, BaselineEntry)]
    if not pinned:
        return None
    if nominee.in_force is not None and nominee.in_force.digest == pinned[0]:
        return nominee.in_force
    for place in places:
        for folder in sorted((place, *place.glob("*"))):
            if _digest_or_none(folder) == pinned[0]:
                return read_source(str(folder), Path()).run
    return None


def read_rejudged(source: str) -> RunEvidence:
    """A run with another judge's labels.

    Raises:
        UnreadableInput: with every fault of the run.
    """
    read = read_source(source, Path())
    faults = (*read.declaration_faults, *read.trials_faults)
    if faults or read.run is None:
        raise UnreadableInput(faults)
    return read.run


def _with_new_ledger(evidence: Evidence, gate_path: Path) -> Evidence:
    """A gate without a baseline may have no ledger yet: an empty one. Any other that lacks its ledger has lost it."""
    gate = evidence.gate
    if gate is None or gate.baseline is not None or (gate_path.parent / gate.ledger).exists():
        return evidence
    others = tuple(part for part in evidence.unreadable if part.part is not Part.LEDGER)
    return replace(evidence, ledger=b"", unreadable=others)


def _is_pinned(nominee: Nominee) -> bool:
    return nominee.gate.baseline is not None and nominee.gate.baseline.sha256 == nominee.pin.sha256


def _relative_source(source: str, gate_path: Path) -> str:
    """A source that is relative to the working directory, as gate.yaml names it."""
    path = split_source(source)[1]
    reader = source[: len(source) - len(path)]
    if os.path.isabs(path):
        return source
    return reader + Path(os.path.relpath(path, gate_path.parent)).as_posix()


def _digest_or_none(folder: Path) -> str | None:
    try:
        return folder_digest(folder)
    except UnreadableInput:
        return None
