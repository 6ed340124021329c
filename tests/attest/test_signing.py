"""Which key signs: a file, a variable, a KMS; and that no other kind of key does."""

from __future__ import annotations

import json

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)
from securesystemslib.signer import SIGNER_FOR_URI_SCHEME, CryptoSigner

from litmus_nb.attest.dsse import opened_envelope, pinned_key
from litmus_nb.attest.signing import signed_envelope, signer_for
from litmus_nb.contracts.attestation import PAYLOAD_TYPE
from litmus_nb.contracts.canonical import canonical_json
from litmus_nb.errors import UnreadableInput, UsageError

SCHEMES = ["awskms:", "gcpkms:", "azurekms:", "hv:", "hsm:"]
WANTED = "expected an ECDSA P-256 private key"


def public_of(signer):
    return signer.public_key.keyval["public"].encode()


def message(name, public_key=None):
    with pytest.raises(UsageError) as refused:
        signer_for(str(name), public_key)
    return str(refused.value)


def test_a_key_in_a_file_and_one_in_a_variable_are_the_keys_that_they_are(new_key, monkeypatch):
    key = new_key()
    monkeypatch.setenv("GATE_KEY", key.private.read_text())
    for name in (str(key.private), "env:GATE_KEY"):
        assert public_of(signer_for(name, None)) == key.public.read_bytes()


def test_a_variable_that_is_not_set_is_named(monkeypatch):
    monkeypatch.delenv("GATE_KEY", raising=False)
    assert message("env:GATE_KEY") == (
        f"--key env:GATE_KEY: {WANTED} in that environment variable, seen no such variable"
    )


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(UnreadableInput, match="nothing"):
        signer_for(str(tmp_path / "nothing"), None)


def test_another_kind_of_key_is_told_by_its_kind_and_what_is_none_is_not_shown(new_key, tmp_path):
    odd = new_key("odd", ec.SECP384R1())
    assert message(odd.private).startswith(f"--key {odd.private}: {WANTED}, seen ")
    edwards = Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    odd.private.write_bytes(edwards)
    assert message(odd.private) == f"--key {odd.private}: {WANTED}, seen Ed25519PrivateKey"
    none = tmp_path / "none.pem"
    none.write_text("secret")
    assert message(none) == f"--key {none}: {WANTED} in PEM without a passphrase"


def test_a_key_under_a_passphrase_is_none(new_key):
    key = new_key()
    private = load_pem_private_key(key.private.read_bytes(), None)
    key.private.write_bytes(
        private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"secret"))
    )
    assert message(key.private) == f"--key {key.private}: {WANTED} in PEM without a passphrase"


def test_an_envelope_is_canonical_json_with_one_signature(new_key):
    key = new_key()
    content = signed_envelope(b"{}", signer_for(str(key.private), None))
    value = json.loads(content)
    assert content == canonical_json(value) + b"\n"
    assert (value["payloadType"], len(value["signatures"])) == (PAYLOAD_TYPE, 1)
    pinned = pinned_key(key.public.read_bytes(), file="key")
    opened = opened_envelope(content, [pinned], file="envelope")
    assert (opened.payload, opened.signers) == (b"{}", (pinned.keyid,))


# -- a KMS ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_kms_key_needs_its_public_half(scheme):
    uri = f"{scheme}the/key"
    assert message(uri) == f"--key {uri}: expected its public half too, --public-key FILE"


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_kms_signs_with_the_key_whose_public_half_is_given(new_key, monkeypatch, scheme):
    """securesystemslib's own way of naming a KMS, with a key on disk in the place of the service."""
    key = new_key()
    private = load_pem_private_key(key.private.read_bytes(), None)

    class Service(CryptoSigner):
        @classmethod
        def from_priv_key_uri(cls, uri, public_key, secrets_handler=None):
            assert uri == f"{scheme}the/key"
            return cls(private, public_key)

    monkeypatch.setitem(SIGNER_FOR_URI_SCHEME, scheme.removesuffix(":"), Service)
    content = signed_envelope(b"{}", signer_for(f"{scheme}the/key", key.public))
    assert len(opened_envelope(content, [pinned_key(key.public.read_bytes(), file="key")], file="e").signers) == 1


def test_a_kms_that_refuses_is_quoted(new_key, monkeypatch):
    class Service(CryptoSigner):
        @classmethod
        def from_priv_key_uri(cls, uri, public_key, secrets_handler=None):
            raise ConnectionError("no route")

    monkeypatch.setitem(SIGNER_FOR_URI_SCHEME, "awskms", Service)
    assert message("awskms:the/key", new_key().public) == "--key awskms:the/key: ConnectionError: no route"


@pytest.mark.parametrize("kind", ["P-384", "Ed25519", "no key", "nothing"])
def test_the_public_half_is_of_the_same_kind_as_every_other_key(new_key, kind):
    odd = new_key("odd", ec.SECP384R1())
    if kind == "Ed25519":
        public = Ed25519PrivateKey.generate().public_key()
        odd.public.write_bytes(public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    elif kind == "no key":
        odd.public.write_text("no key")
    elif kind == "nothing":
        odd.public.unlink()
    with pytest.raises(UnreadableInput) as refused:
        signer_for("awskms:the/key", odd.public)
    assert [fault.file for fault in refused.value.faults] == [str(odd.public)]
