"""Reading and writing envelope records. A record that does not follow from its own facets is refused."""

from __future__ import annotations

import json
from pathlib import Path

from litmus_nb.contracts.envelope import EnvelopeFile
from litmus_nb.contracts.strict_json import parse_json
from litmus_nb.envelope.compare import recomputed
from litmus_nb.errors import Fault, UnreadableInput
from litmus_nb.files import read_bytes, replace_file

__all__ = ["MAX_RECORD_BYTES", "read_record", "write_record"]

MAX_RECORD_BYTES = 1 << 20


def read_record(path: Path) -> EnvelopeFile:
    """The envelope record at `path`.

    Raises:
        UnreadableInput: no such record, or one whose capabilities are not what its facets amount to.
    """
    content = read_bytes(path, limit=MAX_RECORD_BYTES)
    record = EnvelopeFile.read(parse_json(content, file=str(path)), file=str(path))
    if (record.sandbox.effective_capabilities, record.sandbox.unknown) != recomputed(record):
        raise UnreadableInput([Fault(str(path), "/sandbox", "what the facets amount to", "other capabilities")])
    return record


def write_record(record: EnvelopeFile, path: Path) -> None:
    """Put the record at `path`, whole or not at all.

    Raises:
        OSError: it cannot be written.
    """
    text = json.dumps(record.model_dump(mode="json", by_alias=True), indent=2, sort_keys=True, ensure_ascii=False)
    replace_file(path, (text + "\n").encode())
