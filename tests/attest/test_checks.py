"""Each check by itself: the one thing that it refuses, named, and nothing beside it."""

from __future__ import annotations

from datetime import timedelta

import pytest

from litmus_nb.attest import check as check_module
from litmus_nb.attest.at_hand import AtHand
from litmus_nb.attest.check import checked
from litmus_nb.attest.checks import (
    check_age,
    check_evidence,
    check_gate,
    check_notebook,
    check_pass,
    check_proof,
    check_recomputed,
    check_run_id,
    check_statement,
    check_subject,
)
from litmus_nb.attest.checks_of_ledger import check_ledger, check_min_length, check_record, has_ledger
from litmus_nb.attest.expectations import Expectations, PinnedGate, PinnedIdentity
from litmus_nb.attest.presented import Presented
from litmus_nb.contracts.canonical import digest_of_bytes
from litmus_nb.contracts.verdict import verdict_bytes
from tests.attest.gated import PRESENT
from tests.attest.parts import a_verdict, asked_about, closed, digest, reasons, stated
from tests.builders import chained

PASS = a_verdict()
SECOND, MINUTE, DAY = timedelta(seconds=1), timedelta(minutes=1), timedelta(days=1)
KEY = (object(),)
"""Something where a key is asked for; nothing looks at it here."""


def test_only_a_pass_that_opens_the_gate_is_one():
    assert reasons(check_pass(asked_about(PASS))) == []
    assert reasons(check_pass(asked_about(closed()))) == [("NOT_PASS", "/verdict")]
    for contradiction in ({"gate_open": False}, {"verdict": closed().verdict}):
        forged = PASS.model_copy(update=contradiction)  # which no file can say
        asked = asked_about(PASS)
        object.__setattr__(asked, "verdict", forged)
        assert reasons(check_pass(asked)) == [("NOT_PASS", "/verdict")]


# -- age -----------------------------------------------------------------------------------------------------------

FUTURE_DAY, OLD_DAY = ("VERDICT_FROM_THE_FUTURE", "/execution/as_of"), ("VERDICT_STALE", "/execution/as_of")
FUTURE, OLD, EXPIRED = (
    ("VERDICT_FROM_THE_FUTURE", "issuedAt"),
    ("VERDICT_STALE", "issuedAt"),
    ("ATTESTATION_EXPIRED", "expiresAt"),
)


@pytest.mark.parametrize(
    ("later", "expected"),
    [
        (-DAY, [FUTURE_DAY]),
        (timedelta(0), []),
        (7 * DAY, []),
        (8 * DAY, [OLD_DAY]),
    ],
)
def test_the_day_that_a_verdict_counted_from(later, expected):
    assert reasons(check_age(asked_about(PASS, present=PRESENT + later))) == expected


@pytest.mark.parametrize(
    ("later", "expected"),
    [
        (-5 * MINUTE - SECOND, [FUTURE]),
        (-5 * MINUTE, []),
        (timedelta(0), []),
        (7 * DAY, []),
        (7 * DAY + SECOND, [OLD]),
        (30 * DAY - SECOND, [OLD_DAY, OLD]),
        (30 * DAY, [OLD_DAY, OLD, EXPIRED]),
    ],
)
def test_the_times_of_its_statement(later, expected):
    """Clocks may differ by five minutes; a statement is good for thirty days unless its maker says otherwise."""
    assert reasons(check_age(asked_about(PASS, stated(PASS), present=PRESENT + later))) == expected


@pytest.mark.parametrize(("later", "expected"), [(2 * DAY - SECOND, []), (2 * DAY, [EXPIRED])])
def test_a_statement_expires_to_the_second(later, expected):
    assert reasons(check_age(asked_about(PASS, stated(PASS, valid_days=2), present=PRESENT + later))) == expected


