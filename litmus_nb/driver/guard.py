"""`guard`: measure, ask, run, read, gate. The harness starts only if the run is admitted; anything odd is closed.

1. Measure the sandbox and, unless something is wrong already, run the canary; both into the planned declaration.
2. Preflight. Not admitted: REJECTED, and nothing was started.
3. Start the harness, the ticket in its environment.
4. Its end must be its own, with status 0; its log, where it leaves one, becomes the run.
5. Run the canary again, where asked: a detector that died meanwhile has seen nothing of the run either.
6. The run must be the one that the ticket was for.
7. The gate.
"""

from __future__ import annotations

import importlib.util
import os
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from litmus_nb.contracts.admission import AdmissionTicket
from litmus_nb.contracts.codes import VerdictState, reason_code
from litmus_nb.contracts.evidence import SuiteEvidence
from litmus_nb.contracts.findings import Finding
from litmus_nb.contracts.params import GateParams
from litmus_nb.contracts.verdict import Verdict
from litmus_nb.driver.canary import CanaryNotRun, run_canary
from litmus_nb.driver.closing import leave_closed, written
from litmus_nb.driver.command import run_command
from litmus_nb.driver.log_taking import LogSource, take_log
from litmus_nb.driver.planned import declare
from litmus_nb.driver.preflight import Preflight, run_preflight
from litmus_nb.envelope.capabilities import paths_of, scope_of
from litmus_nb.envelope.measure import EnvelopeUnmeasured, Measurement, measure_by_command
from litmus_nb.errors import UnreadableInput, UsageError
from litmus_nb.evidence.load import load_evidence
from litmus_nb.evidence.trials_files import DECLARATION
from litmus_nb.outcome.output import claimed, incomplete
from litmus_nb.rule.admission import ticket_mismatches
from litmus_nb.rule.contract import canary_findings
from litmus_nb.rule.finding import found
from litmus_nb.rule.preflight import preflight_findings

__all__ = ["ADMISSION", "GATE", "RUN", "GuardPlan", "run_guard"]

Progress = Callable[[str], None]
"""Told the name of each step as it begins."""

ADMISSION, GATE, RUN = "LITMUS_NB_ADMISSION", "LITMUS_NB_GATE", "LITMUS_NB_RUN"
"""What the harness finds in its environment: the ticket, the gate file, and the folder of its run."""

_OURS_ALONE = {"LITMUS_NB_ADMISSION_KEY", "LITMUS_NB_NOTIFY"}
"""What it does not find there: the key that admits, and addresses that may hold secrets."""


@dataclass(frozen=True)
class GuardPlan:
    """What a guard does around the harness."""

    harness: tuple[str, ...]
    private_key: bytes | None = None
    sandbox: tuple[str, ...] | None = None
    """Command prefix that enters the sandbox; None: the declaration says what was measured. Empty: here."""
    beacon: tuple[str, ...] = ()
    canary: tuple[str, ...] = ()
    canary_after: bool = False
    log: LogSource | None = None
    timeout_s: float = 86400.0
    canary_timeout_s: float = 600.0


def run_guard(params: GateParams, plan: GuardPlan, *, as_of: date, progress: Progress = lambda step: None) -> Verdict:
    """Run the harness under guard and gate what it leaves; give back the verdict that stands in the output folder.

    Raises:
        OutputUnusable: the output folder is claimed by another gate or cannot be written.
        UsageError: the admission key is not the gate's.
    """
    run = Path(params.candidate)
    with claimed(Path(params.output_dir)) as folder:
        folder.open_with(incomplete(uuid.uuid4().hex, as_of.isoformat(), "guard started and has not finished"))
    suite = load_evidence(params, as_of=as_of, with_trials=False).suite
    found_before = _measured(plan, suite, run, progress)
    if plan.canary:
        # The canary takes the harness's time: what is wrong already is said first, and then it is not run at all.
        if wrong := [*found_before, *_wrong_without_canary(params, as_of)]:
            return _closed(params, wrong, as_of)
        found_before += _canary(plan, suite, run, progress)
    progress("preflight")
    preflight = run_preflight(params, as_of=as_of, private_key=plan.private_key, also=found_before)
    if preflight.ticket is None:
        return preflight.verdict
    day = as_of
    try:
        progress(f"admitted; starting {plan.harness[0]}")
        findings = _harness(params, plan, preflight)
        findings = findings or _run_of(params, plan, suite, preflight.ticket, as_of)
        day = as_of if params.as_of else datetime.now(UTC).date()
    except KeyboardInterrupt:
        findings = [_incomplete("it was interrupted")]
    if findings:
        return _closed(params, findings, day)
    # Deferred: the gate needs polars, which a run that is never started does not owe.
    from litmus_nb.driver.gate import run_gate

    return run_gate(params, as_of=day, progress=progress).verdict


