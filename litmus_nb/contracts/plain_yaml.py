"""YAML written so that every reader reads the same: block style, and quotes wherever a plain word could be misread."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["yaml_text"]

# Words that no YAML 1.1 or 1.2 reader takes for anything but text, bare of every indicator.
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_./-]*( [A-Za-z0-9_./-]+)*\Z", re.ASCII)
_NOT_TEXT = re.compile(r"(null|true|false|yes|no|on|off|y|n|[-+.0-9].*|0[xo].*)\Z", re.IGNORECASE | re.ASCII)


def yaml_text(value: Mapping[str, Any]) -> str:
    """The mapping as a YAML document in block style, keys in their own order; the same text on every machine.

    Raises:
        ValueError: a value is no JSON value (NaN and the infinities are none).
    """
    return "\n".join(_lines(value)) + "\n"


def _lines(value: Any) -> list[str]:
    lines: list[str] = []
    entries = [(f"{_scalar(key)}:", item) for key, item in value.items()] if isinstance(value, Mapping) else None
    for lead, item in entries if entries is not None else [("-", item) for item in value]:
        if not _is_nested(item):
            lines.append(f"{lead} {_scalar(item)}")
        elif lead == "-":
            first, *rest = _lines(item)
            lines += [f"- {first}", *(f"  {line}" for line in rest)]
        else:
            lines += [lead, *(f"  {line}" for line in _lines(item))]
    return lines


def _is_nested(value: Any) -> bool:
    return isinstance(value, (Mapping, Sequence)) and not isinstance(value, str) and len(value) > 0


def _scalar(value: Any) -> str:
    if isinstance(value, str) and _PLAIN.match(value) and not _NOT_TEXT.match(value):
        return value
    if isinstance(value, Mapping) and not value:
        return "{}"
    if not isinstance(value, str) and isinstance(value, Sequence) and not value:
        return "[]"
    return _quoted(value) if isinstance(value, str) else json.dumps(value, allow_nan=False)


def _quoted(text: str) -> str:
    """The text in double quotes, whatever does not print escaped: readers differ on what they take unescaped."""
    return '"' + "".join(_escaped(character) for character in text) + '"'


def _escaped(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    if character.isprintable():
        return character
    return f"\\u{ord(character):04x}" if ord(character) < 0x10000 else f"\\U{ord(character):08x}"
