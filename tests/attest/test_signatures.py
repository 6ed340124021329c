"""Signatures: who signed, over exactly which bytes, and that nothing else counts."""

from __future__ import annotations

import base64
import json
from datetime import timedelta

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from securesystemslib.dsse import Envelope
from securesystemslib.signer import CryptoSigner, SSlibKey
from sigstore.dsse import Statement as SigstoreStatement

from litmus_nb.attest.dsse import opened_envelope, pinned_key
from litmus_nb.attest.expectations import Expectations, PinnedIdentity
from litmus_nb.attest.leave import leave_statement
from litmus_nb.attest.sign import statement_to_sign
from litmus_nb.attest.signing import signed_envelope, signer_for
from litmus_nb.contracts.attestation import PAYLOAD_TYPE
from litmus_nb.contracts.signature import public_key_in, public_key_of
from litmus_nb.contracts.verdict import verdict_bytes
from litmus_nb.errors import UsageError
from tests.attest.gated import PRESENT, checking, codes, gate_again, params_in, verdict_in
from tests.attest.test_tampering import flipped, holder_of, leaves, written
from tests.builders import DIGEST, correct_world, write

ENVELOPE = "out/verdict.dsse.json"


def sign(folder, *keys, payload=None):
    """Sign the folder's verdict, or another payload, with all keys."""
    if payload is None:
        made = statement_to_sign(
            folder / "out/verdict.json", params_in(folder), Expectations(present=PRESENT), valid_days=30
        )
        assert made.refusals == ()
        payload = made.statement
    envelope = Envelope(payload, PAYLOAD_TYPE, {})
    for key in keys:
        envelope.sign(signer_for(str(key.private), None))
    (folder / ENVELOPE).write_text(json.dumps(envelope.to_dict()))
    return payload


def deploying(folder, *keys, needed=1, **expected):
    """What a deployment controller asks: signature, artefact, no evidence at hand."""
    parts = {"subject": verdict_in(folder).evidence.policy_digest} | expected
    files = tuple(key.public for key in keys)
    return checking(folder, with_evidence=False, key_files=files, signatures_needed=needed, **parts)


def enveloped(folder, change):
    envelope = json.loads((folder / ENVELOPE).read_bytes())
    (folder / ENVELOPE).write_text(json.dumps(change(envelope) or envelope))


def test_a_signed_pass_for_the_artefact_is_accepted(folder, new_key):
    key = new_key()
    sign(folder, key)
    result = deploying(folder, key)
    assert result.refusals == []
    assert result.signed_by == [pinned_key(key.public.read_bytes(), file="key").keyid]


def test_a_missing_signature_is_refused(folder, new_key):
    assert codes(deploying(folder, new_key())) == {"ATTESTATION_UNSIGNED"}


def test_an_unknown_key_is_refused(folder, new_key):
    sign(folder, new_key("theirs"))
    assert codes(deploying(folder, new_key("mine"))) == {"ATTESTATION_BAD_SIGNATURE"}


def test_the_keyid_is_a_hint_and_nothing_more(folder, new_key):
    """The right name on the wrong signature counts for nothing; the wrong name on the right one takes nothing away."""
    mine, theirs = new_key("mine"), new_key("theirs")
    sign(folder, mine)
    name = json.loads((folder / ENVELOPE).read_bytes())["signatures"][0]["keyid"]
    enveloped(folder, lambda envelope: envelope["signatures"][0].update(keyid="whatever"))
    assert deploying(folder, mine).accepted
    sign(folder, theirs)
    enveloped(folder, lambda envelope: envelope["signatures"][0].update(keyid=name))
    assert codes(deploying(folder, mine)) == {"ATTESTATION_BAD_SIGNATURE"}


def test_two_signatures_are_two_keys(folder, new_key):
    one, two = new_key("one"), new_key("two")
    sign(folder, one)
    enveloped(folder, lambda envelope: envelope["signatures"].append(envelope["signatures"][0] | {"keyid": "again"}))
    assert codes(deploying(folder, one, two, needed=2)) == {"ATTESTATION_BAD_SIGNATURE"}
    sign(folder, one, two)
    assert deploying(folder, one, two, needed=2).accepted


def test_the_same_key_pinned_twice_is_one(folder, new_key):
    key = new_key()
    sign(folder, key)
    assert codes(deploying(folder, key, key, needed=2)) == {"ATTESTATION_BAD_SIGNATURE"}


