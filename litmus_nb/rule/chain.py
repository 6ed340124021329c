"""The ledger's chain, 3.14: canonical lines, counted, linked, in order of time, each of a known kind."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from pydantic import ValidationError

from litmus_nb.contracts.base import shown
from litmus_nb.contracts.canonical import ZERO_DIGEST, canonical_json, digest_of_bytes
from litmus_nb.contracts.ledger import (
    LEDGER_ENTRY,
    BaselinePinEntry,
    BaselineRebumpEntry,
    LedgerEntry,
    QuarantineEntry,
    ReleaseEntry,
    VerdictEntry,
)
from litmus_nb.contracts.strict_json import parse_json
from litmus_nb.contracts.times import nanoseconds_of
from litmus_nb.errors import Fault, UnreadableInput

__all__ = ["BaselineEntry", "Chain", "attempts_of", "walk_chain"]

BaselineEntry = BaselinePinEntry | BaselineRebumpEntry


@dataclass(frozen=True)
class Chain:
    """A ledger as far as it can be read, and everything that breaks it."""

    entries: tuple[LedgerEntry, ...]
    head: str | None
    """Digest of the last line; None of an empty ledger."""
    faults: tuple[Fault, ...]

    @property
    def is_whole(self) -> bool:
        """Whether nothing breaks the chain."""
        return not self.faults

    @property
    def baseline_in_force(self) -> BaselineEntry | None:
        """The latest entry that names a baseline."""
        named = [entry for entry in self.entries if isinstance(entry, BaselineEntry)]
        return named[-1] if named else None

    @property
    def active_quarantine(self) -> dict[str, QuarantineEntry]:
        """Scenario to the quarantine entry in force: not released since, the latest of its scenario."""
        active: dict[str, QuarantineEntry] = {}
        for entry in self.entries:
            if isinstance(entry, QuarantineEntry):
                active[entry.scenario_id] = entry
            elif isinstance(entry, ReleaseEntry):
                active.pop(entry.scenario_id, None)
        return active


def walk_chain(content: bytes, *, file: str = "ledger") -> Chain:
    """The chain that a ledger's bytes hold; never raises for what they hold."""
    if content and not content.endswith(b"\n"):
        return Chain((), None, (Fault(file, "last line", "a newline at its end", "a torn line"),))
    lines = content.split(b"\n")[:-1]
    walker = _Walker(file)
    for line in lines:
        walker.step(line)
    head = digest_of_bytes(lines[-1]) if lines else None
    return Chain(tuple(walker.entries), head, tuple(walker.faults))


def attempts_of(chain: Chain, policy_digest: str, candidate_digest: str | None) -> int:
    """How many verdict entries the policy has since the baseline in force, about other runs than the candidate's."""
    made = 0
    for entry in chain.entries:
        if isinstance(entry, BaselineEntry):
            made = 0
        elif isinstance(entry, VerdictEntry) and entry.policy_digest == policy_digest:
            made += entry.candidate_digest != candidate_digest
    return made


class _Walker:
    """Goes through the lines once and remembers what the next line must fit."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._expected_prev = ZERO_DIGEST
        self._number = 0
        self._baseline: str | None = None
        self.entries: list[LedgerEntry] = []
        self.faults: list[Fault] = []

    def step(self, line: bytes) -> None:
        self._number += 1
        entry = self._entry(line)
        if entry is not None:
            self._check_links(entry)
            self._check_baseline(entry)
            self.entries.append(entry)
        self._expected_prev = digest_of_bytes(line)

    def _entry(self, line: bytes) -> LedgerEntry | None:
        sound = _sound_entry(line)
        return sound if sound is not None else self._entry_with_faults(line)

    def _entry_with_faults(self, line: bytes) -> LedgerEntry | None:
        try:
            value = parse_json(line, file=self._file, where=f"line {self._number}")
            if canonical_json(value) != line:
                self._fault("canonical JSON (RFC 8785)", "another form of the same value")
            return LEDGER_ENTRY.validate_python(value)
        except UnreadableInput as unreadable:
            self.faults.extend(unreadable.faults)
        except ValidationError as error:
            for details in error.errors():
                pointer = "/".join(str(part) for part in details["loc"])
                self._fault(f"{pointer}: {details['msg']}", shown(details["input"]))
        except ValueError as error:
            self._fault("canonical JSON (RFC 8785)", str(error))
        return None

    def _check_links(self, entry: LedgerEntry) -> None:
        if entry.seq != self._number - 1:
            self._fault(f"seq {self._number - 1}", f"seq {entry.seq}")
        if entry.prev != self._expected_prev:
            self._fault(f"prev {self._expected_prev}", f"prev {entry.prev}")
        if self.entries and nanoseconds_of(entry.at) < nanoseconds_of(self.entries[-1].at):
            self._fault(f"a time not before {self.entries[-1].at}", entry.at)

    def _check_baseline(self, entry: LedgerEntry) -> None:
        if isinstance(entry, BaselinePinEntry) and self._baseline is not None:
            self._fault("baseline_pin only as the first baseline", "a second pin")
        if isinstance(entry, BaselineRebumpEntry) and entry.replaces != self._baseline:
            self._fault(f"replaces {self._baseline or 'nothing: no baseline was pinned'}", f"replaces {entry.replaces}")
        if isinstance(entry, BaselineEntry):
            self._baseline = entry.run_digest

    def _fault(self, expected: str, seen: str) -> None:
        self.faults.append(Fault(self._file, f"line {self._number}", expected, seen))


@lru_cache(maxsize=8192)
def _sound_entry(line: bytes) -> LedgerEntry | None:
    """The entry of a line that is sound by itself, else None.

    Remembered: a gate walks its ledger several times, and whoever appends walks what was there before.
    """
    try:
        value = parse_json(line, file="ledger")
        return LEDGER_ENTRY.validate_python(value) if canonical_json(value) == line else None
    except (UnreadableInput, ValueError):
        return None
