"""A reproducible archive: plain tar (POSIX ustar), members sorted, no times, no owners. The same files, the same bytes.

Not compressed: what a compressor writes depends on its version. Reading believes nothing: an archive is accepted only
if packing its members again gives exactly its bytes, which leaves no room for links, other headers, or hidden data.
"""

from __future__ import annotations

import hashlib
import io
import re
import shutil
import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol, cast

from litmus_nb.contracts.base import shown
from litmus_nb.errors import Fault, UnreadableInput, UsageError
from litmus_nb.evidence.trials_files import file_digest

__all__ = ["ARCHIVE_LIMIT", "MEMBERS_LIMIT", "extract_archive", "write_archive"]

ARCHIVE_LIMIT = 8 * 1024**3
"""Bytes; as much as a member of a ustar archive may have."""

MEMBERS_LIMIT = 100_000

# One portable part after another: no absolute path, no `.` or `..`, nothing hidden, nothing that a shell or a file
# system reads differently.
_PART = r"[A-Za-z0-9_][A-Za-z0-9_.+@=-]*"
_NAME = re.compile(rf"{_PART}(/{_PART})*", re.ASCII)


class _Sink(Protocol):
    def write(self, content: bytes, /) -> object: ...


def write_archive(members: Mapping[str, Path | bytes], target: _Sink) -> None:
    """Write the members, sorted by name, as one archive.

    Raises:
        UsageError: a name that is not portable or too long for the format.
        OSError: a file cannot be read, or the target cannot be written.
    """
    # A tar stream needs nothing of its target but `write`; the annotations of tarfile ask for a whole file.
    with tarfile.open(fileobj=cast(Any, target), mode="w|", format=tarfile.USTAR_FORMAT) as archive:
        for name in sorted(members):
            _add(archive, name, members[name])


def extract_archive(path: Path, folder: Path) -> tuple[str, ...]:
    """Write the members of an archive into an empty folder; give their names.

    Raises:
        UnreadableInput: it is no archive that `write_archive` could have written, or it is too large.
    """
    file = path.name
    if path.is_symlink() or not path.is_file():
        raise UnreadableInput([Fault(str(path), "", "a regular file", "something else, or nothing")])
    if path.stat().st_size > ARCHIVE_LIMIT:
        raise UnreadableInput([Fault(str(path), "", f"at most {ARCHIVE_LIMIT} bytes", f"{path.stat().st_size} bytes")])
    try:
        with tarfile.open(path, mode="r:") as archive:
            names = tuple(_extracted(archive, folder, file))
    except (tarfile.TarError, EOFError, ValueError, OSError) as error:
        raise UnreadableInput([Fault(file, "", "a bundle", f"{type(error).__name__}: {error}"[:200])]) from error
    again = _Digest()
    write_archive({name: folder / name for name in names}, again)
    if again.digest != file_digest(path):
        raise UnreadableInput([Fault(file, "", "exactly the bytes that its members give", "other bytes")])
    return names


def _add(archive: tarfile.TarFile, name: str, content: Path | bytes) -> None:
    member = tarfile.TarInfo(name)
    member.mode, member.mtime, member.type = 0o644, 0, tarfile.REGTYPE
    if not _NAME.fullmatch(name):
        raise UsageError(f"expected a file name of letters, digits and _ . + @ = -, seen {shown(name)}")
    try:
        if isinstance(content, bytes):
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
        else:
            member.size = content.stat().st_size
            with content.open("rb") as stream:
                archive.addfile(member, stream)
    except ValueError as error:
        raise UsageError(f"{name}: too long a name or too large a file for an archive: {error}") from error


def _extracted(archive: tarfile.TarFile, folder: Path, file: str) -> Iterator[str]:
    for count, member in enumerate(archive, start=1):
        if count > MEMBERS_LIMIT:
            raise UnreadableInput([Fault(file, "", f"at most {MEMBERS_LIMIT} members", "more")])
        # Not isreg(): a sparse member is regular for tarfile, and unpacks to any size that its header says.
        if member.type != tarfile.REGTYPE or member.issparse() or not _NAME.fullmatch(member.name):
            raise UnreadableInput([Fault(file, shown(member.name), "a regular file with a portable name", "another")])
        stream = archive.extractfile(member)
        target = folder / member.name
        if stream is None or target.exists():
            raise UnreadableInput([Fault(file, member.name, "each member once", "twice")])
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("xb") as written:
            shutil.copyfileobj(stream, written)
        yield member.name


class _Digest:
    """Takes an archive's bytes and keeps only their digest."""

    def __init__(self) -> None:
        self._sha256 = hashlib.sha256()

    def write(self, content: bytes, /) -> None:
        self._sha256.update(content)

    @property
    def digest(self) -> str:
        """As `litmus_nb.contracts.canonical` writes digests."""
        return f"sha256:{self._sha256.hexdigest()}"
