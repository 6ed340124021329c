"""The measurement contract that a run must keep, 2.2 to 2.9. Used for the candidate and for the baseline's record."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from litmus_nb.contracts.evidence import RunEvidence, SuiteEvidence
from litmus_nb.contracts.findings import Finding
from litmus_nb.contracts.gate import Adapter, GateFile
from litmus_nb.contracts.run import RunCanary
from litmus_nb.contracts.suite import Canary
from litmus_nb.contracts.times import nanoseconds_of
from litmus_nb.rule.finding import found, listed

__all__ = ["CONTRACT_CHECKS", "ContractCheck", "canary_findings", "contract_findings"]

ContractCheck = Callable[[GateFile, SuiteEvidence, RunEvidence], Iterator[Finding]]

_FRESH_NS = 24 * 3600 * 10**9
_REFERENCE_POLICY = "reference"


def contract_findings(gate: GateFile, suite: SuiteEvidence, run: RunEvidence) -> list[Finding]:
    """Everything that is wrong with a run's keeping of the measurement contract."""
    if not CONTRACT_CHECKS:
        raise ValueError("no checks: an empty list admits everything")
    return [finding for check in CONTRACT_CHECKS for finding in check(gate, suite, run)]


def check_scenario_hashes(gate: GateFile, suite: SuiteEvidence, run: RunEvidence) -> Iterator[Finding]:
    """2.2: where the trials say which scenario text was run, it is the suite's."""
    if run.tally is None or run.tally.scenario_hashes is None:
        return
    frozen = {scenario.id: scenario.sha256 for scenario in suite.scenarios}
    pairs = run.tally.scenario_hashes.select("scenario_id", "scenario_sha256").iter_rows()
    differing = [scenario_id for scenario_id, sha256 in pairs if sha256 is None or frozen.get(scenario_id) != sha256]
    if differing:
        yield found(
            "PROBE_SET_DRIFT",
            "2.2",
            "scenario_sha256",
            expected="the suite's hash of its scenario in every row",
            observed=f"another hash, or none: {listed(differing)}",
        )


def check_tool_namespace(gate: GateFile, suite: SuiteEvidence, run: RunEvidence) -> Iterator[Finding]:
    """2.3: the run speaks the suite's tool dialect, or a registered adapter translates exactly between the two."""
    namespace = run.declaration.interface.tool_namespace
    if namespace != suite.file.tool_namespace and adapter_of(gate, suite, run) is None:
        yield found(
            "TOOL_NAMESPACE_MISMATCH",
            "2.3",
            "tool_namespace",
            expected=f"{suite.file.tool_namespace}, or an adapter from exactly this interface",
            observed=namespace,
        )


def check_tools(gate: GateFile, suite: SuiteEvidence, run: RunEvidence) -> Iterator[Finding]:
    """2.4: every tool that the suite attacks exists in the run, under the name that the dialect gives it."""
    adapter = adapter_of(gate, suite, run)
    present = set(run.declaration.interface.tools)
    for tool in sorted(set(suite.file.tools)):
        names = [tool] if adapter is None else sorted(own for own, suites in adapter.tools.items() if suites == tool)
        if not names:
            yield found(
                "ADAPTER_INCOMPLETE",
                "2.4",
                tool,
                expected="an entry for every tool of the suite",
                observed="no entry for this one; there is no fallback to the same name",
            )
        elif missing := [name for name in names if name not in present]:
            yield found("TOOL_MISSING", "2.4", tool, expected=f"the tool {listed(missing)}", observed=listed(present))


def check_trace_schema(gate: GateFile, suite: SuiteEvidence, run: RunEvidence) -> Iterator[Finding]:
    """2.5: traces have the form that the detectors were calibrated on, or the same adapter names both."""
    schema = run.declaration.interface.trace_schema_sha256
    if schema != suite.trace_schema_sha256 and adapter_of(gate, suite, run) is None:
        yield found("TRACE_SCHEMA_MISMATCH", "2.5", "trace_schema", expected=suite.trace_schema_sha256, observed=schema)


def check_envelope(gate: GateFile, suite: SuiteEvidence, run: RunEvidence) -> Iterator[Finding]:
    """2.6: the sandbox granted exactly what the suite was calibrated under; more and less are both violations."""
    calibrated = set(suite.file.calibrated_capabilities)
    effective = set(run.declaration.sandbox.effective_capabilities)
    if calibrated != effective:
        yield found(
            "ENVELOPE_MISMATCH",
            "2.6",
            "effective_capabilities",
            expected=listed(calibrated),
            observed=f"widened by {_named(effective - calibrated)}; narrowed by {_named(calibrated - effective)}",
        )


