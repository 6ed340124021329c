"""JSON Schemas of every file, from the models that read them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter

from litmus_nb.contracts.admission import AdmissionTicket
from litmus_nb.contracts.anchors import AnchorLine
from litmus_nb.contracts.attestation import DsseEnvelope, Statement
from litmus_nb.contracts.bundle import BundleManifest
from litmus_nb.contracts.canary import CanaryResult
from litmus_nb.contracts.check_result import CheckResult
from litmus_nb.contracts.drift import DriftReport
from litmus_nb.contracts.drift_params import DriftParams
from litmus_nb.contracts.envelope import EnvelopeFile
from litmus_nb.contracts.exploration import Exploration
from litmus_nb.contracts.gate import GateFile
from litmus_nb.contracts.ledger import LedgerEntry
from litmus_nb.contracts.manifest import ManifestFile
from litmus_nb.contracts.params import GateParams
from litmus_nb.contracts.provenance import Provenance
from litmus_nb.contracts.run import RunFile
from litmus_nb.contracts.source import SourceFile
from litmus_nb.contracts.suite import SuiteFile
from litmus_nb.contracts.sweep import SweepFile, SweepMatrix
from litmus_nb.contracts.verdict import Verdict

__all__ = ["SCHEMAS", "FileSchema", "json_schema"]


@dataclass(frozen=True)
class FileSchema:
    """One kind of file."""

    description: str
    adapter: TypeAdapter[Any]


SCHEMAS: dict[str, FileSchema] = {
    "admission": FileSchema("admission.json: the ticket of an admitted run", TypeAdapter(AdmissionTicket)),
    "anchors": FileSchema("a line of anchors.jsonl: an item that the judge is checked on", TypeAdapter(AnchorLine)),
    "bundle": FileSchema("MANIFEST.json of a bundle: what it holds", TypeAdapter(BundleManifest)),
    "canary": FileSchema("canary.json: what the canary showed, as any harness leaves it", TypeAdapter(CanaryResult)),
    "check": FileSchema("what `litmus-nb check --json` prints", TypeAdapter(CheckResult)),
    "drift": FileSchema("drift.json: whether the judge drifted, where, since when", TypeAdapter(DriftReport)),
    "drift-params": FileSchema("the params file of `litmus-nb drift`", TypeAdapter(DriftParams)),
    "dsse": FileSchema("verdict.dsse.json: a statement signed with a key", TypeAdapter(DsseEnvelope)),
    "envelope": FileSchema("envelope.json: what one measurement of a sandbox found", TypeAdapter(EnvelopeFile)),
    "exploration": FileSchema("exploration.json: two runs side by side; no verdict", TypeAdapter(Exploration)),
    "gate": FileSchema("gate.yaml: what a gate tolerates", TypeAdapter(GateFile)),
    "ledger": FileSchema("a line of ledger.jsonl", TypeAdapter(LedgerEntry)),
    "manifest": FileSchema("manifest.json: a frozen suite", TypeAdapter(ManifestFile)),
    "params": FileSchema("the params file of every command", TypeAdapter(GateParams)),
    "provenance": FileSchema("provenance.json: where an imported run comes from", TypeAdapter(Provenance)),
    "run": FileSchema("run.json: what a run declares", TypeAdapter(RunFile)),
    "source": FileSchema("NAME.litmus.yaml: what another tool's log cannot say", TypeAdapter(SourceFile)),
    "statement": FileSchema("verdict.statement.json: a verdict as an in-toto statement", TypeAdapter(Statement)),
    "suite": FileSchema("suite.yaml: scenarios and measurement contract", TypeAdapter(SuiteFile)),
    "sweep": FileSchema("sweep.yaml: many candidates against many gates", TypeAdapter(SweepFile)),
    "sweep-matrix": FileSchema("sweep.json: what became of every cell", TypeAdapter(SweepMatrix)),
    "verdict": FileSchema("verdict.json: what was decided", TypeAdapter(Verdict)),
}
"""Name to schema; one row per kind of file."""


def json_schema(name: str) -> dict[str, Any]:
    """The JSON Schema (2020-12) of the file of that name.

    Raises:
        KeyError: there is no such file.
    """
    schema = SCHEMAS[name].adapter.json_schema(by_alias=True)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
