"""Sigstore's part: whom we ask it for, and that nothing counts but what it has verified.

Its services cannot be asked here. What stands in for its client is as small as what we call of it; whether a statement
of ours is one that it would sign is asked of the real `sigstore.dsse` (test_signatures).
"""

from __future__ import annotations

import contextlib
from types import SimpleNamespace

import pytest
from sigstore.dsse import Statement
from sigstore.errors import VerificationError
from sigstore.verify.policy import Identity

from litmus_nb.attest import keyless
from litmus_nb.attest.expectations import Expectations, PinnedIdentity
from litmus_nb.attest.keyless import KeylessSigned, keyless_bundle, opened_bundle
from litmus_nb.attest.presented import Presented
from litmus_nb.attest.statement_at_hand import authentic_statement
from litmus_nb.contracts.attestation import PAYLOAD_TYPE
from litmus_nb.contracts.verdict import verdict_bytes
from litmus_nb.errors import UnreadableInput, UsageError
from tests.attest.gated import PRESENT
from tests.attest.parts import a_verdict, reasons, stated

WHO = PinnedIdentity("https://github.com/o/r/.github/workflows/gate.yml@refs/heads/main", "https://issuer")
STATEMENT = stated(a_verdict()).content


class Sigstore:
    """The client's place: a bundle is the payload itself, signed by `signer`; everything asked of it is remembered."""

    def __init__(self, monkeypatch):
        self.signer, self.payload_type, self.offline, self.policies = WHO, PAYLOAD_TYPE, [], []
        monkeypatch.setattr(keyless, "Bundle", SimpleNamespace(from_json=self._from_json))
        monkeypatch.setattr(keyless, "Verifier", SimpleNamespace(production=self._production))
        monkeypatch.setattr(keyless, "Identity", self._identity)

    def _from_json(self, content):
        if content == b"{}":
            raise ValueError("no bundle")
        return content

    def _production(self, *, offline=False):
        self.offline.append(offline)
        return self

    def _identity(self, *, identity, issuer=None):
        assert isinstance(Identity(identity=identity, issuer=issuer), Identity)
        return PinnedIdentity(identity, issuer)

    def verify_dsse(self, bundle, policy):
        if policy != self.signer:
            raise VerificationError("another identity")
        return self.payload_type, bundle


@pytest.fixture
def sigstore(monkeypatch):
    return Sigstore(monkeypatch)


def opened(identity=WHO, content=STATEMENT):
    return opened_bundle(content, identity, file="bundle")


def test_what_the_pinned_identity_signed_is_given(sigstore):
    assert opened() == KeylessSigned(STATEMENT, "")


@pytest.mark.parametrize("other", [PinnedIdentity("somebody", WHO.issuer), PinnedIdentity(WHO.name, "https://other")])
def test_another_name_or_another_issuer_is_nobody(sigstore, other):
    assert opened(other) == KeylessSigned(None, "VerificationError: another identity")


def test_another_payload_is_none(sigstore):
    sigstore.payload_type = "application/json"
    assert opened() == KeylessSigned(None, "another payload: application/json")


def test_the_trusted_root_is_asked_for_anew_unless_the_checker_says_otherwise(sigstore):
    opened()
    sigstore.signer = PinnedIdentity(WHO.name, WHO.issuer)
    opened(PinnedIdentity(WHO.name, WHO.issuer, is_offline=True))
    assert sigstore.offline == [False, True]


def test_a_trusted_root_that_cannot_be_had_is_no_proof(sigstore, monkeypatch):
    def unreachable(**_):
        raise ConnectionError("no route")

    monkeypatch.setattr(keyless, "Verifier", SimpleNamespace(production=unreachable))
    assert opened() == KeylessSigned(None, "ConnectionError: no route")


def test_what_is_no_bundle_is_named(sigstore):
    with pytest.raises(UnreadableInput, match="bundle: expected a Sigstore bundle, seen ValueError"):
        opened(content=b"{}")


def relied_on(keyless_content, **expected):
    presented = Presented("verdict.json", verdict_bytes(a_verdict()), None, None, keyless_content)
    statement, refusals = authentic_statement(
        presented, Expectations(**{"present": PRESENT, "identity": WHO} | expected)
    )
    return statement, reasons(refusals)


def test_the_identitys_statement_is_relied_upon_and_its_name_told(sigstore):
    statement, refused = relied_on(STATEMENT)
    assert refused == []
    assert (statement.content, statement.signers) == (STATEMENT, (WHO.name,))


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (None, "ATTESTATION_UNSIGNED"),
        (b"{}", "ATTESTATION_MALFORMED"),
        (b'{"_type": "other"}', "ATTESTATION_WRONG_TYPE"),
        (b"[]", "ATTESTATION_MALFORMED"),
    ],
)
def test_what_the_identity_signed_must_be_a_statement(sigstore, content, code):
    statement, refused = relied_on(content)
    assert statement is None
    assert {found for found, _ in refused} == {code}
    assert all(subject.startswith("verdict.sigstore.json") for _, subject in refused)


def test_somebody_elses_signature_is_refused_with_the_name_that_was_asked_for(sigstore):
    sigstore.signer = PinnedIdentity("somebody", WHO.issuer)
    assert relied_on(STATEMENT) == (None, [("ATTESTATION_BAD_SIGNATURE", "verdict.sigstore.json")])


@pytest.mark.parametrize("needed", [2, 3])
def test_one_identity_is_one_signature(sigstore, needed):
    assert relied_on(STATEMENT, signatures_needed=needed) == (None, [("ATTESTATION_BAD_SIGNATURE", "keys")])


# -- signing -------------------------------------------------------------------------------------------------------


@pytest.fixture
def identity_at_hand(monkeypatch):
    """A CI job that has an identity; what is signed is the statement, and the bundle says so."""

    class Signer:
        def sign_dsse(self, statement):
            assert isinstance(statement, Statement)
            return SimpleNamespace(to_json=lambda: '{"signed": true}')

    class Context:
        @staticmethod
        def from_trust_config(config):
            assert config == "production"
            return Context()

        @contextlib.contextmanager
        def signer(self, token):
            assert token == "token of the job"
            yield Signer()

    monkeypatch.setattr(keyless, "detect_credential", lambda: "the job")
    monkeypatch.setattr(keyless, "IdentityToken", lambda raw: f"token of {raw}")
    monkeypatch.setattr(keyless, "ClientTrustConfig", SimpleNamespace(production=lambda: "production"))
    monkeypatch.setattr(keyless, "SigningContext", Context)


def test_a_bundle_is_what_sigstore_gives(identity_at_hand):
    assert keyless_bundle(STATEMENT) == b'{"signed": true}'


def test_a_job_without_an_identity_is_told_what_it_needs(identity_at_hand, monkeypatch):
    monkeypatch.setattr(keyless, "detect_credential", lambda: None)
    with pytest.raises(UsageError) as refused:
        keyless_bundle(STATEMENT)
    assert str(refused.value) == (
        "--keyless: expected an identity of this CI job (GitHub: permissions: id-token: write)"
    )


def test_services_that_cannot_be_reached_are_an_error_that_says_so(identity_at_hand, monkeypatch):
    def unreachable():
        raise ConnectionError("no route")

    monkeypatch.setattr(keyless, "ClientTrustConfig", SimpleNamespace(production=unreachable))
    with pytest.raises(UsageError, match="--keyless: ConnectionError: no route"):
        keyless_bundle(STATEMENT)
