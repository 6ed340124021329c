"""Inspect's logs: .eval (an archive, samples whole or in chunks) and .json.

The bytes are checked and read here, strictly. Where inspect_ai is installed its own reader is asked for the header too,
and the two must agree: it knows the format's versions, and it would read a tampered archive without a word.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from litmus_nb.contracts.base import shown
from litmus_nb.contracts.canonical import digest_of_bytes
from litmus_nb.contracts.json_fields import ANYTHING, SCALAR, FieldsOf
from litmus_nb.errors import Fault, UnreadableInput
from litmus_nb.evidence.readers.inspect_samples import EVENT, SAMPLE, InspectOutcome, SampleFacts, facts_of_sample
from litmus_nb.evidence.readers.reading import Log, LogFile, LogReader, LogReading
from litmus_nb.evidence.readers.strict_zip import Archive, open_archive

try:
    import inspect_ai
    from inspect_ai.log import read_eval_log

    INSPECT_VERSION: str | None = inspect_ai.__version__
except ImportError:  # the extra `inspect` is not installed: the log is read by this package alone
    INSPECT_VERSION = None

__all__ = ["READER"]

VERSION = 2
"""The version of Inspect's log format that is read."""

_HEADER: Mapping[str, Any] = {
    "version": SCALAR,
    "status": SCALAR,
    "eval": {
        **dict.fromkeys(("task", "task_id", "run_id", "created", "model"), SCALAR),
        **dict.fromkeys(("model_generate_config", "packages", "sandbox", "scorers", "shards"), ANYTHING),
        "config": {"epochs": SCALAR},
        "dataset": {"samples": SCALAR, "sample_ids": ANYTHING},
    },
    "plan": {"config": ANYTHING},
    "stats": {"started_at": SCALAR, "completed_at": SCALAR},
}

_HEADER_OF = FieldsOf(_HEADER)
_SAMPLE_OF = FieldsOf(SAMPLE)
_SAMPLE_WITHOUT_EVENTS_OF = FieldsOf({key: wish for key, wish in SAMPLE.items() if key != "events"})
_METADATA_OF = FieldsOf({"value": ANYTHING}, is_closed=True)
_EVENTS_OF = FieldsOf({"value": [EVENT]}, is_closed=True)
_SUMMARIES_OF = FieldsOf({"value": [{"id": SCALAR, "epoch": SCALAR, "scores": ANYTHING}]}, is_closed=True)
_DOCUMENT_OF = FieldsOf({**_HEADER, "samples": [SAMPLE]})

_MONOLITH = re.compile(r"samples/(?P<id>.+)_epoch_(?P<epoch>[0-9]{1,9})\.json", re.DOTALL)
_SHELL = re.compile(r"samples/(?P<id>.+)_epoch_(?P<epoch>[0-9]{1,9})/sample\.json", re.DOTALL)
_EVENTS = re.compile(r"/events/(?P<start>[0-9]{1,12})\.json\Z")

_STATUSES = {"success": "complete", "cancelled": "cancelled", "error": "error", "started": "error"}

_OPERATIONAL = frozenset(
    ("max_retries", "timeout", "attempt_timeout", "max_connections", "adaptive_connections", "batch", "cache")
)
"""Generation settings that change when an answer comes, not which."""

_MOST_FAULTS = 20


@dataclass(frozen=True)
class _Parts:
    """A log taken apart: its header, and its samples one at a time."""

    header: Mapping[str, Any]
    samples: Iterator[tuple[str, Mapping[str, Any], Any]]
    """Name, fields, and the events or None."""
    summaries: list[Mapping[str, Any]] | None


def read_inspect(log: Log, outcome: InspectOutcome) -> LogReading:
    """What an Inspect log says.

    Raises:
        UnreadableInput: the archive or the header is not as it must be, or inspect_ai reads the header differently.
    """
    file = log.files[0]
    parts = _parts_of_archive(file) if file.content.startswith(b"PK") else _parts_of_document(file)
    header = parts.header
    _refuse_header(header, outcome, file.name)
    notes = _compare_with_inspect(file, header)
    samples, faults = _samples(parts, header, outcome, file.name)
    samples, n_retried = _without_retried(samples)
    faults.extend(_against_summaries(samples, parts.summaries, outcome, file.name))
    if samples and not any(outcome.scorer in sample.scorers for sample in samples):
        seen = sorted({name for sample in samples for name in sample.scorers})
        if seen:
            faults.append(
                Fault(file.name, "scores", f"the scorer {shown(outcome.scorer)}", f"the scorers {shown(seen)}")
            )
    return LogReading(
        tool=f"inspect_ai {_version_of(header)}",
        facts=_facts(header, samples, outcome, file.name),
        trials=[sample.trial for sample in samples],
        faults=tuple(faults[:_MOST_FAULTS]),
        identity=_text(header["eval"].get("task_id")) or _text(header["eval"].get("run_id")),
        notes=(*notes, *_notes(samples, n_retried)),
    )


