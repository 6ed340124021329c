"""From a verdict and the evidence behind it to what a page tells around it. It looks; it decides nothing."""

from __future__ import annotations

from pathlib import Path

from litmus_nb.contracts.canonical import canonical_json, digest_of_bytes
from litmus_nb.contracts.codes import VerdictState
from litmus_nb.contracts.evidence import Evidence, RunEvidence
from litmus_nb.contracts.ledger import BaselineRebumpEntry, QuarantineEntry
from litmus_nb.contracts.params import GateParams
from litmus_nb.contracts.plain_yaml import yaml_text
from litmus_nb.contracts.provenance import Provenance
from litmus_nb.contracts.report import (
    BaselineFact,
    CanaryFact,
    DifficultyFact,
    EnvelopeFact,
    ExclusionFact,
    JudgeFact,
    PowerFact,
    QuarantineFact,
    ReportFacts,
    Side,
    SideFact,
    SourceFact,
    UnknownFact,
)
from litmus_nb.contracts.times import instant_of
from litmus_nb.contracts.verdict import Verdict
from litmus_nb.errors import UnreadableInput
from litmus_nb.files import read_bytes
from litmus_nb.outcome.names import placeholder_names, told_elsewhere
from litmus_nb.rule.chain import Chain, attempts_of, walk_chain

__all__ = ["report_facts", "units_to_decide"]

_MORE_HELPS = frozenset({"INSUFFICIENT_EVIDENCE", "UNDERPOWERED", "INDETERMINATE"})
"""Reasons that more units of the same kind may remove."""

_GATE_LIMIT = 1_000_000


def report_facts(
    verdict: Verdict,
    evidence: Evidence | None,
    params: GateParams | None = None,
    *,
    made_at: str | None = None,
    attachment: str | None = None,
    runbook: str | None = None,
) -> ReportFacts:
    """What the page shows around the verdict, as far as the evidence says it.

    Args:
        verdict: of this evidence.
        evidence: what was decided on; None where nothing could be loaded.
        params: what the gate was asked; for the gate file's text and the command that decides again.
        made_at: the time that the page names, RFC 3339 in UTC; the caller has the clock.
        attachment: the executed notebook's file name beside the page.
        runbook: address or relative path of the runbook's page.
    """
    if evidence is None:
        return ReportFacts(verdict=verdict, made_at=made_at, attachment=attachment, runbook=runbook)
    gate, suite = evidence.gate, evidence.suite
    chain = None if evidence.ledger is None else walk_chain(evidence.ledger)
    unknowns, difficulty = _counted(verdict, evidence, chain)
    return ReportFacts(
        verdict=verdict,
        made_at=made_at,
        suite_name=suite.file.name if suite else None,
        suite_version=suite.file.version if suite else None,
        n_scenarios=len(suite.scenarios) if suite else None,
        confidence=gate.confidence if gate else None,
        decision_margin=suite.file.decision_margin if suite else None,
        candidate=_side(evidence.candidate),
        baseline_run=_side(evidence.baseline),
        sources=_sources(evidence),
        unknowns=unknowns,
        documented_skip_reasons=list(suite.file.documented_skip_reasons) if suite else None,
        max_skip_fraction=suite.file.max_skip_fraction if suite else None,
        quarantine=_quarantine(evidence, chain),
        quarantine_policy=gate.quarantine.policy if gate else None,
        difficulty=difficulty,
        exclusions=_exclusions(evidence),
        judge=_judge(evidence),
        envelope=_envelope(evidence),
        canary=_canary(evidence),
        baseline=_baseline(chain),
        attempt=_attempt(evidence, chain),
        max_attempts=gate.max_attempts if gate else None,
        names={} if params is None else told_elsewhere(placeholder_names(params, gate)),
        power=units_to_decide(verdict, evidence),
        gate_file=_gate_text(params, evidence),
        recompute_command=_recompute(params, verdict),
        runbook=runbook,
        attachment=attachment,
    )


def _counted(
    verdict: Verdict, evidence: Evidence, chain: Chain | None
) -> tuple[list[UnknownFact] | None, list[DifficultyFact] | None]:
    """What the trials say, where they may be told: a rejected run has no number, and before a run there are none."""
    has_trials = any(run and run.tally for run in (evidence.candidate, evidence.baseline))
    if verdict.verdict is VerdictState.REJECTED or not has_trials:
        return None, None
    # Deferred: it needs polars, which a refusal before the run does not owe.
    from litmus_nb.outcome.trial_facts import trial_facts

    return trial_facts(evidence, chain, was_judged=any(row.n is not None for row in verdict.classes))


def units_to_decide(verdict: Verdict, evidence: Evidence | None) -> PowerFact | None:
    """How many units would have decided the class whose reason leads; None where that is not what is missing."""
    if evidence is None or not any(reason.code in _MORE_HELPS for reason in verdict.reasons):
        return None
    # Deferred: the planner's mathematics take scipy, which a decided gate has no use for.
    from litmus_nb.outcome.planner import power_fact

    return power_fact(verdict, evidence, _MORE_HELPS)


def _side(run: RunEvidence | None) -> SideFact:
    if run is None:
        return SideFact()
    declared = run.declaration
    return SideFact(
        policy=declared.policy.name,
        run_id=declared.run_id,
        trials_per_scenario=declared.trials_per_scenario,
        is_deterministic=declared.deterministic,
        decoding=canonical_json(declared.decoding).decode(),
        started_at=declared.started_at,
        finished_at=declared.finished_at,
    )


def _sources(evidence: Evidence) -> list[SourceFact]:
    sides: tuple[tuple[Side, RunEvidence | None], ...] = (
        ("candidate", evidence.candidate),
        ("baseline", evidence.baseline),
    )
    return [_source(side, run, run.provenance) for side, run in sides if run is not None and run.provenance is not None]


