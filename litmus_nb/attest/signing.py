"""Signing a statement with a key: a file, an environment variable, or a key that never leaves its KMS or HSM.

By securesystemslib, which speaks to AWS, Google Cloud, Azure, HashiCorp Vault and PKCS#11. ECDSA P-256 only: it is what
cosign verifies by default, and one algorithm is one thing to get right.
"""

from __future__ import annotations

import base64
import os
from pathlib import Path

from cryptography.hazmat.primitives.serialization import load_der_public_key
from securesystemslib.dsse import Envelope
from securesystemslib.signer import CryptoSigner, Signer, SSlibKey  # type: ignore[attr-defined]  # no __all__ there

from litmus_nb.contracts.attestation import PAYLOAD_TYPE
from litmus_nb.contracts.canonical import canonical_json
from litmus_nb.contracts.signature import private_key_in, public_key_in
from litmus_nb.errors import UsageError
from litmus_nb.files import read_bytes

__all__ = ["signed_envelope", "signer_for"]

_ENVIRONMENT = "env:"
_KMS_SCHEMES = ("awskms:", "gcpkms:", "azurekms:", "hv:", "hsm:")


def signer_for(key: str, public_key: Path | None) -> Signer:
    """The signer that a key's name stands for.

    Args:
        key: the path of a PEM file, `env:NAME` for a PEM in an environment variable, or a key URI of securesystemslib
            (`awskms:`, `gcpkms:`, `azurekms:`, `hv:`, `hsm:`).
        public_key: the PEM file of its public half, which a key URI needs.

    Raises:
        UsageError: no such key, another kind of key, or a URI without the public half.
        UnreadableInput: the file of either half cannot be read, or the public half is another kind of key.
    """
    if key.startswith(_KMS_SCHEMES):
        return _signer_of_uri(key, public_key)
    if key.startswith(_ENVIRONMENT):
        name = key.removeprefix(_ENVIRONMENT)
        if name not in os.environ:
            wanted = "an ECDSA P-256 private key in that environment variable"
            raise UsageError(f"--key {key}: expected {wanted}, seen no such variable")
        return _signer_of_pem(os.environ[name].encode(), key)
    return _signer_of_pem(read_bytes(Path(key)), key)


def signed_envelope(statement: bytes, signer: Signer) -> bytes:
    """The bytes of a DSSE envelope around the statement, with one signature."""
    envelope = Envelope(statement, PAYLOAD_TYPE, {})
    envelope.sign(signer)
    return canonical_json(envelope.to_dict()) + b"\n"


def _signer_of_pem(pem: bytes, shown: str) -> Signer:
    return CryptoSigner(private_key_in(pem, shown=f"--key {shown}"))


def _signer_of_uri(uri: str, public_key: Path | None) -> Signer:
    if public_key is None:
        raise UsageError(f"--key {uri}: expected its public half too, --public-key FILE")
    public = public_key_in(read_bytes(public_key), file=str(public_key))
    try:
        return Signer.from_priv_key_uri(uri, SSlibKey.from_crypto(load_der_public_key(base64.b64decode(public))))
    except Exception as error:  # the KMS clients' own kinds, and the library's for a client that is not installed
        raise UsageError(f"--key {uri}: {type(error).__name__}: {error}") from error
