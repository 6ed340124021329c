"""Replacing one entry of a YAML file without touching anything else in it: comments, order and quotes stay.

Opens nothing: takes bytes, gives bytes, and gives none unless reading them back says exactly what was meant.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import yaml

from litmus_nb.contracts.strict_json import decode_text
from litmus_nb.contracts.strict_yaml import parse_yaml
from litmus_nb.errors import Fault, UnreadableInput

__all__ = ["entry_text", "with_entry"]


def entry_text(key: str, value: str | Sequence[str], *, is_one_line: bool = False) -> str:
    """The entry as a YAML file writes it, without its last newline: quoted as JSON, which YAML reads alike."""
    items = [json.dumps(item, ensure_ascii=False) for item in ([value] if isinstance(value, str) else value)]
    if isinstance(value, str):
        return f"{key}: {items[0]}"
    if is_one_line or not items:
        return f"{key}: [{', '.join(items)}]"
    return f"{key}:" + "".join(f"\n  - {item}" for item in items)


def with_entry(content: bytes, key: str, value: str | Sequence[str], *, file: str) -> bytes:
    """The file with one entry of its top level replaced, and every other character as it was.

    Raises:
        UnreadableInput: the bytes are no YAML that we read, lack the entry, or are written so that it cannot be
            replaced safely.
    """
    before = parse_yaml(content, file=file)
    text = decode_text(content, file=file)
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    entries = root.value if isinstance(root, yaml.MappingNode) else []
    meant = value if isinstance(value, str) else list(value)
    for name, node in entries:
        if name.value == key:
            end = _end_of(node, text)
            behind = text[end:].partition("\n")[0]
            entry = entry_text(key, value, is_one_line=bool(behind.strip()))
            changed = (text[: name.start_mark.index] + entry + text[end:]).encode()
            if parse_yaml(changed, file=file) == before | {key: meant}:
                return changed
            break
    raise UnreadableInput([Fault(file, f"/{key}", "an entry that can be replaced; write it by hand", "another layout")])


def _end_of(node: yaml.Node, text: str) -> int:
    """Where the value ends. A block list's own mark lies behind the comments that follow it: its last item's counts."""
    if isinstance(node, yaml.SequenceNode) and not node.flow_style and node.value:
        line_end = text.find("\n", _end_of(node.value[-1], text))
        return len(text) if line_end < 0 else line_end
    return int(node.end_mark.index)
