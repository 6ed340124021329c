"""DSSE by hand: which bytes are signed, how they are spelled, and which statement is relied upon in the end."""

from __future__ import annotations

import base64
import hashlib
import importlib.util
import json

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key

from litmus_nb.attest.dsse import opened_envelope, pinned_key, pre_authentication_encoding
from litmus_nb.attest.expectations import Expectations, PinnedIdentity
from litmus_nb.attest.presented import Presented
from litmus_nb.attest.statement_at_hand import authentic_statement
from litmus_nb.contracts.attestation import PAYLOAD_TYPE
from litmus_nb.contracts.verdict import verdict_bytes
from litmus_nb.errors import UnreadableInput
from tests.attest.gated import PRESENT
from tests.attest.parts import a_verdict, reasons, stated

VERDICT = a_verdict()
STATEMENT = stated(VERDICT).content
ENVELOPE, IDENTITY = "verdict.dsse.json", PinnedIdentity("somebody", "https://issuer")


def enveloped(*keys, payload=STATEMENT, payload_type=PAYLOAD_TYPE):
    """An envelope that all keys signed."""
    signed = f"DSSEv1 {len(payload_type)} {payload_type} {len(payload)} ".encode() + payload
    signatures = [load_pem_private_key(key.private.read_bytes(), None).sign(signed, ec.ECDSA(SHA256())) for key in keys]
    envelope = {
        "payload": base64.b64encode(payload).decode(),
        "payloadType": payload_type,
        "signatures": [{"keyid": "", "sig": base64.b64encode(signature).decode()} for signature in signatures],
    }
    return json.dumps(envelope).encode()


def relied_on(envelope, *keys, statement=None, **expected):
    """(the statement, what was refused)."""
    presented = Presented("verdict.json", verdict_bytes(VERDICT), statement, envelope, None)
    expectations = Expectations(present=PRESENT, key_files=tuple(key.public for key in keys), **expected)
    found, refusals = authentic_statement(presented, expectations)
    return found, refusals


def refused(*arguments, **expected):
    found, refusals = relied_on(*arguments, **expected)
    assert found is None
    return reasons(refusals)


def test_the_bytes_that_are_signed():
    """The example of the DSSE protocol."""
    encoded = pre_authentication_encoding("http://example.com/HelloWorld", b"hello world")
    assert encoded == b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"


def test_a_key_is_named_by_the_digest_of_what_it_is(new_key):
    key = new_key()
    private = load_pem_private_key(key.private.read_bytes(), None)
    der = private.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    assert pinned_key(key.public.read_bytes(), file="key").keyid == f"sha256:{hashlib.sha256(der).hexdigest()}"


def test_what_a_pinned_key_signed_is_relied_upon_and_not_the_file_beside_it(new_key):
    one, two = new_key("one"), new_key("two")
    names = sorted(pinned_key(key.public.read_bytes(), file="key").keyid for key in (one, two))
    found, refusals = relied_on(enveloped(two, one), one, two, statement=b"whatever", signatures_needed=2)
    assert (refusals, found.content, list(found.signers)) == ([], STATEMENT, names)
    found, refusals = relied_on(enveloped(one), one, two)
    assert (refusals, len(found.signers)) == ([], 1)


def test_without_anything_pinned_it_is_the_file_beside_the_verdict():
    found, refusals = relied_on(None, statement=STATEMENT)
    assert (refusals, found.content, found.signers) == ([], STATEMENT, ())
    assert refused(None) == [("STATEMENT_MISSING", "verdict.statement.json")]
    assert refused(None, statement=b"{}")[0][0] == "STATEMENT_MISMATCH"
    assert refused(None, statement=b"[]")[0][0] == "STATEMENT_MISMATCH"


@pytest.mark.parametrize("needed", [-1, 0, 1, 2])
def test_no_number_of_signatures_is_enough_without_one(new_key, needed):
    assert refused(enveloped(new_key("theirs")), new_key("mine"), signatures_needed=needed) == [
        ("ATTESTATION_BAD_SIGNATURE", ENVELOPE)
    ]


def test_two_signatures_cannot_be_asked_for_without_a_key():
    assert refused(None, statement=STATEMENT, signatures_needed=2) == [("ATTESTATION_BAD_SIGNATURE", "keys")]


def test_the_refusal_says_how_many_signatures_of_how_many_keys(new_key):
    one, two = new_key("one"), new_key("two")
    _, (refusal,) = relied_on(enveloped(one), one, two, two, signatures_needed=2)
    assert (refusal.expected, refusal.observed) == ("signatures of 2 of the 2 pinned keys", "1")
    _, (refusal,) = relied_on(enveloped(one), two, signatures_needed=0)
    assert (refusal.expected, refusal.observed) == ("signatures of 1 of the 1 pinned keys", "0")


def spelled(text):
    return f"{ENVELOPE}: {text}"


