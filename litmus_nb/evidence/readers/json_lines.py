"""The lines of a JSON Lines log, each of bounded length."""

from __future__ import annotations

from collections.abc import Iterator

from litmus_nb.errors import Fault, UnreadableInput
from litmus_nb.evidence.readers.reading import LogFile

__all__ = ["MOST_BYTES_A_LINE", "lines_of"]

MOST_BYTES_A_LINE = 16 * 2**20


def lines_of(file: LogFile) -> Iterator[tuple[str, bytes]]:
    """Where each line stands and its bytes; empty lines are passed over.

    Raises:
        UnreadableInput: a line is longer than `MOST_BYTES_A_LINE`.
    """
    start = 0
    number = 0
    while start < len(file.content):
        number += 1
        end = file.content.find(b"\n", start)
        end = len(file.content) if end < 0 else end
        if end - start > MOST_BYTES_A_LINE:
            expected = f"at most {MOST_BYTES_A_LINE} bytes in a line"
            raise UnreadableInput([Fault(file.name, f"line {number}", expected, f"{end - start} bytes")])
        line = file.content[start:end].rstrip(b"\r")
        if line:
            yield f"line {number}", line
        start = end + 1
