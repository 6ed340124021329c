"""Mutated logs: a reader reads them or refuses them with a fault; nothing else comes out of it."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from litmus_nb.errors import UnreadableInput
from litmus_nb.evidence.readers.reading import Log, LogFile, LogReading
from litmus_nb.evidence.sources import reader_named
from tests.readers.test_hostile import HEADER, SAMPLE, archive
from tests.readers.test_pitfalls import DONE, attempt, episode, result

MENUS = {"attack_success_when": {"equals": ["C", True, "1"]}, "attack_failure_when": {"equals": ["I", False, "0"]}}

SEEDS: dict[str, tuple[str, str, bytes, dict]] = {
    "inspect archive": ("inspect", "l.eval", archive(), {"scorer": "includes", "sandbox": None}),
    "inspect document": (
        "inspect",
        "l.json",
        json.dumps(HEADER | {"samples": [SAMPLE]}).encode(),
        {"scorer": "includes", "sandbox": None},
    ),
    "promptfoo": (
        "promptfoo",
        "l.json",
        json.dumps({"results": {"version": 3, "results": [result(), result(1)]}}).encode(),
        {"scenario": "metadata.scenario"},
    ),
    "promptfoo lines": ("promptfoo", "l.jsonl", json.dumps(result()).encode() + b"\n", {"scenario": "testIdx"}),
    "garak": (
        "garak",
        "l.jsonl",
        b"\n".join(json.dumps(entry).encode() for entry in (attempt(0, [1.0]), DONE)),
        {"scenario": "prompt", "detectors": {"p.P": "d.D"}},
    ),
    "agentdojo": (
        "agentdojo",
        "runs/p/banking/user_task_0/direct/injection_task_0.json",
        json.dumps(episode()).encode(),
        {"attack": "direct"},
    ),
    "table csv": ("table", "l.csv", b"id,label\na,1\nb,0\n", {"scenario": "id", "label": "label"}),
    "table lines": ("table", "l.jsonl", b'{"id": "a", "label": "1"}\n', {"scenario": "id", "label": "label"}),
}

SNIPPETS = st.sampled_from(
    [
        b"null",
        b"NaN",
        b"-1",
        b"1e999",
        b"true",
        b"{}",
        b"[]",
        b'""',
        b"9" * 30,
        b'"\\ud800"',
        b"\x00",
        b"\xff",
        b"\n",
        b"{",
    ]
)


@st.composite
def mutations(draw: st.DrawFn) -> Callable[[bytes], bytes]:
    """A few edits: bytes replaced, removed, repeated, or a value put in place of another."""
    edits = draw(
        st.lists(
            st.tuples(st.integers(0, 10**6), st.integers(0, 12), SNIPPETS, st.integers(0, 3)), min_size=1, max_size=4
        )
    )

    def mutate(content: bytes) -> bytes:
        for at, length, snippet, kind in edits:
            place = at % max(1, len(content))
            middle = {0: snippet, 1: b"", 2: content[place : place + length] * 2, 3: snippet[:1] * length}[kind]
            content = content[:place] + middle + content[place + length :]
        return content

    return mutate


@st.composite
def json_edits(draw: st.DrawFn) -> Callable[[object], object]:
    """One value somewhere in a document replaced by another of any kind."""
    way = draw(st.lists(st.integers(0, 10**6), min_size=1, max_size=6))
    value = draw(
        st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.just([]), st.just({}))
    )

    def edit(document: object, depth: int = 0) -> object:
        if depth == len(way) or not isinstance(document, (dict, list)) or not document:
            return value
        if isinstance(document, dict):
            key = sorted(document)[way[depth] % len(document)]
            return document | {key: edit(document[key], depth + 1)}
        index = way[depth] % len(document)
        return [edit(item, depth + 1) if place == index else item for place, item in enumerate(document)]

    return edit


def outcome_of(reading_or_fault: LogReading | UnreadableInput) -> None:
    """A reading whose trials are whole, or a fault that says where and what."""
    if isinstance(reading_or_fault, UnreadableInput):
        assert all(fault.file and fault.expected for fault in reading_or_fault.faults)
        return
    for trial in reading_or_fault.trials:
        assert isinstance(trial.scenario, str)
        assert trial.scenario
        assert trial.trial >= 0
        assert (trial.reason is None) == (trial.status == "scored")


def read(name: str, content: bytes) -> LogReading | UnreadableInput:
    reader_name, file, _, keys = SEEDS[name]
    reader = reader_named(reader_name)
    try:
        return reader.read(Log(file, (LogFile(file, content),)), reader.outcome.read(MENUS | keys, file="declarations"))
    except UnreadableInput as unreadable:
        return unreadable


@pytest.mark.parametrize("name", SEEDS)
def test_the_seed_is_read(name):
    reading = read(name, SEEDS[name][2])
    assert isinstance(reading, LogReading)
    assert reading.trials


@pytest.mark.parametrize("name", SEEDS)
@settings(max_examples=150)
@given(mutate=mutations())
def test_mutated_bytes_are_read_or_refused(name, mutate):
    outcome_of(read(name, mutate(SEEDS[name][2])))


@pytest.mark.parametrize("name", [name for name in SEEDS if name != "table csv"])
@settings(max_examples=150)
@given(edit=json_edits())
def test_values_of_any_kind_are_read_or_refused(name, edit):
    if name == "inspect archive":
        content = archive(json.dumps(edit(SAMPLE)).encode())
    elif name.endswith("lines") or name == "garak":
        lines = SEEDS[name][2].splitlines()
        content = b"\n".join([json.dumps(edit(json.loads(lines[0]))).encode(), *lines[1:]])
    else:
        content = json.dumps(edit(json.loads(SEEDS[name][2]))).encode()
    outcome_of(read(name, content))
