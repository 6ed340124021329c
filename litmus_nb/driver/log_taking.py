"""Making the planned run complete from the log that a harness left: the logs that were not there before, as a run."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from litmus_nb.contracts.canonical import canonical_json
from litmus_nb.contracts.findings import Finding
from litmus_nb.contracts.plain_yaml import yaml_text
from litmus_nb.contracts.provenance import PROVENANCE
from litmus_nb.contracts.strict_json import parse_json
from litmus_nb.contracts.strict_yaml import parse_yaml
from litmus_nb.errors import Fault, UnreadableInput, UsageError
from litmus_nb.evidence.admission import TICKET
from litmus_nb.evidence.declaration import split_source
from litmus_nb.evidence.trials_files import DECLARATION
from litmus_nb.files import read_bytes, replace_file
from litmus_nb.rule.finding import found

__all__ = ["DECLARATIONS", "PLANNED", "LogSource", "log_source", "take_log"]

DECLARATIONS = "source.litmus.yaml"
"""What is written into the run folder: how its log was read."""

PLANNED = "planned.json"
"""What becomes of the planned declaration: it is kept beside the complete one."""

_OF_THE_RUN = ("schema", "status", "started_at", "finished_at")
"""What a planned declaration cannot know and a log states."""


_NO_LOGS = (".litmus.yaml", f".{TICKET}")
"""What lies beside logs and is none."""


@dataclass(frozen=True)
class LogSource:
    """Where a harness leaves its logs, how they are read, and what lay there before it started."""

    reader: str
    folder: Path
    declarations: dict[str, Any]
    """NAME.litmus.yaml without `logs` and `run`, which are filled in."""
    before: frozenset[str]

    def new_logs(self) -> list[str]:
        """The names of the logs that were not there before, in order."""
        return sorted(_names(self.folder) - self.before)


def log_source(source: str, declarations: Path) -> LogSource:
    """The place that `READER:FOLDER` names, looked at before the harness starts.

    Raises:
        UsageError: no reader is named, or the declarations say what is filled in here.
        UnreadableInput: the declarations are no YAML mapping.
    """
    reader, path = split_source(source)
    said = parse_yaml(read_bytes(declarations), file=str(declarations))
    if reader == "folder" or not isinstance(said, dict):
        raise UsageError(f"--log {source}: expected READER:FOLDER, such as inspect:logs, with its --declarations")
    if filled := sorted({"logs", "run"} & said.keys()):
        raise UsageError(f"{declarations}: expected no {' or '.join(filled)}, which the planned run and its log say")
    return LogSource(reader, Path(path), said, frozenset(_names(Path(path))))


def take_log(source: LogSource, run: Path) -> list[Finding]:
    """Make the planned run in the folder `run` complete from the new logs; what stands in the way otherwise."""
    logs = source.new_logs()
    if not logs:
        expected = f"a log in {source.folder} that was not there before"
        return [found("RUN_INCOMPLETE", "3.1", "log", expected=expected, observed="none: nothing was run")]
    planned = read_bytes(run / DECLARATION)
    declared = {k: v for k, v in parse_json(planned, file=DECLARATION).items() if k not in _OF_THE_RUN}
    if declared.get("judge", {}).get("resolved_digest", "") is None:
        declared["judge"] = {k: v for k, v in declared["judge"].items() if k != "resolved_digest"}
    named = [os.path.relpath(source.folder / log, run) for log in logs]
    text = yaml_text(source.declarations | {"logs": named, "run": declared})
    replace_file(run / DECLARATIONS, text.encode())
    return _imported(source.reader, run, planned)


def _imported(reader: str, run: Path, planned: bytes) -> list[Finding]:
    # Deferred: reading trials needs polars, which a refusal before the run does not owe.
    from litmus_nb.evidence.imported import trials_file_of
    from litmus_nb.evidence.readers.assemble import import_run
    from litmus_nb.evidence.sources import reader_named

    try:
        imported = import_run(run / DECLARATIONS, reader, reader_named(reader))
    except ImportError as error:
        fault = Fault(reader, "", "the package that the reader needs", str(error))
        return _unreadable("EVIDENCE_UNREADABLE", (fault,))
    if imported.declaration is None:
        return _unreadable("CONTRACT_UNREADABLE", imported.declaration_faults)
    if imported.rows is None or imported.provenance is None:
        return _unreadable("EVIDENCE_UNREADABLE", imported.trials_faults)
    replace_file(run / PLANNED, planned)
    replace_file(run / "trials.parquet", trials_file_of(imported.rows))
    replace_file(run / PROVENANCE, canonical_json(imported.provenance.model_dump(mode="json", by_alias=True)) + b"\n")
    complete = imported.declaration.model_dump(mode="json", by_alias=True, exclude_unset=True)
    replace_file(run / DECLARATION, canonical_json(complete) + b"\n")
    return []


def _unreadable(code: str, faults: tuple[Fault, ...]) -> list[Finding]:
    return [
        found(code, "1.4", f"{fault.file} {fault.where}".strip(), expected=fault.expected, observed=fault.seen)
        for fault in faults
    ]


def _names(folder: Path) -> set[str]:
    try:
        return {entry.name for entry in os.scandir(folder) if entry.is_file() and not entry.name.endswith(_NO_LOGS)}
    except FileNotFoundError:
        return set()
    except OSError as error:
        raise UnreadableInput([Fault(str(folder), "", "a folder of logs", str(error))]) from error
