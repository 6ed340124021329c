"""What no evidence can bring about, and what the rule does all the same: it stops, and opens nothing."""

from __future__ import annotations

import dataclasses
from itertools import combinations
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from litmus_nb.contracts.evidence import Evidence, Part, Unreadable
from litmus_nb.errors import Fault, GateInvariantViolation, HarnessAdmissibilityError
from litmus_nb.rule import admissibility, chain, comparison, eligibility, eligibility_as_baseline
from litmus_nb.rule.admissibility import assert_admissible
from litmus_nb.rule.comparison import Comparison, compare
from litmus_nb.rule.decision import _shown, decide
from litmus_nb.rule.eligibility import Eligible, assert_verdict_eligible
from litmus_nb.rule.eligibility_as_baseline import assert_fit_as_baseline
from litmus_nb.rule.population import beside
from tests.builders import correct_world, load

PARTS = (Part.GATE, Part.SUITE, Part.CANDIDATE)


@pytest.fixture
def evidence(tmp_path: Path) -> Evidence:
    return load(correct_world(), tmp_path)


@pytest.fixture
def eligible(evidence: Evidence) -> Eligible:
    return assert_verdict_eligible(assert_admissible(evidence))


def without(evidence: Evidence, *parts: Part) -> Evidence:
    """The evidence with parts that cannot be read, which is said."""
    said = tuple(Unreadable(part, Fault(part.value, "", "a file", "nothing there")) for part in parts)
    return dataclasses.replace(evidence, **{part.name.lower(): None for part in parts}, unreadable=said)


def no_check(asked: object) -> tuple[()]:
    """Finds nothing, whatever there is."""
    return ()


@pytest.mark.parametrize("parts", [parts for n in (1, 2, 3) for parts in combinations(PARTS, n)])
def test_what_cannot_be_read_is_all_that_is_told(evidence: Evidence, parts: tuple[Part, ...]) -> None:
    with pytest.raises(HarnessAdmissibilityError) as refusal:
        assert_admissible(without(evidence, *parts))
    told = {(finding.code, finding.paragraph, finding.subject) for finding in refusal.value.findings}
    assert told == {("CONTRACT_UNREADABLE", "1.4", part.value) for part in parts}


