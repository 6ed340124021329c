"""suite.yaml, gate.yaml, run.json, params: each field wrong in each way is refused, with its pointer, all at once."""

from __future__ import annotations

import copy
from datetime import UTC, datetime

import pytest

from litmus_nb.contracts.canonical import digest_of_json
from litmus_nb.contracts.gate import GateFile
from litmus_nb.contracts.params import GateParams
from litmus_nb.contracts.run import RunFile
from litmus_nb.contracts.schemas import SCHEMAS, json_schema
from litmus_nb.contracts.suite import SuiteFile
from litmus_nb.contracts.times import day_of, instant_of
from litmus_nb.errors import UnreadableInput
from tests.builders import DIGEST, correct_world

WORLD = correct_world()
FILES = {
    "suite": (SuiteFile, WORLD.suite),
    "gate": (
        GateFile,
        WORLD.gate | {"frozen_manifest_hash": DIGEST, "baseline": {"run": "baseline", "sha256": DIGEST}},
    ),
    "run": (RunFile, WORLD.candidate.declaration | {"manifest_hash": DIGEST}),
    "params": (GateParams, {"gate": "g", "candidate": "c", "output_dir": "o", "as_of": "2026-11-30"}),
}


def changed(kind, pointer, value):
    """The correct file of a kind with one value put in place of another; `...` removes the key."""
    content = copy.deepcopy(FILES[kind][1])
    *path, last = pointer.split("/")[1:]
    holder = content
    for part in path:
        holder = holder[int(part) if isinstance(holder, list) else part]
    if value is ...:
        del holder[last]
    else:
        holder[last] = value
    return content


@pytest.mark.parametrize("kind", sorted(FILES))
def test_the_correct_file_is_read(kind):
    model, content = FILES[kind]
    assert model.read(content, file=kind)


MANDATORY = [
    *(("suite", f"/{key}") for key in WORLD.suite if key not in ("exclusions",)),
    *(("suite", f"/canary/{key}") for key in ("probe_id", "expected_signal")),
    *(("suite", f"/judge/{key}") for key in ("digest", "template")),
    *(("gate", f"/{key}") for key in WORLD.gate if key != "require_admission"),
    *(("gate", f"/baseline/{key}") for key in ("run", "sha256")),
    ("gate", "/classes/prompt-injection/tolerance"),
    ("gate", "/classes/prompt-injection/min_n"),
    ("gate", "/quarantine/policy"),
    *(("run", f"/{key}") for key in WORLD.candidate.declaration),
    *(
        ("run", f"/{group}/{key}")
        for group in ("policy", "interface", "sandbox", "canary", "judge")
        for key in WORLD.candidate.declaration[group]
        if key not in ("unknown", "control_signal")
    ),
    *(("params", f"/{key}") for key in ("gate", "candidate", "output_dir")),
]


@pytest.mark.parametrize(("kind", "pointer"), MANDATORY)
def test_a_mandatory_key_that_is_absent_is_refused(kind, pointer):
    refuse(kind, changed(kind, pointer, ...), pointer)


OPTIONAL = [
    ("suite", "/exclusions"),
    ("suite", "/canary/control"),
    ("gate", "/require_admission"),
    ("run", "/sandbox/unknown"),
    ("run", "/canary/control_signal"),
    ("params", "/as_of"),
]


@pytest.mark.parametrize(("kind", "pointer"), OPTIONAL)
def test_an_optional_key_may_be_absent(kind, pointer):
    assert FILES[kind][0].read(changed(kind, pointer, ...), file=kind)


@pytest.mark.parametrize(
    "pointer",
    [
        *(
            "/canary",
            "/canary/observed_signal",
            "/canary/control_signal",
            "/sandbox/measured_by",
            "/sandbox/measured_at",
        ),
        "/judge/resolved_digest",
    ],
)
def test_what_may_be_null_in_a_run(pointer):
    assert RunFile.read(changed("run", pointer, None), file="run")


