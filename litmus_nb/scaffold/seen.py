"""What there is to scaffold from: a log, or a folder of probes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from litmus_nb.contracts.base import shown
from litmus_nb.contracts.loose_run import LooseRun
from litmus_nb.contracts.strict_json import parse_json, parse_json_lines
from litmus_nb.errors import Fault, UnreadableInput
from litmus_nb.evidence.declaration import FOLDER, split_source
from litmus_nb.evidence.draft import Draft, drafted
from litmus_nb.evidence.loose import read_loosely
from litmus_nb.evidence.sources import reader_named
from litmus_nb.files import read_bytes

__all__ = ["Seen", "from_log", "from_probes", "said_by_draft"]

_MOST_PROBES = 100_000
_TEXTS = (".txt", ".md", ".prompt")


@dataclass(frozen=True)
class Seen:
    """The probes, and what is known beside them."""

    source: str
    probes: tuple[Mapping[str, Any], ...]
    """Each with id and class, sorted by id."""
    said: Mapping[str, Any] = field(default_factory=dict)
    """As `litmus_nb.scaffold.suite_text.suite_text` takes it."""
    run: LooseRun | None = None

    @property
    def classes(self) -> list[str]:
        """The classes, by name."""
        return sorted({str(probe["class"]) for probe in self.probes})


def from_log(source: str, *, declarations: Path | None = None) -> Seen:
    """What a log, or a run folder, tells about the suite that it was a run of.

    Raises:
        UnreadableInput: it cannot be read, or has no scenario.
        UsageError: there is no such reader.
    """
    run = read_loosely(source, declarations=declarations)
    reader, path = split_source(source)
    if reader == FOLDER:
        pairs = run.tally.classes_seen.select("scenario_id", "scenario_class").unique("scenario_id").sort("scenario_id")
        probes = tuple({"id": id_, "class": name} for id_, name in pairs.iter_rows())
        said = _said_by_run(run.declared) | {"trials": run.trials_per_scenario}
    else:
        draft = drafted(Path(path), reader_named(reader), declarations=declarations)
        probes = tuple(
            {"id": id_, "class": name, "from_log": dict(draft.fields[id_])}
            for id_, name in sorted(draft.classes.items())
        )
        said = said_by_draft(draft)
    if not probes:
        raise UnreadableInput([Fault(source, "", "at least one scenario", "none")])
    return Seen(source, probes, said, run)


def said_by_draft(draft: Draft) -> dict[str, Any]:
    """What a log and its declarations say for suite.yaml."""
    said = _said_by_run(draft.declared)
    return said | {
        "classes": sorted(set(draft.classes.values())),
        "tools": draft.tools,
        "canary_signal": draft.canary_signal,
        "judge_digest": draft.judge_digest,
        "trials": draft.trials,
    }


def _said_by_run(declared: Mapping[str, Any]) -> dict[str, Any]:
    interface, sandbox, canary, judge = (_mapping(declared, key) for key in ("interface", "sandbox", "canary", "judge"))
    return {
        "tool_namespace": interface.get("tool_namespace"),
        "tools": interface.get("tools"),
        "calibrated_capabilities": sandbox.get("effective_capabilities"),
        "canary_probe": canary.get("probe_id"),
        "canary_signal": canary.get("observed_signal"),
        "judge_digest": judge.get("resolved_digest"),
    }


def _mapping(declared: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = declared.get(key)
    return value if isinstance(value, Mapping) else {}


def from_probes(folder: Path) -> Seen:
    """The probes of a folder: `*.jsonl` (an object a line), `*.json` (an object), or texts whose folder is the class.

    Raises:
        UnreadableInput: no probe is there, one has no id or no class, or an id is there twice.
    """
    if not folder.is_dir():
        raise UnreadableInput([Fault(str(folder), "", "a folder of probes", "no folder there")])
    faults: list[Fault] = []
    probes: dict[str, Mapping[str, Any]] = {}
    for path in sorted(folder.rglob("*"))[:_MOST_PROBES]:
        if not path.is_file():
            continue
        for place, probe in _probes_in(path, folder):
            fault = _fault_of(probe, probes, str(path), place)
            if fault is not None:
                faults.append(fault)
            else:
                probes[probe["id"]] = probe
    if not probes and not faults:
        faults.append(Fault(str(folder), "", "*.jsonl, *.json, or texts in a folder per class", "no probe"))
    if faults:
        raise UnreadableInput(faults[:20])
    return Seen(str(folder), tuple(probes[id_] for id_ in sorted(probes)))


def _probes_in(path: Path, root: Path) -> list[tuple[str, Any]]:
    if path.suffix == ".jsonl":
        values = parse_json_lines(read_bytes(path), file=str(path), may_have_blank_lines=True)
        return [(f"object {number}", value) for number, value in enumerate(values, start=1)]
    if path.suffix == ".json":
        return [("", parse_json(read_bytes(path), file=str(path)))]
    if path.suffix in _TEXTS and path.parent != root:
        text = read_bytes(path).decode("utf-8", errors="replace")
        name = path.relative_to(root).parts[0]
        return [("", {"id": path.relative_to(root).with_suffix("").as_posix(), "class": name, "prompt": text})]
    return []


def _fault_of(probe: Any, known: Mapping[str, Any], file: str, where: str) -> Fault | None:
    if not isinstance(probe, dict) or not all(
        isinstance(probe.get(key), str) and probe[key] for key in ("id", "class")
    ):
        return Fault(file, where, "an object with the texts id and class", shown(probe))
    if probe["id"] in known:
        return Fault(file, where, "each id once", f"{json.dumps(probe['id'])} twice")
    return None
