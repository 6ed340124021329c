"""gate --record: the trace comes before the verdict, and a PASS that leaves none is none."""

from __future__ import annotations

import json

import pytest

from litmus_nb.attest.at_hand import file_digests
from litmus_nb.attest.statement import read_statement
from litmus_nb.contracts.params import GateParams
from litmus_nb.contracts.strict_json import parse_json
from litmus_nb.contracts.verdict import Verdict
from litmus_nb.driver.gate import run_gate
from litmus_nb.errors import UsageError
from litmus_nb.ledger.record import record_verdict
from litmus_nb.rule.chain import walk_chain
from tests.builders import AS_OF

PARAMS = GateParams(gate="gate.yaml", candidate="candidate", output_dir="out")


def left_in(folder):
    content = (folder / "out/verdict.json").read_bytes()
    return Verdict.read(parse_json(content, file="verdict"), file="verdict")


@pytest.mark.kernel
def test_the_verdict_is_recorded_and_stated_as_it_was_decided(folder, gate, ledger, clock):
    def record(verdict):
        assert json.loads((folder / "out/verdict.json").read_bytes())["verdict"] == "NO_VERDICT"  # not left yet
        record_verdict(gate, verdict, by="the gate", reason="recorded by the gate", clock=clock)

    result = run_gate(PARAMS, as_of=AS_OF, record=record)
    entry = walk_chain(ledger.read_bytes()).entries[-1]
    assert (result.exit_code, result.unrecorded, entry.kind, entry.verdict) == (0, None, "verdict", "PASS")
    verdict = left_in(folder)
    assert (entry.candidate_digest, 1) == (verdict.evidence.candidate_digest, verdict.evidence.ledger_length)
    stated = read_statement((folder / "out/verdict.statement.json").read_bytes(), file="statement")
    assert stated.predicate.files == file_digests(PARAMS, verdict)


@pytest.mark.kernel
def test_a_pass_that_cannot_be_recorded_is_none(folder):
    def record(verdict):
        raise UsageError("the ledger is locked")

    result = run_gate(PARAMS, as_of=AS_OF, record=record)
    assert (result.exit_code, left_in(folder).verdict) == (4, "NO_VERDICT")
    assert {"EXECUTION_INCOMPLETE"} == {reason.code for reason in left_in(folder).reasons}
