"""Appending to a gate's ledger: under a lock, onto a whole chain, on disk before anything is said.

The line and the pins of gate.yaml that must move with it are written together or not at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from litmus_nb.contracts.canonical import ZERO_DIGEST, canonical_json
from litmus_nb.contracts.gate import BaselinePin, GateFile
from litmus_nb.contracts.gate_edit import with_pins
from litmus_nb.contracts.ledger import LedgerEntry
from litmus_nb.contracts.strict_yaml import parse_yaml
from litmus_nb.contracts.times import instant_of, time_text
from litmus_nb.errors import Fault, UnreadableInput, UsageError
from litmus_nb.files import read_bytes, replace_file, sync_folder
from litmus_nb.rule.chain import Chain, walk_chain

__all__ = [
    "Appended",
    "Clock",
    "OpenLedger",
    "Proposal",
    "append_entry",
    "gate_of",
    "ledger_of",
    "open_ledger",
    "whole_chain",
]

Clock = Callable[[], datetime]
"""Tells the present instant. Asked under the lock, so that order of lines is order of time."""

Proposal = Callable[[Chain], Mapping[str, Any] | None]
"""The kind and the own keys of a new entry, given the chain that it will extend; None where nothing is to be added."""

_LOCK_SECONDS = 60.0
_CLOCK_STEP = timedelta(seconds=1)  # what keeping a clock in time may set it back; more is a wrong clock


@dataclass(frozen=True)
class Appended:
    """What an append left behind."""

    entry: LedgerEntry | None
    """The new entry; None where only the gate file's pins were moved."""
    head: str | None
    length: int


@dataclass(frozen=True)
class OpenLedger:
    """A gate's ledger, read while nobody else appends to it."""

    gate_path: Path
    gate_content: bytes
    gate: GateFile
    path: Path
    content: bytes
    chain: Chain


def ledger_of(gate_path: Path) -> Path:
    """The path of the ledger that the gate file names.

    Raises:
        UnreadableInput: the gate file is not one.
    """
    return gate_path.parent / gate_of(gate_path).ledger


def append_entry(
    gate_path: Path,
    propose: Proposal,
    *,
    clock: Clock,
    pin: BaselinePin | None = None,
    may_begin: bool = False,
) -> Appended:
    """Add one entry to a gate's ledger, and move the pins of the gate file with it.

    Args:
        gate_path: gate.yaml; it names the ledger, and its `ledger_head` moves along where it has one.
        propose: makes the entry from the chain as it is under the lock; raises to refuse.
        clock: the present instant.
        pin: the baseline to pin in the gate file, where the entry is about one.
        may_begin: whether a ledger that does not exist is begun; otherwise its absence is an error.

    Raises:
        UnreadableInput: gate file or ledger cannot be read, the chain is not whole, or its head is not the pinned one.
        UsageError: the ledger is locked by somebody else, or the clock runs behind the last entry.
        OSError: a file could not be written; both files are then as they were.
    """
    with open_ledger(gate_path, may_begin=may_begin) as opened:
        fields = propose(opened.chain)
        content = opened.content if fields is None else opened.content + _line_after(opened.chain, fields, clock())
        chain = whole_chain(content, opened.path)
        is_head_pinned = opened.gate.ledger_head is not None
        gate_content = with_pins(
            opened.gate_content,
            file=str(gate_path),
            baseline=pin,
            ledger_head=chain.head if is_head_pinned else None,
        )
        _write_both(opened, content, gate_content)
    return Appended(None if fields is None else chain.entries[-1], chain.head, len(chain.entries))


@contextmanager
def open_ledger(gate_path: Path, *, may_begin: bool = False, is_head_checked: bool = True) -> Iterator[OpenLedger]:
    """The gate's ledger under its lock, its chain whole and its head the pinned one. Raises as `append_entry`."""
    path = ledger_of(gate_path)
    _refuse_symlinks(gate_path, path)
    lock = FileLock(path.with_name(f".{path.name}.lock"))
    try:
        lock.acquire(timeout=_LOCK_SECONDS)
    except Timeout as busy:
        raise UsageError(f"{path}: another process holds the ledger's lock; nothing was written, try again") from busy
    except OSError as error:
        raise UsageError(f"{path}: the ledger's folder cannot be written: {error}") from error
    try:
        gate_content = read_bytes(gate_path)
        gate = gate_of(gate_path, gate_content)
        if gate_path.parent / gate.ledger != path:
            raise UsageError(f"{gate_path}: it named another ledger a moment ago; nothing was written, try again")
        content = b"" if may_begin and not path.exists() else read_bytes(path)
        chain = whole_chain(content, path)
        if is_head_checked:
            _refuse_other_head(gate, chain, gate_path)
        yield OpenLedger(gate_path, gate_content, gate, path, content, chain)
    finally:
        lock.release()


def gate_of(path: Path, content: bytes | None = None) -> GateFile:
    """The gate file at `path`, from its bytes where they are at hand.

    Raises:
        UnreadableInput: with every fault of the file.
    """
    return GateFile.read(parse_yaml(read_bytes(path) if content is None else content, file=str(path)), file=str(path))


def _refuse_symlinks(*paths: Path) -> None:
    """A file that is replaced by renaming would leave the link's target behind, unchanged and still read by others."""
    faults = [Fault(str(path), "", "a regular file", "a symbolic link") for path in paths if path.is_symlink()]
    if faults:
        raise UnreadableInput(faults)


def whole_chain(content: bytes, path: Path) -> Chain:
    """The chain of a ledger's bytes.

    Raises:
        UnreadableInput: it is not whole; with everything that breaks it.
    """
    chain = walk_chain(content, file=str(path))
    if not chain.is_whole:
        raise UnreadableInput(chain.faults)
    return chain


def _refuse_other_head(gate: GateFile, chain: Chain, gate_path: Path) -> None:
    if gate.ledger_head is not None and gate.ledger_head != chain.head:
        expected = f"the ledger's head {chain.head}; `litmus-nb ledger pin-head` moves it once you have read the log"
        raise UnreadableInput([Fault(str(gate_path), "/ledger_head", expected, gate.ledger_head)])


def _line_after(chain: Chain, fields: Mapping[str, Any], now: datetime) -> bytes:
    entry = {"seq": len(chain.entries), "at": _time_after(chain, now), "prev": chain.head or ZERO_DIGEST, **fields}
    return canonical_json(entry) + b"\n"


def _time_after(chain: Chain, now: datetime) -> str:
    """The present, strictly after the last entry: a microsecond later where the clock has not moved on."""
    if chain.entries:
        last = instant_of(chain.entries[-1].at)
        if last - now > _CLOCK_STEP:
            raise UsageError(
                f"the ledger's last entry is of {chain.entries[-1].at}, this machine's clock says {time_text(now)}; "
                "set the clock right"
            )
        now = max(now, last + timedelta(microseconds=1))
    return time_text(now)


def _write_both(opened: OpenLedger, content: bytes, gate_content: bytes) -> None:
    """The ledger first: a crash between the two leaves a gate closed by 3.12 or 3.14, never an open one."""
    is_new = not opened.path.exists()
    if content != opened.content:
        replace_file(opened.path, content)
    if gate_content == opened.gate_content:
        return
    try:
        replace_file(opened.gate_path, gate_content)
    except BaseException:
        if is_new:
            opened.path.unlink()
            sync_folder(opened.path.parent)
        else:
            replace_file(opened.path, opened.content)
        raise
