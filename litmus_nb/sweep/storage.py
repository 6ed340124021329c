"""Inputs and outputs by fsspec: a local folder, or a URL of an object store."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import fsspec

from litmus_nb.errors import Fault, UnreadableInput
from litmus_nb.files import replace_file

__all__ = ["Storage"]


class Storage:
    """A folder, wherever it is."""

    def __init__(self, url: str) -> None:
        self.url = url
        filesystem, root = fsspec.core.url_to_fs(url)
        self._filesystem: Any = filesystem
        self._root = str(root).rstrip("/")
        self.is_local = "file" in getattr(filesystem, "protocol", ())

    def fetch_all(self, into: Path) -> Path:
        """A local folder with everything: this one where it is local, else a copy in `into`.

        Raises:
            UnreadableInput: it is not there or cannot be read.
        """
        if self.is_local:
            return Path(self._root)
        try:
            self._filesystem.get(self._root + "/", str(into) + "/", recursive=True)
        except (OSError, ValueError) as error:
            raise UnreadableInput([Fault(self.url, "", "a folder that can be read", str(error)[:200])]) from error
        return into

    def read(self, name: str) -> bytes | None:
        """The bytes of a file; None where there is none."""
        try:
            self._filesystem.invalidate_cache()
            content: bytes = self._filesystem.cat_file(f"{self._root}/{name}")
        except (FileNotFoundError, NotADirectoryError):
            return None
        return content

    def leave(self, name: str, content: bytes) -> None:
        """Put a file, whole or not at all: object stores do so by themselves, a local folder by a rename."""
        if self.is_local:
            replace_file(Path(self._root) / name, content)
        else:
            self._filesystem.pipe_file(f"{self._root}/{name}", content)

    def leave_folder(self, name: str, folder: Path, *, last: str) -> None:
        """Put a folder's files, the one named `last` after all others."""
        files = sorted(path for path in folder.rglob("*") if path.is_file() and not path.name.startswith("."))
        for path in sorted(files, key=lambda path: path.name == last):
            self.leave(f"{name}/{path.relative_to(folder).as_posix()}", path.read_bytes())