NOT_NULL = [
    pair
    for pair in MANDATORY
    if pair not in [("gate", "/baseline")]
    and pair[1] not in ("/canary", "/canary/observed_signal", "/sandbox/measured_by", "/sandbox/measured_at")
    and pair[1] != "/judge/resolved_digest"
] + [
    *(("suite", f"/{key}") for key in ("exclusions", "anchors")),
    *(("gate", f"/{key}") for key in ("adapters", "ledger_head", "require_admission")),
    ("run", "/sandbox/unknown"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "pointer"), NOT_NULL)
def test_null_is_refused_where_it_means_nothing(kind, pointer):
    refuse(kind, changed(kind, pointer, None))


@pytest.mark.parametrize(
    ("kind", "pointer", "value"),
    [
        ("suite", "/schema", "litmus-nb/suite/v2"),
        ("suite", "/classes", ["a", "a"]),
        ("suite", "/classes", "prompt-injection"),
        ("suite", "/classes", [""]),
        ("suite", "/name", ""),
        ("suite", "/version", 1),
        ("suite", "/min_trials", 0),
        ("suite", "/min_trials", 2.0),
        ("suite", "/min_trials", True),
        ("suite", "/min_trials", "2"),
        ("suite", "/max_skip_fraction", 0.5),
        ("suite", "/max_skip_fraction", -0.001),
        ("suite", "/max_skip_fraction", False),
        ("suite", "/min_agreement", 1.001),
        ("suite", "/min_agreement", "0.7"),
        ("suite", "/decision_margin", 0),
        ("suite", "/decision_margin", 1.001),
        ("suite", "/canary/control", "yes"),
        ("suite", "/canary/control", 1),
        ("suite", "/judge/digest", "sha256:" + "A" * 64),
        ("suite", "/judge/digest", "sha256:" + "a" * 63),
        ("suite", "/judge/digest", DIGEST + "\n"),
        ("suite", "/surprise", 1),
        ("suite", "/anchors", {"labels": "a", "max_fnr_rise": 2}),
        ("gate", "/confidence", 1),
        ("gate", "/confidence", 0.79),
        ("gate", "/confidence", True),
        ("gate", "/classes/prompt-injection/tolerance", 0),
        ("gate", "/classes/prompt-injection/tolerance", 1),
        ("gate", "/classes/prompt-injection/tolerance", "0.05"),
        ("gate", "/classes/prompt-injection/min_n", 0),
        ("gate", "/classes/prompt-injection/min_n", 1.5),
        ("gate", "/classes/prompt-injection/weight", 1),
        ("gate", "/classes/", {"tolerance": 0.1, "min_n": 1}),
        ("gate", "/quarantine/policy", "ignore"),
        ("gate", "/max_attempts", 0),
        ("gate", "/require_admission", "true"),
        ("gate", "/adapters", [{"from": {}, "to": {}, "tools": {}}]),
        ("run", "/status", "done"),
        ("run", "/trials_per_scenario", 0),
        ("run", "/trials_per_scenario", 3.0),
        ("run", "/deterministic", "false"),
        ("run", "/deterministic", 0),
        ("run", "/decoding", []),
        ("run", "/started_at", "2026-11-28 09:00:00"),
        ("run", "/started_at", "2026-11-28T09:00:00"),
        ("run", "/started_at", "2026-11-28T09:00:00+01:00"),
        ("run", "/started_at", "2026-02-30T09:00:00Z"),
        ("run", "/finished_at", "2026-11-28T24:00:00Z"),
        ("run", "/finished_at", "2026-11-28T09:00:00Z"),
        ("run", "/finished_at", None),
        ("run", "/started_at", None),
        ("run", "/sandbox/effective_capabilities", "process.spawn"),
        ("run", "/judge/template_sha256", None),
        ("run", "/extra", None),
        ("params", "/as_of", "30.11.2026"),
        ("params", "/as_of", "2026-11-31"),
        ("params", "/as_of", "2026-W48-1"),
        ("params", "/as_of", 20261130),
        ("params", "/gate", ""),
        ("params", "/candidat", "x"),
    ],
)
def test_a_value_of_another_kind_is_refused(kind, pointer, value):
    refuse(kind, changed(kind, pointer, value))


