"""Which statement is relied upon: the one that a pinned key or identity signed, or the file beside the verdict."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator

from litmus_nb.attest.asked import AuthenticStatement, refusals_of, refused
from litmus_nb.attest.expectations import Expectations, PinnedIdentity
from litmus_nb.attest.presented import Presented
from litmus_nb.attest.statement import read_statement
from litmus_nb.contracts.attestation import DSSE_ENVELOPE, KEYLESS_BUNDLE, PREDICATE_TYPE, STATEMENT, STATEMENT_TYPE
from litmus_nb.contracts.check_result import Refused
from litmus_nb.contracts.strict_json import parse_json
from litmus_nb.errors import UnreadableInput
from litmus_nb.files import read_bytes

__all__ = ["authentic_statement"]


def authentic_statement(
    presented: Presented, expected: Expectations
) -> tuple[AuthenticStatement | None, list[Refused]]:
    """The statement to rely on, and everything that keeps it from being relied upon."""
    if expected.identity is not None and expected.key_files:
        both = refused("ATTESTATION_UNVERIFIABLE", "keys", expected="keys or an identity", observed="both")
        return None, [both]
    if expected.key_files:
        return _signed_by_keys(presented, expected)
    if expected.signatures_needed > 1:
        wanted = f"signatures of {expected.signatures_needed} pinned keys"
        few = refused("ATTESTATION_BAD_SIGNATURE", "keys", expected=wanted, observed="no key is pinned")
        return None, [few]
    if expected.identity is not None:
        return _signed_by_identity(presented, expected.identity)
    if presented.statement is None:
        missing = refused("STATEMENT_MISSING", STATEMENT, expected="a statement beside the verdict", observed="none")
        return None, [missing]
    return _read(presented.statement, (), STATEMENT, "STATEMENT_MISMATCH")


def _signed_by_keys(presented: Presented, expected: Expectations) -> tuple[AuthenticStatement | None, list[Refused]]:
    if presented.envelope is None:
        return None, [_unsigned(DSSE_ENVELOPE)]
    if importlib.util.find_spec("cryptography") is None:
        return None, [_not_installed("cryptography (litmus-nb[attest])")]
    # Deferred: an extra, and half a second for checks that ask for no signature.
    from litmus_nb.attest.dsse import WrongPayloadType, opened_envelope, pinned_key

    try:
        keys = [pinned_key(read_bytes(path), file=str(path)) for path in expected.key_files]
    except UnreadableInput as unreadable:
        return None, list(refusals_of("ATTESTATION_UNVERIFIABLE", unreadable))
    try:
        signed = opened_envelope(presented.envelope, keys, file=DSSE_ENVELOPE)
    except WrongPayloadType as wrong:
        return None, list(refusals_of("ATTESTATION_WRONG_TYPE", wrong))
    except UnreadableInput as unreadable:
        return None, list(refusals_of("ATTESTATION_MALFORMED", unreadable))
    if len(signed.signers) < max(1, expected.signatures_needed):
        wanted = f"signatures of {max(1, expected.signatures_needed)} of the {len({k.keyid for k in keys})} pinned keys"
        bad = refused("ATTESTATION_BAD_SIGNATURE", DSSE_ENVELOPE, expected=wanted, observed=len(signed.signers))
        return None, [bad]
    return _read(signed.payload, signed.signers, DSSE_ENVELOPE, "ATTESTATION_MALFORMED")


def _signed_by_identity(
    presented: Presented, identity: PinnedIdentity
) -> tuple[AuthenticStatement | None, list[Refused]]:
    if presented.keyless is None:
        return None, [_unsigned(KEYLESS_BUNDLE)]
    if importlib.util.find_spec("sigstore") is None:
        return None, [_not_installed("sigstore (litmus-nb[keyless])")]
    # Deferred: an extra, and more than a second of imports.
    from litmus_nb.attest.keyless import opened_bundle

    try:
        signed = opened_bundle(presented.keyless, identity, file=KEYLESS_BUNDLE)
    except UnreadableInput as unreadable:
        return None, list(refusals_of("ATTESTATION_MALFORMED", unreadable))
    if signed.payload is None:
        wanted = f"a signature by {identity.name} ({identity.issuer})"
        bad = refused("ATTESTATION_BAD_SIGNATURE", KEYLESS_BUNDLE, expected=wanted, observed=signed.problem)
        return None, [bad]
    return _read(signed.payload, (identity.name,), KEYLESS_BUNDLE, "ATTESTATION_MALFORMED")


def _read(
    content: bytes, signers: tuple[str, ...], file: str, code: str
) -> tuple[AuthenticStatement | None, list[Refused]]:
    if wrong := list(_wrong_type(content, file)):
        return None, wrong
    try:
        return AuthenticStatement(content, read_statement(content, file=file), signers), []
    except UnreadableInput as unreadable:
        return None, list(refusals_of(code, unreadable))


def _wrong_type(content: bytes, file: str) -> Iterator[Refused]:
    """A key signs many things. One that is not a verdict is another kind of finding than one that is malformed."""
    try:
        value = parse_json(content, file=file)
    except UnreadableInput:
        return
    if not isinstance(value, dict):
        return
    for key, wanted in (("_type", STATEMENT_TYPE), ("predicateType", PREDICATE_TYPE)):
        if isinstance(value.get(key), str) and value[key] != wanted:
            yield refused("ATTESTATION_WRONG_TYPE", f"{file} /{key}", expected=wanted, observed=value[key])


def _unsigned(name: str) -> Refused:
    return refused("ATTESTATION_UNSIGNED", name, expected="a signature beside the verdict", observed="none")


def _not_installed(what: str) -> Refused:
    return refused("ATTESTATION_UNVERIFIABLE", "installation", expected=what, observed="not installed")
