"""What goes into a bundle and where, what is refused, and that nothing outside of it is ever looked at."""

from __future__ import annotations

import json
import re
import shutil

import pytest

from litmus_nb.attest import bundle as bundle_module
from litmus_nb.attest.bundle import pack_bundle, unpacked
from litmus_nb.attest.expectations import Expectations
from litmus_nb.contracts.canonical import canonical_json, digest_of_bytes
from litmus_nb.errors import GateInvariantViolation, UnreadableInput, UsageError
from litmus_nb.files import read_bytes
from tests.attest.gated import PRESENT, gate, params_in, verdict_in
from tests.attest.test_bundle import audited, repacked
from tests.builders import correct_world, give_anchors

OF_GATE = {
    "evidence/gate.yaml",
    "evidence/ledger.jsonl",
    "evidence/suite/suite.yaml",
    "evidence/suite/probes.jsonl",
    "evidence/suite/trace.schema.json",
    "evidence/suite/judge.md",
}
OF_CANDIDATE = {"candidate/candidate/run.json", "candidate/candidate/trials.jsonl"}
OF_BASELINE = {"evidence/baseline/run.json", "evidence/baseline/trials.csv"}
OUTPUT = {"verdict.json", "verdict.statement.json"}


@pytest.fixture(scope="module")
def packed_once(gated_once, tmp_path_factory):
    target = tmp_path_factory.mktemp("packed") / "gate.tar"
    assert set(pack_bundle(params_in(gated_once), target)) == OUTPUT | OF_GATE | OF_CANDIDATE | OF_BASELINE | {
        "MANIFEST.json"
    }
    return target


@pytest.fixture
def bundle(packed_once, tmp_path):
    """A bundle, to be tampered with."""
    return shutil.copy(packed_once, tmp_path / "gate.tar")


def test_the_manifest_names_every_other_member_and_where_to_begin(gated_once, packed_once):
    with unpacked(packed_once) as seen:
        folder = seen.verdict_path.parent
        content = read_bytes(folder / "MANIFEST.json")
        others = [name for name in seen.names if name != "MANIFEST.json"]
        assert set(others) == OUTPUT | OF_GATE | OF_CANDIDATE | OF_BASELINE
        expected = {
            "schema": "litmus-nb/bundle/v1",
            "gate": "evidence/gate.yaml",
            "candidate": "candidate/candidate",
            "as_of": "2026-11-30",
            "files": {name: digest_of_bytes(read_bytes(folder / name)) for name in others},
        }
        assert content == canonical_json(expected) + b"\n"
        assert seen.params.model_dump() == {
            "gate": f"{folder}/evidence/gate.yaml",
            "candidate": f"{folder}/candidate/candidate",
            "output_dir": str(folder),
            "as_of": "2026-11-30",
        }
        assert read_bytes(seen.verdict_path) == read_bytes(gated_once / "out/verdict.json")


def test_it_is_unpacked_into_a_folder_of_its_own_that_is_gone_afterwards(packed_once):
    with unpacked(packed_once) as seen:
        folder = seen.verdict_path.parent
        assert re.fullmatch(r"litmus-nb-bundle-[a-z0-9_]{8}", folder.name)
    assert not folder.exists()


def test_a_gate_without_a_baseline_is_packed_without_one(tmp_path):
    world = correct_world()
    world.gate["baseline"] = None
    params = gate(world, tmp_path)
    assert verdict_in(tmp_path).verdict != "PASS"
    names = set(pack_bundle(params, tmp_path / "gate.tar"))
    assert names == OUTPUT | OF_GATE | OF_CANDIDATE | {"MANIFEST.json"}


# -- what cannot be packed -----------------------------------------------------------------------------------------


@pytest.fixture
def anchored(tmp_path):
    """A gate that has run, whose suite has everything that a suite can name."""
    world = correct_world()
    give_anchors(world)
    gate(world, tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("file", "name", "where"),
    [
        ("gate.yaml", "suite/suite.yaml", "gate.yaml: suite"),
        ("gate.yaml", "ledger.jsonl", "gate.yaml: ledger"),
        ("gate.yaml", "baseline", "gate.yaml: baseline.run"),
        ("suite/suite.yaml", "probes.jsonl", "suite.yaml: probes"),
        ("suite/suite.yaml", "trace.schema.json", "suite.yaml: trace_schema"),
        ("suite/suite.yaml", "judge.md", "suite.yaml: judge.template"),
        ("suite/suite.yaml", "anchors.jsonl", "suite.yaml: anchors.labels"),
    ],
)
def test_every_absolute_path_is_refused_and_named(anchored, file, name, where):
    path = anchored / file
    absolute = (path.parent / name).as_posix()
    text, count = re.subn(rf"(: |: \"){re.escape(name)}(\"?\n)", rf"\g<1>{absolute}\g<2>", path.read_text())
    assert count == 1
    path.write_text(text)
    with pytest.raises(UsageError) as refused:
        pack_bundle(params_in(anchored), anchored / "gate.tar")
    assert str(refused.value) == f"{anchored}/{where}: expected a relative path, seen {absolute}".replace(
        f"{anchored}/suite.yaml", f"{anchored}/suite/suite.yaml"
    )
    assert not (anchored / "gate.tar").exists()


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_file_that_changes_while_it_is_packed_leaves_no_bundle(folder, monkeypatch, moment):
    """Its digest is of other bytes than the archive's, or the archive's are not those that lie there."""
    write = bundle_module.write_archive

    def changing(members, target):
        if moment == "before":
            (folder / "candidate/trials.jsonl").write_bytes(b"{}\n")
        write(members, target)
        (folder / "candidate/trials.jsonl").write_bytes(b"{}\n")

    monkeypatch.setattr(bundle_module, "write_archive", changing)
    with pytest.raises((UnreadableInput, GateInvariantViolation)) as refused:
        pack_bundle(params_in(folder), folder / "gate.tar")
    assert refused.type is (UnreadableInput if moment == "before" else GateInvariantViolation)
    assert not (folder / "gate.tar").exists()


