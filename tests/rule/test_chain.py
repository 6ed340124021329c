"""Section 3.12, 3.14, 3.16, 3.18: what breaks a ledger, and what it says of baselines and attempts."""

from __future__ import annotations

import json

import pytest

from litmus_nb.contracts.canonical import ZERO_DIGEST, canonical_json, digest_of_bytes, digest_of_json
from litmus_nb.contracts.codes import VerdictState
from litmus_nb.rule.chain import attempts_of, walk_chain
from tests.builders import AUTO, DIGEST, chained, codes, correct_world, decide

PIN = {"at": "2026-09-01T10:00:00Z", "by": "me", "kind": "baseline_pin", "reason": "first", "run_digest": DIGEST}
OTHER = "sha256:" + "e" * 64
REBUMP = PIN | {"kind": "baseline_rebump", "at": "2026-09-02T10:00:00Z", "run_digest": OTHER, "replaces": DIGEST}
QUARANTINE = PIN | {"kind": "quarantine", "scenario_id": "pi-1", "max_age_days": 3}
QUARANTINE.pop("run_digest")
VERDICT = {
    "at": "2026-09-03T10:00:00Z",
    "by": "gate",
    "kind": "verdict",
    "reason": "weekly",
    "verdict": "FAIL",
    "policy_digest": DIGEST,
    "candidate_digest": OTHER,
}
WHOLE = chained([PIN, REBUMP, VERDICT])


def relinked(lines):
    """Lines whose `prev` is mended, so that only what was done to them is wrong."""
    result, prev = b"", ZERO_DIGEST
    for line in lines:
        mended = canonical_json(json.loads(line) | {"prev": prev})
        result, prev = result + mended + b"\n", digest_of_bytes(mended)
    return result


def test_a_whole_chain_is_whole():
    chain = walk_chain(WHOLE)
    assert chain.is_whole
    assert [entry.kind for entry in chain.entries] == ["baseline_pin", "baseline_rebump", "verdict"]
    assert chain.head == digest_of_bytes(WHOLE.split(b"\n")[2])
    assert chain.baseline_in_force.run_digest == OTHER


def test_an_empty_ledger_is_whole_and_names_nothing():
    chain = walk_chain(b"")
    assert (chain.is_whole, chain.head, chain.baseline_in_force, chain.active_quarantine) == (True, None, None, {})


LINES = WHOLE.split(b"\n")[:-1]


@pytest.mark.parametrize(
    "broken",
    [
        pytest.param(WHOLE[:-1], id="no newline at the end"),
        pytest.param(WHOLE[:-9], id="torn in the last line"),
        pytest.param(WHOLE + b"\n", id="blank line"),
        pytest.param(WHOLE.replace(b"\n", b"\r\n"), id="CRLF"),
        pytest.param(b"\xef\xbb\xbf" + WHOLE, id="byte order mark"),
        pytest.param(b"\n".join([LINES[1], LINES[0], LINES[2]]) + b"\n", id="reordered"),
        pytest.param(b"\n".join(LINES[1:]) + b"\n", id="first line dropped"),
        pytest.param(b"\n".join([LINES[0], LINES[2]]) + b"\n", id="middle line dropped"),
        pytest.param(relinked(LINES[1:]), id="first line dropped and links mended"),
        pytest.param(relinked([LINES[0], LINES[2]]), id="middle line dropped and links mended"),
        pytest.param(WHOLE.replace(b"first", b"other"), id="first line edited"),
        pytest.param(WHOLE.replace(b'"by":"gate"', b'"by": "gate"'), id="a blank more"),
        pytest.param(WHOLE.replace(b'"by":"gate"', b'"by":"\\u0067ate"'), id="an escape that is not needed"),
        pytest.param(b"[]\n", id="an array"),
        pytest.param(b"not json\n", id="no JSON"),
        pytest.param(b"\xff\n", id="no UTF-8"),
    ],
)
def test_what_breaks_a_chain(broken):
    assert not walk_chain(broken).is_whole


def test_a_chain_cannot_see_that_its_last_line_was_rewritten_but_its_head_tells():
    rewritten = WHOLE.replace(b"weekly", b"monthl")
    assert walk_chain(rewritten).is_whole
    assert walk_chain(rewritten).head != walk_chain(WHOLE).head