@pytest.mark.parametrize("part", PARTS)
def test_an_absent_part_that_no_check_saw_admits_nothing(
    evidence: Evidence, part: Part, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(admissibility, "ADMISSIBILITY_CHECKS", (no_check,))
    with pytest.raises(GateInvariantViolation, match="absent"):
        assert_admissible(without(evidence, part))


def test_how_the_suite_differs_is_told_where_it_is_known(evidence: Evidence) -> None:
    assert evidence.suite is not None
    edited = dataclasses.replace(evidence.suite, manifest_hash="another")
    told = dataclasses.replace(evidence, suite=edited, changes_since_frozen="pi-1 is gone")
    assert [found.observed for found in admissibility.check_manifest(told)] == ["another: pi-1 is gone"]


def broken_ledger(evidence: Evidence) -> dict[str, Any]:
    assert evidence.ledger is not None
    return {"ledger": evidence.ledger[1:]}


def said(part: Part) -> dict[str, Any]:
    return {"unreadable": (Unreadable(part, Fault("it", "", "a file", "nothing there")),)}


def without_trials(evidence: Evidence, side: str) -> dict[str, Any]:
    part = Part.CANDIDATE_TRIALS if side == "candidate" else Part.BASELINE_TRIALS
    return {side: dataclasses.replace(getattr(evidence, side), tally=None)} | said(part)


UNSEEN = {
    "no baseline": lambda evidence: {"baseline": None} | said(Part.BASELINE_FOLDER),
    "no ledger": lambda evidence: {"ledger": None} | said(Part.LEDGER),
    "a broken ledger": broken_ledger,
    "no trials of the candidate": lambda evidence: without_trials(evidence, "candidate"),
    "no trials of the baseline": lambda evidence: without_trials(evidence, "baseline"),
}


@pytest.mark.parametrize("name", UNSEEN)
def test_an_absent_part_that_no_check_saw_makes_nothing_eligible(
    evidence: Evidence, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    admitted = assert_admissible(dataclasses.replace(evidence, **UNSEEN[name](evidence)))
    monkeypatch.setattr(eligibility, "ELIGIBILITY_CHECKS", (no_check,))
    with pytest.raises(GateInvariantViolation, match="absent"):
        assert_verdict_eligible(admitted)


@pytest.mark.parametrize("name", ["TRIAL_CHECKS", "JUDGE_CHECKS"])
def test_an_empty_list_of_checks_makes_no_baseline(
    evidence: Evidence, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(eligibility_as_baseline, name, ())
    with pytest.raises(GateInvariantViolation, match="empty list"):
        assert_fit_as_baseline(evidence)


@pytest.mark.parametrize("name", ["no ledger", "no trials of the candidate", "no digest"])
def test_an_absent_part_that_no_check_saw_makes_no_baseline(
    evidence: Evidence, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert evidence.candidate is not None
    undigested = {"candidate": dataclasses.replace(evidence.candidate, digest=None)}
    changes = undigested if name == "no digest" else UNSEEN[name](evidence)
    monkeypatch.setattr(eligibility_as_baseline, "_RUN_CHECKS", (no_check,))
    with pytest.raises(GateInvariantViolation, match="absent"):
        assert_fit_as_baseline(dataclasses.replace(evidence, **changes))


def with_class(compared: Comparison, **changes: Any) -> Comparison:
    first, *others = compared.classes
    return dataclasses.replace(compared, classes=(dataclasses.replace(first, **changes), *others))


@pytest.mark.parametrize(("number", "what"), [("bounds", "no interval"), ("noise_floor", "no noise floor")])
def test_a_class_with_units_and_without_a_number_decides_nothing(eligible: Eligible, number: str, what: str) -> None:
    with pytest.raises(GateInvariantViolation, match=what):
        decide(with_class(compare(eligible), **{number: None}))


@pytest.mark.parametrize("lacks", ["threshold", "bounds"])
def test_a_class_comes_to_its_interval_with_a_threshold_and_with_an_interval(eligible: Eligible, lacks: str) -> None:
    first = compare(eligible).classes[0]
    threshold = eligible.admitted.gate.classes[first.name]
    with pytest.raises(GateInvariantViolation, match="without a threshold or an interval"):
        if lacks == "threshold":
            _shown(first, None)
        else:
            _shown(dataclasses.replace(first, bounds=None), threshold)


def test_a_scenario_in_two_rows_is_not_paired(eligible: Eligible) -> None:
    population = eligible.baseline_population
    twice = dataclasses.replace(population, scenarios=pl.concat([population.scenarios, population.scenarios.head(1)]))
    for forged in ({"candidate_population": twice}, {"baseline_population": twice}):
        with pytest.raises(pl.exceptions.ComputeError):
            compare(dataclasses.replace(eligible, **forged))


def test_a_scenario_that_is_known_twice_is_known_as_neither() -> None:
    asked = pl.DataFrame({"scenario_id": ["a", "b"]})
    with pytest.raises(pl.exceptions.ComputeError, match="m:1"):
        beside(asked, pl.DataFrame({"scenario_id": ["b", "b"], "n_scored": [1, 2]}))


def test_a_line_that_has_no_canonical_form_breaks_the_chain(
    evidence: Evidence, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(value: object) -> bytes:
        raise ValueError("no form")

    assert evidence.ledger is not None
    unseen_before = evidence.ledger.replace(b"first", b"of which no form is known")
    monkeypatch.setattr(chain, "canonical_json", refuse)
    walked = chain.walk_chain(unseen_before)
    assert [(fault.where, fault.expected, fault.seen) for fault in walked.faults] == [
        ("line 1", "canonical JSON (RFC 8785)", "no form")
    ]
    assert walked.entries == ()


def test_the_table_has_its_types_where_nothing_is_defined(tmp_path: Path) -> None:
    world = correct_world()
    for probe in world.probes:
        world.quarantine(probe["id"])
    frame = compare(assert_verdict_eligible(assert_admissible(load(world, tmp_path)))).frame
    assert frame.schema == comparison._FRAME_SCHEMA
    undefined = ("candidate_rate", "delta", "ci_low", "ci_high", "bootstrap_low", "bootstrap_high", "noise_floor")
    assert frame.select(undefined).rows() == [(None,) * 7] * 2
