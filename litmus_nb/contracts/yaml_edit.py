"""Changing entries of a YAML file without touching anything else in it: comments, order and quotes stay.

Opens nothing: takes bytes, gives bytes, and gives none unless reading them back says exactly what was meant.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import yaml

from litmus_nb.contracts.strict_json import decode_text
from litmus_nb.contracts.strict_yaml import parse_yaml
from litmus_nb.errors import Fault, UnreadableInput

__all__ = ["Value", "entry_text", "with_entries"]

Value = str | list[str] | dict[str, str]
"""What an entry may be given: text, a list of texts, or texts by name."""

_Edit = tuple[int, int, str]
"""From, to (indexes into the text), and what stands there afterwards."""

# Paths and digests that no YAML reader takes for anything but text, with or without quotes.
_PLAIN = re.compile(r"[A-Za-z_./][A-Za-z0-9_./-]*/[A-Za-z0-9_./-]*|sha256:[0-9a-f]{64}", re.ASCII)


def entry_text(key: str, value: Value, *, is_one_line: bool = False) -> str:
    """The entry as a YAML file writes it, without its last newline: quoted as JSON, which YAML reads alike."""
    if isinstance(value, str):
        return f"{key}: {_quoted(value)}"
    if isinstance(value, dict):
        return f"{key}: {{{', '.join(f'{name}: {_quoted(item)}' for name, item in value.items())}}}"
    if is_one_line or not value:
        return f"{key}: [{', '.join(map(_quoted, value))}]"
    return f"{key}:" + "".join(f"\n  - {_quoted(item)}" for item in value)


def with_entries(content: bytes, entries: Mapping[str, Value], *, file: str, after: str | None = None) -> bytes:
    """The file with entries of its top level replaced, and every other character as it was.

    Args:
        content: the file's bytes.
        entries: the new values by key.
        file: what messages call the file.
        after: the entry behind whose line a key is written that the file lacks; None refuses a file that lacks it.

    Raises:
        UnreadableInput: the bytes are no YAML that we read, lack an entry, or are written so that it cannot be
            replaced safely.
    """
    before = parse_yaml(content, file=file)
    text = decode_text(content, file=file)
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    nodes = {name.value: (name, node) for name, node in root.value} if isinstance(root, yaml.MappingNode) else {}
    edits: list[_Edit] = []
    for key, value in entries.items():
        if key in nodes:
            edits.extend(_replacing(text, *nodes[key], before[key], value))
        elif after in nodes:
            line_end = _line_end(text, _end_of(nodes[after][1], text))
            edits.append((line_end, line_end, "\n" + entry_text(key, value)))
    for start, end, words in sorted(edits, reverse=True):
        text = text[:start] + words + text[end:]
    return _read_back(text.encode(), {**before, **entries} if nodes else None, file)


def _replacing(text: str, name: yaml.Node, node: yaml.Node, before: Any, value: Value) -> list[_Edit]:
    """The edits that give an entry its value; as few characters as can be."""
    if before == value:
        return []
    if isinstance(node, yaml.ScalarNode) and isinstance(value, str):
        if before is not None:
            return [(node.start_mark.index, node.end_mark.index, _styled(value, node.style))]
    elif isinstance(node, yaml.MappingNode) and isinstance(value, dict) and {*before} == {*value}:
        items = [(key, item, before[key.value], value[key.value]) for key, item in node.value]
        return [edit for item in items for edit in _replacing(text, *item)]
    end = _end_of(node, text)
    behind = text[end : _line_end(text, end)]
    key = text[name.start_mark.index : name.end_mark.index]
    return [(name.start_mark.index, end, entry_text(key, value, is_one_line=bool(behind.strip())))]


def _end_of(node: yaml.Node, text: str) -> int:
    """Where the value ends. A block list's own mark lies behind the comments that follow it: its last item's counts."""
    if isinstance(node, yaml.SequenceNode) and not node.flow_style and node.value:
        return _line_end(text, _end_of(node.value[-1], text))
    return int(node.end_mark.index)


def _line_end(text: str, index: int) -> int:
    end = text.find("\n", index)
    return len(text) if end < 0 else end


def _styled(value: str, style: str | None) -> str:
    """The value in the quotes that stood there, where it needs no others: moving a pin back gives the old bytes."""
    if style is None and _PLAIN.fullmatch(value):
        return value
    return f"'{value}'" if style == "'" and _PLAIN.fullmatch(value) else _quoted(value)


def _quoted(value: str) -> str:
    """The value as a JSON string, which is a double-quoted YAML scalar too."""
    return json.dumps(value, ensure_ascii=False)


def _read_back(content: bytes, meant: dict[str, Any] | None, file: str) -> bytes:
    by_hand = "entries that can be replaced without touching the rest; write them by hand"
    try:
        after = parse_yaml(content, file=file)
    except UnreadableInput as unreadable:
        raise UnreadableInput([Fault(file, "", by_hand, str(unreadable))]) from unreadable
    if after != meant or meant is None:
        raise UnreadableInput([Fault(file, "", by_hand, "another layout")])
    return content
