"""Finding and reading the declarations of a source, and the logs that they name."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from litmus_nb.contracts.canonical import digest_of_bytes, digest_of_json
from litmus_nb.contracts.source import LogEntry, Outcome, SourceFile
from litmus_nb.contracts.strict_yaml import parse_yaml
from litmus_nb.errors import Fault, UnreadableInput
from litmus_nb.evidence.readers.reading import Log, LogFile, LogReader
from litmus_nb.evidence.suite import read_probes
from litmus_nb.files import read_bytes

__all__ = ["DECLARATIONS", "MOST_BYTES", "Source", "declarations_path", "open_log", "open_source"]

DECLARATIONS = ".litmus.yaml"
"""What is appended to a log's name to find its declarations."""

MOST_BYTES = 256 * 2**20
"""The largest file of a log that is read; all files of a folder together may be as large."""

MOST_FILES = 50_000
"""The most files that a log's folder may have."""


@dataclass(frozen=True)
class Source:
    """A source's declarations and the logs that they name, each read once."""

    path: Path
    """Of the declarations."""
    file: SourceFile
    outcome: Outcome
    logs: tuple[tuple[LogEntry, Log], ...]
    canary_logs: dict[str, Log]
    classes: dict[str, str]
    """Scenario to class, from the declared probes; empty where the class is taken from elsewhere."""
    digests: dict[str, str]
    """File name to digest: the declarations, the logs, the canary's logs, the probes."""

    @property
    def digest(self) -> str:
        """The run digest of the source."""
        return digest_of_json(self.digests)


def declarations_path(path: Path) -> Path:
    """Where the declarations of `path` are: `path` itself where it is YAML, else beside it."""
    return path if path.suffix in (".yaml", ".yml") else path.with_name(path.name + DECLARATIONS)


def open_source(path: Path, reader: LogReader, *, shared: Path | None = None) -> Source:
    """The declarations for `path` (a log, or the declarations themselves) and everything that they name.

    Args:
        path: the log, or its declarations.
        reader: the reader of the log.
        shared: declarations that several logs share; taken where a log has none beside it. They name no logs, and what
            else they name is relative to them.

    Raises:
        UnreadableInput: with every fault of the declarations, and of files that are absent or too large.
    """
    place = declarations_path(path)
    is_shared = shared is not None and place != path and not place.exists()
    if shared is not None and is_shared:
        place = shared
    elif not place.exists() and place != path:
        expected = "the declarations beside the log: what a log cannot say, and which of its words mean success"
        raise UnreadableInput([Fault(str(place), "", expected, "nothing there")])
    content = read_bytes(place, limit=MOST_BYTES)
    raw = parse_yaml(content, file=str(place))
    file = SourceFile.read(raw, file=str(place))
    opened = _Opened(place, reader, {place.name: digest_of_bytes(content)})
    outcome = opened.outcome(file)
    if is_shared:
        if file.logs is not None:
            raise UnreadableInput([Fault(str(place), "/logs", "no such key in shared declarations", "logs")])
        opened.alone(path)
    logs = tuple((entry, log) for entry in _entries(file, path, place) if (log := opened.log(entry.log)))
    canary_logs: dict[str, Log] = {}
    for where in [file.canary.reference, file.canary.control] if file.canary else []:
        if where and (log := opened.log(where.log)):
            canary_logs[where.log] = log
    classes = opened.classes(file)
    if opened.faults or outcome is None:
        raise UnreadableInput(opened.faults)
    return Source(place, file, outcome, logs, canary_logs, classes, opened.digests)


def open_log(path: Path, name: str, reader: LogReader) -> Log:
    """The files of one log.

    Raises:
        UnreadableInput: nothing is there, a folder is empty, or there is more than `MOST_BYTES` or `MOST_FILES`.
    """
    if not path.is_dir() or reader.folder_files is None:
        return Log(name, (LogFile(name, read_bytes(path, name=name, limit=MOST_BYTES)),))
    paths = sorted(path.glob(reader.folder_files))
    if not 0 < len(paths) <= MOST_FILES:
        expected = f"1 to {MOST_FILES} files {reader.folder_files}"
        raise UnreadableInput([Fault(name, "", expected, f"{len(paths)} files")])
    files: list[LogFile] = []
    left = MOST_BYTES
    for place in paths:
        below = f"{name}/{place.relative_to(path).as_posix()}"
        files.append(LogFile(below, read_bytes(place, name=below, limit=left)))
        left -= len(files[-1].content)
    return Log(name, tuple(files))


def _entries(file: SourceFile, path: Path, place: Path) -> list[LogEntry]:
    own = path.name if path != place else place.name.removesuffix(DECLARATIONS)
    if file.logs is None:
        if own == place.name:
            expected = f"the logs of the run (only NAME{DECLARATIONS} may leave them out: it is about NAME)"
            raise UnreadableInput([Fault(str(place), "/logs", expected, "nothing (the key is absent)")])
        return [LogEntry(log=own)]
    entries = [entry if isinstance(entry, LogEntry) else LogEntry(log=entry) for entry in file.logs]
    names = [entry.log for entry in entries]
    if repeated := sorted({name for name in names if names.count(name) > 1}):
        raise UnreadableInput([Fault(str(place), "/logs", "each log once", f"{repeated[0]} twice")])
    if path != place and own not in names:
        raise UnreadableInput([Fault(str(place), "/logs", f"{own} among the logs", ", ".join(names))])
    return entries


class _Opened:
    """Reads files and collects their digests and faults."""

    def __init__(self, place: Path, reader: LogReader, digests: dict[str, str]) -> None:
        self._place = place
        self._reader = reader
        self._logs: dict[str, Log] = {}
        self.digests = digests
        self.faults: list[Fault] = []

    def alone(self, path: Path) -> None:
        """Take the log at `path` by its name, wherever the declarations lie."""
        self._logs[path.name] = open_log(path, path.name, self._reader)
        self.digests |= {file.name: digest_of_bytes(file.content) for file in self._logs[path.name].files}

    def outcome(self, file: SourceFile) -> Outcome | None:
        try:
            return self._reader.outcome.read(file.outcome, file=str(self._place))
        except UnreadableInput as unreadable:
            self.faults.extend(Fault(f.file, "/outcome" + f.where, f.expected, f.seen) for f in unreadable.faults)
            return None

    def log(self, name: str) -> Log | None:
        if name not in self._logs:
            try:
                self._logs[name] = open_log(self._place.parent / name, name, self._reader)
            except UnreadableInput as unreadable:
                self.faults.extend(unreadable.faults)
                return None
            self.digests |= {file.name: digest_of_bytes(file.content) for file in self._logs[name].files}
        return self._logs[name]

    def classes(self, file: SourceFile) -> dict[str, str]:
        if file.classes.probes is None:
            return {}
        path = self._place.parent / file.classes.probes
        try:
            self.digests[file.classes.probes] = digest_of_bytes(read_bytes(path))
            return {probe["id"]: probe["class"] for probe in read_probes(path)}
        except UnreadableInput as unreadable:
            self.faults.extend(unreadable.faults)
            return {}