# -- whose, of what --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("check", "right", "wrong", "expected"),
    [
        (check_run_id, {"run_id": "the run"}, {"run_id": "another"}, ("RUN_ID_MISMATCH", "/execution/run_id")),
        (
            check_notebook,
            {"notebook_sha256": digest("6")},
            {"notebook_sha256": digest("7")},
            ("NOTEBOOK_MISMATCH", "/execution/notebook_sha256"),
        ),
        (check_subject, {"subject": digest("4")}, {"subject": digest("3")}, ("SUBJECT_MISMATCH", "policy_digest")),
        (
            check_gate,
            {"gate": PinnedGate("mine", None, digest("2"))},
            {"gate": PinnedGate("mine", None, digest("3"))},
            ("DIGEST_MISMATCH", "mine"),
        ),
        (
            check_min_length,
            {"min_ledger_length": 1},
            {"min_ledger_length": 2},
            ("LEDGER_ROLLED_BACK", "/evidence/ledger_length"),
        ),
    ],
)
def test_what_the_checker_names_must_be_it(check, right, wrong, expected):
    assert reasons(check(asked_about(PASS, **right))) == []
    assert reasons(check(asked_about(PASS, **wrong))) == [expected]


def test_no_gate_is_compared_where_none_is_named():
    assert reasons(check_gate(asked_about(PASS))) == []


def test_a_gate_is_known_by_its_bytes_and_not_by_what_is_said_of_them():
    content = b"the gate"
    verdict = a_verdict(evidence={"gate_sha256": digest_of_bytes(content)})
    told = PinnedGate("mine", content, digest("9"))
    assert reasons(check_gate(asked_about(verdict, gate=told))) == []
    told = PinnedGate("mine", b"another", verdict.evidence.gate_sha256)
    assert reasons(check_gate(asked_about(verdict, gate=told))) == [("DIGEST_MISMATCH", "mine")]


def test_a_verdict_that_saw_no_ledger_is_shorter_than_any():
    verdict = a_verdict(evidence={"ledger_length": None, "ledger_head": None})
    refused = [("LEDGER_ROLLED_BACK", "/evidence/ledger_length")]
    assert reasons(check_min_length(asked_about(verdict, min_ledger_length=1))) == refused


def test_a_statement_is_about_one_verdict():
    assert reasons(check_statement(asked_about(PASS, None))) == []  # that there is none is refused already
    assert reasons(check_statement(asked_about(PASS, stated(PASS)))) == []
    other = a_verdict(execution={"run_id": "another"})
    assert reasons(check_statement(asked_about(other, stated(PASS)))) == [("STATEMENT_MISMATCH", "statement")]


def test_a_verdict_with_a_head_and_no_length_is_refused_and_no_error():
    """No gate writes that; whoever forges one gets an answer like any other."""
    odd = a_verdict(evidence={"ledger_length": None})
    assert reasons(check_statement(asked_about(odd, stated(PASS)))) == [("STATEMENT_MISMATCH", "statement")]
    assert reasons(check_statement(asked_about(odd, stated(odd)))) == []


SIGNED = {"key_files": KEY}
BY_IDENTITY = {"identity": PinnedIdentity("somebody", "https://issuer")}
MINE, SUBJECT = {"is_evidence_own": True}, {"subject": digest("4")}
NOTHING, NO_ARTEFACT = [("UNPROVEN", "verdict")], [("UNPROVEN", "artefact")]


@pytest.mark.parametrize(
    ("expected", "refused"),
    [
        ({}, NOTHING),
        (SUBJECT, NOTHING),
        (SIGNED, NO_ARTEFACT),
        (BY_IDENTITY, NO_ARTEFACT),
        (SIGNED | SUBJECT, []),
        (BY_IDENTITY | SUBJECT, []),
        (MINE, NOTHING),
        (MINE | SUBJECT, NOTHING),
        (MINE | SIGNED, NO_ARTEFACT),
        ({"trusts_bundle": True}, NOTHING),
        ({"trusts_bundle": True} | SIGNED | SUBJECT, []),
    ],
)
def test_something_of_ones_own_must_be_compared(expected, refused):
    assert reasons(check_proof(asked_about(PASS, **expected))) == refused


