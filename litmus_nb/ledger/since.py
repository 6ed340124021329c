"""Was the ledger only ever appended to? A chain cannot say: whoever rewrites it re-chains it. The base branch can."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from litmus_nb.contracts.base import shown
from litmus_nb.contracts.gate import GateFile
from litmus_nb.contracts.strict_yaml import parse_yaml
from litmus_nb.errors import Fault, UsageError

__all__ = ["Before", "committed", "faults_against", "faults_of_moved_ledger"]

_GIT_SECONDS = 60


@dataclass(frozen=True)
class Before:
    """A file as a commit has it."""

    ref: str
    commit: str
    content: bytes | None
    """None: the commit has no such file."""


def committed(path: Path, ref: str) -> Before:
    """The bytes that `path` has at a git reference, as committed: no filter, no line-ending change.

    Raises:
        UsageError: this is no git checkout, there is no such reference, or git fails.
    """
    folder = path.parent
    commit = _git(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}").strip()
    if not commit:
        raise UsageError(
            f"--since: expected a reference that this checkout has, seen {shown(ref)}; "
            "a shallow clone lacks the base branch (fetch-depth: 0)"
        )
    name = commit.decode()
    listed = _git(folder, "ls-tree", "-z", name, "--", f"./{path.name}")
    if not listed:
        return Before(ref, name, None)
    mode, kind = listed.split(b" ")[:2]
    if kind != b"blob" or mode == b"120000":
        raise UsageError(f"--since: {path} is no regular file at {ref}")
    return Before(ref, name, _git(folder, "cat-file", "blob", f"{name}:./{path.name}"))


def faults_against(before: Before, content: bytes, *, file: str) -> list[Fault]:
    """What contradicts that `content` is what was there before, and then more. Empty exactly when it is.

    A ledger that was not there before is no append to one; it is a fault like any other.
    """
    if before.content is None:
        return [Fault(file, "", f"the ledger that {before.ref} has", f"{before.ref} has none at this path")]
    if content.startswith(before.content):
        return []
    old, new = before.content.split(b"\n"), content.split(b"\n")
    number = next((i for i, (a, b) in enumerate(zip(old, new, strict=False), start=1) if a != b), len(new))
    if before.content.startswith(content):
        seen = f"the ledger ends here; {before.ref} has {len(old) - 1} lines"
    else:
        seen = "another line: history was rewritten, reordered or merged"
    return [Fault(file, f"line {number}", f"the line that {before.ref} ({before.commit[:12]}) has there", seen)]


def faults_of_moved_ledger(gate_before: Before, gate_path: Path, path: Path) -> list[Fault]:
    """What contradicts that the gate file named the same ledger before. A new name would begin a new history."""
    if gate_before.content is None:
        return []  # a new gate: its ledger is compared like any other, and must have been there
    file = f"{gate_path} at {gate_before.ref}"
    named = GateFile.read(parse_yaml(gate_before.content, file=file), file=file).ledger
    if os.path.normpath(gate_path.parent / named) == os.path.normpath(path):
        return []
    return [Fault(str(gate_path), "/ledger", f"{named}, as {gate_before.ref} has it", path.name)]


def _git(folder: Path, *words: str) -> bytes:
    """What git prints. Replacement objects are ignored: they would let a clone show another history."""
    command = ["git", "--no-replace-objects", "-C", str(folder), *words]
    try:
        done = subprocess.run(command, capture_output=True, check=False, timeout=_GIT_SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UsageError(f"--since needs git: {error}") from error
    if words[0] == "rev-parse" and done.returncode == 1:
        return b""
    if done.returncode != 0:
        raise UsageError(f"--since: git {words[0]} failed in {folder}: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout
