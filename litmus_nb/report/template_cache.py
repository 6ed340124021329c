"""Compiled templates are kept where Python keeps this package's own bytecode, and are trusted as that is.

Most pages are made by a process that makes no other, and compiling the templates takes longer than all else of a page.
"""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path

from jinja2 import FileSystemBytecodeCache
from jinja2.bccache import Bucket

__all__ = ["compiled_templates"]


def compiled_templates() -> FileSystemBytecodeCache | None:
    """A cache beside this module's own bytecode; None where Python keeps none, as on a first start or in an archive.

    A template that was changed is compiled anew: jinja2 compares a checksum of its text and the version of its code.
    """
    own = __spec__.cached if __spec__ else None
    if own is None or not Path(own).parent.is_dir():
        return None
    return _Beside(str(Path(own).parent), "template-%s.cache")


class _Beside(FileSystemBytecodeCache):
    """What cannot be read is compiled, what cannot be kept is not kept: a page never fails for want of its cache."""

    def load_bytecode(self, bucket: Bucket) -> None:
        with contextlib.suppress(OSError):
            super().load_bytecode(bucket)

    def dump_bytecode(self, bucket: Bucket) -> None:
        if not sys.dont_write_bytecode:
            with contextlib.suppress(OSError):
                super().dump_bytecode(bucket)