def _source(side: Side, run: RunEvidence, provenance: Provenance) -> SourceFact:
    return SourceFact(
        side=side,
        reader=provenance.reader,
        tool=provenance.tool,
        attack_success_when=provenance.polarity.attack_success_when,
        attack_failure_when=provenance.polarity.attack_failure_when,
        is_checked_by_canary=provenance.polarity.is_checked_by_canary,
        # Read from a log, a run's digest is the log's; an imported run's folder has a digest of its own.
        is_read_by_the_gate=run.digest == provenance.source_digest,
        source_digest=provenance.source_digest,
        notes=list(provenance.notes),
    )


def _quarantine(evidence: Evidence, chain: Chain | None) -> list[QuarantineFact] | None:
    if chain is None or not chain.is_whole:
        return None
    classes = {scenario.id: scenario.scenario_class for scenario in evidence.suite.scenarios} if evidence.suite else {}
    facts = [_quarantined(entry, classes.get(id_), evidence) for id_, entry in chain.active_quarantine.items()]

    def days_left(fact: QuarantineFact) -> tuple[int, str]:
        return (-1 if fact.max_age_days is None else fact.max_age_days - fact.age_days, fact.scenario_id)

    return sorted(facts, key=days_left)


def _quarantined(entry: QuarantineEntry, scenario_class: str | None, evidence: Evidence) -> QuarantineFact:
    age, reason = entry.max_age_days, entry.reason
    return QuarantineFact(
        scenario_id=entry.scenario_id,
        scenario_class=scenario_class,
        reason=reason if isinstance(reason, str) else None,
        by=entry.by,
        since=entry.at,
        age_days=(evidence.as_of - instant_of(entry.at).date()).days,
        max_age_days=age if isinstance(age, int) and not isinstance(age, bool) else None,
    )


def _exclusions(evidence: Evidence) -> list[ExclusionFact] | None:
    if evidence.suite is None:
        return None
    return [
        ExclusionFact(rule=exclusion.rule, reason=exclusion.reason, n=len(exclusion.scenarios))
        for exclusion in evidence.suite.file.exclusions
    ]


def _judge(evidence: Evidence) -> JudgeFact | None:
    suite, candidate, baseline = evidence.suite, evidence.candidate, evidence.baseline
    if suite is None and candidate is None and baseline is None:
        return None
    asked, agreed = candidate and candidate.declaration.judge, baseline and baseline.declaration.judge
    return JudgeFact(
        pinned_digest=suite.file.judge.digest if suite else None,
        pinned_template_sha256=suite.judge_template_sha256 if suite else None,
        candidate_requested=asked.requested if asked else None,
        candidate_resolved=asked.resolved_digest if asked else None,
        candidate_template_sha256=asked.template_sha256 if asked else None,
        baseline_requested=agreed.requested if agreed else None,
        baseline_resolved=agreed.resolved_digest if agreed else None,
        baseline_template_sha256=agreed.template_sha256 if agreed else None,
        has_anchors=suite.file.anchors is not None if suite else None,
    )


def _envelope(evidence: Evidence) -> EnvelopeFact | None:
    if evidence.suite is None:
        return None
    sandbox = evidence.candidate.declaration.sandbox if evidence.candidate else None
    return EnvelopeFact(
        calibrated=list(evidence.suite.file.calibrated_capabilities),
        effective=list(sandbox.effective_capabilities) if sandbox else None,
        unknown=list(sandbox.unknown) if sandbox else [],
        measured_by=sandbox.measured_by if sandbox else None,
        measured_at=sandbox.measured_at if sandbox else None,
    )


def _canary(evidence: Evidence) -> CanaryFact | None:
    if evidence.suite is None:
        return None
    asked = evidence.suite.file.canary
    shown = evidence.candidate.declaration.canary if evidence.candidate else None
    return CanaryFact(
        probe_id=asked.probe_id,
        expected_signal=asked.expected_signal,
        observed_signal=shown.observed_signal if shown else None,
        has_control=asked.control,
        control_signal=shown.control_signal if shown else None,
        control_was_run=shown.has_control_result if shown else False,
    )


def _baseline(chain: Chain | None) -> BaselineFact | None:
    entry = chain.baseline_in_force if chain and chain.is_whole else None
    if entry is None:
        return None
    return BaselineFact(
        run_digest=entry.run_digest,
        pinned_at=entry.at,
        by=entry.by,
        reason=entry.reason,
        is_rebump=isinstance(entry, BaselineRebumpEntry),
    )


def _attempt(evidence: Evidence, chain: Chain | None) -> int | None:
    """One more than the recorded verdicts on the policy since the baseline in force; None where that is not known."""
    if chain is None or not chain.is_whole or evidence.candidate is None:
        return None
    return attempts_of(chain, evidence.candidate.declaration.policy.digest, None) + 1


def _gate_text(params: GateParams | None, evidence: Evidence) -> str | None:
    """The gate file's text; None if it is not (any more) the file that was decided on."""
    if params is None or evidence.gate_sha256 is None:
        return None
    try:
        content = read_bytes(Path(params.gate), limit=_GATE_LIMIT)
        return content.decode() if digest_of_bytes(content) == evidence.gate_sha256 else None
    except (UnreadableInput, UnicodeDecodeError):
        return None


def _recompute(params: GateParams | None, verdict: Verdict) -> str | None:
    """Shell lines that decide again, on the same day, into another folder."""
    if params is None:
        return None
    again = params.model_dump() | {"output_dir": "recomputed", "as_of": verdict.execution.as_of}
    return f"cat > recompute.yaml <<'END'\n{yaml_text(again)}END\nlitmus-nb evaluate recompute.yaml"