@pytest.mark.parametrize(
    ("expected", "refused"),
    [
        ({}, NOTHING),
        (SUBJECT, NOTHING),
        (SIGNED, NO_ARTEFACT),
        (MINE, []),
        (MINE | SIGNED, []),
        (MINE | SUBJECT, []),
        ({"trusts_bundle": True}, []),
    ],
)
def test_evidence_counts_as_ones_own_or_as_trusted_where_there_is_some(expected, refused):
    assert reasons(check_proof(asked_about(PASS, None, at_hand(), **expected))) == refused


# -- the ledger ----------------------------------------------------------------------------------------------------


def entry(**fields):
    parts = {"at": "2026-11-20T10:00:00Z", "by": "red-team", "reason": "because it had to be"}
    return parts | fields


FIRST = entry(kind="baseline_pin", run_digest=digest("5"))
RELEASE = entry(kind="release", scenario_id="pi-1")
RECORD = entry(kind="verdict", policy_digest=digest("4"), candidate_digest=digest("3"), verdict="PASS")


def saw(*entries):
    """A PASS that saw these entries."""
    lines = chained(list(entries)).splitlines()
    head = digest_of_bytes(lines[-1]) if lines else None
    return a_verdict(evidence={"ledger_head": head, "ledger_length": len(lines)})


def at_hand(*entries, ledger=None, pinned_head=None):
    """Evidence of which only the ledger is looked at."""
    return AtHand({}, None, chained(list(entries)) if ledger is None else ledger, pinned_head)


def of_ledger(verdict, *entries, check=check_ledger, **hand):
    return reasons(check(asked_about(verdict, None, at_hand(*entries, **hand))))


ROLLED_BACK = ("LEDGER_ROLLED_BACK", "ledger")


@pytest.mark.parametrize(
    ("seen", "now", "expected"),
    [
        ([FIRST], [FIRST], []),
        ([FIRST, RELEASE], [FIRST, RELEASE], []),
        ([FIRST], [FIRST, RECORD], []),
        ([], [], []),
        ([], [RECORD], []),
        ([FIRST, RELEASE], [FIRST], [ROLLED_BACK]),
        ([FIRST], [], [ROLLED_BACK]),
        ([FIRST], [RELEASE], [ROLLED_BACK]),
        ([FIRST, RELEASE], [FIRST, RECORD], [ROLLED_BACK]),
        ([FIRST], [FIRST, RELEASE], [("LEDGER_MOVED_ON", "ledger line 2")]),
        ([], [FIRST], [("LEDGER_MOVED_ON", "ledger line 1")]),
        ([FIRST], [FIRST, RECORD, RECORD | {"verdict": "FAIL"}], [("CONTRADICTED_LATER", "ledger line 3")]),
        ([FIRST], [FIRST, RECORD | {"verdict": "FAIL", "policy_digest": digest("8")}], []),
        ([FIRST, RECORD | {"verdict": "FAIL"}], [FIRST, RECORD | {"verdict": "FAIL"}], []),
        (
            [FIRST],
            [FIRST, RELEASE, RECORD | {"verdict": "NO_VERDICT"}],
            [("LEDGER_MOVED_ON", "ledger line 2"), ("CONTRADICTED_LATER", "ledger line 3")],
        ),
    ],
)
def test_a_ledger_begins_with_the_verdicts_and_leaves_it_standing(seen, now, expected):
    assert of_ledger(saw(*seen), *now) == expected


def test_a_broken_chain_is_rolled_back_at_the_line_where_it_breaks():
    whole = chained([FIRST, RELEASE])
    broken = whole.replace(b"because it had to be", b"because I say so", 1)
    assert of_ledger(saw(FIRST), ledger=broken) == [("LEDGER_ROLLED_BACK", "ledger line 2")]
    torn = whole[:-1]
    assert of_ledger(saw(FIRST), ledger=torn) == [("LEDGER_ROLLED_BACK", "ledger last line")]


