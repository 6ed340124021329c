"""What a page says of the log that a run was read from: whose words, which polarity, who checked it."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from litmus_nb.contracts.params import GateParams
from litmus_nb.contracts.provenance import PROVENANCE
from litmus_nb.evidence.load import load_evidence
from litmus_nb.outcome.facts import report_facts
from litmus_nb.report.page import NO_PICTURES, render_gate_page
from tests.builders import correct_world, write
from tests.report.verdicts import DIGEST, a_pass, a_rejection

SAID: dict[str, Any] = {
    "schema": "litmus-nb/provenance/v1",
    "reader": "promptfoo",
    "litmus_nb": "0.1.0",
    "tool": "promptfoo 0.120.0",
    "sources": {"eval.json": DIGEST},
    "source_digest": DIGEST,
    "polarity": {
        "attack_success_when": "= false",
        "attack_failure_when": "= true",
        "is_checked_by_canary": False,
    },
    "n_trials": 8,
    "n_unknown": 1,
    "notes": ["2 results of another provider"],
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(correct_world(), tmp_path)
    return tmp_path


def page_of(folder: Path, *, is_rejected: bool = False, is_read_by_the_gate: bool = False) -> str:
    params = GateParams(gate=str(folder / "gate.yaml"), candidate=str(folder / "candidate"), output_dir=str(folder))
    evidence = load_evidence(params, as_of=date(2026, 11, 30))
    if is_read_by_the_gate and evidence.candidate is not None:
        evidence = replace(evidence, candidate=replace(evidence.candidate, digest=DIGEST))
    verdict = a_rejection() if is_rejected else a_pass()
    return render_gate_page(report_facts(verdict, evidence, params), pictures=NO_PICTURES)


def test_runs_that_came_from_no_log_say_nothing_of_one(folder: Path) -> None:
    assert "another tool" not in page_of(folder)


@pytest.mark.parametrize("is_rejected", [False, True])
def test_an_imported_runs_polarity_stands_on_the_page_in_every_state(is_rejected: bool, folder: Path) -> None:
    (folder / "candidate" / PROVENANCE).write_text(json.dumps(SAID))
    page = page_of(folder, is_rejected=is_rejected)
    assert "promptfoo 0.120.0" in page
    assert "= false" in page
    assert "= true" in page
    assert '<td class="differs">no</td>' in page
    assert "as its provenance.json says" in page
    assert "2 results of another provider" in page


def test_a_polarity_that_the_canary_checked_is_said_to_be(folder: Path) -> None:
    checked = SAID | {"polarity": SAID["polarity"] | {"is_checked_by_canary": True}}
    (folder / "candidate" / PROVENANCE).write_text(json.dumps(checked))
    assert '<td class="">yes</td>' in page_of(folder)


def test_a_log_that_the_gate_read_itself_is_not_called_hearsay(folder: Path) -> None:
    (folder / "candidate" / PROVENANCE).write_text(json.dumps(SAID))
    assert "as its provenance.json says" not in page_of(folder, is_read_by_the_gate=True)


def test_a_provenance_that_cannot_be_read_explains_nothing_and_changes_no_digest(folder: Path) -> None:
    params = GateParams(gate=str(folder / "gate.yaml"), candidate=str(folder / "candidate"), output_dir=str(folder))
    before = load_evidence(params, as_of=date(2026, 11, 30))
    (folder / "candidate" / PROVENANCE).write_text('{"reader": "promptfoo"')
    after = load_evidence(params, as_of=date(2026, 11, 30))
    assert before.candidate is not None
    assert after.candidate is not None
    assert after.candidate.provenance is None
    assert before.candidate.digest == after.candidate.digest
    assert "another tool" not in page_of(folder)
