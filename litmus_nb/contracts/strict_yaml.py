"""YAML 1.2 with the JSON types, read without mercy. Opens nothing: takes bytes, gives values.

PyYAML's scanner is used for its events only; its resolver (YAML 1.1: `no` is false, `1:30` is ninety) never runs.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

import yaml

from litmus_nb.contracts.strict_json import MAX_DEPTH, MAX_INTEGER, decode_text, has_surrogate
from litmus_nb.errors import Fault, UnreadableInput

__all__ = ["parse_yaml"]

# YAML 1.2.2, section 10.3.2 (core schema)
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_TRUE = frozenset({"true", "True", "TRUE"})
_FALSE = frozenset({"false", "False", "FALSE"})
_INTEGER = re.compile(r"[-+]?[0-9]+\Z")
_OCTAL = re.compile(r"0o[0-7]+\Z")
_HEXADECIMAL = re.compile(r"0x[0-9a-fA-F]+\Z")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?\Z")
_NOT_FINITE = re.compile(r"([-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))\Z")
_MOST_DIGITS = 40  # of an integer that is looked at: leading zeros are allowed, and long numbers take long


def parse_yaml(content: bytes, *, file: str) -> Any:
    """The value of the one document in `content`.

    Raises:
        UnreadableInput: not UTF-8, a byte order mark, no YAML, more or less than one document, a tag, an anchor or
            alias, a key twice or a key that is no text, NaN or an infinity, an integer beyond 2^53-1, a surrogate, or
            nesting deeper than `MAX_DEPTH`.
    """
    text = decode_text(content, file=file)
    try:
        # Event by event: what nests too deep is refused where it does, before the scanner, which needs quadratic time
        # for open brackets, has seen the rest of it.
        return _Builder(file, yaml.parse(text, Loader=yaml.SafeLoader)).document()
    except yaml.MarkedYAMLError as error:
        raise UnreadableInput([Fault(file, _line(error.problem_mark), "YAML", str(error.problem))]) from error
    # PyYAML leaves to Python what an escape or a directive makes of a number that is too great.
    except (yaml.YAMLError, RecursionError, ValueError, OverflowError) as error:
        raise UnreadableInput([Fault(file, "", "YAML", str(error).partition("\n")[0])]) from error


class _Builder:
    """Turns the parser's events into values."""

    def __init__(self, file: str, events: Iterator[yaml.Event]) -> None:
        self._file = file
        self._events = events

    def document(self) -> Any:
        next(self._events)  # the stream's start
        start = next(self._events)
        if not isinstance(start, yaml.DocumentStartEvent):
            raise self._refused(start, "one document", "none")
        value = self._value(next(self._events), depth=1)
        next(self._events)  # the document's end
        after = next(self._events)
        if not isinstance(after, yaml.StreamEndEvent):
            raise self._refused(after, "one document", "a second document")
        return value

    def _value(self, event: yaml.Event, depth: int) -> Any:
        if getattr(event, "anchor", None) is not None:
            raise self._refused(event, "plain values", "an anchor or alias")
        if (tag := getattr(event, "tag", None)) is not None:
            raise self._refused(event, "plain values", f"the tag {tag}")
        if depth > MAX_DEPTH:
            raise self._refused(event, f"at most {MAX_DEPTH} levels of nesting", "more")
        if isinstance(event, yaml.ScalarEvent):
            return self._scalar(event)
        if isinstance(event, yaml.SequenceStartEvent):
            return self._sequence(depth)
        return self._mapping(depth)

    def _sequence(self, depth: int) -> list[Any]:
        items: list[Any] = []
        while not isinstance(event := next(self._events), yaml.SequenceEndEvent):
            items.append(self._value(event, depth + 1))
        return items

    def _mapping(self, depth: int) -> dict[str, Any]:
        result: dict[str, Any] = {}
        while not isinstance(event := next(self._events), yaml.MappingEndEvent):
            key = self._value(event, depth + 1)
            if not isinstance(key, str):
                raise self._refused(event, "a key that is text", repr(key)[:80])
            if key in result:
                raise self._refused(event, "each key once", f"two values for the key {key[:80]!r}")
            result[key] = self._value(next(self._events), depth + 1)
        return result

    def _scalar(self, event: yaml.ScalarEvent) -> Any:
        text = event.value
        if not event.implicit[0]:  # quoted, or a block
            return self._quoted(event, text)
        if text in _NULLS:
            return None
        if text in _TRUE or text in _FALSE:
            return text in _TRUE
        if _INTEGER.match(text) or _OCTAL.match(text) or _HEXADECIMAL.match(text):
            return self._integer(event, text)
        if _FLOAT.match(text):
            return self._float(event, text)
        if _NOT_FINITE.match(text):
            raise self._refused(event, "a finite number", text)
        return text

    def _quoted(self, event: yaml.ScalarEvent, text: str) -> str:
        if has_surrogate(text):  # PyYAML reads \uD83D\uDE00 as two characters, JSON as one
            raise self._refused(event, "well-formed Unicode", "a surrogate")
        return text

    def _integer(self, event: yaml.ScalarEvent, text: str) -> int:
        base = {"0o": 8, "0x": 16}.get(text[:2], 10)
        if len(text) > _MOST_DIGITS or abs(value := int(text, base)) > MAX_INTEGER:
            raise self._refused(event, "an integer of at most 2^53-1", text[:40])
        return value

    def _float(self, event: yaml.ScalarEvent, text: str) -> float:
        value = float(text)
        if not math.isfinite(value):
            raise self._refused(event, "a finite number", text[:40])
        return value

    def _refused(self, event: yaml.Event, expected: str, seen: str) -> UnreadableInput:
        return UnreadableInput([Fault(self._file, _line(event.start_mark), expected, seen)])


def _line(mark: Any) -> str:
    return f"line {mark.line + 1}" if mark else ""