def test_a_verdict_that_is_none_is_not_packed(folder):
    for content, where in ((b"{", "verdict.json"), (b"{}", "verdict.json: /")):
        (folder / "out/verdict.json").write_bytes(content)
        with pytest.raises(UnreadableInput) as refused:
            pack_bundle(params_in(folder), folder / "gate.tar")
        assert str(refused.value).startswith(where)


# -- what is no bundle ---------------------------------------------------------------------------------------------


def forged(path, change):
    """The bundle with its members and manifest changed, and a manifest whose digests are right."""

    def with_right_digests(members):
        manifest = json.loads(members.pop("MANIFEST.json"))
        change(members, manifest)
        manifest["files"] = {name: digest_of_bytes(content) for name, content in members.items()}
        members["MANIFEST.json"] = canonical_json(manifest) + b"\n"

    repacked(path, with_right_digests)


def faults(path):
    with pytest.raises(UnreadableInput) as refused, unpacked(path):
        pass
    return {(fault.file, fault.where, fault.expected) for fault in refused.value.faults}


def test_a_bundle_whose_manifest_does_not_ask_for_a_verdict_needs_one_nevertheless(bundle):
    forged(bundle, lambda members, _: members.pop("verdict.json"))
    assert faults(bundle) == {("gate.tar", "", "MANIFEST.json and verdict.json")}


def test_a_bundle_without_a_manifest_is_none(bundle):
    repacked(bundle, lambda members: members.pop("MANIFEST.json"))
    assert faults(bundle) == {("gate.tar", "", "MANIFEST.json and verdict.json")}


@pytest.mark.parametrize("content", [b"{", b"{}"])
def test_a_manifest_that_is_none_is_named(bundle, content):
    repacked(bundle, lambda members: members.update({"MANIFEST.json": content}))
    assert {file for file, _, _ in faults(bundle)} == {"MANIFEST.json"}


def test_every_member_that_differs_is_named(bundle):
    def changed(members):
        members["evidence/gate.yaml"] += b"\n"
        members["evidence/extra"] = b"hidden"
        del members["evidence/suite/judge.md"]

    repacked(bundle, changed)
    named = {where: expected for _, where, expected in faults(bundle)}
    assert set(named) == {"evidence/extra", "evidence/gate.yaml", "evidence/suite/judge.md"}
    assert named["evidence/extra"] == "no such member"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("gate", "{home}/gate.yaml"),
        ("candidate", "{home}/candidate"),
        ("gate", "../{up}{home}/gate.yaml"),
        ("candidate", "../{up}{home}/candidate"),
    ],
)
def test_a_manifest_that_begins_outside_of_the_bundle_is_refused(bundle, gated_once, key, value):
    """An auditor would decide from files of their own, or of whoever else may write there."""
    forged(bundle, lambda _, manifest: manifest.update({key: value.format(home=gated_once, up="../" * 20)}))
    named = {where for _, where, expected in faults(bundle) if expected == "a member of the bundle"}
    assert named >= ({"gate"} if key == "gate" else {"candidate/run.json", "candidate/trials.jsonl"})


@pytest.mark.parametrize(("text", "name"), [("ledger.jsonl", "ledger"), ("suite/suite.yaml", "suite")])
@pytest.mark.parametrize("prefix", ["", "../../../../../../../../../.."])
def test_a_gate_file_that_names_files_outside_of_the_bundle_is_refused(bundle, gated_once, text, name, prefix):
    outside = f"{prefix}{gated_once}/{text}".encode()

    def changed(members, _):
        members["evidence/gate.yaml"] = members["evidence/gate.yaml"].replace(text.encode(), outside)

    forged(bundle, changed)
    assert ("gate.tar", name, "a member of the bundle") in faults(bundle)


def test_a_bundle_that_lacks_what_its_gate_file_names_is_refused(bundle):
    forged(bundle, lambda members, _: members.pop("evidence/suite/judge.md"))
    assert [expected for _, _, expected in faults(bundle)] == ["a regular file"]


def test_a_bundle_of_another_day_than_its_verdict_is_refused(bundle):
    forged(bundle, lambda _, manifest: manifest.update(as_of="2026-11-29"))
    result = audited(bundle, Expectations(present=PRESENT, is_recomputed=True, trusts_bundle=True))
    assert [(refusal.code, refusal.subject) for refusal in result.refusals] == [("AS_OF_MISMATCH", "/execution/as_of")]
