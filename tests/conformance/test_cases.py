"""Every conformance case, ours and the agreed ones, decided from its own folder."""

from __future__ import annotations

import contextlib
import functools
import json
import os
from datetime import date
from pathlib import Path

import pytest

import litmus_nb
from litmus_nb.contracts.codes import CODES, Stage
from litmus_nb.contracts.verdict import Verdict
from litmus_nb.evidence.suite import read_suite
from litmus_nb.report.reasons import _SENTENCES
from litmus_nb.rule.workflow import emit_verdict
from tests.conformance.table import CASES_DIR, TABLE, write_cases
from tests.conftest import ROOT

AGREED = Path(os.environ.get("LITMUS_SHARED") or ROOT.parent / "shared") / "conformance"
OWN_CASES = sorted(path.name for path in CASES_DIR.iterdir() if path.is_dir())
AGREED_CASES = sorted(path.name for path in (AGREED / "cases").iterdir()) if AGREED.is_dir() else []

NOT_OF_THE_RULE = {"USAGE", "EXECUTION_INCOMPLETE", "INTERNAL_ERROR"}
"""What is found outside of evaluate_gate; tested where the driver and the command line are."""


def decided(folder: Path) -> Verdict:
    with contextlib.chdir(folder):
        params = litmus_nb.read_params(Path("params.yaml"))
        evidence = litmus_nb.load_evidence(params, as_of=date.fromisoformat(params.as_of))
        return emit_verdict(litmus_nb.evaluate_gate(evidence), evidence, run_id="case", as_of=params.as_of)


@functools.cache
def own_verdict(name: str) -> Verdict:
    return decided(CASES_DIR / name)


def check(verdict, expected):
    seen = [reason.code for reason in verdict.reasons]
    assert (expected["verdict"], expected["exit"]) == (verdict.verdict, verdict.verdict.exit_code), seen
    assert verdict.gate_open is (expected["verdict"] == "PASS")
    assert set(expected["codes"]) <= set(seen)
    assert not set(expected["not_codes"]) & set(seen)
    if expected.get("exactly"):
        assert set(expected["codes"]) == set(seen)
    if "worst_class" in expected:
        assert expected["worst_class"] == verdict.worst_class
    if "degraded" in expected:
        assert expected["degraded"] is verdict.degraded
    classes = {found.name: found.model_dump() for found in verdict.classes}
    for name, fields in expected["classes"].items():
        for key, value in fields.items():
            if isinstance(value, float):
                assert value == pytest.approx(classes[name][key], abs=1e-6), (name, key)
            else:
                assert value == classes[name][key], (name, key)


@pytest.mark.parametrize("name", OWN_CASES)
def test_own_case(name):
    check(own_verdict(name), json.loads((CASES_DIR / name / "expected.json").read_bytes()))


@pytest.mark.shared
@pytest.mark.parametrize("name", AGREED_CASES or [pytest.param("", marks=pytest.mark.skip("no agreed cases here"))])
def test_agreed_case(name):
    folder = AGREED / "cases" / name
    check(decided(folder), json.loads((folder / "expected.json").read_bytes()))


@pytest.mark.shared
def test_agreed_manifest_hashes(shared_dir):
    lines = (shared_dir / "conformance/MANIFEST_HASHES.txt").read_text(encoding="utf-8").splitlines()
    pairs = {line.split()[1]: line.split()[0] for line in lines if "sha256:" in line}
    assert pairs
    for name, recorded in pairs.items():
        path = shared_dir / "conformance/cases" / name / "suite/suite.yaml"
        assert recorded == read_suite(path).manifest_hash, name


def test_the_committed_cases_are_those_of_the_table(tmp_path):
    write_cases(tmp_path)
    made = {p.relative_to(tmp_path): p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}
    for path, content in made.items():
        assert (CASES_DIR / path).read_bytes() == content, f"{path}: run python -m tests.conformance.table"
    for entry in TABLE:
        stale = {p.relative_to(CASES_DIR) for p in (CASES_DIR / entry.name).rglob("*") if p.is_file()} - set(made)
        assert not stale


def test_case_names_are_unique():
    names = [entry.name for entry in TABLE]
    assert len(names) == len(set(names))


def test_every_code_of_the_rule_has_a_case():
    covered = {code for entry in TABLE for code in entry.codes}
    missing = "these codes have no case: add one in tests/conformance/table.py, then python -m tests.conformance.table"
    assert set(CODES) - NOT_OF_THE_RULE - covered == set(), missing
    assert covered - (set(CODES) - NOT_OF_THE_RULE) == set()


@pytest.mark.parametrize("name", OWN_CASES)
def test_findings_cite_paragraphs_of_their_code(name):
    for reason in own_verdict(name).reasons:
        assert reason.paragraph in CODES[reason.code].paragraphs, reason
        assert reason.stage is CODES[reason.code].stage
        assert reason.subject
        assert reason.expected
        assert reason.observed


@pytest.mark.parametrize("name", OWN_CASES)
def test_findings_have_the_form_that_their_sentence_reads(name):
    """Of another form a sentence says only what the code means; our own findings never have it."""
    for reason in own_verdict(name).reasons:
        assert _SENTENCES[reason.code](reason) is not None, reason


@pytest.mark.parametrize("name", OWN_CASES)
def test_numbers_are_there_only_when_scored(name):
    verdict = own_verdict(name)
    stages = {reason.stage for reason in verdict.reasons}
    if Stage.ADMISSIBILITY in stages:
        assert (verdict.verdict, verdict.classes, verdict.worst_class) == ("REJECTED", [], None)
        assert verdict.advisory.mean_delta is None
        assert verdict.evidence.ledger_length is None
    elif Stage.ELIGIBILITY in stages:
        assert verdict.verdict == "NO_VERDICT"
        assert verdict.worst_class is None
        assert stages == {Stage.ELIGIBILITY}
        for found in verdict.classes:
            values = found.model_dump(exclude={"name", "outcome", "regression_indicated"})
            assert set(values.values()) == {None}
            assert not found.regression_indicated
    else:
        assert verdict.worst_class is not None
        assert {found.name for found in verdict.classes} == {"prompt-injection", "tool-misuse"}
