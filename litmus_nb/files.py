"""Bytes to and from disk, whole or not at all."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from collections.abc import Iterator
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO

from litmus_nb.errors import Fault, UnreadableInput

__all__ = [
    "MOST_BYTES",
    "MOST_CONTRACT_BYTES",
    "is_there",
    "opened",
    "read_bytes",
    "replace_file",
    "replacing",
    "sync_folder",
]

MOST_BYTES = 4 * 2**30
"""The greatest file that is read whole, 4 GiB; more is no evidence but an attack on the memory."""

MOST_CONTRACT_BYTES = 16 * 2**20
"""The greatest file that a person writes or reviews (gate, suite, declaration, parameters), 16 MiB."""


def read_bytes(path: Path, *, name: str | None = None, limit: int = MOST_BYTES) -> bytes:
    """The bytes of a regular file, read once and while it holds still.

    `name` is what messages call the file (default: the path); `limit` is the greatest size in bytes that is read.
    Symbolic links are followed. Never waits for a writer.

    Raises:
        UnreadableInput: the file is absent, is not a regular file, cannot be read, is larger than `limit`, or changed
            its size while it was being read.
    """
    shown = name or str(path)
    with opened(path, name=shown) as stream:
        size = os.fstat(stream.fileno()).st_size
        if size > limit:
            raise UnreadableInput([Fault(shown, "", f"at most {limit} bytes", f"{size} bytes")])
        content = stream.read(size + 1)
    if len(content) != size:
        raise UnreadableInput([Fault(shown, "", f"a file that stays {size} bytes long", "another length")])
    return content


@contextlib.contextmanager
def opened(path: Path, *, name: str | None = None) -> Iterator[BufferedReader]:
    """A regular file, open for reading. Symbolic links are followed. Never waits for a writer.

    Raises:
        UnreadableInput: it is absent, no regular file, or cannot be opened, or read inside the block.
    """
    shown = name or str(path)
    try:
        # What was opened is asked what it is: a name may mean something else a moment later. Without O_NONBLOCK the
        # opening of a pipe waits for somebody who writes to it.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise UnreadableInput([Fault(shown, "", "a file", "nothing there")]) from error
    except (OSError, ValueError) as error:
        raise UnreadableInput([_not_readable(shown, error)]) from error
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise UnreadableInput([Fault(shown, "", "a regular file", "something else (folder, pipe, device)")])
        with open(descriptor, "rb", closefd=False) as stream:
            yield stream
    except OSError as error:
        raise UnreadableInput([_not_readable(shown, error)]) from error
    finally:
        os.close(descriptor)


def _not_readable(name: str, error: Exception) -> Fault:
    return Fault(name, "", "a readable file", f"{type(error).__name__}: {error}")


def is_there(path: Path) -> bool:
    """Whether anything has that name, a dangling link too. A name that no file can have is not there."""
    return os.path.lexists(path)


def replace_file(path: Path, content: bytes) -> None:
    """Put `content` at `path`, whole or not at all: written beside, synced, renamed over.

    A reader sees the old bytes or the new ones, never a mixture; after a crash no half-written file stands at `path`.

    Raises:
        OSError: the disk is full, the folder is read-only, and the like; `path` is then as it was.
    """
    with replacing(path) as stream:
        stream.write(content)


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A stream whose bytes stand at `path` once the block has ended well, and nowhere otherwise.

    For what is too large to be held in memory; `replace_file` for everything else, and as it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, beside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
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
