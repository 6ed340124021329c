"""ECDSA P-256 signatures over bytes, and the keys as our files write them. Opens nothing.

The only place that verifies one, of tickets and of statements. A public key is one line that a gate file can hold and
a review can see: the base64 of its SubjectPublicKeyInfo (DER). `cryptography` comes with an extra: only gates that ask
for signatures owe it.
"""

from __future__ import annotations

import base64
import binascii
import importlib
from typing import Annotated, Any

from pydantic import StringConstraints

from litmus_nb.errors import Fault, LitmusError, UnreadableInput, UsageError

__all__ = [
    "PublicKey",
    "SigningUnavailable",
    "is_signed_by",
    "new_private_key",
    "private_key_in",
    "public_key_in",
    "public_key_of",
    "signature_of",
]

PublicKey = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9+/]{100,200}={0,2}$")]
"""Base64 of the DER SubjectPublicKeyInfo of a P-256 key."""


_ADMISSION_KEY = "the admission key"


class SigningUnavailable(LitmusError):
    """The package `cryptography` is not installed, so nothing can be signed or verified."""

    def __init__(self) -> None:
        super().__init__("signatures need the package cryptography: install litmus-nb[attest]")


def new_private_key() -> bytes:
    """A new private key as unencrypted PKCS 8 PEM; whoever holds it can issue tickets.

    Raises:
        SigningUnavailable: `cryptography` is not installed.
    """
    ec, serialization = _module("asymmetric.ec"), _module("serialization")
    key = ec.generate_private_key(ec.SECP256R1())
    encoding, form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    pem: bytes = key.private_bytes(encoding, form, serialization.NoEncryption())
    return pem


def public_key_of(private_pem: bytes) -> str:
    """The public half of a private key, as a gate file pins it.

    Raises:
        UsageError: no P-256 private key in unencrypted PEM.
        SigningUnavailable: `cryptography` is not installed.
    """
    return _one_line(private_key_in(private_pem, shown=_ADMISSION_KEY).public_key())


def public_key_in(pem: bytes, *, file: str) -> str:
    """The public key in PEM bytes, as a gate file pins it.

    Raises:
        UnreadableInput: no P-256 public key in PEM; `file` is what messages call the bytes.
        SigningUnavailable: `cryptography` is not installed.
    """
    wanted, serialization = "an ECDSA P-256 public key in PEM", _module("serialization")
    try:
        key = serialization.load_pem_public_key(pem)
    except Exception as error:  # cryptography raises several kinds for what is no key
        raise UnreadableInput([Fault(file, "", wanted, type(error).__name__)]) from error
    if not _is_p256(key):
        raise UnreadableInput([Fault(file, "", wanted, f"another key: {type(key).__name__}")])
    return _one_line(key)


def private_key_in(pem: bytes, *, shown: str) -> Any:
    """The private key in PEM bytes, as cryptography has it.

    Args:
        pem: PKCS 8 or SEC 1, without a passphrase.
        shown: what messages call it; they never show what it holds.

    Raises:
        UsageError: no P-256 private key in unencrypted PEM.
        SigningUnavailable: `cryptography` is not installed.
    """
    wanted, ec, serialization = "an ECDSA P-256 private key", _module("asymmetric.ec"), _module("serialization")
    try:
        key = serialization.load_pem_private_key(pem, None)
    except Exception as error:  # cryptography raises several kinds; none of them may show the key
        raise UsageError(f"{shown}: expected {wanted} in PEM without a passphrase") from error
    if not isinstance(key, ec.EllipticCurvePrivateKey) or not isinstance(key.curve, ec.SECP256R1):
        raise UsageError(f"{shown}: expected {wanted}, seen {type(key).__name__}")
    return key


def signature_of(content: bytes, private_pem: bytes) -> str:
    """The base64 of an ECDSA P-256 signature over the SHA-256 of the bytes.

    Raises:
        UsageError: no P-256 private key in unencrypted PEM.
        SigningUnavailable: `cryptography` is not installed.
    """
    algorithm = _module("asymmetric.ec").ECDSA(_module("hashes").SHA256())
    return base64.b64encode(private_key_in(private_pem, shown=_ADMISSION_KEY).sign(content, algorithm)).decode()


def is_signed_by(content: bytes, signature: str, public_key: str) -> bool:
    """Whether the signature over the bytes was made with the private half of the key. Anything odd is a no.

    Raises:
        SigningUnavailable: `cryptography` is not installed.
    """
    ec, serialization, hashes = _module("asymmetric.ec"), _module("serialization"), _module("hashes")
    from cryptography.exceptions import InvalidSignature

    try:
        key = serialization.load_der_public_key(base64.b64decode(public_key, validate=True))
        if not _is_p256(key):
            return False
        key.verify(base64.b64decode(signature, validate=True), content, ec.ECDSA(hashes.SHA256()))
    except (InvalidSignature, ValueError, binascii.Error):
        return False
    return True


def _is_p256(key: Any) -> bool:
    ec = _module("asymmetric.ec")
    return isinstance(key, ec.EllipticCurvePublicKey) and isinstance(key.curve, ec.SECP256R1)


def _one_line(public_key: Any) -> str:
    serialization = _module("serialization")
    encoding, form = serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    return base64.b64encode(public_key.public_bytes(encoding, form)).decode()


def _module(name: str) -> Any:
    try:
        return importlib.import_module(f"cryptography.hazmat.primitives.{name}")
    except ImportError as error:
        raise SigningUnavailable from error