@pytest.mark.parametrize(
    "entries",
    [
        pytest.param([PIN, PIN], id="a second pin"),
        pytest.param([REBUMP], id="a rebump of nothing"),
        pytest.param([PIN, REBUMP | {"replaces": OTHER}], id="a rebump of another baseline"),
        pytest.param([PIN, REBUMP, REBUMP], id="the same rebump twice"),
        pytest.param([PIN, REBUMP | {"at": "2026-09-01T09:59:59Z"}], id="time falls"),
        pytest.param([PIN | {"at": "2026-09-01T10:00:00+02:00"}], id="a time that is not UTC"),
        pytest.param([PIN | {"at": "2026-09-31T10:00:00Z"}], id="a day that there is not"),
        pytest.param([PIN | {"at": "2026-09-01"}], id="a day only"),
        pytest.param([PIN | {"kind": "note"}], id="an unknown kind"),
        pytest.param([PIN | {"extra": 1}], id="an unknown key"),
        pytest.param([PIN | {"replaces": DIGEST}], id="a key of another kind"),
        pytest.param([{key: value for key, value in PIN.items() if key != "reason"}], id="no reason"),
        pytest.param([{key: value for key, value in PIN.items() if key != "by"}], id="nobody"),
        pytest.param([PIN | {"by": ""}], id="nobody's name"),
        pytest.param([PIN | {"run_digest": "sha256:" + "D" * 64}], id="a digest in capitals"),
        pytest.param([PIN | {"run_digest": "d" * 64}], id="a digest without its kind"),
        pytest.param([PIN | {"seq": 1}], id="counting from 1"),
        pytest.param([PIN | {"seq": True}], id="a boolean for a number"),
        pytest.param([PIN | {"prev": DIGEST}], id="a first line with a predecessor"),
        pytest.param([PIN, VERDICT | {"verdict": "MAYBE"}], id="an unknown verdict"),
        pytest.param([PIN, QUARANTINE | {"scenario_id": 7}], id="a scenario that is no text"),
    ],
)
def test_what_an_entry_must_not_say(entries):
    assert not walk_chain(chained(entries)).is_whole


def test_equal_times_do_not_fall():
    assert walk_chain(chained([PIN, QUARANTINE])).is_whole


def test_fractions_of_a_second_are_compared():
    late, early = PIN | {"at": "2026-09-01T10:00:00.2Z"}, QUARANTINE | {"at": "2026-09-01T10:00:00.15Z"}
    assert not walk_chain(chained([late, early])).is_whole


def test_every_fault_is_told_with_its_line():
    chain = walk_chain(chained([PIN | {"extra": 1}, REBUMP, QUARANTINE | {"at": "2026-08-01T10:00:00Z"}]))
    assert {fault.where for fault in chain.faults} == {"line 1", "line 2", "line 3"}


@pytest.mark.parametrize(
    ("ledger", "faults"),
    [
        pytest.param(WHOLE[:-1], [("last line", "a newline at its end", "a torn line")], id="torn"),
        pytest.param(chained([PIN]) + b"none\n", [("line 2", "JSON", "Expecting value (column 1)")], id="no JSON"),
        pytest.param(
            WHOLE.replace(b'"by":"gate"', b'"by": "gate"'),
            [("line 3", "canonical JSON (RFC 8785)", "another form of the same value")],
            id="a blank more",
        ),
        pytest.param(
            chained([PIN | {"extra": 1}]),
            [("line 1", "baseline_pin/extra: Extra inputs are not permitted", "1")],
            id="an unknown key",
        ),
        pytest.param(
            chained([PIN, PIN]),
            [("line 2", "baseline_pin only as the first baseline", "a second pin")],
            id="pinned twice",
        ),
        pytest.param(
            chained([REBUMP]),
            [("line 1", "replaces nothing: no baseline was pinned", f"replaces {DIGEST}")],
            id="no pin",
        ),
        pytest.param(
            chained([PIN, REBUMP | {"replaces": OTHER}]),
            [("line 2", f"replaces {DIGEST}", f"replaces {OTHER}")],
            id="replaces another",
        ),
        pytest.param(chained([PIN | {"seq": 1}]), [("line 1", "seq 0", "seq 1")], id="counts from one"),
        pytest.param(
            chained([PIN | {"prev": DIGEST}]),
            [("line 1", f"prev {ZERO_DIGEST}", f"prev {DIGEST}")],
            id="another before",
        ),
        pytest.param(
            chained([PIN, REBUMP | {"at": "2026-09-01T09:59:59Z"}]),
            [("line 2", "a time not before 2026-09-01T10:00:00Z", "2026-09-01T09:59:59Z")],
            id="time falls",
        ),
    ],
)
def test_each_fault_is_told_once(ledger, faults):
    walked = walk_chain(ledger, file="the ledger")
    assert [(fault.file, fault.where, fault.expected, fault.seen) for fault in walked.faults] == [
        ("the ledger", *fault) for fault in faults
    ]


