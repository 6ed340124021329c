"""Section 3: can the run as a whole carry a decision? Asked of the candidate and of the baseline."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from litmus_nb.contracts.evidence import RunEvidence
from litmus_nb.contracts.findings import Finding, in_order_of_the_rule
from litmus_nb.errors import GateInvariantViolation, InvalidVerdictConditions
from litmus_nb.rule.admissibility import Admitted
from litmus_nb.rule.chain import Chain, walk_chain
from litmus_nb.rule.eligibility_of_baseline import BASELINE_CHECKS
from litmus_nb.rule.eligibility_of_judge import JUDGE_CHECKS
from litmus_nb.rule.eligibility_of_ledger import LEDGER_CHECKS
from litmus_nb.rule.eligibility_of_trials import TRIAL_CHECKS
from litmus_nb.rule.population import Population, declared_scenarios, population_of
from litmus_nb.rule.questioned import Questioned

__all__ = ["ELIGIBILITY_CHECKS", "Eligible", "assert_verdict_eligible"]

_TICKET = object()

ELIGIBILITY_CHECKS: tuple[Callable[[Questioned], Iterator[Finding]], ...] = (
    *TRIAL_CHECKS,
    *JUDGE_CHECKS,
    *BASELINE_CHECKS,
    *LEDGER_CHECKS,
)


@dataclass(frozen=True)
class Eligible:
    """Evidence that can carry a decision. Only `assert_verdict_eligible` makes one."""

    admitted: Admitted
    baseline: RunEvidence
    chain: Chain
    candidate_population: Population
    baseline_population: Population
    ticket: Any

    def __post_init__(self) -> None:
        if self.ticket is not _TICKET:
            raise GateInvariantViolation("Eligible is made by assert_verdict_eligible alone")


def assert_verdict_eligible(admitted: Admitted) -> Eligible:
    """The evidence, once everything of section 3 and of 4.6 holds for candidate and baseline.

    Raises:
        InvalidVerdictConditions: with every finding; the state is NO_VERDICT and no number may be shown.
    """
    if not (TRIAL_CHECKS and JUDGE_CHECKS and BASELINE_CHECKS and LEDGER_CHECKS):
        raise GateInvariantViolation("no eligibility checks: an empty list makes everything eligible")
    questioned = _questioned(admitted)
    findings = [finding for check in ELIGIBILITY_CHECKS for finding in check(questioned)]
    if findings:
        raise InvalidVerdictConditions(in_order_of_the_rule(findings))
    populations = questioned.populations
    baseline, chain = admitted.evidence.baseline, questioned.chain
    if baseline is None or chain is None or not chain.is_whole or set(populations) != {"candidate", "baseline"}:
        raise GateInvariantViolation("a part is absent and no check said so")
    return Eligible(admitted, baseline, chain, populations["candidate"], populations["baseline"], _TICKET)


def _questioned(admitted: Admitted) -> Questioned:
    evidence = admitted.evidence
    chain = None if evidence.ledger is None else walk_chain(evidence.ledger)
    quarantined = chain.active_quarantine if chain and chain.is_whole else {}
    declared = declared_scenarios(admitted.suite, quarantined)
    sides = {"candidate": admitted.candidate}
    if evidence.baseline is not None:
        sides["baseline"] = evidence.baseline
    populations = {
        side: population_of(declared, run, run.tally) for side, run in sides.items() if run.tally is not None
    }
    return Questioned(admitted, chain, sides, populations)
