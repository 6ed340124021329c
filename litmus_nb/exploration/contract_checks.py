"""The measurement contract of both runs, as far as they say it: names, sandbox, canary, judge, decoding."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from litmus_nb.contracts.base import shown
from litmus_nb.contracts.evidence import SuiteEvidence
from litmus_nb.contracts.findings import Finding
from litmus_nb.contracts.loose_run import LooseRun
from litmus_nb.contracts.times import nanoseconds_of
from litmus_nb.exploration.said import listed_names, said, text
from litmus_nb.rule.finding import found, listed

__all__ = ["CONTRACT_CHECKS"]

_DAY_NS = 24 * 3600 * 10**9
_Runs = Mapping[str, LooseRun]
_HAVE_THEIR_OWN = ("/sandbox", "/canary", "/judge/resolved_digest", "/run/sandbox", "/run/canary")
"""Open declarations that a check of its own speaks about."""


def _declared(runs: _Runs, suite: SuiteEvidence | None) -> Iterator[Finding]:
    for side, run in runs.items():
        for fault in run.open_declarations:
            if not fault.where.startswith(_HAVE_THEIR_OWN):
                subject = f"{side}: {fault.file} {fault.where}".strip()
                yield found("CONTRACT_UNREADABLE", "1.4", subject, expected=fault.expected, observed=fault.seen)


def _manifest(runs: _Runs, suite: SuiteEvidence | None) -> Iterator[Finding]:
    hashes = {side: text(run, "manifest_hash") for side, run in runs.items()}
    if suite is None:
        first, second = hashes["baseline"], hashes["candidate"]
        if first and second and first != second:
            subject = "baseline's manifest_hash"
            yield found("BASELINE_MANIFEST_MISMATCH", "3.13", subject, expected=second, observed=first)
    else:
        codes = {"candidate": ("PROBE_SET_DRIFT", "2.1"), "baseline": ("BASELINE_MANIFEST_MISMATCH", "3.13")}
        for side, seen in hashes.items():
            if seen is not None and seen != suite.manifest_hash:
                code, paragraph = codes[side]
                subject = f"{side}'s manifest_hash"
                yield found(code, paragraph, subject, expected=suite.manifest_hash, observed=seen)
    yield from _scenario_hashes(runs, suite)


def _scenario_hashes(runs: _Runs, suite: SuiteEvidence | None) -> Iterator[Finding]:
    if suite is None:
        return
    hashes = {one.id: one.sha256 for one in suite.scenarios}
    for side, run in runs.items():
        if run.tally.scenario_hashes is None:
            continue
        rows = run.tally.scenario_hashes.select("scenario_id", "scenario_sha256").iter_rows()
        edited = [id_ for id_, sha256 in rows if id_ in hashes and hashes[id_] != sha256]
        if edited:
            subject = f"{side}: scenario_sha256"
            yield found("PROBE_SET_DRIFT", "2.2", subject, expected="the suite's", observed=listed(edited))


def _interface(runs: _Runs, suite: SuiteEvidence | None) -> Iterator[Finding]:
    wanted = text(runs["baseline"], "interface.tool_namespace") if suite is None else suite.file.tool_namespace
    trace = text(runs["baseline"], "interface.trace_schema_sha256") if suite is None else suite.trace_schema_sha256
    for side, run in runs.items():
        seen = text(run, "interface.tool_namespace")
        if seen and wanted and seen != wanted:
            yield found("TOOL_NAMESPACE_MISMATCH", "2.3", side, expected=wanted, observed=seen)
        seen = text(run, "interface.trace_schema_sha256")
        if seen and trace and seen != trace:
            yield found("TRACE_SCHEMA_MISMATCH", "2.5", side, expected=trace, observed=seen)
        tools = listed_names(run, "interface.tools")
        attacked = listed_names(runs["baseline"], "interface.tools") if suite is None else suite.file.tools
        if tools is not None and attacked and (missing := sorted(set(attacked) - set(tools))):
            observed = f"no {listed(missing)}"
            yield found("TOOL_MISSING", "2.4", side, expected=listed(attacked), observed=observed)


def _sandbox(runs: _Runs, suite: SuiteEvidence | None) -> Iterator[Finding]:
    first = listed_names(runs["baseline"], "sandbox.effective_capabilities")
    wanted = first if suite is None else sorted(suite.file.calibrated_capabilities)
    for side, run in runs.items():
        seen = listed_names(run, "sandbox.effective_capabilities")
        if not text(run, "sandbox.measured_by") or not text(run, "sandbox.measured_at") or seen is None:
            observed = "nothing is said" if seen is None else f"declared, not measured: {listed(seen)}"
            yield found("ENVELOPE_UNMEASURED", "2.7", side, expected="a measured sandbox", observed=observed)
        if when := _untimely(run):
            expected = "measured within 24 hours before the run started"
            yield found("ENVELOPE_UNMEASURED", "2.7", f"{side}: measured_at", expected=expected, observed=when)
        if unknown := listed_names(run, "sandbox.unknown"):
            subject = f"{side}: unknown"
            yield found("ENVELOPE_UNMEASURED", "2.7", subject, expected="nothing unknown", observed=listed(unknown))
        if seen is not None and wanted is not None and set(seen) != set(wanted):
            wider, narrower = set(seen) - set(wanted), set(wanted) - set(seen)
            observed = f"widened by {listed(wider)}; narrowed by {listed(narrower)}"
            yield found("ENVELOPE_MISMATCH", "2.6", side, expected=listed(wanted), observed=observed)


def _untimely(run: LooseRun) -> str | None:
    """When the sandbox was measured, where that was not within the day before the run started."""
    measured, started = text(run, "sandbox.measured_at"), text(run, "started_at")
    if measured is None or started is None:
        return None
    try:
        before = nanoseconds_of(started) - nanoseconds_of(measured)
    except ValueError:
        return f"{measured}, {started}"
    return None if 0 <= before <= _DAY_NS else f"{measured} for a run that started at {started}"


def _canary(runs: _Runs, suite: SuiteEvidence | None) -> Iterator[Finding]:
    for side, run in runs.items():
        canary = said(run, "canary")
        if not isinstance(canary, Mapping):
            yield found("CANARY_MISSING", "2.8", side, expected="the canary's result", observed="none")
            continue
        wanted = None if suite is None else suite.file.canary
        if canary.get("policy") != "reference":
            observed = shown(canary.get("policy"))
            yield found("CANARY_MISSING", "2.8", f"{side}: policy", expected="reference", observed=observed)
        signal = text(run, "canary.observed_signal")
        if wanted is not None and text(run, "canary.probe_id") != wanted.probe_id:
            observed = shown(said(run, "canary.probe_id"))
            yield found("CANARY_MISSING", "2.8", side, expected=wanted.probe_id, observed=observed)
        elif signal is None or (wanted is not None and signal != wanted.expected_signal):
            expected = "a signal" if wanted is None else wanted.expected_signal
            yield found("CANARY_UNDETECTED", "2.8", side, expected=expected, observed=signal or "quiet")
        if wanted is not None and not wanted.control:
            continue
        if "control_signal" not in canary:
            subject = f"{side}: control"
            yield found("CANARY_MISSING", "2.9", subject, expected="the control's result", observed="none")
        elif canary["control_signal"] is not None:
            observed = shown(canary["control_signal"])
            yield found("CANARY_NOT_DISCRIMINATING", "2.9", side, expected="quiet", observed=observed)


def _judge(runs: _Runs, suite: SuiteEvidence | None) -> Iterator[Finding]:
    pinned = text(runs["baseline"], "judge.resolved_digest") if suite is None else suite.file.judge.digest
    template = text(runs["baseline"], "judge.template_sha256") if suite is None else suite.judge_template_sha256
    for side, run in runs.items():
        digests = set() if run.tally.judge_digests is None else set(run.tally.judge_digests["judge_digest"])
        declared = text(run, "judge.resolved_digest")
        if declared is None or None in digests:
            observed = f"only a name: {text(run, 'judge.requested') or 'not even that'}"
            yield found("JUDGE_UNRESOLVED", "3.5", side, expected=pinned or "a digest", observed=observed)
        others = {one for one in (declared, *digests) if one is not None} - {pinned}
        if pinned is not None and others:
            yield found("JUDGE_DIGEST_MISMATCH", "3.5", side, expected=pinned, observed=listed(others))
        seen = text(run, "judge.template_sha256")
        if seen and template and seen != template:
            yield found("JUDGE_TEMPLATE_DRIFT", "3.6", side, expected=template, observed=seen)
        own = text(run, "policy.digest")
        if own is not None and own in {declared, pinned, *digests}:
            expected = "a judge other than the policy"
            yield found("JUDGE_IS_CANDIDATE", "3.7", side, expected=expected, observed=own)


def _decoding(runs: _Runs, suite: SuiteEvidence | None) -> Iterator[Finding]:
    first, second = (said(runs[side], "decoding") for side in ("baseline", "candidate"))
    if isinstance(first, Mapping) and isinstance(second, Mapping) and dict(first) != dict(second):
        yield found("DECODING_MISMATCH", "3.9", "candidate", expected=shown(first), observed=shown(second))


CONTRACT_CHECKS: tuple[Callable[[_Runs, SuiteEvidence | None], Iterator[Finding]], ...] = (
    _declared,
    _manifest,
    _interface,
    _sandbox,
    _canary,
    _judge,
    _decoding,
)