def _wrong_without_canary(params: GateParams, as_of: date) -> list[Finding]:
    evidence = load_evidence(params, as_of=as_of, with_trials=False)
    findings = preflight_findings(evidence, datetime.now(UTC))
    return [finding for finding in findings if not finding.code.startswith("CANARY_")]


def _measured(plan: GuardPlan, suite: SuiteEvidence | None, run: Path, progress: Progress) -> list[Finding]:
    if plan.sandbox is None or suite is None:
        return []  # a suite that cannot be read is preflight's finding
    progress("measuring the sandbox")
    calibrated = suite.file.calibrated_capabilities
    try:
        measurement = Measurement(scope_of(calibrated), also=paths_of(calibrated), hosts=plan.beacon)
        record = measure_by_command(measurement, plan.sandbox, measured_at=written(datetime.now(UTC)))
    except EnvelopeUnmeasured as error:
        return [found("ENVELOPE_UNMEASURED", "2.7", "sandbox", expected="a measured sandbox", observed=error)]
    lies = [(lie.facet, f"{lie.claimed}, as the probe says", lie.witnessed) for lie in record.contradictions]
    return [
        *_declared(run, "sandbox", record.sandbox.model_dump()),
        *(found("ENVELOPE_UNMEASURED", "2.7", facet, expected=says, observed=saw) for facet, says, saw in lies),
    ]


def _canary(plan: GuardPlan, suite: SuiteEvidence | None, run: Path, progress: Progress) -> list[Finding]:
    if suite is None:
        return []
    progress("running the canary")
    try:
        result = run_canary(suite.file.canary, plan.canary, timeout_s=plan.canary_timeout_s)
    except CanaryNotRun as missing:
        return [missing.finding]
    return _declared(run, "canary", result.as_declared().model_dump(exclude_unset=True))


def _declared(run: Path, key: str, value: dict[str, Any]) -> list[Finding]:
    try:
        declare(run / DECLARATION, key, value)
    except (UnreadableInput, UsageError) as error:
        return [found("CONTRACT_UNREADABLE", "1.4", str(run), expected="a planned run", observed=error)]
    return []


def _harness(params: GateParams, plan: GuardPlan, preflight: Preflight) -> list[Finding]:
    """Run the harness; what keeps its end from being a proper one."""
    told = {
        ADMISSION: str(Path(str(preflight.ticket_path)).resolve()),
        GATE: str(Path(params.gate).resolve()),
        RUN: str(Path(params.candidate).resolve()),
    }
    environment = {name: value for name, value in os.environ.items() if name not in _OURS_ALONE} | told
    if plan.log is not None and plan.log.reader == "inspect" and importlib.util.find_spec("inspect_ai"):
        required = {*environment.get("INSPECT_REQUIRED_HOOKS", "").split(","), "litmus_nb/admission"} - {""}
        environment["INSPECT_REQUIRED_HOOKS"] = ",".join(sorted(required))
    ended = run_command(plan.harness, environment, timeout_s=plan.timeout_s)
    return [] if ended.is_success else [_incomplete(ended.why)]


def _run_of(
    params: GateParams, plan: GuardPlan, suite: SuiteEvidence | None, ticket: AdmissionTicket, as_of: date
) -> list[Finding]:
    """What keeps what the harness left from being the run that was admitted."""
    run = Path(params.candidate)
    findings = take_log(plan.log, run) if plan.log else []
    if plan.canary_after and suite is not None:
        try:
            result = run_canary(suite.file.canary, plan.canary, timeout_s=plan.canary_timeout_s)
            again = canary_findings(suite.file.canary, result.as_declared())
        except CanaryNotRun as missing:
            again = [missing.finding]
        findings += [f.model_copy(update={"subject": f"{f.subject}, after the run"}) for f in again]
    if not findings:
        evidence = load_evidence(params, as_of=as_of, with_trials=False)
        findings = list(ticket_mismatches(ticket, evidence))
    return findings


def _incomplete(observed: str) -> Finding:
    expected = "a harness that ends by itself, with status 0"
    return found("EXECUTION_INCOMPLETE", "1.3", "harness", expected=expected, observed=observed)


def _closed(params: GateParams, findings: Sequence[Finding], as_of: date) -> Verdict:
    is_rejected = any(reason_code(finding.code).state is VerdictState.REJECTED for finding in findings)
    state = VerdictState.REJECTED if is_rejected else VerdictState.NO_VERDICT
    evidence = load_evidence(params, as_of=as_of, with_trials=False)
    with claimed(Path(params.output_dir)) as folder:
        run_id, day = uuid.uuid4().hex, as_of.isoformat()
        return leave_closed(folder, state, list(findings), evidence, params, run_id=run_id, as_of=day)
