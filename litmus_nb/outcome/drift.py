"""An investigation from its parameters: labels read, findings made, page written."""

from __future__ import annotations

from pathlib import Path

from litmus_nb.contracts.canonical import digest_of_bytes, digest_of_json
from litmus_nb.contracts.drift import DriftReport
from litmus_nb.contracts.drift_params import DriftParams
from litmus_nb.contracts.labels import LabelTable
from litmus_nb.drift.investigation import investigate
from litmus_nb.errors import Fault, UnreadableInput
from litmus_nb.evidence.declaration import FOLDER, split_source
from litmus_nb.evidence.inventory import source_files
from litmus_nb.evidence.labels import joined_tables
from litmus_nb.evidence.run_labels import read_label_source
from litmus_nb.files import read_bytes, replace_file
from litmus_nb.report.drift_page import render_drift_page

__all__ = ["DRIFT", "PAGE", "drift_bytes", "leave_drift", "read_label_sources", "report_of"]

DRIFT = "drift.json"
PAGE = "report.html"


def read_label_sources(sources: list[str]) -> tuple[LabelTable, str]:
    """The labels of all sources as one table, and the digest of the files that they lie in.

    Raises:
        UnreadableInput: with the faults of every source that cannot be read.
        UsageError: a source names a reader that there is not.
    """
    tables: list[LabelTable] = []
    faults: list[Fault] = []
    for source in sources:
        try:
            tables.append(read_label_source(source))
        except UnreadableInput as unreadable:
            faults.extend(unreadable.faults)
    if faults:
        raise UnreadableInput(faults)
    return joined_tables(tables), _digest_of(sources)


def _digest_of(sources: list[str]) -> str:
    files: dict[str, Path] = {}
    for source in sources:
        reader, path = split_source(source)
        if reader == FOLDER and Path(path).is_file():
            files[source] = Path(path)
        else:
            files |= {file.name: file.path for file in source_files(source, source, Path())}
    return digest_of_json({name: digest_of_bytes(read_bytes(path)) for name, path in files.items()})


def report_of(params: DriftParams) -> DriftReport:
    """The report of an investigation. Raises as `read_label_sources`."""
    table, digest = read_label_sources(params.labels)
    return investigate(table, params.question, labels_sha256=digest)


def drift_bytes(report: DriftReport) -> bytes:
    """drift.json as it is written."""
    return (report.model_dump_json(by_alias=True, indent=1) + "\n").encode()


def leave_drift(report: DriftReport, folder: Path) -> None:
    """Write report.html and, last, drift.json.

    Raises:
        OSError: the folder cannot be written.
    """
    replace_file(folder / PAGE, render_drift_page(report).encode())
    replace_file(folder / DRIFT, drift_bytes(report))
