"""How two suites differ: scenario by scenario and field by field. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from litmus_nb.contracts.canonical import canonical_json
from litmus_nb.contracts.manifest import ManifestFile, in_plain_form

__all__ = ["NOTHING", "SuiteChange", "suite_changes", "summary_of"]

NOTHING = object()
"""Stands where there is no value at all: null is a value."""

_LFS_POINTER = "version https://git-lfs.github.com/spec/"


@dataclass(frozen=True)
class SuiteChange:
    """One thing that is not as it was; `NOTHING` on the side where it is not."""

    subject: str
    """`scenario ID`, `contract KEY` or `file KEY`."""
    field: str
    """Which field of the subject; empty for the whole of it."""
    old: Any
    new: Any

    @property
    def kind(self) -> str:
        """`added`, `removed` or `edited`."""
        return "added" if self.old is NOTHING else "removed" if self.new is NOTHING else "edited"

    @property
    def remark(self) -> str:
        """What a reader would want to know before looking closer; empty for an ordinary edit."""
        if self.kind == "edited" and in_plain_form(self.old) == in_plain_form(self.new):
            return "only line endings, a byte order mark or Unicode form"
        if isinstance(self.new, str) and self.new.startswith(_LFS_POINTER):
            return "a git-lfs pointer stands in place of the content"
        return ""

    def __str__(self) -> str:
        place = f"{self.subject}: {self.field}" if self.field else self.subject
        shown = place.encode("unicode_escape").decode("ascii")
        return f"{self.kind} {shown}" + (f" ({self.remark})" if self.remark else "")


def suite_changes(old: ManifestFile, new: ManifestFile) -> list[SuiteChange]:
    """Everything that differs between two suites, by subject and field; empty exactly where their hashes are equal."""
    texts = {"file " + name: (old.files[name], new.files[name]) for name in old.files.keys() & new.files.keys()}
    changes = [
        *_changes("contract ", old.contract, new.contract),
        *(SuiteChange(name, "", a.text, b.text) for name, (a, b) in texts.items() if a.sha256 != b.sha256),
        *_scenario_changes({p["id"]: p for p in old.probes}, {p["id"]: p for p in new.probes}),
    ]
    return sorted(changes, key=lambda change: (change.subject, change.field))


def summary_of(changes: list[SuiteChange], limit: int = 8) -> str:
    """The changes in one line, the first few by name."""
    rest = f" and {len(changes) - limit} more" if len(changes) > limit else ""
    return "; ".join(str(change) for change in changes[:limit]) + rest


def _changes(prefix: str, old: Mapping[str, Any], new: Mapping[str, Any], subject: str = "") -> Iterator[SuiteChange]:
    for key in old.keys() | new.keys():
        before, after = old.get(key, NOTHING), new.get(key, NOTHING)
        # Compared as the hash sees them: Python takes 1 and true for equal.
        if before is NOTHING or after is NOTHING or canonical_json(before) != canonical_json(after):
            yield SuiteChange(subject or prefix + key, key if subject else "", before, after)


def _scenario_changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[SuiteChange]:
    for id_ in old.keys() | new.keys():
        if id_ in old and id_ in new:
            yield from _changes("", old[id_], new[id_], subject=f"scenario {id_}")
        else:
            yield SuiteChange(f"scenario {id_}", "", old.get(id_, NOTHING), new.get(id_, NOTHING))
