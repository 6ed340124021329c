"""How far a gate is: what of its contract is measured, what is only declared, what is missing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from litmus_nb.contracts.evidence import RunEvidence
from litmus_nb.contracts.fix_cost import FixCost
from litmus_nb.contracts.gate import GateFile
from litmus_nb.contracts.strict_yaml import parse_yaml
from litmus_nb.errors import Fault, UnreadableInput, UsageError
from litmus_nb.evidence.declaration import ReadRun
from litmus_nb.evidence.manifest import manifest_of
from litmus_nb.evidence.sources import read_source
from litmus_nb.evidence.suite import read_suite
from litmus_nb.files import is_there, read_bytes
from litmus_nb.rule.chain import walk_chain

__all__ = ["Standing", "standing_of"]

State = Literal["measured", "declared", "missing"]


@dataclass(frozen=True)
class Standing:
    """One thing that a verdict rests on."""

    what: str
    state: State
    detail: str
    cost: FixCost
    to_do: str
    """What would make it measured; empty where it is."""


@dataclass(frozen=True)
class _Looked:
    """What was read of a gate; None where it cannot be read."""

    path: Path
    raw: dict[str, Any]
    gate: GateFile | None
    faults: tuple[Fault, ...]
    baseline: ReadRun | None

    @property
    def run(self) -> RunEvidence | None:
        """The baseline's run, where one is pinned and can be read."""
        return self.baseline.run if self.baseline is not None else None

    @property
    def suite(self) -> Path:
        """Where suite.yaml should be."""
        named = self.raw.get("suite")
        return self.path.parent / (named if isinstance(named, str) else "suite/suite.yaml")


def standing_of(path: Path) -> list[Standing]:
    """The standing of the gate at `path`, in the order of the rule. It decides nothing.

    Raises:
        UsageError: there is no such file, or it holds no mapping.
    """
    if not path.is_file():
        raise UsageError(f"{path}: expected a gate.yaml, nothing there; litmus-nb init makes a first one")
    try:
        raw = parse_yaml(read_bytes(path), file=str(path))
    except UnreadableInput as unreadable:
        raise UsageError(str(unreadable)) from unreadable
    if not isinstance(raw, dict):
        raise UsageError(f"{path}: expected a mapping")
    gate: GateFile | None = None
    faults: tuple[Fault, ...] = ()
    try:
        gate = GateFile.read(raw, file=str(path))
    except UnreadableInput as unreadable:
        faults = unreadable.faults
    pin = gate.baseline if gate is not None else None
    baseline = None if pin is None else read_source(pin.run, path.parent)
    looked = _Looked(path, raw, gate, faults, baseline)
    return [standing for look in _LOOKS for standing in look(looked)]


def _to_say(fault: Fault, looked: _Looked) -> str:
    """What says a key that is open."""
    commands = {
        "/frozen_manifest_hash": f"litmus-nb suite freeze {looked.suite} --gate {looked.path}",
        "/calibrated_capabilities": f"litmus-nb envelope calibrate --in 'YOUR SANDBOX' --suite {looked.suite}",
        "/judge/digest": "the digest of the file, or of the resolved artefact, that judges; never of a name",
        "/canary/probe_id": "the id of a known bad act that is none of the scenarios",
        "/canary/expected_signal": "what the detector reports when that act is done",
    }
    return commands.get(fault.where, f"say it in {fault.file}")


def _gate_file(looked: _Looked) -> Iterator[Standing]:
    if looked.gate is not None:
        yield Standing("gate file", "measured", "can be read", FixCost.WORDS, "")
        return
    for fault in looked.faults:
        yield Standing(
            f"gate file {fault.where}", "missing", f"expected {fault.expected}", FixCost.WORDS, _to_say(fault, looked)
        )


def _suite(looked: _Looked) -> Iterator[Standing]:
    try:
        suite = read_suite(looked.suite)
    except UnreadableInput as unreadable:
        for fault in unreadable.faults:
            detail = f"expected {fault.expected}, seen {fault.seen}"
            yield Standing(f"suite {fault.where}".strip(), "missing", detail, FixCost.WORDS, _to_say(fault, looked))
        return
    detail = f"{len(suite.scenarios)} scenarios in {len(suite.file.classes)} classes"
    frozen = None if looked.gate is None else looked.gate.frozen_manifest_hash
    if frozen == manifest_of(looked.suite).manifest_hash:
        yield Standing("scenarios", "measured", f"{detail}, as frozen", FixCost.WORDS, "")
    else:
        to_do = f"litmus-nb suite freeze {looked.suite} --gate {looked.path}"
        detail += ", not frozen" if frozen is None else ", not the frozen ones"
        yield Standing("scenarios", "missing", detail, FixCost.WORDS, to_do)
    if not any(scenario.family for scenario in suite.scenarios):
        to_do = "give near-copies of one template the same family: they are one piece of evidence"
        yield Standing("independence of scenarios", "declared", "no family is named", FixCost.WORDS, to_do)
    if suite.file.anchors is None:
        to_do = "litmus-nb anchors: items with human labels, judged with every run"
        yield Standing("judge's behaviour", "missing", "the suite has no anchors", FixCost.MEASUREMENT, to_do)
    elif suite.anchors is None:
        for fault in suite.anchor_faults:
            yield Standing("judge's behaviour", "missing", str(fault), FixCost.WORDS, f"mend {fault.file}")
    else:
        yield Standing("judge's behaviour", "measured", f"{len(suite.anchors)} anchors", FixCost.MEASUREMENT, "")
    unset = sorted(set(suite.file.classes) - set(looked.gate.classes if looked.gate else {}))
    if unset and looked.gate is not None:
        yield Standing("tolerances", "missing", f"none for {', '.join(unset)}", FixCost.WORDS, "litmus-nb power")


