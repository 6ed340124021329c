"""May a run become the baseline? It must be what a gate accepts of one: admissible, and eligible by itself."""

from __future__ import annotations

from dataclasses import replace

from litmus_nb.contracts.evidence import Evidence, Part
from litmus_nb.contracts.findings import in_order_of_the_rule
from litmus_nb.errors import GateInvariantViolation, InvalidVerdictConditions
from litmus_nb.rule.admissibility import Admitted, assert_admissible
from litmus_nb.rule.chain import walk_chain
from litmus_nb.rule.eligibility_of_judge import JUDGE_CHECKS
from litmus_nb.rule.eligibility_of_ledger import check_as_of, check_chain, check_head, check_quarantine
from litmus_nb.rule.eligibility_of_trials import TRIAL_CHECKS
from litmus_nb.rule.population import declared_scenarios, population_of
from litmus_nb.rule.questioned import Questioned

__all__ = ["assert_fit_as_baseline"]

_RUN_CHECKS = (*TRIAL_CHECKS, *JUDGE_CHECKS, check_chain, check_head, check_quarantine, check_as_of)
_OF_THE_BASELINE = (Part.BASELINE_FOLDER, Part.BASELINE, Part.BASELINE_TRIALS)


def assert_fit_as_baseline(evidence: Evidence) -> Admitted:
    """The run that is the evidence's candidate, once section 2 and everything of section 3 about one run holds.

    What compares two runs (3.9, 3.12, 3.13, 3.17, 3.18) is not asked, and the baseline in force is not looked at:
    `baseline rebump` shows the difference to whoever decides.

    Raises:
        HarnessAdmissibilityError: with every finding of section 2.
        InvalidVerdictConditions: with every finding of section 3; such a run could never be compared with.
    """
    if not (TRIAL_CHECKS and JUDGE_CHECKS):
        raise GateInvariantViolation("no checks: an empty list makes every run a baseline")
    admitted = assert_admissible(_without_baseline(evidence))
    asked = _questioned(admitted)
    findings = [finding for check in _RUN_CHECKS for finding in check(asked)]
    if findings:
        raise InvalidVerdictConditions(in_order_of_the_rule(findings))
    if admitted.candidate.digest is None or asked.chain is None or not asked.populations:
        raise GateInvariantViolation("a part is absent and no check said so")
    return admitted


def _without_baseline(evidence: Evidence) -> Evidence:
    return replace(
        evidence,
        gate=evidence.gate.model_copy(update={"baseline": None}) if evidence.gate else None,
        baseline=None,
        unreadable=tuple(part for part in evidence.unreadable if part.part not in _OF_THE_BASELINE),
    )


def _questioned(admitted: Admitted) -> Questioned:
    ledger, run = admitted.evidence.ledger, admitted.candidate
    chain = None if ledger is None else walk_chain(ledger)
    declared = declared_scenarios(admitted.suite, chain.active_quarantine if chain and chain.is_whole else {})
    populations = {} if run.tally is None else {"candidate": population_of(declared, run, run.tally)}
    return Questioned(admitted, chain, {"candidate": run}, populations)
