"""Canonical JSON (RFC 8785) and digests: the one place that turns values into the bytes that are hashed."""

from __future__ import annotations

import hashlib
import json
from typing import Annotated, Any

import rfc8785
from pydantic import StringConstraints

__all__ = ["DIGEST_PATTERN", "ZERO_DIGEST", "Digest", "canonical_json", "digest_of_bytes", "digest_of_json"]

DIGEST_PATTERN = r"^sha256:[0-9a-f]{64}$"

Digest = Annotated[str, StringConstraints(pattern=DIGEST_PATTERN)]
"""`sha256:` and 64 lower-case hexadecimal digits."""

ZERO_DIGEST = "sha256:" + "0" * 64
"""What the first line of a ledger names as its predecessor."""


def canonical_json(value: Any) -> bytes:
    """The RFC 8785 form of a JSON value, as UTF-8 bytes.

    Raises:
        ValueError: the value has no canonical form (NaN, infinity, an integer beyond 2^53-1, a lone surrogate,
            a key that is not text).
    """
    try:
        if _is_plain(value):
            return _PLAIN_ENCODER.encode(value).encode()
        return rfc8785.dumps(value)
    except (rfc8785.CanonicalizationError, UnicodeEncodeError, RecursionError) as error:
        raise ValueError(f"no canonical JSON form: {error}") from error


# Of plain values the standard library's encoder, which is written in C, writes the same bytes: what RFC 8785 does
# otherwise is to write numbers as ECMAScript does and to sort keys by UTF-16 code units.
_PLAIN_ENCODER = json.JSONEncoder(ensure_ascii=False, check_circular=False, sort_keys=True, separators=(",", ":"))
_GREATEST_INTEGER = 2**53 - 1


def _is_plain(value: Any) -> bool:
    """Whether it is made of ASCII keys, text, integers within 2^53-1, true, false and null alone."""
    kind = type(value)
    if kind is str or value is None or kind is bool:
        return True
    if kind is int:
        return bool(-_GREATEST_INTEGER <= value <= _GREATEST_INTEGER)
    if kind is dict:
        for key, item in value.items():
            if type(key) is not str or not key.isascii() or not (type(item) is str or _is_plain(item)):
                return False
        return True
    return kind is list and all(map(_is_plain, value))


def digest_of_bytes(content: bytes) -> str:
    """`sha256:` and the hexadecimal SHA-256 of the bytes."""
    return "sha256:" + hashlib.sha256(content).hexdigest()


def digest_of_json(value: Any) -> str:
    """The digest of a value's canonical JSON.

    Raises:
        ValueError: the value has no canonical form.
    """
    return digest_of_bytes(canonical_json(value))