def _parts_of_archive(file: LogFile) -> _Parts:
    archive = open_archive(file.content, file=file.name, may_repeat=_MONOLITH)
    if "header.json" in archive:
        header = _HEADER_OF.read(archive.read("header.json"), file=file.name, where="header.json")
    elif "_journal/start.json" in archive:  # the eval did not come to its end
        header = _HEADER_OF.read(archive.read("_journal/start.json"), file=file.name, where="_journal/start.json")
        header["status"] = "started"
    else:
        raise UnreadableInput([Fault(file.name, "", "header.json or _journal/start.json", "neither")])
    summaries = None
    if "summaries.json" in archive:
        content = _wrapped(archive.read("summaries.json"))
        summaries = _SUMMARIES_OF.read(content, file=file.name, where="summaries.json")["value"]
    return _Parts(header, _samples_of_archive(archive, file.name), summaries)


def _samples_of_archive(archive: Archive, file: str) -> Iterator[tuple[str, Mapping[str, Any], Any]]:
    """Every sample, those that a retry logged again included: all of them are looked at, not the last alone."""
    chunks: dict[str, list[tuple[int, str]]] = {}
    for member in archive.members:
        if match := _EVENTS.search(member.name):
            chunks.setdefault(member.name[: match.start()], []).append((int(match["start"]), member.name))
    for member in archive.members:
        name = member.name
        if match := _MONOLITH.fullmatch(name):
            content = archive.content_of(member)
            reader = _SAMPLE_OF if _events_matter(content) else _SAMPLE_WITHOUT_EVENTS_OF
            sample = reader.read(content, file=file, where=name)
            events = sample.get("events") if reader is _SAMPLE_OF else ()
        elif match := _SHELL.fullmatch(name):
            folder = name.removesuffix("/sample.json")
            sample = _SAMPLE_OF.read(archive.content_of(member), file=file, where=name)
            if f"{folder}/metadata.json" in archive:
                wrapped = _wrapped(archive.read(f"{folder}/metadata.json"))
                sample |= {"metadata": _METADATA_OF.read(wrapped, file=file, where=name)["value"]}
            events = _chunked_events(archive, sorted(chunks.get(folder, [])), file)
        else:
            continue
        if (str(sample.get("id")), str(sample.get("epoch"))) != (match["id"], match["epoch"]):
            seen = f"id {shown(sample.get('id'))}, epoch {shown(sample.get('epoch'))}"
            raise UnreadableInput([Fault(file, name, "the id and epoch that its name says", seen)])
        yield name, sample, events


def _events_matter(content: bytes) -> bool:
    """Whether a sample's events can say anything: a tool was offered, or a model was called once scoring had begun.

    Inspect writes compact JSON, in which these bytes stand for themselves and cannot be part of a text. Who writes a
    log by hand can hide an event from this, but could as well have left it out.
    """
    scoring = content.rfind(b'"type":"scorers"')
    offers_tools = content.count(b'"tools":[') != content.count(b'"tools":[]')
    return scoring < 0 or offers_tools or content.find(b'"event":"model"', scoring) >= 0


def _chunked_events(archive: Archive, chunks: list[tuple[int, str]], file: str) -> list[Any]:
    """The events of a sample in chunks, each named by the index of its first: a missing chunk shows as a gap."""
    events: list[Any] = []
    for start, name in chunks:
        if start != len(events):
            raise UnreadableInput([Fault(file, name, f"a chunk that starts at {len(events)}", str(start))])
        events.extend(_EVENTS_OF.read(_wrapped(archive.read(name)), file=file, where=name)["value"] or ())
    return events


def _parts_of_document(file: LogFile) -> _Parts:
    document = _DOCUMENT_OF.read(file.content, file=file.name)
    samples = document.pop("samples", None) or []
    named = ((f"/samples/{index}", sample or {}) for index, sample in enumerate(samples))
    return _Parts(document, ((name, sample, sample.get("events")) for name, sample in named), None)


def _wrapped(content: bytes) -> bytes:
    """A document whose root is no object, as the member of one."""
    return b'{"value":' + content + b"}"


