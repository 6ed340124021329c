"""Verdicts in the ledger: every attempt leaves a trace, and an attempt that cannot is none."""

from __future__ import annotations

import pytest

from litmus_nb.contracts.params import GateParams
from litmus_nb.errors import UnreadableInput
from litmus_nb.ledger.record import record_verdict
from litmus_nb.outcome.decide import decided
from litmus_nb.rule.chain import attempts_of, walk_chain
from tests.builders import AS_OF, correct_world, write

PARAMS = GateParams(gate="gate.yaml", candidate="candidate", output_dir="out")


def verdict_here():
    return decided(PARAMS, as_of=AS_OF, run_id="one").verdict


def record(gate, verdict, clock):
    return record_verdict(gate, verdict, by="the gate", reason="recorded", clock=clock)


def test_a_verdict_about_nobody_is_not_recorded(gate, clock, ledger):
    verdict = verdict_here()
    nobody = verdict.model_copy(update={"evidence": verdict.evidence.model_copy(update={"policy_digest": None})})
    before = ledger.read_bytes()
    with pytest.raises(UnreadableInput, match="/evidence/policy_digest: expected a digest, to say what was tried"):
        record(gate, nobody, clock)
    assert before == ledger.read_bytes()


def test_a_verdict_on_another_ledger_is_not_recorded(gate, clock, tmp_path, monkeypatch):
    other = correct_world()
    other.ledger[0]["reason"] = "another history"
    write(other, tmp_path / "other")
    monkeypatch.chdir(tmp_path / "other")
    foreign = verdict_here()
    with pytest.raises(UnreadableInput, match="ledger_head"):
        record(gate, foreign, clock)


def test_a_verdict_that_saw_no_line_yet_is_recorded(gate, clock):
    """Given on an empty ledger, which was begun since."""
    verdict = verdict_here()
    early = verdict.model_copy(update={"evidence": verdict.evidence.model_copy(update={"ledger_head": None})})
    assert record(gate, early, clock).entry.kind == "verdict"


def test_attempts_are_counted_by_policy(gate, clock, ledger):
    for _ in range(3):
        record(gate, verdict_here(), clock)
    chain = walk_chain(ledger.read_bytes())
    digests = verdict_here().evidence
    assert attempts_of(chain, digests.policy_digest, None) == 3
    assert attempts_of(chain, digests.policy_digest, digests.candidate_digest) == 0


def test_recorded_attempts_use_up_max_attempts(tmp_path, monkeypatch, clock):
    """Two other runs of the policy were tried, two are allowed: the third is refused (3.18)."""
    world = correct_world()
    world.gate["max_attempts"] = 2
    write(world, tmp_path)
    monkeypatch.chdir(tmp_path)
    for number in range(2):
        run = tmp_path / "candidate/run.json"
        run.write_text(run.read_text().replace("cand-", f"try{number}-cand-"))
        verdict = verdict_here()
        assert verdict.verdict == "PASS"
        record(tmp_path / "gate.yaml", verdict, clock)
    run.write_text(run.read_text().replace("try", "again"))
    assert {"TOO_MANY_ATTEMPTS"} == {reason.code for reason in verdict_here().reasons}
