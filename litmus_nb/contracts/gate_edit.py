"""Moving the pins of a gate file without touching anything else in it. Opens nothing."""

from __future__ import annotations

from litmus_nb.contracts.canonical import Digest
from litmus_nb.contracts.gate import BaselinePin, GateFile
from litmus_nb.contracts.strict_yaml import parse_yaml
from litmus_nb.contracts.yaml_edit import Value, with_entries

__all__ = ["with_pins"]


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
    GateFile.read(parse_yaml(content, file=file), file=file)
    pins: dict[str, Value] = {}
    if baseline is not None:
        pins["baseline"] = baseline.model_dump()
    if ledger_head is not None:
        pins["ledger_head"] = ledger_head
    changed = with_entries(content, pins, file=file, after="ledger")
    GateFile.read(parse_yaml(changed, file=file), file=file)
    return changed