def test_a_verdict_that_does_not_say_how_much_it_saw_is_of_no_ledger():
    verdict = a_verdict(evidence={"ledger_length": None, "ledger_head": None})
    assert of_ledger(verdict, FIRST) == [ROLLED_BACK]


@pytest.mark.parametrize("now", [[], [FIRST], [FIRST, RECORD]])
def test_a_pinned_head_is_where_the_ledger_ends(now):
    pinned = digest_of_bytes(chained([FIRST, RECORD]).splitlines()[-1])
    assert of_ledger(saw(*now), *now, pinned_head=pinned) == ([] if now == [FIRST, RECORD] else [ROLLED_BACK])


@pytest.mark.parametrize(
    ("seen", "now", "is_recorded"),
    [
        ([FIRST], [FIRST, RECORD], True),
        ([FIRST], [FIRST, RECORD | {"policy_digest": digest("8")}, RECORD], True),
        ([], [RECORD], True),
        ([FIRST], [FIRST], False),
        ([FIRST, RECORD], [FIRST, RECORD], False),
        ([FIRST], [FIRST, RELEASE], False),
        ([FIRST], [FIRST, RECORD | {"policy_digest": digest("8")}], False),
        ([FIRST], [FIRST, RECORD | {"candidate_digest": digest("8")}], False),
        ([FIRST], [FIRST, RECORD | {"verdict": "FAIL"}], False),
    ],
)
def test_a_record_is_of_this_verdict_and_after_it(seen, now, is_recorded):
    expected = [] if is_recorded else [("NOT_RECORDED", "ledger")]
    assert of_ledger(saw(*seen), *now, check=check_record) == expected


def test_a_verdict_that_does_not_say_what_it_saw_may_be_recorded_anywhere():
    verdict = a_verdict(evidence={"ledger_length": None, "ledger_head": None})
    assert of_ledger(verdict, RECORD, check=check_record) == []


def test_a_record_that_is_asked_for_without_a_ledger_is_missing():
    assert reasons(check_record(asked_about(PASS))) == [("NOT_RECORDED", "ledger")]


def test_a_ledger_of_ones_own_is_looked_at_beside_the_one_at_hand(tmp_path):
    own = tmp_path / "own.jsonl"
    own.write_bytes(chained([RELEASE]))
    verdict, hand = saw(FIRST), at_hand(FIRST, RECORD)
    asked = asked_about(verdict, None, hand, ledger=own)
    assert reasons(check_ledger(asked)) == [("LEDGER_ROLLED_BACK", str(own))]
    assert reasons(check_record(asked)) == [("NOT_RECORDED", str(own))]
    alone = asked_about(verdict, None, None, ledger=own)
    assert reasons(check_ledger(alone)) == [("LEDGER_ROLLED_BACK", str(own))]
    own.unlink()
    assert reasons(check_ledger(asked)) == [("EVIDENCE_UNREADABLE", str(own))]
    assert reasons(check_record(asked)) == []  # refused already


@pytest.mark.parametrize(
    ("hand", "own", "expected"), [(None, None, False), (at_hand(), None, True), (None, "own.jsonl", True)]
)
def test_a_ledger_is_there_where_there_is_evidence_or_ones_own(hand, own, expected):
    assert has_ledger(asked_about(PASS, None, hand, ledger=own)) is expected


# -- what is asked at all ------------------------------------------------------------------------------------------


def test_without_evidence_there_is_nothing_to_compare_and_nothing_to_decide_from():
    assert reasons(check_evidence(asked_about(PASS, stated(PASS)))) == []
    asked = asked_about(PASS, stated(PASS), is_recomputed=True)
    assert reasons(check_recomputed(asked)) == [("RECOMPUTED_OTHERWISE", "evidence")]
    (refusal,) = check_recomputed(asked)
    assert refusal.expected == "evidence to decide from: --params, or a bundle"