def _named(capabilities: set[str]) -> str:
    """Every one of them: which way is open is what the reader came for."""
    return ", ".join(sorted(capabilities)) or "none"


def check_envelope_measured(gate: GateFile, suite: SuiteEvidence, run: RunEvidence) -> Iterator[Finding]:
    """2.7: the effective set was measured within the 24 hours before the start, and nothing of it is unknown."""
    sandbox = run.declaration.sandbox
    if sandbox.unknown:
        yield found(
            "ENVELOPE_UNMEASURED", "2.7", "unknown", expected="nothing unknown", observed=listed(sandbox.unknown)
        )
    if sandbox.measured_by is None or sandbox.measured_at is None:
        yield found(
            "ENVELOPE_UNMEASURED",
            "2.7",
            "measured_at",
            expected="measured_by and measured_at",
            observed=f"measured_by {sandbox.measured_by}, measured_at {sandbox.measured_at}",
        )
        return
    if run.declaration.started_at is None:
        return  # planned: preflight, which has a clock, asks how old the measurement is
    age_ns = nanoseconds_of(run.declaration.started_at) - nanoseconds_of(sandbox.measured_at)
    if not 0 <= age_ns <= _FRESH_NS:
        yield found(
            "ENVELOPE_UNMEASURED",
            "2.7",
            "measured_at",
            expected=f"at most 24 hours before {run.declaration.started_at} and not after it",
            observed=sandbox.measured_at,
        )


def check_canary(gate: GateFile, suite: SuiteEvidence, run: RunEvidence) -> Iterator[Finding]:
    """2.8 and 2.9: the canary was seen on the reference policy, and the control, where there is one, was quiet."""
    yield from canary_findings(suite.file.canary, run.declaration.canary)


def canary_findings(declared: Canary, canary: RunCanary | None) -> list[Finding]:
    """What a canary's result lacks of what the suite declares."""
    return [*_unseen(declared, canary), *_loud(declared, canary)]


def _unseen(declared: Canary, canary: RunCanary | None) -> Iterator[Finding]:
    """2.8: the suite's canary was run on the reference policy and gave the expected signal."""
    if canary is None:
        yield found("CANARY_MISSING", "2.8", "canary", expected=declared.probe_id, observed="no canary")
        return
    if canary.probe_id != declared.probe_id or canary.policy != _REFERENCE_POLICY:
        yield found(
            "CANARY_MISSING",
            "2.8",
            "canary",
            expected=f"{declared.probe_id} on the policy {_REFERENCE_POLICY}",
            observed=f"{canary.probe_id} on the policy {canary.policy}",
        )
    if canary.observed_signal != declared.expected_signal:
        yield found(
            "CANARY_UNDETECTED",
            "2.8",
            "observed_signal",
            expected=declared.expected_signal,
            observed="no signal" if canary.observed_signal is None else canary.observed_signal,
        )


def _loud(declared: Canary, canary: RunCanary | None) -> Iterator[Finding]:
    """2.9: where the suite has a control, its result is there and quiet."""
    if not declared.control:
        return
    if canary is None or not canary.has_control_result:
        yield found("CANARY_MISSING", "2.9", "control_signal", expected="the control's result", observed="none")
    elif canary.control_signal is not None:
        yield found(
            "CANARY_NOT_DISCRIMINATING",
            "2.9",
            "control_signal",
            expected="quiet (null)",
            observed=canary.control_signal,
        )


def adapter_of(gate: GateFile, suite: SuiteEvidence, run: RunEvidence) -> Adapter | None:
    """The adapter whose two sides are exactly the run's interface and the suite's, if the gate registers one."""
    own, suites = run.declaration.interface, suite.file
    for adapter in gate.adapters:
        is_from_run = (adapter.from_.tool_namespace, adapter.from_.trace_schema_sha256) == (
            own.tool_namespace,
            own.trace_schema_sha256,
        )
        is_to_suite = (adapter.to.tool_namespace, adapter.to.trace_schema_sha256) == (
            suites.tool_namespace,
            suite.trace_schema_sha256,
        )
        if is_from_run and is_to_suite:
            return adapter
    return None


CONTRACT_CHECKS: tuple[ContractCheck, ...] = (
    check_scenario_hashes,
    check_tool_namespace,
    check_tools,
    check_trace_schema,
    check_envelope,
    check_envelope_measured,
    check_canary,
)
