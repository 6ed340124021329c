"""The checklist against the gate: what the gate says against the runs themselves, the checklist says too."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from litmus_nb.contracts.codes import CODES
from litmus_nb.contracts.fix_cost import FixCost, fix_cost
from litmus_nb.errors import UnreadableInput
from litmus_nb.outcome.exploration import explored, read_sides
from tests.conformance.table import CASES_DIR
from tests.exploration.sides import codes_of

OF_THE_RUNS = {
    *("PROBE_SET_DRIFT", "TOOL_NAMESPACE_MISMATCH", "TOOL_MISSING", "TRACE_SCHEMA_MISMATCH", "ENVELOPE_MISMATCH"),
    *("ENVELOPE_UNMEASURED", "CANARY_MISSING", "CANARY_UNDETECTED", "CANARY_NOT_DISCRIMINATING", "RUN_INCOMPLETE"),
    *("POPULATION_DRIFT", "UNDECLARED_SCENARIO", "DUPLICATE_TRIAL", "CLASS_MISMATCH", "JUDGE_UNRESOLVED"),
    *("JUDGE_DIGEST_MISMATCH", "JUDGE_TEMPLATE_DRIFT", "JUDGE_IS_CANDIDATE", "DECODING_MISMATCH", "LABEL_INVALID"),
    *("DETERMINISM_CONTRADICTED", "BASELINE_MANIFEST_MISMATCH", "CANDIDATE_IS_BASELINE", "SKIP_UNDOCUMENTED"),
    *("TOO_FEW_TRIALS", "LOW_AGREEMENT"),
}
"""Codes that two runs and a suite are enough for."""

OF_ANCHORS = {"undecided-anchors-by-a-name", "undecided-anchors-by-another-judge"}
"""Who labelled anchors is asked by the gate alone: an exploration reads no anchor labels."""


def cases() -> list[str]:
    found = []
    for folder in sorted(CASES_DIR.iterdir()):
        if (
            folder.is_dir()
            and folder.name not in OF_ANCHORS
            and OF_THE_RUNS & set(json.loads((folder / "expected.json").read_bytes())["codes"])
        ):
            found.append(folder.name)
    return found


@pytest.mark.parametrize("name", cases())
def test_what_the_gate_says_of_the_runs_the_checklist_says(name: str) -> None:
    folder = CASES_DIR / name
    expected = OF_THE_RUNS & set(json.loads((folder / "expected.json").read_bytes())["codes"])
    sides = (str(folder / "baseline"), str(folder / "candidate"))
    try:
        first, second, suite = read_sides(*sides, suite=folder / "suite/suite.yaml", declarations=None)
    except UnreadableInput:
        pytest.skip("a file of this case cannot be read: exit 2, and nothing is explored")
    assert expected <= codes_of(explored(first, second, suite))


def test_every_code_has_a_cost_and_the_list_is_in_its_order() -> None:
    assert {fix_cost(code) for code in CODES} == set(FixCost)
    folder = CASES_DIR / cases()[0]
    sides = (str(folder / "baseline"), str(folder / "candidate"))
    first, second, _ = read_sides(*sides, suite=None, declarations=None)
    costs = [item.cost for item in explored(first, second).checklist]
    assert sorted(costs) == costs


def test_every_item_says_what_to_do_from_table_and_runbook() -> None:
    folder = Path("data/demo")
    sides = (str(folder / "runs/baseline"), str(folder / "runs/timeouts"))
    first, second, suite = read_sides(*sides, suite=folder / "suite/suite.yaml", declarations=None)
    checklist = explored(first, second, suite).checklist
    assert checklist
    assert all(CODES[item.finding.code].action == item.action and item.how for item in checklist)
