"""Canonical JSON (RFC 8785) and digests: the one place that turns values into the bytes that are hashed."""

from __future__ import annotations

import hashlib
from itertools import chain
from typing import Annotated, Any

import rfc8785
from pydantic import StringConstraints
from pydantic_core import to_json

from litmus_nb.contracts.strict_json import MAX_INTEGER

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
        return to_json(_in_order(value))
    except (_NotPlain, TypeError, ValueError, RecursionError):
        pass  # seldom; the slow way says what is wrong, where something is
    try:
        return rfc8785.dumps(value)
    except (rfc8785.CanonicalizationError, UnicodeEncodeError, RecursionError) as error:
        raise ValueError(f"no canonical JSON form: {error}") from error


class _NotPlain(Exception):
    """Numbers with a point, keys beyond ASCII: what RFC 8785 writes in ways of its own."""


def _in_order(value: Any) -> Any:
    """The value with its keys sorted, where it is made of ASCII keys, text, integers within 2^53-1, booleans and null.

    Of such values pydantic's writer, compiled and much faster, writes the bytes of RFC 8785: that one otherwise differs
    in writing numbers as ECMAScript does and in sorting keys by UTF-16 code units.
    """
    kind = type(value)
    if kind is str or value is None or kind is bool:
        return value
    if kind is dict:
        ordered = {}
        for key in sorted(value):
            item = value[key]
            if type(key) is not str or not key.isascii():
                raise _NotPlain
            ordered[key] = item if type(item) is str else _in_order(item)
        return ordered
    if kind is list:
        return value if _are_rows_in_order(value) else [_in_order(item) for item in value]
    if kind is int and -MAX_INTEGER <= value <= MAX_INTEGER:
        return value
    raise _NotPlain


def _are_rows_in_order(items: list[Any]) -> bool:
    """Whether all items are objects with one set of keys, sorted already, and text or null as values."""
    if set(map(type, items)) != {dict} or len(shapes := set(map(tuple, items))) != 1:
        return False
    (keys,) = shapes
    has_plain_keys = not set(map(type, keys)) - {str} and all(map(str.isascii, keys)) and list(keys) == sorted(keys)
    return has_plain_keys and not set(map(type, chain.from_iterable(map(dict.values, items)))) - {str, type(None)}


def digest_of_bytes(content: bytes) -> str:
    """`sha256:` and the hexadecimal SHA-256 of the bytes."""
    return "sha256:" + hashlib.sha256(content).hexdigest()


def digest_of_json(value: Any) -> str:
    """The digest of a value's canonical JSON.

    Raises:
        ValueError: the value has no canonical form.
    """
    return digest_of_bytes(canonical_json(value))
