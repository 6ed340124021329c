"""Signing with an identity instead of a key, by Sigstore: a short-lived certificate and an entry in a public log.

Optional (`litmus-nb[keyless]`), and publishes the statement: digests, rates and reasons included. Needs the network to
sign, and to refresh the trusted root when verifying unless `offline`.
"""

from __future__ import annotations

from dataclasses import dataclass

from sigstore.dsse import Statement
from sigstore.models import Bundle, ClientTrustConfig
from sigstore.oidc import IdentityToken, detect_credential
from sigstore.sign import SigningContext
from sigstore.verify import Verifier
from sigstore.verify.policy import Identity

from litmus_nb.attest.expectations import PinnedIdentity
from litmus_nb.contracts.attestation import PAYLOAD_TYPE
from litmus_nb.errors import Fault, UnreadableInput, UsageError

__all__ = ["KeylessSigned", "keyless_bundle", "opened_bundle"]


@dataclass(frozen=True)
class KeylessSigned:
    """The bytes of a bundle's payload; None where the pinned identity did not sign it."""

    payload: bytes | None
    problem: str


def keyless_bundle(statement: bytes) -> bytes:
    """A Sigstore bundle around the statement, signed with the identity that this CI job or machine has.

    Raises:
        UsageError: there is no such identity, or the services cannot be reached.
    """
    try:
        token = detect_credential()
        if token is None:
            raise UsageError("--keyless: expected an identity of this CI job (GitHub: permissions: id-token: write)")
        context = SigningContext.from_trust_config(ClientTrustConfig.production())
        with context.signer(IdentityToken(token)) as signer:
            return signer.sign_dsse(Statement(statement)).to_json().encode()
    except UsageError:
        raise
    except Exception as error:  # network, certificate authority, log: each client has its own kinds
        raise UsageError(f"--keyless: {type(error).__name__}: {error}") from error


def opened_bundle(content: bytes, identity: PinnedIdentity, *, file: str) -> KeylessSigned:
    """The payload of a Sigstore bundle, if the pinned identity signed it and the log proves when.

    Raises:
        UnreadableInput: no Sigstore bundle.
    """
    try:
        bundle = Bundle.from_json(content)
    except Exception as error:  # pydantic's and sigstore's own kinds
        raise UnreadableInput([Fault(file, "", "a Sigstore bundle", type(error).__name__)]) from error
    try:
        verifier = Verifier.production(offline=identity.is_offline)
        policy = Identity(identity=identity.name, issuer=identity.issuer)
        payload_type, payload = verifier.verify_dsse(bundle, policy)
    except Exception as error:  # a failed verification and an unreachable trusted root alike are no proof
        return KeylessSigned(None, f"{type(error).__name__}: {error}")
    if payload_type != PAYLOAD_TYPE:
        return KeylessSigned(None, f"another payload: {payload_type}")
    return KeylessSigned(payload, "")