def test_a_ledger_without_a_name_is_called_the_ledger():
    assert [fault.file for fault in walk_chain(b"torn").faults] == ["ledger"]


def test_an_attempt_before_any_baseline_is_one():
    chain = walk_chain(chained([VERDICT, VERDICT]))
    assert attempts_of(chain, DIGEST, candidate_digest=None) == 2


def test_each_byte_of_the_ledger_is_guarded_where_the_head_is_pinned(tmp_path):
    """Tamper-evidence: flip any one byte and the gate closes by LEDGER_BROKEN."""
    world = correct_world()
    world.gate["ledger_head"] = AUTO
    world.quarantine("pi-3")
    world.record("release", scenario_id="pi-3")
    assert decide(world, tmp_path / "whole").state is VerdictState.PASS
    size = len(world.sealed()["ledger.jsonl"])
    for position in range(0, size, 23):

        def flip(content, position=position):
            return content[:position] + bytes([content[position] ^ 1]) + content[position + 1 :]

        world.tampered["ledger.jsonl"] = flip
        assert "LEDGER_BROKEN" in codes(decide(world, tmp_path / "flipped")), position


def test_a_broken_ledger_says_nothing_else(tmp_path):
    """3.12 and 3.15 ask a whole chain; a broken one is told once, and is enough."""
    world = correct_world()
    world.quarantine("pi-99", reason="")
    world.gate["max_attempts"] = 1
    world.tampered["ledger.jsonl"] = lambda content: content[1:]
    assert codes(decide(world, tmp_path)) == {"LEDGER_BROKEN"}


def test_an_attempt_before_the_baseline_in_force_is_forgotten(tmp_path):
    world = correct_world()
    world.gate["max_attempts"] = 1
    policy = world.candidate.declaration["policy"]["digest"]
    world.ledger[0]["run_digest"] = DIGEST
    world.record("verdict", policy_digest=policy, candidate_digest=DIGEST, verdict="FAIL")
    world.record("baseline_rebump", run_digest=AUTO, replaces=DIGEST)
    assert decide(world, tmp_path).state is VerdictState.PASS


def test_attempts_of_another_policy_are_not_ours(tmp_path):
    world = correct_world()
    world.gate["max_attempts"] = 1
    world.record("verdict", policy_digest=DIGEST, candidate_digest=DIGEST, verdict="FAIL")
    assert decide(world, tmp_path).state is VerdictState.PASS


def test_attempts_are_entries_and_not_distinct_runs(tmp_path):
    """3.18: the same other run gated twice is two."""
    world = correct_world()
    world.gate["max_attempts"] = 2
    policy = world.candidate.declaration["policy"]["digest"]
    for _ in range(2):
        world.record("verdict", policy_digest=policy, candidate_digest=DIGEST, verdict="PASS")
    decision = decide(world, tmp_path)
    assert codes(decision) == {"TOO_MANY_ATTEMPTS"}
    assert [reason.observed for reason in decision.reasons] == ["2"]


def test_gating_the_same_run_again_is_no_further_attempt(tmp_path):
    world = correct_world()
    world.gate["max_attempts"] = 1
    policy = world.candidate.declaration["policy"]["digest"]
    own = own_digest(world)
    world.record("verdict", policy_digest=policy, candidate_digest=own, verdict="NO_VERDICT")
    assert decide(world, tmp_path).state is VerdictState.PASS


def own_digest(world):
    files = world.sealed()
    names = ("run.json", "trials.jsonl")
    return digest_of_json({name: digest_of_bytes(files[f"candidate/{name}"]) for name in names})


def test_the_day_of_the_runs_end_is_early_enough(tmp_path):
    world = correct_world()
    world.as_of = world.as_of.replace(day=28)
    assert decide(world, tmp_path).state is VerdictState.PASS


def test_an_unpinned_head_is_not_asked_for(tmp_path):
    world = correct_world()
    world.record("release", scenario_id="pi-3")
    world.tampered["ledger.jsonl"] = lambda content: content.splitlines(keepends=True)[0]
    assert decide(world, tmp_path).state is VerdictState.PASS
