"""Pinning the ledger's head in the gate file: a chain cannot see its own end."""

from __future__ import annotations

from pathlib import Path

from litmus_nb.contracts.gate_edit import with_pins
from litmus_nb.errors import Fault, UnreadableInput
from litmus_nb.files import replace_file
from litmus_nb.ledger.append import open_ledger

__all__ = ["pin_head"]


def pin_head(gate_path: Path) -> str:
    """Write the head of the gate's ledger as `ledger_head` into the gate file, and give it back.

    Raises:
        UnreadableInput: gate file or ledger cannot be read, the chain is not whole, or the ledger is empty.
        OSError: the gate file could not be written; it is then as it was.
    """
    with open_ledger(gate_path, is_head_checked=False) as opened:
        head = opened.chain.head
        if head is None:
            raise UnreadableInput([Fault(str(opened.path), "", "a ledger with at least one entry", "an empty one")])
        replace_file(gate_path, with_pins(opened.gate_content, file=str(gate_path), ledger_head=head))
    return head
