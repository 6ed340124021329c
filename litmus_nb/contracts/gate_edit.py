"""Moving the pins of a gate file without touching anything else in it: comments, order and quotes stay.

Opens nothing: takes bytes, gives bytes, and gives none unless reading them back says exactly what was meant.
"""

from __future__ import annotations

import json
import re
from typing import Any

import yaml

from litmus_nb.contracts.canonical import Digest
from litmus_nb.contracts.gate import BaselinePin, GateFile
from litmus_nb.contracts.strict_json import decode_text
from litmus_nb.contracts.strict_yaml import parse_yaml
from litmus_nb.errors import Fault, UnreadableInput

__all__ = ["with_pins"]

# Paths and digests that no YAML reader takes for anything but text, with or without quotes.
_PLAIN = re.compile(r"[A-Za-z_./][A-Za-z0-9_./-]*/[A-Za-z0-9_./-]*|sha256:[0-9a-f]{64}", re.ASCII)


def with_pins(
    content: bytes, *, file: str, baseline: BaselinePin | None = None, ledger_head: Digest | None = None
) -> bytes:
    """The bytes of a gate file with its pins moved.

    Args:
        content: the file's bytes.
        file: what messages call the file.
        baseline: the pin to write; None leaves the one that is there.
        ledger_head: the head to pin, in a new line where the file pins none; None leaves what is there.

    Raises:
        UnreadableInput: the bytes are no gate file, or are written so that the pin cannot be moved safely.
    """
    before = GateFile.read(parse_yaml(content, file=file), file=file)
    meant = before.model_dump(by_alias=True)
    text = decode_text(content, file=file)
    nodes = _nodes_of(text)
    edits: list[_Edit] = []
    if baseline is not None:
        meant["baseline"] = baseline.model_dump()
        edits.extend(_baseline_edits(nodes["baseline"], baseline))
    if ledger_head is not None:
        meant["ledger_head"] = ledger_head
        edits.append(_head_edit(text, nodes, ledger_head))
    for start, end, words in sorted(edits, reverse=True):
        text = text[:start] + words + text[end:]
    return _read_back(text.encode(), meant, file)


_Edit = tuple[int, int, str]
"""From, to (indexes into the text), and what stands there afterwards."""


def _nodes_of(text: str) -> dict[str, Any]:
    """The value nodes of a mapping by key; the text was parsed strictly before, so each key is there once."""
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    if not isinstance(root, yaml.MappingNode):
        raise TypeError("a gate file that was read before is a mapping")
    return {key.value: value for key, value in root.value}


def _baseline_edits(node: Any, pin: BaselinePin) -> list[_Edit]:
    if isinstance(node, yaml.MappingNode):
        nodes = {key.value: value for key, value in node.value}
        return [_scalar_edit(nodes["run"], pin.run), _scalar_edit(nodes["sha256"], pin.sha256)]
    start, end = node.start_mark.index, node.end_mark.index
    space = " " if start == end else ""
    return [(start, end, f"{space}{{run: {_quoted(pin.run)}, sha256: {_quoted(pin.sha256)}}}")]


def _head_edit(text: str, nodes: dict[str, Any], head: str) -> _Edit:
    if "ledger_head" in nodes:
        return _scalar_edit(nodes["ledger_head"], head)
    end = nodes["ledger"].end_mark.index
    line_end = text.find("\n", end)
    line_end = len(text) if line_end < 0 else line_end
    return (line_end, line_end, f"\nledger_head: {_quoted(head)}")


def _scalar_edit(node: Any, value: str) -> _Edit:
    if node.value == value:
        return (node.start_mark.index, node.start_mark.index, "")
    return (node.start_mark.index, node.end_mark.index, _styled(value, node.style))


def _styled(value: str, style: str | None) -> str:
    """The value in the quotes that stood there, where it needs no others: moving a pin back gives the old bytes."""
    if style is None and _PLAIN.fullmatch(value):
        return value
    return f"'{value}'" if style == "'" and _PLAIN.fullmatch(value) else _quoted(value)


def _quoted(value: str) -> str:
    """The value as a JSON string, which is a double-quoted YAML scalar too."""
    return json.dumps(value, ensure_ascii=False)


def _read_back(content: bytes, meant: dict[str, Any], file: str) -> bytes:
    by_hand = "a gate file whose pins can be moved without touching the rest; write the pin by hand"
    try:
        after = GateFile.read(parse_yaml(content, file=file), file=file).model_dump(by_alias=True)
    except UnreadableInput as unreadable:
        raise UnreadableInput([Fault(file, "", by_hand, str(unreadable))]) from unreadable
    if after != meant:
        raise UnreadableInput([Fault(file, "", by_hand, "another layout")])
    return content
