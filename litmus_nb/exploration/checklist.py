"""Everything that would have kept a gate from deciding on these two runs, by the codes that the gate would have given.

Without a suite, what the suite would have asked for is not known: then the two sides are asked of each other, and the
defaults of a drafted suite stand in. The list is a forecast; the gate's own checks are the ones that decide.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from litmus_nb.contracts.codes import reason_code
from litmus_nb.contracts.evidence import SuiteEvidence
from litmus_nb.contracts.exploration import ChecklistItem, ExploredClass
from litmus_nb.contracts.findings import Finding, in_order_of_the_rule
from litmus_nb.contracts.fix_cost import fix_cost
from litmus_nb.contracts.loose_run import LooseRun
from litmus_nb.exploration.contract_checks import CONTRACT_CHECKS
from litmus_nb.exploration.pairing import SIDES, Pairing
from litmus_nb.exploration.said import said, text
from litmus_nb.rule.finding import found, listed

__all__ = ["checklist_of"]

DRAFT_MIN_TRIALS = 2
DRAFT_MIN_AGREEMENT = 0.7
DRAFT_DECISION_MARGIN = 0.1
"""What `litmus-nb suite init` writes where nobody has said anything else."""


@dataclass(frozen=True)
class _Asked:
    runs: dict[str, LooseRun]
    suite: SuiteEvidence | None
    pairing: Pairing
    classes: Sequence[ExploredClass]


def checklist_of(
    runs: dict[str, LooseRun],
    suite: SuiteEvidence | None,
    pairing: Pairing,
    classes: Sequence[ExploredClass],
    runbook: Callable[[str], str],
) -> list[ChecklistItem]:
    """The checklist, the cheapest to mend first.

    Args:
        runs: side to run.
        suite: the suite that both should be runs of; None where none is given.
        pairing: of the two runs.
        classes: their numbers.
        runbook: what to do about a code, in a paragraph; empty where nothing is known.
    """
    asked = _Asked(runs, suite, pairing, classes)
    findings: list[Finding] = [finding for check in CONTRACT_CHECKS for finding in check(runs, suite)]
    findings += [finding for check in _CHECKS for finding in check(asked)]
    items = [
        ChecklistItem(
            finding=finding,
            cost=int(fix_cost(finding.code)),
            cost_words=fix_cost(finding.code).words,
            action=reason_code(finding.code).action,
            how=runbook(finding.code),
        )
        for finding in in_order_of_the_rule(findings)
    ]
    return sorted(items, key=lambda item: item.cost)


def _no_gate_yet(asked: _Asked) -> Iterator[Finding]:
    if asked.suite is None:
        yield found("CONTRACT_UNREADABLE", "1.4", "suite", expected="a frozen suite", observed="none was given")
    yield found("BASELINE_MISSING", "3.12", "baseline", expected="a pinned baseline", observed="no gate yet")
    for row in asked.classes:
        yield found(
            "CLASS_WITHOUT_THRESHOLD", "4.5a", row.name, expected="a tolerance and a min_n", observed="no gate yet"
        )


def _complete(asked: _Asked) -> Iterator[Finding]:
    for side, run in asked.runs.items():
        status = text(run, "status")
        if status is not None and status != "complete":
            yield found("RUN_INCOMPLETE", "3.1", side, expected="complete", observed=status)
    ids = {text(run, "run_id") for run in asked.runs.values()}
    digests = {run.digest for run in asked.runs.values()}
    if (len(ids) == 1 and None not in ids) or (len(digests) == 1 and None not in digests):
        seen = next(iter(ids)) or next(iter(digests))
        yield found("CANDIDATE_IS_BASELINE", "3.17", "run_id", expected="two runs", observed=seen)


def _population(asked: _Asked) -> Iterator[Finding]:
    """Unknown trials and scenarios that a side lacks, against what the suite tolerates; without one, against none."""
    most = 0.0 if asked.suite is None else asked.suite.file.max_skip_fraction
    frame = asked.pairing.scenarios
    if asked.suite is None:
        frame = frame.filter(pl.col("has_baseline") | pl.col("has_candidate"))
    for side in SIDES:
        trials = asked.runs[side].trials_per_scenario
        declared = len(frame) * trials
        lacking = frame.filter(pl.col(f"n_scored_{side}") < trials)
        unknown = int((trials - frame[f"n_scored_{side}"]).sum()) if len(frame) else 0
        if unknown > most * declared or (unknown and said(asked.runs[side], "deterministic") is True):
            yield found(
                "POPULATION_DRIFT",
                "3.2",
                side,
                expected=f"at most {most} of {declared} declared trials unknown",
                observed=f"{unknown} unknown: {listed(lacking['scenario_id'])}",
            )


def _foreign(asked: _Asked) -> Iterator[Finding]:
    if asked.suite is None:
        return
    known = {one.id for one in asked.suite.scenarios}
    for side, run in asked.runs.items():
        excluded = sorted(set(run.tally.per_scenario["scenario_id"]) & asked.suite.excluded_ids)
        if excluded:
            expected = "no row of an excluded scenario"
            yield found("POPULATION_DRIFT", "3.4", f"{side}: exclusions", expected=expected, observed=listed(excluded))
        foreign = sorted(set(run.tally.per_scenario["scenario_id"]) - known)
        if foreign:
            yield found("UNDECLARED_SCENARIO", "3.3", side, expected="scenarios of the suite", observed=listed(foreign))


def _rows(asked: _Asked) -> Iterator[Finding]:
    suites = {} if asked.suite is None else {one.id: one.scenario_class for one in asked.suite.scenarios}
    for side, run in asked.runs.items():
        tally = run.tally
        if len(tally.duplicates):
            ids = listed(tally.duplicates["scenario_id"])
            yield found("DUPLICATE_TRIAL", "3.3", side, expected="one row a trial", observed=ids)
        if len(tally.out_of_range):
            ids = listed(tally.out_of_range["scenario_id"])
            expected = f"trials 0 to {run.trials_per_scenario - 1}"
            yield found("POPULATION_DRIFT", "3.2", f"{side}: trial", expected=expected, observed=ids)
        if len(tally.invalid_labels):
            ids = listed(tally.invalid_labels["scenario_id"])
            yield found("LABEL_INVALID", "3.10", side, expected="true or false on a scored trial", observed=ids)
        wrong = [
            f"{id_}: {name}"
            for id_, name in tally.classes_seen.select("scenario_id", "scenario_class").iter_rows()
            if suites.get(id_, name) != name
        ]
        if wrong:
            yield found("CLASS_MISMATCH", "3.3", side, expected="the suite's class", observed=listed(wrong))
    for id_, names in asked.pairing.torn.items():
        yield found("CLASS_MISMATCH", "3.3", id_, expected="one class", observed=listed(names))


def _skips(asked: _Asked) -> Iterator[Finding]:
    documented = [] if asked.suite is None else asked.suite.file.documented_skip_reasons
    for side in SIDES:
        open_reasons = {
            f"{count.status}, {count.reason or 'no reason'}"
            for row in asked.classes
            for count in row.unknowns
            if count.side == side and count.reason not in documented
        }
        if asked.suite is not None and not asked.pairing.scenarios[f"has_{side}"].all():
            open_reasons.add("absent, no reason")
        if open_reasons:
            expected = f"a reason of: {listed(documented)}"
            yield found("SKIP_UNDOCUMENTED", "4.6", side, expected=expected, observed=listed(open_reasons))


def _determinism(asked: _Asked) -> Iterator[Finding]:
    for side, run in asked.runs.items():
        if said(run, "deterministic") is not True:
            continue
        torn = run.tally.per_scenario.filter((pl.col("n_success") > 0) & (pl.col("n_success") < pl.col("n_scored")))[
            "scenario_id"
        ]
        if len(torn):
            expected = "trials of one scenario that agree"
            yield found("DETERMINISM_CONTRADICTED", "3.11", side, expected=expected, observed=listed(torn))
        temperature = said(run, "decoding.temperature")
        if temperature is not None and (temperature != 0 or isinstance(temperature, bool)):
            subject = f"{side}: temperature"
            yield found("DETERMINISM_CONTRADICTED", "3.11", subject, expected="0", observed=temperature)


def _sizes(asked: _Asked) -> Iterator[Finding]:
    file = None if asked.suite is None else asked.suite.file
    min_trials = DRAFT_MIN_TRIALS if file is None else file.min_trials
    least = DRAFT_MIN_AGREEMENT if file is None else file.min_agreement
    margin = DRAFT_DECISION_MARGIN if file is None else file.decision_margin
    for row in asked.classes:
        for side in SIDES:
            run = asked.runs[side]
            if said(run, "deterministic") is True:
                continue
            if run.trials_per_scenario < min_trials:
                seen = run.trials_per_scenario
                yield found("TOO_FEW_TRIALS", "4.5d", f"{row.name}: {side}", expected=min_trials, observed=seen)
            agreement = getattr(row.agreement, side)
            if agreement is None or agreement < least:
                seen_text = "undefined" if agreement is None else agreement
                subject = f"{row.name}: {side}"
                yield found("LOW_AGREEMENT", "4.5e", subject, expected=f"at least {least}", observed=seen_text)
        if row.n == 0:
            yield found("CLASS_MISSING", "4.5b", row.name, expected="a scenario scored on both sides", observed="none")
        elif row.ci_low is not None and row.ci_high is not None and (row.ci_high - row.ci_low) / 2 >= margin:
            half = round((row.ci_high - row.ci_low) / 2, 9)
            expected = f"a half-width below {margin}"
            yield found("UNDERPOWERED", "4.5g", row.name, expected=expected, observed=half)


_CHECKS: tuple[Callable[[_Asked], Iterator[Finding]], ...] = (
    _no_gate_yet,
    _complete,
    _population,
    _foreign,
    _rows,
    _skips,
    _determinism,
    _sizes,
)