def _refuse_header(header: Mapping[str, Any], outcome: InspectOutcome, file: str) -> None:
    faults: list[Fault] = []
    if header.get("version") != VERSION or not isinstance(header.get("version"), int):
        seen = shown(header.get("version"))
        raise UnreadableInput([Fault(file, "/version", f"an Inspect log of version {VERSION}", seen)])
    if not isinstance(header.get("eval"), dict) or not _text(header["eval"].get("model")):
        raise UnreadableInput([Fault(file, "/eval", "an eval with a model", shown(header.get("eval")))])
    if header.get("status") not in _STATUSES:
        faults.append(Fault(file, "/status", f"one of {', '.join(_STATUSES)}", shown(header.get("status"))))
    if header["eval"].get("shards") is not None:
        faults.append(Fault(file, "/eval/shards", "a log with its own samples: name the shards' logs", "shards"))
    sandbox = header["eval"].get("sandbox")
    kind = sandbox.get("type") if isinstance(sandbox, dict) else sandbox
    if kind != outcome.sandbox:
        expected = f"the sandbox that outcome.sandbox declares, {shown(outcome.sandbox)}"
        faults.append(Fault(file, "/eval/sandbox", expected, shown(kind)))
    if faults:
        raise UnreadableInput(faults)


def _compare_with_inspect(file: LogFile, header: Mapping[str, Any]) -> list[str]:
    """Ask inspect_ai for the header of the same bytes.

    Raises:
        UnreadableInput: it cannot read the log, or reads another header.
    """
    if INSPECT_VERSION is None:
        return ["inspect_ai is not installed, so nothing but this package has read the log"]
    is_archive = file.content.startswith(b"PK")
    try:
        theirs = read_eval_log(io.BytesIO(file.content), header_only=True, format="eval" if is_archive else "json")
    except Exception as error:  # a hostile log may raise anything in there
        seen = f"{type(error).__name__}: {error}".splitlines()[0][:200]
        raise UnreadableInput([Fault(file.name, "", f"a log that inspect_ai {INSPECT_VERSION} reads", seen)]) from error
    pairs = {
        "/status": (theirs.status, header.get("status")),
        "/eval/model": (theirs.eval.model, header["eval"].get("model")),
        "/eval/task_id": (theirs.eval.task_id, header["eval"].get("task_id", "")),
        "/eval/config/epochs": (theirs.eval.config.epochs, (header["eval"].get("config") or {}).get("epochs")),
    }
    faults = [
        Fault(file.name, where, f"what inspect_ai {INSPECT_VERSION} reads, {shown(their)}", shown(our))
        for where, (their, our) in pairs.items()
        if their != our
    ]
    if faults:
        raise UnreadableInput(faults)
    return []


def _samples(
    parts: _Parts, header: Mapping[str, Any], outcome: InspectOutcome, file: str
) -> tuple[list[SampleFacts], list[Fault]]:
    policy = str(header["eval"]["model"])
    declared = (header["eval"].get("dataset") or {}).get("sample_ids")
    ids = {str(id_) for id_ in declared} if isinstance(declared, list) else None
    samples: list[SampleFacts] = []
    faults: list[Fault] = []
    try:
        for name, fields, events in parts.samples:
            sample = facts_of_sample(fields, events, outcome, policy, f"{file}: {name}")
            samples.append(sample)
            if ids is not None and sample.trial.scenario not in ids:
                faults.append(Fault(file, name, "a sample of the dataset that the log declares", sample.trial.scenario))
            if sample.sandbox is not None and sample.sandbox != outcome.sandbox:
                expected = f"the sandbox that outcome.sandbox declares, {shown(outcome.sandbox)}"
                faults.append(Fault(file, f"{name}/sandbox", expected, shown(sample.sandbox)))
    except UnreadableInput as unreadable:
        faults.extend(unreadable.faults)
    return samples, faults


def _without_retried(samples: list[SampleFacts]) -> tuple[list[SampleFacts], int]:
    """The samples without those that had no label and were logged again later; of two labels both stay."""
    kept: list[SampleFacts] = []
    later: set[tuple[str, int]] = set()
    for sample in reversed(samples):
        key = (sample.trial.scenario, sample.trial.trial)
        if key not in later or sample.trial.status == "scored":
            kept.append(sample)
        later.add(key)
    return kept[::-1], len(samples) - len(kept)


