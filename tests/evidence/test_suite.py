"""Reading a suite: what is wrong with its files and scenarios is told at once, and its hash is of all of them."""

from __future__ import annotations

import gc

import pytest

from litmus_nb.contracts.canonical import digest_of_bytes, digest_of_json
from litmus_nb.errors import Fault, UnreadableInput
from litmus_nb.evidence.suite import contract_of, manifest_hash, read_probes, read_suite
from tests.builders import correct_world, give_anchors, json_lines, write

PROBE = {"id": "a", "class": "prompt-injection", "prompt": "p"}


def suite_of(world, folder):
    write(world, folder)
    return folder / "suite/suite.yaml"


def faults_of(reader, path):
    with pytest.raises(UnreadableInput) as refused:
        reader(path)
    return list(refused.value.faults)


# ---------------------------------------------------------------- scenarios


@pytest.mark.parametrize(
    ("probe", "expected", "seen"),
    [
        ([], "an object with id and class", "[]"),
        ("id", "an object with id and class", "'id'"),
        (None, "an object with id and class", "None"),
        ({"class": "c"}, "id: text that is not empty", "no key id"),
        ({"id": "b"}, "class: text that is not empty", "no key class"),
        (PROBE | {"id": ""}, "id: text that is not empty", "''"),
        (PROBE | {"id": 1}, "id: text that is not empty", "1"),
        (PROBE | {"id": ["a"]}, "id: text that is not empty", "['a']"),
        (PROBE | {"id": "b", "class": ""}, "class: text that is not empty", "''"),
        (PROBE | {"id": "b", "class": None}, "class: text that is not empty", "None"),
        (PROBE | {"id": "b", "family": ""}, "family: text that is not empty, or no such key", "''"),
        (PROBE | {"id": "b", "family": None}, "family: text that is not empty, or no such key", "None"),
        (PROBE | {"id": "b", "family": 1}, "family: text that is not empty, or no such key", "1"),
    ],
)
def test_what_is_no_scenario_is_told(tmp_path, probe, expected, seen):
    path = tmp_path / "probes.jsonl"
    path.write_bytes(json_lines([PROBE, probe, PROBE | {"id": "c", "family": "f"}]))
    assert faults_of(read_probes, path) == [Fault(str(path), "object 2", expected, seen)]


def test_an_id_that_is_there_twice_is_told_beside_all_else(tmp_path):
    path = tmp_path / "probes.jsonl"
    path.write_bytes(json_lines([PROBE, PROBE, 1, PROBE | {"id": "b"}, {}, PROBE]))
    assert faults_of(read_probes, path) == [
        Fault(str(path), "object 3", "an object with id and class", "1"),
        Fault(str(path), "object 5", "id: text that is not empty", "no key id"),
        Fault(str(path), "object 5", "class: text that is not empty", "no key class"),
        Fault(str(path), "", "each id once", "3 scenarios with the id 'a'"),
    ]


def test_an_id_that_is_there_twice_is_told_though_nothing_else_is_wrong(tmp_path):
    path = tmp_path / "probes.jsonl"
    path.write_bytes(json_lines([PROBE, PROBE | {"class": "c"}]))
    assert faults_of(read_probes, path) == [Fault(str(path), "", "each id once", "2 scenarios with the id 'a'")]


def test_scenarios_are_read_in_order_and_blank_lines_are_nothing(tmp_path):
    path = tmp_path / "probes.jsonl"
    other = PROBE | {"id": "0", "family": "f", "more": [1, {"x": None}]}
    path.write_bytes(json_lines([PROBE]) + b"\n \t\n" + json_lines([other]))
    assert read_probes(path) == [PROBE, other]
    path.write_bytes(b"")
    assert read_probes(path) == []
    path.write_bytes(json_lines([PROBE]) + b"\n{\n")
    assert [(fault.file, fault.where) for fault in faults_of(read_probes, path)] == [(str(path), "line 3")]


# ---------------------------------------------------------------- the suite


def test_a_suite_is_read_with_everything_that_it_names(tmp_path):
    world = correct_world()
    world.probes[0]["family"] = "f"
    give_anchors(world, per_class=2)
    path = suite_of(world, tmp_path)
    suite = read_suite(path)
    assert [scenario.id for scenario in suite.scenarios] == sorted(probe["id"] for probe in world.probes)
    assert [scenario.family for scenario in suite.scenarios if scenario.family] == ["f"]
    assert suite.trace_schema_sha256 == digest_of_bytes((path.parent / "trace.schema.json").read_bytes())
    assert suite.judge_template_sha256 == digest_of_bytes((path.parent / "judge.md").read_bytes())
    assert len(suite.anchors) == 4
    assert suite.anchor_faults == ()
    assert suite.file.name == "small-suite"


