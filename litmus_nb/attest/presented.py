"""What a checker is given: a verdict and what lies beside it. Read once, as regular files, of a sane size."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from litmus_nb.contracts.attestation import DSSE_ENVELOPE, KEYLESS_BUNDLE, STATEMENT
from litmus_nb.errors import Fault, UnreadableInput
from litmus_nb.files import read_bytes

__all__ = ["Presented", "read_presented"]

VERDICT_LIMIT = 16 * 1024 * 1024
"""Bytes. A verdict has a few kilobytes a class; a reason for every scenario of a large suite still fits."""

_LIMITS = {STATEMENT: 64 * 1024 * 1024, DSSE_ENVELOPE: 96 * 1024 * 1024, KEYLESS_BUNDLE: 96 * 1024 * 1024}


@dataclass(frozen=True)
class Presented:
    """The bytes of a verdict and of its neighbours; None where there is no such file."""

    name: str
    """What messages call the verdict."""
    verdict: bytes
    statement: bytes | None
    envelope: bytes | None
    keyless: bytes | None


def read_presented(path: Path) -> Presented:
    """The verdict at `path` and its neighbours.

    Raises:
        UnreadableInput: the verdict is absent; or a file is a symbolic link, no regular file, or too large.
    """
    verdict = _regular(path, VERDICT_LIMIT)
    beside = {name: _optional(path.with_name(name), limit) for name, limit in _LIMITS.items()}
    return Presented(str(path), verdict, beside[STATEMENT], beside[DSSE_ENVELOPE], beside[KEYLESS_BUNDLE])


def _optional(path: Path, limit: int) -> bytes | None:
    return _regular(path, limit) if path.is_symlink() or path.exists() else None


def _regular(path: Path, limit: int) -> bytes:
    if path.is_symlink():
        raise UnreadableInput([Fault(str(path), "", "a regular file", "a symbolic link")])
    return read_bytes(path, limit=limit)
