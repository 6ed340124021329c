"""JSON read without mercy: what two readers could read differently is refused.

Opens nothing: takes bytes, gives values.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from itertools import chain
from typing import Any, NoReturn

from pydantic_core import from_json

from litmus_nb.errors import Fault, UnreadableInput

__all__ = ["MAX_DEPTH", "MAX_INTEGER", "decode_text", "has_surrogate", "parse_json", "parse_json_lines"]

MAX_INTEGER = 2**53 - 1
"""The greatest integer that every JSON reader keeps exactly (RFC 8785, section 3.2.2.3)."""

MAX_DEPTH = 64
"""How deep values may nest; deeper is an attack on the reader, not evidence."""

_LINES_AT_ONCE = 1000

_SURROGATE = re.compile("[\ud800-\udfff]")


class _Refused(ValueError):
    """What was expected, and what was seen."""


def decode_text(content: bytes, *, file: str) -> str:
    """The text of UTF-8 bytes without a byte order mark.

    Raises:
        UnreadableInput: a byte order mark, or bytes that are not UTF-8.
    """
    if content.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        raise UnreadableInput([Fault(file, "", "UTF-8 without a byte order mark", "a byte order mark")])
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise UnreadableInput([Fault(file, f"line {line}", "UTF-8", f"byte 0x{content[error.start]:02x}")]) from error


def has_surrogate(text: str) -> bool:
    """Whether there is half of a UTF-16 pair in it, which is no character and has no UTF-8."""
    return not text.isascii() and _SURROGATE.search(text) is not None


def parse_json(content: bytes | str, *, file: str, where: str = "") -> Any:
    """The value of one JSON document.

    Args:
        content: the document's bytes, or its text where the bytes were decoded already.
        file: what messages call the file.
        where: what messages put before the position, such as `line 3`.

    Raises:
        UnreadableInput: not UTF-8, a byte order mark, no JSON, a key twice in one object, NaN or an infinity
            (1e999 too), an integer beyond 2^53-1, a lone surrogate, nesting deeper than `MAX_DEPTH`.
    """
    text = content if isinstance(content, str) else decode_text(content, file=file)
    try:
        if _is_flat_and_well_formed(text):
            return _DECODER_OF_WELL_FORMED.decode(text)
        value = _DECODER.decode(text)
        _check_depth_and_texts(value)
    except _Refused as refused:
        raise UnreadableInput([Fault(file, where, *refused.args)]) from refused
    except json.JSONDecodeError as error:
        place = where or f"line {error.lineno}"
        raise UnreadableInput([Fault(file, place, "JSON", f"{error.msg} (column {error.colno})")]) from error
    except RecursionError as error:
        raise UnreadableInput([Fault(file, where, f"at most {MAX_DEPTH} levels of nesting", "more")]) from error
    return value


def parse_json_lines(content: bytes, *, file: str, may_have_blank_lines: bool = False) -> list[Any]:
    """The values of a JSON Lines document, one a line, in order; the last line may lack its newline.

    With `may_have_blank_lines` a line of JSON's white space alone is nothing.

    Raises:
        UnreadableInput: with a fault for every line that `parse_json` refuses, other blank lines among them.
    """
    text = decode_text(content, file=file)
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    values: list[Any] = []
    faults: list[Fault] = []
    for before in range(0, len(lines), _LINES_AT_ONCE):
        part = lines[before : before + _LINES_AT_ONCE]
        plain = _plain_objects(part)
        if plain is not None:
            values.extend(plain)
            continue
        for number, line in enumerate(part, start=before + 1):
            if may_have_blank_lines and not line.strip(" \t\r"):
                continue
            try:
                values.append(parse_json(line, file=file, where=f"line {number}"))
            except UnreadableInput as unreadable:
                faults.extend(unreadable.faults)
    if faults:
        raise UnreadableInput(faults)
    return values


def _plain_objects(lines: list[str]) -> list[dict[str, str]] | None:
    """The values of lines that all are flat objects of text, fast; None where one may be anything else.

    That no key is there twice is counted. An object that was read as d keys, each with a text, has at least d names and
    d texts, and so 4 d quotation marks; where all lines together have none more, each has no name more.
    """
    try:
        values = list(map(from_json, lines))
    except ValueError:
        return None
    if set(map(type, values)) != {dict} or set(map(type, chain.from_iterable(map(dict.values, values)))) != {str}:
        return None
    return values if "".join(lines).count('"') == 4 * sum(map(len, values)) else None


def _is_flat_and_well_formed(text: str) -> bool:
    """Whether, seen from the text alone, nothing in it can nest too deeply or be a lone surrogate."""
    return text.count("{") + text.count("[") < MAX_DEPTH and "\\u" not in text and not has_surrogate(text)


def _object_of_well_formed(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _Refused("each key once", f"two values for the key {key[:80]!r}")
            seen.add(key)
    return result


def _object_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    for key, _ in pairs:
        _check_text(key)
    return _object_of_well_formed(pairs)


def _check_text(text: str) -> None:
    if has_surrogate(text):
        raise _Refused("well-formed Unicode", "a lone surrogate")


def _integer_of(digits: str) -> int:
    if len(digits) > 17 or abs(value := int(digits)) > MAX_INTEGER:
        raise _Refused("an integer of at most 2^53-1", digits[:40])
    return value


def _float_of(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise _Refused("a finite number", digits[:40])
    return value


def _constant_of(name: str) -> NoReturn:
    raise _Refused("a finite number", name)


def _check_depth_and_texts(value: Any) -> None:
    level, depth = [value], 0
    while level:
        deeper: list[Any] = []
        for item in level:
            if isinstance(item, str):
                _check_text(item)
            elif isinstance(item, (dict, list)):
                deeper.extend(item.values() if isinstance(item, dict) else item)
                if depth == MAX_DEPTH:
                    raise _Refused(f"at most {MAX_DEPTH} levels of nesting", "more")
        level, depth = deeper, depth + 1


def _decoder(object_of: Callable[[list[tuple[str, Any]]], dict[str, Any]]) -> json.JSONDecoder:
    return json.JSONDecoder(
        object_pairs_hook=object_of, parse_int=_integer_of, parse_float=_float_of, parse_constant=_constant_of
    )


_DECODER = _decoder(_object_of)
_DECODER_OF_WELL_FORMED = _decoder(_object_of_well_formed)