def _pinned(looked: _Looked) -> Iterator[Standing]:
    if looked.gate is None:
        return
    pin = looked.gate.baseline
    if pin is None:
        to_do = "a run of the agent in use, then litmus-nb baseline pin"
        yield Standing("baseline", "missing", "none is pinned", FixCost.ONE_RUN, to_do)
        return
    run = looked.run
    if run is None or run.digest != pin.sha256:
        seen = "cannot be read" if run is None else f"is {run.digest}, pinned is {pin.sha256}"
        to_do = "restore the pinned run; to replace it: litmus-nb baseline rebump"
        yield Standing("baseline", "missing", f"{pin.run} {seen}", FixCost.ONE_RUN, to_do)
    else:
        yield Standing("baseline", "measured", f"{pin.run}, its bytes are the pinned ones", FixCost.ONE_RUN, "")


def _ledger(looked: _Looked) -> Iterator[Standing]:
    if looked.gate is None:
        return
    path = looked.path.parent / looked.gate.ledger
    if not is_there(path):
        yield Standing("ledger", "missing", f"no {path}", FixCost.WORDS, f"an empty file {path} begins one")
        return
    chain = walk_chain(read_bytes(path))
    if not chain.is_whole:
        yield Standing("ledger", "missing", "its chain is broken", FixCost.WORDS, "litmus-nb ledger verify")
    elif looked.gate.ledger_head is None:
        to_do = "litmus-nb ledger pin-head: the ledger cannot see its own end"
        yield Standing("ledger's end", "declared", "its head is not pinned", FixCost.WORDS, to_do)
    else:
        yield Standing("ledger", "measured", "whole, its head pinned", FixCost.WORDS, "")


def _sandbox(looked: _Looked) -> Iterator[Standing]:
    run = looked.run
    if run is None:
        return
    sandbox, canary = run.declaration.sandbox, run.declaration.canary
    to_do = "litmus-nb guard, or litmus-nb envelope measure --run: before the run"
    if sandbox.measured_by is None:
        yield Standing("sandbox", "missing", "nobody measured it", FixCost.MEASUREMENT, to_do)
    elif sandbox.measured_by.startswith("litmus-nb"):
        detail = f"{len(sandbox.effective_capabilities)} capabilities by {sandbox.measured_by}"
        yield Standing("sandbox", "measured", detail, FixCost.MEASUREMENT, "")
    else:
        detail = f"by {sandbox.measured_by}, which is no probe of ours"
        yield Standing("sandbox", "declared", detail, FixCost.MEASUREMENT, to_do)
    to_do = "litmus-nb canary or guard, or the canary's own logs in the declarations"
    if canary is None or canary.observed_signal is None:
        yield Standing("canary", "missing", "it was not seen", FixCost.MEASUREMENT, to_do)
    elif run.provenance is not None and run.provenance.polarity.is_checked_by_canary:
        yield Standing("canary", "measured", f"{canary.observed_signal}, from its log", FixCost.MEASUREMENT, "")
    else:
        yield Standing("canary", "declared", f"{canary.observed_signal}, as run.json says", FixCost.MEASUREMENT, to_do)


def _judge(looked: _Looked) -> Iterator[Standing]:
    run = looked.run
    if run is None:
        return
    to_do = "let the harness write judge_digest on every row, resolved from what answered"
    if run.declaration.judge.resolved_digest is None:
        yield Standing(
            "judge", "missing", f"only a name: {run.declaration.judge.requested}", FixCost.MEASUREMENT, to_do
        )
    elif run.tally is not None and run.tally.judge_digests is not None:
        yield Standing("judge", "measured", "each row names the artefact that answered", FixCost.ONE_RUN, "")
    else:
        yield Standing("judge", "declared", "run.json names a digest, the rows do not", FixCost.ONE_RUN, to_do)
    if run.declaration.deterministic:
        to_do = "more than one trial a scenario: what is attested is then seen"
        yield Standing("determinism", "declared", "attested, one look", FixCost.BOTH_RUNS, to_do)


def _admission(looked: _Looked) -> Iterator[Standing]:
    if looked.gate is None:
        return
    if not looked.gate.require_admission:
        to_do = "litmus-nb admission-key, and require_admission: true"
        yield Standing("admission before the run", "declared", "no ticket is asked for", FixCost.WORDS, to_do)
    elif looked.gate.admission_key is None:
        to_do = "litmus-nb admission-key: without a key anybody can write a ticket"
        yield Standing("admission before the run", "declared", "tickets are not signed", FixCost.WORDS, to_do)
    else:
        yield Standing("admission before the run", "measured", "signed tickets", FixCost.WORDS, "")


_LOOKS: tuple[Callable[[_Looked], Iterator[Standing]], ...] = (
    _gate_file,
    _suite,
    _pinned,
    _ledger,
    _sandbox,
    _judge,
    _admission,
)
