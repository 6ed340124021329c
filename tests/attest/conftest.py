"""Gates that have run, and keys that sign."""

from __future__ import annotations

import shutil

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from tests.attest.gated import gated_folder


@pytest.fixture(scope="session")
def gated_once(tmp_path_factory):
    return gated_folder(tmp_path_factory.mktemp("gated"))


@pytest.fixture
def folder(gated_once, tmp_path):
    """A gate that has passed, to be tampered with."""
    copy = tmp_path / "gated"
    shutil.copytree(gated_once, copy)
    return copy


class Key:
    """An ECDSA key on disk."""

    def __init__(self, folder, name, curve):
        private = ec.generate_private_key(curve)
        self.private = folder / f"{name}.pem"
        self.public = folder / f"{name}.pub"
        self.private.write_bytes(private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
        self.public.write_bytes(private.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))


@pytest.fixture
def new_key(tmp_path):
    """Makes a key."""
    return lambda name="key", curve=None: Key(tmp_path, name, curve or ec.SECP256R1())