def _against_summaries(
    samples: list[SampleFacts], summaries: list[Mapping[str, Any]] | None, outcome: InspectOutcome, file: str
) -> Iterator[Fault]:
    """The log's own summaries must be of the same samples: nothing was taken out, put in, or rescored on one side."""
    if summaries is None:
        return
    theirs = {(str(summary.get("id")), str(summary.get("epoch"))): summary for summary in summaries if summary}
    ours = {(sample.trial.scenario, str(sample.trial.trial + 1)): sample.trial for sample in samples}
    for id_, epoch in sorted(set(theirs) ^ set(ours), key=str)[:_MOST_FAULTS]:
        seen = "only in summaries.json" if (id_, epoch) in theirs else "only among the samples"
        yield Fault(file, "summaries.json", "the samples that the log holds", f"{shown(id_)}, epoch {epoch}: {seen}")
    for key, summary in theirs.items():
        trial = ours.get(key)
        score = (summary.get("scores") or {}).get(outcome.scorer)
        if trial is None or trial.status != "scored" or not isinstance(score, dict):
            continue
        value = score.get("value")
        value = value.get(outcome.key) if outcome.key is not None and isinstance(value, dict) else value
        if value != trial.value:
            where = f"summaries.json: {shown(key[0])}, epoch {key[1]}"
            yield Fault(file, where, f"the sample's score, {shown(trial.value)}", shown(value))


def _facts(header: Mapping[str, Any], samples: list[SampleFacts], outcome: InspectOutcome, file: str) -> dict[str, Any]:
    spec = header["eval"]
    stats = header.get("stats") or {}
    epochs = (spec.get("config") or {}).get("epochs")
    facts: dict[str, Any] = {
        "run_id": _text(spec.get("task_id")) or _text(spec.get("run_id")),
        "status": _STATUSES[str(header["status"])],
        "policy.name": spec["model"],
        "trials_per_scenario": 1 if epochs is None else epochs,
        "decoding": _decoding(header),
        "started_at": _utc(stats.get("started_at")) or _utc(spec.get("created")),
        "finished_at": _utc(stats.get("completed_at")),
        "judge.template_sha256": _template(spec, outcome),
    }
    if any(sample.has_events for sample in samples):
        facts["interface.tools"] = sorted({tool for sample in samples for tool in sample.tools})
    requested = sorted({name for sample in samples for name in sample.requested_judges})
    facts["judge.requested"] = ", ".join(requested) or f"scorer {outcome.scorer}"
    return {key: value for key, value in facts.items() if value is not None}


def _decoding(header: Mapping[str, Any]) -> dict[str, Any]:
    """The generation settings in force: the task's over the model's."""
    settings: dict[str, Any] = {}
    for source in (header["eval"].get("model_generate_config"), (header.get("plan") or {}).get("config")):
        if isinstance(source, dict):
            settings |= {k: v for k, v in source.items() if v is not None and k not in _OPERATIONAL}
    return settings


def _template(spec: Mapping[str, Any], outcome: InspectOutcome) -> str | None:
    """The digest of the judge's template, where the log has it: only where one was passed to the scorer."""
    for scorer in spec.get("scorers") or ():
        if isinstance(scorer, dict) and scorer.get("name") == outcome.scorer:
            template = (scorer.get("options") or {}).get("template")
            return digest_of_bytes(template.encode()) if isinstance(template, str) else None
    return None


def _notes(samples: list[SampleFacts], n_retried: int) -> Iterator[str]:
    served = sorted({name for sample in samples for name in sample.served_policies})
    if served:
        yield f"the policy answered as {', '.join(served)}"
    if n_retried:
        yield f"{n_retried} samples ended without a label and were run again by a retry"


def _version_of(header: Mapping[str, Any]) -> str:
    packages = header["eval"].get("packages")
    return str(packages.get("inspect_ai", "of unknown version")) if isinstance(packages, dict) else "of unknown version"


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _utc(value: Any) -> str | None:
    """A time of the log, in UTC as our files write it; None where the log has none, or one without an offset."""
    if not isinstance(value, str) or not value:
        return None
    try:
        time = datetime.fromisoformat(value)
    except ValueError:
        return None
    if time.tzinfo is None:
        return None
    return time.astimezone(UTC).isoformat().replace("+00:00", "Z")


READER = LogReader(
    outcome=InspectOutcome,
    read=read_inspect,
    says=(
        "run_id",
        "status",
        "policy.name",
        "trials_per_scenario",
        "decoding",
        "interface.tools",
        "judge.requested",
        "judge.template_sha256",
        "started_at",
        "finished_at",
    ),
    fields="id, metadata.KEY",
)