@pytest.mark.parametrize(
    ("changes", "code", "subject", "wanted"),
    [
        ({"payloadType": "text/plain"}, "ATTESTATION_WRONG_TYPE", f"{ENVELOPE} /payloadType", PAYLOAD_TYPE),
        ({"signatures": []}, "ATTESTATION_MALFORMED", f"{ENVELOPE} /signatures", "at least one signature"),
        ({"payload": "AA!="}, "ATTESTATION_MALFORMED", spelled("payload"), "base64"),
        ({"payload": "AA"}, "ATTESTATION_MALFORMED", spelled("payload"), "base64"),
        ({"payload": "ä"}, "ATTESTATION_MALFORMED", spelled("payload"), "base64"),
        ({"payload": "AB=="}, "ATTESTATION_MALFORMED", spelled("payload"), "canonical base64"),
        ({"signatures": [{"keyid": "", "sig": "A\nA=="}]}, "ATTESTATION_MALFORMED", spelled("signature"), "base64"),
        (
            {"signatures": [{"keyid": "", "sig": "AB=="}]},
            "ATTESTATION_MALFORMED",
            spelled("signature"),
            "canonical base64",
        ),
    ],
)
def test_an_envelope_in_another_form_is_told_which(new_key, changes, code, subject, wanted):
    key = new_key()
    _, (refusal,) = relied_on(json.dumps(json.loads(enveloped(key)) | changes).encode(), key)
    assert (refusal.code, refusal.subject, refusal.expected) == (code, subject, wanted)


@pytest.mark.parametrize("content", [b"", b"{}", b"[]", b'{"payload":"","payload":""}'])
def test_what_is_no_envelope_is_malformed(new_key, content):
    found = refused(content, new_key())
    assert {code for code, _ in found} == {"ATTESTATION_MALFORMED"}
    assert all(subject.startswith(ENVELOPE) for _, subject in found)


def test_no_envelope_is_no_signature(new_key):
    assert refused(None, new_key()) == [("ATTESTATION_UNSIGNED", ENVELOPE)]


TYPE, PREDICATE = "https://in-toto.io/Statement/v1", "urn:litmus-nb:attestation:verdict:v1"


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        ({"_type": "other", "predicateType": PREDICATE}, [("ATTESTATION_WRONG_TYPE", f"{ENVELOPE} /_type")]),
        ({"_type": TYPE, "predicateType": "other"}, [("ATTESTATION_WRONG_TYPE", f"{ENVELOPE} /predicateType")]),
        (
            {"_type": "other", "predicateType": "other"},
            [("ATTESTATION_WRONG_TYPE", f"{ENVELOPE} /{key}") for key in ("_type", "predicateType")],
        ),
    ],
)
def test_a_statement_of_another_kind_is_named_by_its_kind(new_key, payload, expected):
    key = new_key()
    assert refused(enveloped(key, payload=json.dumps(payload).encode()), key) == expected


@pytest.mark.parametrize(
    "payload", [b"", b"[]", b"5", b"{}", b'{"_type": 5}', json.dumps({"_type": TYPE, "predicateType": None}).encode()]
)
def test_what_is_no_statement_of_any_kind_is_malformed(new_key, payload):
    key = new_key()
    found = refused(enveloped(key, payload=payload), key)
    assert {code for code, _ in found} == {"ATTESTATION_MALFORMED"}
    assert all(subject.startswith(ENVELOPE) for _, subject in found)


def test_keys_and_an_identity_at_once_are_no_plan(new_key):
    key = new_key()
    assert refused(enveloped(key), key, identity=IDENTITY) == [("ATTESTATION_UNVERIFIABLE", "keys")]


def test_a_key_file_that_is_none_is_named(new_key):
    key = new_key()
    content = enveloped(key)
    key.public.write_text("no key")
    assert refused(content, key) == [("ATTESTATION_UNVERIFIABLE", str(key.public))]
    key.public.unlink()
    assert refused(content, key) == [("ATTESTATION_UNVERIFIABLE", str(key.public))]


@pytest.mark.parametrize(
    ("package", "expected", "wanted"),
    [
        ("cryptography", {}, "cryptography (litmus-nb[attest])"),
        ("sigstore", {"identity": IDENTITY}, "sigstore (litmus-nb[keyless])"),
    ],
)
def test_an_extra_that_is_not_installed_is_no_proof(new_key, monkeypatch, package, expected, wanted):
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == package else find(name))
    key = new_key()
    content = enveloped(key)
    presented = Presented("verdict.json", verdict_bytes(VERDICT), None, content, content)
    keys = {} if expected else {"key_files": (key.public,)}
    found, (refusal,) = authentic_statement(presented, Expectations(present=PRESENT, **keys, **expected))
    assert (found, refusal.code, refusal.subject) == (None, "ATTESTATION_UNVERIFIABLE", "installation")
    assert refusal.expected == wanted


def test_whoever_pins_no_key_learns_of_no_signer(new_key):
    assert opened_envelope(enveloped(new_key()), [], file=ENVELOPE).signers == ()
    with pytest.raises(UnreadableInput):
        opened_envelope(b"", [], file=ENVELOPE)
