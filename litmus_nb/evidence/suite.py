"""Reading a suite: suite.yaml, its scenarios, and the hash of all that it was calibrated with."""

from __future__ import annotations

import contextlib
import gc
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from litmus_nb.contracts.anchors import Anchor
from litmus_nb.contracts.base import shown
from litmus_nb.contracts.canonical import digest_of_bytes
from litmus_nb.contracts.evidence import SuiteEvidence
from litmus_nb.contracts.manifest import manifest_hash_of, scenarios_of
from litmus_nb.contracts.strict_json import parse_json_lines
from litmus_nb.contracts.strict_yaml import parse_yaml
from litmus_nb.contracts.suite import Scenario, SuiteFile
from litmus_nb.errors import Fault, UnreadableInput
from litmus_nb.evidence.anchors import anchor_lines, anchors_of
from litmus_nb.files import MOST_CONTRACT_BYTES, read_bytes

__all__ = ["manifest_hash", "read_probes", "read_suite"]


def read_suite(path: Path) -> SuiteEvidence:
    """The suite that `path` (a suite.yaml) describes, with its manifest hash recomputed from the files.

    Raises:
        UnreadableInput: with every fault of suite.yaml, of the files it names, and of the scenarios.
    """
    with _without_collection():
        return _suite_at(path)


def _suite_at(path: Path) -> SuiteEvidence:
    raw = parse_yaml(read_bytes(path, limit=MOST_CONTRACT_BYTES), file=str(path))
    suite = SuiteFile.read(raw, file=str(path))
    faults: list[Fault] = []
    contents: dict[str, bytes] = {}
    for key, name in named_files(suite).items():
        try:
            contents[key] = read_bytes(path.parent / name)
        except UnreadableInput as unreadable:
            faults.extend(unreadable.faults)
    digests = {key: digest_of_bytes(content) for key, content in contents.items()}
    probes: list[dict[str, Any]] = []
    probes_path = path.parent / suite.probes
    try:
        probes = read_probes(probes_path)
        faults.extend(_faults_of_classes(probes, suite, str(probes_path)))
        faults.extend(_faults_of_exclusions(probes, suite, str(path)))
    except UnreadableInput as unreadable:
        faults.extend(unreadable.faults)
    if faults:
        raise UnreadableInput(faults)
    scenarios = scenarios_of(probes)
    anchors, anchor_faults = _anchors(suite, path, contents.get("anchors"))
    return SuiteEvidence(
        file=suite,
        manifest_hash=manifest_hash(raw, digests, scenarios),
        trace_schema_sha256=digests["trace_schema"],
        judge_template_sha256=digests["template"],
        scenarios=scenarios,
        anchors=anchors,
        anchor_faults=anchor_faults,
    )


@contextlib.contextmanager
def _without_collection() -> Iterator[None]:
    """Keep Python from looking for cycles among millions of values that have none: a fifth of the time of reading."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def named_files(suite: SuiteFile) -> dict[str, str]:
    """The files that suite.yaml names beside its probes, by the key that the manifest hash knows them by."""
    named = {"trace_schema": suite.trace_schema, "template": suite.judge.template}
    return named | ({"anchors": suite.anchors.labels} if suite.anchors else {})


def _anchors(
    suite: SuiteFile, path: Path, content: bytes | None
) -> tuple[tuple[Anchor, ...] | None, tuple[Fault, ...]]:
    """The suite's anchors, or why they cannot be read: a matter of 3.8, for the manifest knows them by their bytes."""
    if suite.anchors is None or content is None:
        return None, ()
    file = str(path.parent / suite.anchors.labels)
    try:
        return anchors_of(anchor_lines(content, file=file), suite.classes, file=file), ()
    except UnreadableInput as unreadable:
        return None, unreadable.faults


def read_probes(path: Path) -> list[dict[str, Any]]:
    """The scenarios of a probes file, a JSON object a line, each with a unique `id` and a `class`.

    Raises:
        UnreadableInput: with a fault for every line that is no such object, and for every id that is there twice.
    """
    values = parse_json_lines(read_bytes(path), file=str(path), may_have_blank_lines=True)
    if not _are_surely_scenarios(values) and (faults := _faults_of_probes(values, str(path))):
        raise UnreadableInput(faults)
    return values


def _are_surely_scenarios(values: list[Any]) -> bool:
    """Whether `_faults_of_probes` can find nothing, asked of all values at once."""
    if set(map(type, values)) - {dict}:
        return False
    ids = [value.get("id") for value in values]
    classes = [value.get("class") for value in values]
    families = [value["family"] for value in values if "family" in value]
    texts = (ids, classes, families)
    return not set(map(type, chain(*texts))) - {str} and all(map(all, texts)) and len(set(ids)) == len(ids)


def _faults_of_probes(values: list[Any], file: str) -> list[Fault]:
    faults = [
        Fault(file, f"object {number}", expected, seen)
        for number, value in enumerate(values, start=1)
        for expected, seen in _faults_of_probe(value)
    ]
    ids = Counter(value["id"] for value in values if isinstance(value, dict) and isinstance(value.get("id"), str))
    faults.extend(
        Fault(file, "", "each id once", f"{count} scenarios with the id {shown(id_)}")
        for id_, count in ids.items()
        if count > 1
    )
    return faults


def manifest_hash(raw_suite: dict[str, Any], digests: dict[str, str], scenarios: tuple[Scenario, ...]) -> str:
    """The digest of a suite's contract and scenarios.

    Args:
        raw_suite: suite.yaml as parsed, keys as written.
        digests: digest of the bytes of the files that suite.yaml names: `trace_schema`, `template`, and `anchors`
            where the suite has them.
        scenarios: sorted by id.
    """
    return manifest_hash_of(contract_of(raw_suite, digests), scenarios)


def contract_of(raw_suite: dict[str, Any], digests: dict[str, str]) -> dict[str, Any]:
    """What of suite.yaml the manifest hash is made of: all but `probes`, each named file replaced by its digest."""
    contract = {key: value for key, value in raw_suite.items() if key != "probes"}
    contract["trace_schema"] = digests["trace_schema"]
    contract["judge"] = contract["judge"] | {"template": digests["template"]}
    if "anchors" in contract:
        contract["anchors"] = contract["anchors"] | {"labels": digests["anchors"]}
    return contract


def _faults_of_probe(value: Any) -> list[tuple[str, str]]:
    if not isinstance(value, dict):
        return [("an object with id and class", shown(value))]
    faults = [
        (f"{key}: text that is not empty", shown(value.get(key)) if key in value else f"no key {key}")
        for key in ("id", "class")
        if not isinstance(value.get(key), str) or not value[key]
    ]
    if "family" in value and (not isinstance(value["family"], str) or not value["family"]):
        faults.append(("family: text that is not empty, or no such key", shown(value["family"])))
    return faults


def _faults_of_classes(probes: list[dict[str, Any]], suite: SuiteFile, file: str) -> list[Fault]:
    declared = set(suite.classes)
    return [
        Fault(file, f"object {number}", f"class: one of {sorted(declared)}", shown(probe["class"]))
        for number, probe in enumerate(probes, start=1)
        if probe["class"] not in declared
    ]


def _faults_of_exclusions(probes: list[dict[str, Any]], suite: SuiteFile, file: str) -> list[Fault]:
    ids = {probe["id"] for probe in probes} if suite.exclusions else set()
    return [
        Fault(file, f"/exclusions/{index}/scenarios", "ids of the suite's scenarios", shown(id_))
        for index, exclusion in enumerate(suite.exclusions)
        for id_ in exclusion.scenarios
        if id_ not in ids
    ]
