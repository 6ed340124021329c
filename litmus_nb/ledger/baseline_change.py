"""What a new baseline changes, shown before it is written: declarations, rates, the judge's share, the sum so far."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from litmus_nb.contracts.canonical import canonical_json
from litmus_nb.contracts.evidence import RunEvidence, SuiteEvidence
from litmus_nb.contracts.gate import GateFile
from litmus_nb.errors import UsageError
from litmus_nb.ledger.rates import Estimate, paired_shift, rate_of, unit_rates

__all__ = ["BaselineChange", "ClassChange", "DeclaredChange", "JudgeShare", "describe_change"]


@dataclass(frozen=True)
class DeclaredChange:
    """A declaration that differs between the two baselines."""

    what: str
    before: str
    after: str


@dataclass(frozen=True)
class JudgeShare:
    """A shift taken apart, where the same trajectories were labelled by both judges."""

    agent: Estimate
    judge: Estimate


@dataclass(frozen=True)
class ClassChange:
    """One class. Rates are attack success rates, 0 to 1; shifts are after minus before, positive is worse."""

    name: str
    tolerance: float | None
    """The gate's tolerance, to see the shifts against; None where it sets none."""
    before: Estimate
    after: Estimate
    shift: Estimate
    """From the baseline in force to the new one, over scenarios that both have scored."""
    since_first: Estimate | None
    """From the first pinned baseline to the new one; None where the first one's run is not at hand."""
    judge_share: JudgeShare | None
    """None where the judge did not change, or no trajectory has the labels of both."""


@dataclass(frozen=True)
class BaselineChange:
    """Everything that a new baseline changes."""

    declared: tuple[DeclaredChange, ...]
    classes: tuple[ClassChange, ...]
    is_judge_changed: bool
    rebumps: int
    """How many rebumps the ledger holds already."""


def describe_change(
    gate: GateFile,
    suite: SuiteEvidence,
    *,
    before: RunEvidence,
    after: RunEvidence,
    first: RunEvidence | None,
    rejudged: RunEvidence | None,
    rebumps: int,
) -> BaselineChange:
    """The difference between the baseline in force and the run that is to replace it.

    Args:
        gate: its tolerances and confidence are shown beside the rates.
        suite: today's suite; scenarios that only an old run has are left out.
        before: the baseline in force.
        after: the run that is to replace it.
        first: the first pinned baseline, where its run is at hand.
        rejudged: one side's trajectories with the other side's judge, where there are such labels.
        rebumps: how many rebumps the ledger holds already.

    Raises:
        UsageError: `rejudged` is neither the old policy under the new judge nor the new policy under the old one.
    """
    is_judge_changed = _judge_of(before) != _judge_of(after)
    rates = _Rates.of(suite, before, after, first, rejudged)
    is_old_policy = rejudged is not None and _is_old_policy(before, after, rejudged)
    classes = []
    for name in sorted(suite.file.classes):
        threshold = gate.classes.get(name)
        classes.append(
            ClassChange(
                name=name,
                tolerance=threshold.tolerance if threshold else None,
                before=rate_of(rates.before, name, gate.confidence),
                after=rate_of(rates.after, name, gate.confidence),
                shift=paired_shift(rates.before, rates.after, name, gate.confidence),
                since_first=_since_first(rates, name, gate.confidence),
                judge_share=_judge_share(rates, name, gate.confidence, is_old_policy=is_old_policy),
            )
        )
    return BaselineChange(_declared_changes(before, after), tuple(classes), is_judge_changed, rebumps)


@dataclass(frozen=True)
class _Rates:
    before: pl.DataFrame
    after: pl.DataFrame
    first: pl.DataFrame | None
    rejudged: pl.DataFrame | None

    @classmethod
    def of(
        cls,
        suite: SuiteEvidence,
        before: RunEvidence,
        after: RunEvidence,
        first: RunEvidence | None,
        rejudged: RunEvidence | None,
    ) -> _Rates:
        return cls(
            unit_rates(suite, before),
            unit_rates(suite, after),
            unit_rates(suite, first) if first else None,
            unit_rates(suite, rejudged) if rejudged else None,
        )


def _since_first(rates: _Rates, name: str, confidence: float) -> Estimate | None:
    return None if rates.first is None else paired_shift(rates.first, rates.after, name, confidence)


def _judge_share(rates: _Rates, name: str, confidence: float, *, is_old_policy: bool) -> JudgeShare | None:
    """The shift telescopes over the run in between: one step changes the judge alone, the other the agent alone."""
    between = rates.rejudged
    if between is None:
        return None
    first_step = paired_shift(rates.before, between, name, confidence)
    second_step = paired_shift(between, rates.after, name, confidence)
    return JudgeShare(second_step, first_step) if is_old_policy else JudgeShare(first_step, second_step)


def _is_old_policy(before: RunEvidence, after: RunEvidence, rejudged: RunEvidence) -> bool:
    """Whether the rejudged run is the old policy under the new judge; otherwise it is the new one under the old."""
    policy, judge = rejudged.declaration.policy.digest, _judge_of(rejudged)
    if (policy, judge) == (before.declaration.policy.digest, _judge_of(after)):
        return True
    if (policy, judge) == (after.declaration.policy.digest, _judge_of(before)):
        return False
    raise UsageError(
        "--rejudged: expected the old baseline's policy labelled by the new judge, or the new one's by the old; "
        f"seen policy {policy} under judge {judge}"
    )


def _judge_of(run: RunEvidence) -> tuple[str | None, str]:
    judge = run.declaration.judge
    return judge.resolved_digest, judge.template_sha256


def _declared_changes(before: RunEvidence, after: RunEvidence) -> tuple[DeclaredChange, ...]:
    old, new = _declared(before), _declared(after)
    return tuple(DeclaredChange(what, old[what], new[what]) for what in old if old[what] != new[what])


def _declared(run: RunEvidence) -> dict[str, str]:
    declaration = run.declaration
    return {
        "policy": f"{declaration.policy.name} {declaration.policy.digest}",
        "judge": f"{declaration.judge.requested} {declaration.judge.resolved_digest}",
        "judge template": declaration.judge.template_sha256,
        "decoding": canonical_json(declaration.decoding).decode(),
        "manifest": declaration.manifest_hash,
        "deterministic": str(declaration.deterministic).lower(),
        "trials per scenario": str(declaration.trials_per_scenario),
        "tool namespace": declaration.interface.tool_namespace,
        "sandbox": ", ".join(sorted(declaration.sandbox.effective_capabilities)),
    }