@pytest.mark.parametrize(
    ("hand", "expected", "is_decided_again"),
    [
        (None, {}, False),
        (at_hand(), {}, True),
        (at_hand(), SIGNED, False),
        (at_hand(), BY_IDENTITY, False),
        (None, {"is_recomputed": True}, True),
        (at_hand(), SIGNED | {"is_recomputed": True}, True),
    ],
)
def test_what_nobody_signed_is_decided_again_and_what_is_signed_where_that_is_asked(hand, expected, is_decided_again):
    (recomputed,) = (check for check in check_module.CHECKS if check.name == "recomputed")
    assert recomputed.applies(asked_about(PASS, None, hand, **expected)) is is_decided_again


def presented_with(verdict, statement=None):
    content = verdict_bytes(verdict)
    return Presented("verdict.json", content, (statement or stated(verdict)).content, None, None)


ALWAYS = ["schema", "pass", "age"]


@pytest.mark.parametrize(
    ("expected", "names"),
    [
        ({}, [*ALWAYS, "statement", "proof"]),
        ({"run_id": "the run"}, [*ALWAYS, "run_id", "statement", "proof"]),
        ({"notebook_sha256": digest("6")}, [*ALWAYS, "notebook", "statement", "proof"]),
        (SUBJECT, [*ALWAYS, "statement", "subject", "proof"]),
        ({"gate": PinnedGate("mine", None, digest("2"))}, [*ALWAYS, "statement", "proof", "gate"]),
        ({"min_ledger_length": 1}, [*ALWAYS, "statement", "proof", "ledger"]),
        ({"is_record_required": True}, [*ALWAYS, "statement", "proof", "record"]),
        ({"is_recomputed": True}, [*ALWAYS, "statement", "proof", "recomputed"]),
        (BY_IDENTITY, [*ALWAYS, "statement", "proof", "signature"]),
    ],
)
def test_a_result_names_what_was_compared_and_nothing_else(expected, names):
    assert checked(presented_with(PASS), None, Expectations(present=PRESENT, **expected)).checked == names


def test_a_checker_who_asks_for_nothing_gets_nothing_on_trust():
    """A verdict by itself: everything is as it should be, and it proves nothing."""
    result = checked(presented_with(PASS), None, Expectations(present=PRESENT))
    assert reasons(result.refusals) == NOTHING
    assert (result.accepted, result.signed_by) == (False, [])
    assert (result.policy_digest, result.candidate_digest) == (digest("4"), digest("3"))
    assert result.verdict_sha256 == digest_of_bytes(verdict_bytes(PASS))


def test_what_is_no_verdict_is_not_looked_at_any_further():
    presented = Presented("mine.json", b"{", None, None, None)
    result = checked(presented, None, Expectations(present=PRESENT))
    assert [refusal.code for refusal in result.refusals] == ["VERDICT_UNREADABLE"]
    assert result.refusals[0].subject.startswith("mine.json")
    assert (result.checked, result.policy_digest, result.verdict_sha256) == ([], None, digest_of_bytes(b"{"))
    no_verdict = Presented("mine.json", b"{}", None, None, None)
    subjects = [refusal.subject for refusal in checked(no_verdict, None, Expectations(present=PRESENT)).refusals]
    assert all(subject.startswith("mine.json") for subject in subjects)


def test_a_missing_statement_is_named():
    bare = Presented("verdict.json", verdict_bytes(PASS), None, None, None)
    refused = reasons(checked(bare, None, Expectations(present=PRESENT)).refusals)
    assert refused == [("STATEMENT_MISSING", "verdict.statement.json"), *NOTHING]


@pytest.mark.parametrize("left_out", ["pass", "age", "statement", "proof"])
def test_a_check_that_is_always_asked_cannot_be_left_out_and_the_verdict_accepted(monkeypatch, left_out):
    kept = tuple(check for check in check_module.CHECKS if check.name not in (left_out, "proof"))
    monkeypatch.setattr(check_module, "CHECKS", kept)
    with pytest.raises(ValueError, match="accepted only where nothing is refused"):
        checked(presented_with(PASS), None, Expectations(present=PRESENT))