def test_the_manifest_hash_is_of_the_contract_and_the_scenarios():
    """FORMATS: the digest of {"contract", "probes"}, each named file replaced by its digest, `probes` left out."""
    raw = {"a": 1, "probes": "p", "trace_schema": "t", "judge": {"digest": "d", "template": "m"}}
    digests = {"trace_schema": "T", "template": "M"}
    contract = {"a": 1, "trace_schema": "T", "judge": {"digest": "d", "template": "M"}}
    assert contract_of(raw, digests) == contract
    assert manifest_hash(raw, digests, ()) == digest_of_json({"contract": contract, "probes": []})
    with_anchors = raw | {"anchors": {"labels": "l", "max_fnr_rise": 0.1}}
    expected = contract | {"anchors": {"labels": "A", "max_fnr_rise": 0.1}}
    assert contract_of(with_anchors, digests | {"anchors": "A"}) == expected


def test_every_file_that_cannot_be_read_is_told_at_once(tmp_path):
    world = correct_world()
    give_anchors(world, per_class=2)
    path = suite_of(world, tmp_path)
    names = ("trace.schema.json", "judge.md", "anchors.jsonl", "probes.jsonl")
    for name in names:
        (path.parent / name).unlink()
    assert faults_of(read_suite, path) == [
        Fault(str(path.parent / name), "", "a file", "nothing there") for name in names
    ]


def test_scenarios_of_unknown_classes_and_exclusions_of_unknown_ids_are_told_at_once(tmp_path):
    world = correct_world()
    world.probes[1]["class"] = "injection"
    world.probes[4]["class"] = "x"
    rule = {"rule": "one", "reason": "because", "scenarios": ["pi-0"]}
    world.suite["exclusions"] = [rule, rule | {"scenarios": ["tm-1", "tm-9", "pi-8"]}]
    path = suite_of(world, tmp_path)
    one_of, ids = "class: one of ['prompt-injection', 'tool-misuse']", "ids of the suite's scenarios"
    assert faults_of(read_suite, path) == [
        Fault(str(path.parent / "probes.jsonl"), "object 2", one_of, "'injection'"),
        Fault(str(path.parent / "probes.jsonl"), "object 5", one_of, "'x'"),
        Fault(str(path), "/exclusions/1/scenarios", ids, "'tm-9'"),
        Fault(str(path), "/exclusions/1/scenarios", ids, "'pi-8'"),
    ]


@pytest.mark.parametrize(("content", "where"), [(b"a: [\n", "line 2"), (b"[]\n", "")])
def test_a_suite_that_is_none_is_told_by_its_path(tmp_path, content, where):
    (tmp_path / "suite.yaml").write_bytes(content)
    (fault,) = faults_of(read_suite, tmp_path / "suite.yaml")
    assert (fault.file, fault.where) == (str(tmp_path / "suite.yaml"), where)


def test_a_suite_of_more_than_16_mib_is_not_read(tmp_path):
    path = suite_of(correct_world(), tmp_path)
    path.write_bytes((path.read_bytes() + b"#").ljust(16 * 2**20 + 1, b"#"))
    assert faults_of(read_suite, path) == [Fault(str(path), "", "at most 16777216 bytes", "16777217 bytes")]


def test_anchors_that_cannot_be_read_keep_no_suite_from_being_read(tmp_path):
    """3.8 asks for them; the manifest hash knows them by their bytes."""
    world = correct_world()
    give_anchors(world, per_class=2)
    before = read_suite(suite_of(world, tmp_path / "before"))
    world.extra_files["suite/anchors.jsonl"] += b"{}\n{\n"
    path = suite_of(world, tmp_path / "after")
    suite = read_suite(path)
    assert suite.anchors is None
    assert {fault.file for fault in suite.anchor_faults} == {str(path.parent / "anchors.jsonl")}
    assert suite.manifest_hash != before.manifest_hash


def test_a_suite_without_anchors_has_none(tmp_path):
    suite = read_suite(suite_of(correct_world(), tmp_path))
    assert (suite.anchors, suite.anchor_faults) == (None, ())


@pytest.mark.parametrize("was_enabled", [True, False])
def test_reading_leaves_the_collection_of_garbage_as_it_was(tmp_path, was_enabled):
    path = suite_of(correct_world(), tmp_path)
    try:
        if not was_enabled:
            gc.disable()
        read_suite(path)
        assert gc.isenabled() is was_enabled
        faults_of(read_suite, tmp_path / "nothing")
        assert gc.isenabled() is was_enabled
    finally:
        gc.enable()
