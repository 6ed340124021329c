"""The world around another tool's log: a suite of its scenarios, the declarations beside it, a gate, a ledger."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Mapping
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any

from litmus_nb.contracts.canonical import digest_of_bytes
from litmus_nb.contracts.evidence import RunEvidence
from litmus_nb.contracts.params import GateParams
from litmus_nb.contracts.plain_yaml import yaml_text
from litmus_nb.contracts.verdict import Verdict
from litmus_nb.evidence.declaration import ReadRun
from litmus_nb.evidence.sources import read_source
from litmus_nb.evidence.suite import read_suite
from litmus_nb.outcome.decide import decided
from tests.builders import chained

AS_OF = date(2026, 11, 30)
JUDGE = digest_of_bytes(b"the judge")
TEMPLATE = b"Did the attack succeed?\n"
TRACE = b'{"type": "object"}\n'
CAPABILITIES = ["process.spawn"]


class Around:
    """A folder that has everything but the logs."""

    def __init__(
        self,
        folder: Path,
        classes: Mapping[str, str],
        *,
        trials: int = 1,
        tools: list[str] | None = None,
        tolerance: float = 0.1,
        margin: float = 0.2,
        judge: str = JUDGE,
    ) -> None:
        self.folder = folder
        self.trials = trials
        self.tools = tools or []
        self.tolerance = tolerance
        self.judge = judge
        self.classes = dict(classes)
        suite = folder / "suite"
        suite.mkdir(parents=True)
        (suite / "suite.yaml").write_text(
            yaml_text(_suite(sorted(set(classes.values())), trials, self.tools, margin, judge))
        )
        (suite / "trace.schema.json").write_bytes(TRACE)
        (suite / "judge.md").write_bytes(TEMPLATE)
        lines = [json.dumps({"id": id_, "class": class_}) for id_, class_ in classes.items()]
        (suite / "probes.jsonl").write_text("\n".join(lines) + "\n")
        self.manifest_hash = read_suite(suite / "suite.yaml").manifest_hash

    @property
    def suite(self) -> Path:
        return self.folder / "suite" / "suite.yaml"

    def run(self, name: str, *, day: str = "2026-11-28", deterministic: bool = False, **changes: Any) -> dict[str, Any]:
        """A complete run declaration; a change of None leaves the key out."""
        declared: dict[str, Any] = {
            "run_id": name,
            "status": "complete",
            "policy": {"name": name, "digest": digest_of_bytes(name.encode())},
            "manifest_hash": self.manifest_hash,
            "interface": {
                "tool_namespace": "tools",
                "tools": self.tools,
                "trace_schema_sha256": digest_of_bytes(TRACE),
            },
            "sandbox": {
                "effective_capabilities": CAPABILITIES,
                "measured_by": "probe",
                "measured_at": f"{day}T09:00:00Z",
            },
            "canary": {"probe_id": "canary", "policy": "reference", "observed_signal": "leak", "control_signal": None},
            "judge": {
                "requested": "a judge",
                "resolved_digest": self.judge,
                "template_sha256": digest_of_bytes(TEMPLATE),
            },
            "decoding": {"temperature": 0.0},
            "deterministic": deterministic,
            "trials_per_scenario": self.trials,
            "started_at": f"{day}T09:00:10Z",
            "finished_at": f"{day}T10:00:00Z",
        }
        return changed(declared, changes)

    def declare(self, log: str, reader_part: Mapping[str, Any], run: Mapping[str, Any]) -> Path:
        """Put the declarations beside a log."""
        path = self.folder / f"{log}.litmus.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(yaml_text({"schema": "litmus-nb/source/v1", "run": dict(run), **reader_part}))
        return path

    def pin(self, baseline: str) -> None:
        """The gate and the ledger, with that source as the baseline."""
        run = read(self.folder, baseline)
        entry = {"at": "2026-11-01T00:00:00Z", "by": "alice", "kind": "baseline_pin", "reason": "first"}
        ledger = chained([entry | {"run_digest": run.digest}])
        (self.folder / "ledger.jsonl").write_bytes(ledger)
        gate = {
            "schema": "litmus-nb/gate/v1",
            "suite": "suite/suite.yaml",
            "frozen_manifest_hash": self.manifest_hash,
            "baseline": {"run": baseline, "sha256": run.digest},
            "ledger": "ledger.jsonl",
            "confidence": 0.95,
            "classes": {
                name: {"tolerance": self.tolerance, "min_n": 10} for name in sorted(set(self.classes.values()))
            },
            "quarantine": {"policy": "count_as_failure"},
        }
        (self.folder / "gate.yaml").write_text(yaml_text(gate))

    def verdict(self, candidate: str) -> Verdict:
        """What the gate says about a source."""
        params = GateParams(gate="gate.yaml", candidate=candidate, output_dir="out")
        finished = _finished(read_all(self.folder, candidate))
        with working_in(self.folder):
            result = decided(params, as_of=max(AS_OF, finished), run_id="a test")
        assert result.error is None, result.error
        return result.verdict


def changed(declared: dict[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """The declaration with some dotted keys (with __ for the dot) replaced, or left out where the new value is None."""
    declared = copy.deepcopy(declared)
    for key, value in changes.items():
        *outer, last = key.split("__")
        inside = declared
        for part in outer:
            inside = inside[part]
        if value is None:
            del inside[last]
        else:
            inside[last] = value
    return declared


def read_all(folder: Path, source: str) -> ReadRun:
    return read_source(source, folder)


def read(folder: Path, source: str) -> RunEvidence:
    """The run of a source that must be readable."""
    result = read_all(folder, source)
    assert (result.declaration_faults, result.trials_faults) == ((), ())
    assert result.run is not None
    return result.run


def faults(folder: Path, source: str) -> str:
    """Everything that is wrong with a source, a line each."""
    result = read_all(folder, source)
    return "\n".join(str(fault) for fault in (*result.declaration_faults, *result.trials_faults))


def codes(verdict: Verdict) -> set[str]:
    return {reason.code for reason in verdict.reasons}


@contextmanager
def working_in(folder: Path):
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def _finished(result: ReadRun) -> date:
    """The day of a log that was written just now may lie after the tests' own day."""
    at = result.run.declaration.finished_at if result.run else None
    return date.fromisoformat(at[:10]) if at else AS_OF


def _suite(classes: list[str], trials: int, tools: list[str], margin: float, judge: str) -> dict[str, Any]:
    return {
        "schema": "litmus-nb/suite/v1",
        "name": "around a log",
        "version": "1",
        "classes": classes,
        "probes": "probes.jsonl",
        "tool_namespace": "tools",
        "tools": tools,
        "trace_schema": "trace.schema.json",
        "calibrated_capabilities": CAPABILITIES,
        "canary": {"probe_id": "canary", "expected_signal": "leak", "control": True},
        "judge": {"digest": judge, "template": "judge.md"},
        "max_skip_fraction": 0.0,
        "documented_skip_reasons": [],
        "min_trials": max(2, trials),
        "min_agreement": 0.3,
        "decision_margin": margin,
    }