def test_a_flipped_bit_in_payload_or_signature_is_refused(folder, new_key):
    key = new_key()
    sign(folder, key)
    envelope = json.loads((folder / ENVELOPE).read_bytes())

    def with_flip(text, place):
        raw = bytearray(base64.b64decode(text))
        raw[place] ^= 1
        return base64.b64encode(bytes(raw)).decode()

    for place in (0, 40, -1):
        changed = envelope | {"payload": with_flip(envelope["payload"], place)}
        (folder / ENVELOPE).write_text(json.dumps(changed))
        assert codes(deploying(folder, key)) == {"ATTESTATION_BAD_SIGNATURE"}
    signature = envelope["signatures"][0]
    changed = envelope | {"signatures": [signature | {"sig": with_flip(signature["sig"], -1)}]}
    (folder / ENVELOPE).write_text(json.dumps(changed))
    assert codes(deploying(folder, key)) == {"ATTESTATION_BAD_SIGNATURE"}


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda e: e.update(payloadType="application/json"), "ATTESTATION_WRONG_TYPE"),
        (lambda e: e.update(signatures=[]), "ATTESTATION_MALFORMED"),
        (lambda e: e.update(extra=1), "ATTESTATION_MALFORMED"),
        (lambda e: e.pop("payload"), "ATTESTATION_MALFORMED"),
        (lambda e: e.update(payload=e["payload"] + "\n"), "ATTESTATION_MALFORMED"),
        (lambda e: e.update(payload=e["payload"].rstrip("=") + "!"), "ATTESTATION_MALFORMED"),
        (lambda e: e["signatures"][0].update(sig=e["signatures"][0]["sig"] + "="), "ATTESTATION_MALFORMED"),
    ],
)
def test_an_envelope_in_another_form_is_refused(folder, new_key, change, code):
    key = new_key()
    sign(folder, key)
    enveloped(folder, lambda envelope: change(envelope) and None)
    result = deploying(folder, key)
    assert not result.accepted
    assert codes(result) <= {code, "ATTESTATION_BAD_SIGNATURE"}


def test_a_key_twice_in_the_signed_payload_is_refused(folder, new_key):
    key = new_key()
    payload = (folder / "out/verdict.statement.json").read_bytes()
    sign(folder, key, payload=payload.replace(b'"verdict":"PASS"', b'"verdict":"FAIL","verdict":"PASS"', 1))
    assert codes(deploying(folder, key)) == {"ATTESTATION_MALFORMED"}


@pytest.mark.parametrize(
    "payload",
    [
        {"_type": "https://in-toto.io/Statement/v1", "subject": [], "predicateType": "https://slsa.dev/vsa/v1"},
        {"_type": "https://in-toto.io/Statement/v0.1", "predicateType": "urn:litmus-nb:attestation:verdict:v1"},
    ],
)
def test_another_thing_that_the_same_key_signed_is_no_verdict(folder, new_key, payload):
    key = new_key()
    sign(folder, key, payload=json.dumps(payload).encode())
    assert codes(deploying(folder, key)) == {"ATTESTATION_WRONG_TYPE"}


def test_a_signed_verdict_for_another_artefact_is_refused(folder, new_key):
    key = new_key()
    sign(folder, key)
    assert codes(deploying(folder, key, subject=DIGEST)) == {"SUBJECT_MISMATCH"}


def test_a_signed_fail_is_no_pass(tmp_path, new_key):
    world = correct_world()
    world.gate["classes"]["prompt-injection"]["min_n"] = 99
    write(world, tmp_path)
    gate_again(tmp_path)
    key = new_key()
    sign(tmp_path, key)
    assert codes(deploying(tmp_path, key)) == {"NOT_PASS"}


def test_an_expired_statement_is_refused_though_the_limit_of_age_allows_it(folder, new_key):
    key = new_key()
    made = statement_to_sign(
        folder / "out/verdict.json", params_in(folder), Expectations(present=PRESENT), valid_days=2
    )
    sign(folder, key, payload=made.statement)
    later = PRESENT + timedelta(days=3)
    assert codes(deploying(folder, key, present=later)) == {"ATTESTATION_EXPIRED"}


def test_a_signature_from_the_future_is_refused(folder, new_key):
    key = new_key()
    made = statement_to_sign(
        folder / "out/verdict.json",
        params_in(folder),
        Expectations(present=PRESENT + timedelta(hours=1)),
        valid_days=30,
    )
    sign(folder, key, payload=made.statement)
    assert codes(deploying(folder, key)) == {"VERDICT_FROM_THE_FUTURE"}


def test_an_old_signed_pass_does_not_come_back_when_the_ledger_was_seen_longer(folder, new_key):
    key = new_key()
    sign(folder, key)
    assert codes(deploying(folder, key, min_ledger_length=5)) == {"LEDGER_ROLLED_BACK"}


def test_with_a_signature_even_the_circumstances_cannot_be_forged(folder, new_key):
    """Every field of `execution` flipped and the unsigned statement made anew: only the signature knows."""
    key = new_key()
    sign(folder, key)
    verdict = json.loads((folder / "out/verdict.json").read_bytes())
    for path in leaves({"execution": verdict["execution"]}):
        changed = json.loads(json.dumps(verdict))
        holder = holder_of(changed, path)
        holder[path[-1]] = flipped(holder[path[-1]])
        if path[-1] == "as_of":
            holder[path[-1]] = "2026-11-29"
        written(folder, changed)
        forged = verdict_in(folder)
        (folder / "out/verdict.json").write_bytes(verdict_bytes(forged))
        leave_statement(folder / "out", forged, params_in(folder), issued_at=PRESENT)
        assert codes(deploying(folder, key)) == {"STATEMENT_MISMATCH"}, path


