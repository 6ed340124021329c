"""Checking a DSSE envelope with pinned keys, in an order that trusts nothing unchecked.

Size, strict JSON, payload type, strict base64, then signatures by the pinned keys' own algorithm; only the bytes that
were signed are parsed afterwards. The keyid of a signature is a hint that nothing authenticates and is not looked at.
Protocol: https://github.com/secure-systems-lab/dsse/blob/master/protocol.md
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from dataclasses import dataclass

from litmus_nb.contracts.attestation import PAYLOAD_TYPE, DsseEnvelope
from litmus_nb.contracts.canonical import digest_of_bytes
from litmus_nb.contracts.signature import PublicKey, is_signed_by, public_key_in
from litmus_nb.contracts.strict_json import parse_json
from litmus_nb.errors import Fault, UnreadableInput

__all__ = ["PinnedKey", "Signed", "WrongPayloadType", "opened_envelope", "pinned_key", "pre_authentication_encoding"]


class WrongPayloadType(UnreadableInput):
    """The envelope says that it holds something else than an in-toto statement."""


@dataclass(frozen=True)
class PinnedKey:
    """A public key that the checker trusts, from a place of their own."""

    keyid: str
    """Digest of the key's SubjectPublicKeyInfo (DER)."""
    key: PublicKey


@dataclass(frozen=True)
class Signed:
    """The bytes of an envelope's payload and the pinned keys that signed them."""

    payload: bytes
    signers: tuple[str, ...]
    """Key ids, each once, in order."""


def pinned_key(pem: bytes, *, file: str) -> PinnedKey:
    """The ECDSA P-256 public key in PEM bytes.

    Raises:
        UnreadableInput: no such key.
        SigningUnavailable: `cryptography` is not installed.
    """
    key = public_key_in(pem, file=file)
    return PinnedKey(digest_of_bytes(base64.b64decode(key)), key)


def opened_envelope(content: bytes, keys: Sequence[PinnedKey], *, file: str) -> Signed:
    """The payload of an envelope and which of the pinned keys signed it; none may have.

    Raises:
        WrongPayloadType: the payload says that it is something else.
        UnreadableInput: no envelope, no signature in it, or base64 that is not exactly canonical.
    """
    envelope = DsseEnvelope.read(parse_json(content, file=file), file=file)
    if envelope.payload_type != PAYLOAD_TYPE:
        raise WrongPayloadType([Fault(file, "/payloadType", PAYLOAD_TYPE, envelope.payload_type)])
    if not envelope.signatures:
        raise UnreadableInput([Fault(file, "/signatures", "at least one signature", "none")])
    payload = _decoded(envelope.payload, f"{file}: payload")
    signed = pre_authentication_encoding(envelope.payload_type, payload)
    signatures = [signature.sig for signature in envelope.signatures]
    for signature in signatures:
        _decoded(signature, f"{file}: signature")
    signers = {key.keyid for key in keys for signature in signatures if is_signed_by(signed, signature, key.key)}
    return Signed(payload, tuple(sorted(signers)))


def pre_authentication_encoding(payload_type: str, payload: bytes) -> bytes:
    """The bytes that are signed (DSSE protocol, "PAE")."""
    kind = payload_type.encode()
    return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)


def _decoded(text: str, where: str) -> bytes:
    """Standard base64 with its padding; another spelling of the same bytes is another envelope."""
    try:
        decoded = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise UnreadableInput([Fault(where, "", "base64", str(error))]) from error
    if base64.b64encode(decoded).decode() != text:
        raise UnreadableInput([Fault(where, "", "canonical base64", "another spelling")])
    return decoded
