"""Laying a first gate into a repository: what is there stays as it is."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from pathlib import Path

from litmus_nb.errors import UnreadableInput
from litmus_nb.evidence.manifest import manifest_of
from litmus_nb.files import is_there, replace_file
from litmus_nb.scaffold.files import Wanted, gate_text, scaffold_files
from litmus_nb.scaffold.proposal import Proposal
from litmus_nb.scaffold.seen import Seen

__all__ = ["Laid", "lay"]


@dataclass
class Laid:
    """What became of each file."""

    written: list[Path] = field(default_factory=list)
    kept: list[Path] = field(default_factory=list)
    """They were there; whoever wrote them, they are as they were."""
    is_frozen: bool = False
    """Whether the suite says everything, so that gate.yaml could be given its hash."""


def lay(seen: Seen, wanted: Wanted, proposed: list[Proposal], folder: Path) -> Laid:
    """Write every file that is not there; nothing is written over, and links are not followed to be written.

    Raises:
        OSError: the folder cannot be written.
    """
    laid = Laid()
    for name, content in scaffold_files(seen, wanted, proposed).items():
        _put(folder / name, content, laid)
    manifest_hash = None
    with contextlib.suppress(UnreadableInput):
        manifest_hash = manifest_of(folder / "suite/suite.yaml").manifest_hash
    laid.is_frozen = manifest_hash is not None
    _put(folder / "gate.yaml", gate_text(proposed, manifest_hash).encode(), laid)
    return laid


def _put(path: Path, content: bytes, laid: Laid) -> None:
    if is_there(path):
        laid.kept.append(path)
        return
    replace_file(path, content)
    laid.written.append(path)