@pytest.mark.parametrize("kind", ["P-384", "Ed25519", "no key", "nothing"])
def test_only_ecdsa_p_256_is_pinned(folder, new_key, tmp_path, kind):
    sign(folder, new_key())
    odd = new_key("odd", ec.SECP384R1())
    if kind == "Ed25519":
        public = Ed25519PrivateKey.generate().public_key()
        odd.public.write_bytes(public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    elif kind == "no key":
        odd.public.write_text("-----BEGIN PUBLIC KEY-----\nxxxx\n-----END PUBLIC KEY-----\n")
    elif kind == "nothing":
        odd.public.unlink()
    assert codes(deploying(folder, odd)) == {"ATTESTATION_UNVERIFIABLE"}


def test_both_halves_of_a_key_name_the_same_public_key(new_key):
    key = new_key()
    assert public_key_of(key.private.read_bytes()) == public_key_in(key.public.read_bytes(), file="key")


@pytest.mark.parametrize("kind", ["P-384", "Ed25519", "no key", "public"])
def test_only_ecdsa_p_256_signs(new_key, kind):
    odd = new_key("odd", ec.SECP384R1())
    if kind == "Ed25519":
        private = Ed25519PrivateKey.generate()
        odd.private.write_bytes(private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    elif kind == "no key":
        odd.private.write_text("secret")
    elif kind == "public":
        odd.private.write_bytes(new_key().public.read_bytes())
    with pytest.raises(UsageError) as refused:
        signer_for(str(odd.private), None)
    assert "secret" not in str(refused.value)


def test_a_key_from_the_environment(folder, new_key, monkeypatch):
    key = new_key()
    monkeypatch.setenv("GATE_KEY", key.private.read_text())
    payload = (folder / "out/verdict.statement.json").read_bytes()
    (folder / ENVELOPE).write_bytes(signed_envelope(payload, signer_for("env:GATE_KEY", None)))
    assert deploying(folder, key).accepted
    monkeypatch.delenv("GATE_KEY")
    with pytest.raises(UsageError, match="GATE_KEY"):
        signer_for("env:GATE_KEY", None)


def test_a_kms_key_needs_its_public_half_and_its_client(new_key):
    with pytest.raises(UsageError, match="--public-key"):
        signer_for("awskms:alias/gate", None)
    with pytest.raises(UsageError, match="awskms"):
        signer_for("awskms:alias/gate", new_key().public)


def test_nothing_is_signed_that_does_not_follow_from_the_evidence(folder):
    verdict = json.loads((folder / "out/verdict.json").read_bytes())
    verdict["advisory"]["mean_delta"] = -0.5
    written(folder, verdict)
    made = statement_to_sign(
        folder / "out/verdict.json", params_in(folder), Expectations(present=PRESENT), valid_days=30
    )
    assert made.statement is None
    assert {refusal.code for refusal in made.refusals} == {"RECOMPUTED_OTHERWISE"}


# -- others can read it --------------------------------------------------------------------------------------------


def test_securesystemslib_verifies_what_we_sign_and_we_verify_what_it_signs(folder, new_key):
    key = new_key()
    payload = sign(folder, key)
    envelope = Envelope.from_dict(json.loads((folder / ENVELOPE).read_bytes()))
    signer = signer_for(str(key.private), None)
    assert isinstance(signer, CryptoSigner)
    assert isinstance(signer.public_key, SSlibKey)
    assert list(envelope.verify([signer.public_key], 1)) == [signer.public_key.keyid]
    opened = opened_envelope(
        signed_envelope(payload, signer), [pinned_key(key.public.read_bytes(), file="key")], file="e"
    )
    assert (opened.payload, len(opened.signers)) == (payload, 1)


def test_sigstore_takes_our_statement_for_an_in_toto_statement(folder):
    SigstoreStatement((folder / "out/verdict.statement.json").read_bytes())


def test_an_identity_that_signed_nothing_is_refused(folder):
    identity = PinnedIdentity(
        "https://github.com/o/r/.github/workflows/gate.yml@refs/heads/main", "https://issuer", True
    )
    parts = {"with_evidence": False, "subject": verdict_in(folder).evidence.policy_digest, "identity": identity}
    assert codes(checking(folder, **parts)) == {"ATTESTATION_UNSIGNED"}
    (folder / "out/verdict.sigstore.json").write_text("{}")
    assert codes(checking(folder, **parts)) == {"ATTESTATION_MALFORMED"}


def test_keys_and_an_identity_at_once_are_no_plan(folder, new_key):
    identity = PinnedIdentity("somebody", "https://issuer", True)
    assert codes(deploying(folder, new_key(), identity=identity)) == {"ATTESTATION_UNVERIFIABLE"}
