"""Bytes to and from disk, whole or not at all."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

from litmus_nb.errors import Fault, UnreadableInput

__all__ = ["read_bytes", "replace_file", "sync_folder"]


def read_bytes(path: Path, *, name: str | None = None, limit: int | None = None) -> bytes:
    """The bytes of a regular file.

    `name` is what messages call the file (default: the path); `limit` is the greatest size in bytes that is read.

    Raises:
        UnreadableInput: the file is absent, is not a regular file, cannot be read, or is larger than `limit`.
    """
    shown = name or str(path)
    try:
        if not path.exists():
            raise UnreadableInput([Fault(shown, "", "a file", "nothing there")])
        if not path.is_file():
            raise UnreadableInput([Fault(shown, "", "a regular file", "something else (folder, pipe, device)")])
        if limit is not None and (size := path.stat().st_size) > limit:
            raise UnreadableInput([Fault(shown, "", f"at most {limit} bytes", f"{size} bytes")])
        return path.read_bytes()
    except (OSError, ValueError) as error:
        raise UnreadableInput([Fault(shown, "", "a readable file", f"{type(error).__name__}: {error}")]) from error


def replace_file(path: Path, content: bytes) -> None:
    """Put `content` at `path`, whole or not at all: written beside, synced, renamed over.

    A reader sees the old bytes or the new ones, never a mixture; after a crash no half-written file stands at `path`.

    Raises:
        OSError: the disk is full, the folder is read-only, and the like; `path` is then as it was.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, beside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fchmod(stream.fileno(), 0o644)
            os.fsync(stream.fileno())
        os.replace(beside, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(beside)
        raise
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make a rename in `folder` survive a power cut, where the file system can promise that."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
