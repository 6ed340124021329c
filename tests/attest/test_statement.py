"""What a statement says, and that nothing else is one."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

from litmus_nb.attest.statement import is_about, made_statement, read_statement
from litmus_nb.contracts.canonical import canonical_json, digest_of_bytes
from litmus_nb.contracts.verdict import verdict_bytes
from litmus_nb.errors import UnreadableInput
from tests.attest.gated import PRESENT
from tests.attest.parts import HEAD, a_verdict, digest

CONTENT = verdict_bytes(a_verdict())
FILES = {"gate": digest("2"), "candidate/run.json": digest("9")}


def described(name, of):
    return {"name": name, "digest": {"sha256": of.removeprefix("sha256:")}}


def test_the_whole_statement():
    """Field by field as docs/formats.md says it: times in words and in seconds, thirty days, in-toto's digests."""
    expected = {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [
            described("policy", digest("4")),
            described("candidate", digest("3")),
            described("verdict.json", digest_of_bytes(CONTENT)),
        ],
        "predicateType": "urn:litmus-nb:attestation:verdict:v1",
        "predicate": {
            "verdict": json.loads(CONTENT),
            "verdictSha256": digest_of_bytes(CONTENT),
            "materials": [
                described("suite", digest("1")),
                described("gate", digest("2")),
                described("baseline", digest("5")),
                described("ledger", HEAD) | {"annotations": {"length": 1}},
            ],
            "files": FILES,
            "issuedAt": "2026-11-30T15:00:00Z",
            "issuedAtUnix": 1796050800,
            "expiresAt": "2026-12-30T15:00:00Z",
            "expiresAtUnix": 1796050800 + 30 * 86400,
        },
    }
    assert made_statement(CONTENT, FILES, issued_at=PRESENT) == canonical_json(expected)


def test_what_could_not_be_read_is_neither_subject_nor_material():
    nothing = dict.fromkeys(
        (
            "manifest_hash",
            "gate_sha256",
            "candidate_digest",
            "policy_digest",
            "baseline_digest",
            "ledger_head",
            "ledger_length",
        )
    )
    content = verdict_bytes(a_verdict(evidence=nothing))
    statement = read_statement(made_statement(content, {}, issued_at=PRESENT), file="statement")
    assert [subject.name for subject in statement.subject] == ["verdict.json"]
    assert statement.predicate.materials == []


def test_a_ledger_whose_length_is_not_known_has_none():
    content = verdict_bytes(a_verdict(evidence={"ledger_length": None}))
    materials = read_statement(made_statement(content, {}, issued_at=PRESENT), file="statement").predicate.materials
    assert [(material.name, material.annotations) for material in materials][-1] == ("ledger", None)


def test_it_is_about_one_verdict_byte_for_byte():
    content = made_statement(CONTENT, FILES, issued_at=PRESENT, valid_days=3)
    statement = read_statement(content, file="statement")
    assert is_about(content, statement, CONTENT)
    assert not is_about(content + b"\n", statement, CONTENT)
    assert not is_about(content, statement, CONTENT + b"\n")


@pytest.mark.parametrize("content", [b"", b"{}", b"[]", b'{"a":1,"a":1}'])
def test_no_statement_is_made_of_what_is_no_verdict_and_it_is_named(content):
    with pytest.raises(UnreadableInput) as refused:
        made_statement(content, {}, issued_at=PRESENT)
    assert {fault.file for fault in refused.value.faults} == {"verdict.json"}


def test_no_statement_is_made_that_its_reader_would_refuse():
    with pytest.raises(UnreadableInput) as refused:
        made_statement(CONTENT, {"gate": "md5:0"}, issued_at=PRESENT)
    assert [(fault.file, fault.where) for fault in refused.value.faults] == [("statement", "/predicate/files/gate")]


@pytest.mark.parametrize("content", [b"", b"{}"])
def test_what_is_no_statement_is_named(content):
    with pytest.raises(UnreadableInput) as refused:
        read_statement(content, file="theirs")
    assert {fault.file for fault in refused.value.faults} == {"theirs"}


def test_it_is_valid_from_when_it_was_made_for_as_many_days_as_its_maker_says():
    content = made_statement(CONTENT, {}, issued_at=PRESENT + timedelta(hours=1), valid_days=2)
    predicate = read_statement(content, file="statement").predicate
    assert (predicate.issued_at, predicate.expires_at) == ("2026-11-30T16:00:00Z", "2026-12-02T16:00:00Z")