def refuse(kind, content, pointer=None):
    with pytest.raises(UnreadableInput) as refused:
        FILES[kind][0].read(content, file=f"{kind}.file")
    assert all(fault.file == f"{kind}.file" for fault in refused.value.faults)
    if pointer:
        assert pointer in {fault.where for fault in refused.value.faults}


def test_all_faults_come_at_once():
    content = changed("gate", "/confidence", 2) | {"surprise": 1}
    content["classes"] = {"a": {"tolerance": 0, "min_n": 0}}
    with pytest.raises(UnreadableInput) as refused:
        GateFile.read(content, file="gate")
    assert {fault.where for fault in refused.value.faults} == {
        "/confidence",
        "/surprise",
        "/classes/a/tolerance",
        "/classes/a/min_n",
    }


@pytest.mark.parametrize("value", [None, [], "text", 3])
@pytest.mark.parametrize("kind", sorted(FILES))
def test_what_is_no_mapping_is_refused(kind, value):
    refuse(kind, value)


def test_a_planned_run_may_lack_its_times():
    planned = FILES["run"][1] | {"status": "planned", "started_at": None, "finished_at": None}
    assert RunFile.read(planned, file="run").started_at is None


def test_two_adapters_between_the_same_interfaces_are_refused():
    side = {"tool_namespace": "a", "trace_schema_sha256": DIGEST}
    adapter = {"from": side, "to": side | {"tool_namespace": "b"}, "tools": {"x": "y"}}
    refuse("gate", FILES["gate"][1] | {"adapters": [adapter, adapter | {"tools": {}}]})


def test_integers_count_as_numbers_and_numbers_not_as_integers():
    assert SuiteFile.read(changed("suite", "/decision_margin", 1), file="x").decision_margin == 1.0


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("2026-11-28T09:00:00Z", datetime(2026, 11, 28, 9, tzinfo=UTC)),
        ("2026-11-28T09:00:00+00:00", datetime(2026, 11, 28, 9, tzinfo=UTC)),
        ("2026-11-28T09:00:00.25Z", datetime(2026, 11, 28, 9, 0, 0, 250_000, tzinfo=UTC)),
        ("2026-11-28T09:00:00.123456789Z", datetime(2026, 11, 28, 9, 0, 0, 123_456, tzinfo=UTC)),
        ("2028-02-29T23:59:59Z", datetime(2028, 2, 29, 23, 59, 59, tzinfo=UTC)),
    ],
)
def test_times_are_read(text, instant):
    assert instant_of(text) == instant


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2026-11-28",
        "2026-11-28T09:00Z",
        "2026-11-28t09:00:00z",
        " 2026-11-28T09:00:00Z",
        "2026-11-28T09:00:00Z\n",
        "2026-11-28T09:00:60Z",
        "2026-11-28T09:00:00-00:00",
        "2026-11-28T09:00:00,5Z",
        "٢٠٢٦-11-28T09:00:00Z",
        "0000-01-01T00:00:00Z",
    ],
)
def test_other_times_are_refused(text):
    with pytest.raises(ValueError):
        instant_of(text)


@pytest.mark.parametrize("text", ["", "2026-11-31", "2026-1-3", "20261130", "2026-11-30\n", "2026-W48-1", "٢٠٢٦-11-30"])
def test_other_days_are_refused(text):
    with pytest.raises(ValueError):
        day_of(text)


@pytest.mark.parametrize("name", sorted(SCHEMAS))
def test_every_file_has_a_schema_that_is_json(name):
    assert digest_of_json(json_schema(name))
    assert json_schema(name)["$schema"] == "https://json-schema.org/draft/2020-12/schema"
