"""Freezing a suite, and saying what became of it."""

from __future__ import annotations

import json
import shutil
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from litmus_nb.cli import main
from litmus_nb.contracts.lookalike import look_of, lookalikes, unseen_characters
from litmus_nb.contracts.manifest import ManifestFile, in_plain_form
from litmus_nb.contracts.suite_changes import suite_changes
from litmus_nb.evidence.manifest import manifest_of
from litmus_nb.evidence.suite import read_suite

DEMO = Path(__file__).parents[2] / "data" / "demo"


@pytest.fixture(scope="module")
def frozen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo, its suite frozen; not to be changed."""
    folder = tmp_path_factory.mktemp("frozen") / "demo"
    shutil.copytree(DEMO, folder)
    assert run("suite", "freeze", str(folder / "suite/suite.yaml"), "--gate", str(folder / "gate.yaml")) == 0
    return folder


@pytest.fixture
def demo(frozen: Path, tmp_path: Path) -> Path:
    """A copy of the frozen demo."""
    return shutil.copytree(frozen, tmp_path / "demo")


def run(*words: str) -> int:
    with pytest.raises(SystemExit) as stop:
        main(words)
    return int(str(stop.value.code))


def edit_probes(demo: Path, edit: object) -> None:
    path = demo / "suite/probes.jsonl"
    probes = [json.loads(line) for line in path.read_text().splitlines()]
    probes = edit(probes) or probes
    path.write_text("".join(json.dumps(probe, ensure_ascii=False) + "\n" for probe in probes))


def test_the_manifest_has_the_hash_that_the_gate_computes(demo: Path) -> None:
    assert manifest_of(demo / "suite/suite.yaml").manifest_hash == read_suite(demo / "suite/suite.yaml").manifest_hash


def test_freezing_a_frozen_suite_changes_neither_gate_nor_verification(
    demo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (demo / "gate.yaml").read_bytes() == (DEMO / "gate.yaml").read_bytes()
    assert run("suite", "verify", str(demo / "gate.yaml")) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("as frozen: sha256:")


def first(probes: list[dict[str, object]]) -> dict[str, object]:
    return probes[0]


@pytest.mark.parametrize(
    ("edit", "line"),
    [
        (lambda probes: probes[1:], "removed scenario inj-0000"),
        (lambda probes: [*probes, {**probes[0], "id": "inj-new"}], "added scenario inj-new"),
        (lambda probes: probes[0].update(situation="another"), "edited scenario inj-0000: situation"),
        (lambda probes: probes[0].update(note="new"), "added scenario inj-0000: note"),
        (lambda probes: probes[0].update({"class": "tool-misuse"}), "edited scenario inj-0000: class"),
        (lambda probes: probes[0].update(turns=1.0), "added scenario inj-0000: turns"),
    ],
)
def test_what_changed_is_named_by_scenario_and_field(
    demo: Path, edit: object, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    edit_probes(demo, lambda probes: [*probes] and edit(probes))
    assert run("suite", "verify", str(demo / "gate.yaml")) == 3
    said = capsys.readouterr().out.splitlines()
    assert line in said
    assert said[-1] == "1 differences"


def test_the_order_and_the_spacing_of_scenarios_do_not_matter(demo: Path) -> None:
    edit_probes(demo, lambda probes: probes[::-1])
    assert run("suite", "verify", str(demo / "gate.yaml")) == 0


@pytest.mark.parametrize(
    "edit",
    [lambda text: text.replace("\n", "\r\n"), lambda text: "\ufeff" + text, lambda text: text],
)
def test_a_template_that_differs_only_in_form_is_said_to(
    demo: Path, edit: object, capsys: pytest.CaptureFixture[str]
) -> None:
    path = demo / "suite/judge.md"
    text = path.read_bytes().decode()
    path.write_bytes(unicodedata.normalize("NFC", text + "é").encode())
    assert run("suite", "freeze", str(demo / "suite/suite.yaml"), "--gate", str(demo / "gate.yaml")) == 0
    path.write_bytes(unicodedata.normalize("NFD", edit(text + "é")).encode())
    assert run("suite", "verify", str(demo / "gate.yaml")) == 3
    assert "edited file template (only line endings, a byte order mark or Unicode form)" in capsys.readouterr().out


def test_a_pointer_in_place_of_a_file_is_named(demo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (demo / "suite/judge.md").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n")
    assert run("suite", "verify", str(demo / "gate.yaml")) == 3
    assert "a git-lfs pointer stands in place of the content" in capsys.readouterr().out


def test_without_the_frozen_manifest_the_drift_is_found_all_the_same(
    demo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (demo / "suite/manifest.json").unlink()
    edit_probes(demo, lambda probes: probes[1:])
    assert run("suite", "verify", str(demo / "gate.yaml")) == 3
    assert "what changed is not known" in capsys.readouterr().out


def test_a_manifest_of_another_suite_explains_nothing(demo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    edit_probes(demo, lambda probes: probes[1:])
    assert run("suite", "freeze", str(demo / "suite/suite.yaml")) == 0
    assert run("suite", "verify", str(demo / "gate.yaml")) == 3
    assert "is of another suite than the frozen one" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("ids", "complaint"),
    [
        (("s-01", "s-O1"), "'s-01' and 's-O1'"),
        (("tool-I", "tool-l"), "'tool-I' and 'tool-l'"),
        (("paypal", "p\u0430ypal"), "'paypal' and 'p\\u0430ypal'"),
        (("caf\u00e9", "cafe\u0301"), "'cafe\\u0301' and 'caf\\xe9'"),
        (("a\u200bb",), "U+200B"),
        (("a\u202eb",), "U+202E"),
        (("a\tb",), "U+0009"),
        (("a ",), "U+0020 at its end"),
    ],
)
def test_ids_that_deceive_are_refused(
    demo: Path, ids: tuple[str, ...], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    edit_probes(demo, lambda probes: [{**probe, "id": id_} for probe, id_ in zip(probes, ids, strict=False)])
    suite = (demo / "suite/suite.yaml").read_text()
    classes = "classes:\n  - prompt-injection\n"
    (demo / "suite/suite.yaml").write_text(suite if "prompt-injection" in suite else classes)
    assert run("suite", "freeze", str(demo / "suite/suite.yaml")) == 2
    assert complaint in capsys.readouterr().err


def test_an_id_that_is_there_twice_is_refused(demo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    edit_probes(demo, lambda probes: [*probes, probes[0]])
    assert run("suite", "freeze", str(demo / "suite/suite.yaml")) == 2
    assert "2 scenarios with the id 'inj-0000'" in capsys.readouterr().err


def test_the_gates_finding_says_what_changed(demo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    edit_probes(demo, lambda probes: probes[1:])
    params = tmp_path / "params.yaml"
    params.write_text(f"gate: {demo}/gate.yaml\ncandidate: {demo}/runs/candidate\noutput_dir: {tmp_path}/out\n")
    assert run("evaluate", str(params), "--json") == 3
    verdict = json.loads(capsys.readouterr().out)
    observed = [reason["observed"] for reason in verdict["reasons"] if reason["code"] == "PROBE_SET_DRIFT"]
    assert any("removed scenario inj-0000" in text for text in observed)


def test_what_a_suite_holds_is_shown_without_its_control_characters(
    demo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (demo / "suite/suite.yaml").read_text().replace("demo-agent-suite", '"demo\\u001b[31m"')
    (demo / "suite/suite.yaml").write_text(text)
    assert run("suite", "show", str(demo / "suite/suite.yaml")) == 0
    said = capsys.readouterr().out
    assert "\x1b" not in said
    assert "demo\\x1b[31m" in said
    assert "class          prompt-injection: 300 scenarios" in said


def test_two_suites_are_compared_with_their_values(demo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copytree(demo / "suite", demo / "old")
    edit_probes(demo, lambda probes: probes[0].update(situation="x\u001b[2J"))
    assert run("suite", "diff", str(demo / "old/suite.yaml"), str(demo / "suite/suite.yaml")) == 3
    said = capsys.readouterr().out
    assert '    + "x\\\\u001b[2J"' in said
    assert run("suite", "diff", str(demo / "old/suite.yaml"), str(demo / "old/manifest.json")) == 0


PROBE = st.fixed_dictionaries(
    {"id": st.text(min_size=1, max_size=3), "class": st.sampled_from(["a", "b"])},
    optional={
        "family": st.text(min_size=1, max_size=2),
        "x": st.one_of(st.integers(-9, 9), st.booleans(), st.text(max_size=2)),
    },
)


@settings(max_examples=50)
@given(
    st.lists(PROBE, unique_by=lambda p: p["id"], max_size=4), st.lists(PROBE, unique_by=lambda p: p["id"], max_size=4)
)
def test_changes_are_empty_exactly_where_the_hashes_are_equal(
    old: list[dict[str, object]], new: list[dict[str, object]]
) -> None:
    before, after = (ManifestFile(contract={"n": 1}, probes=probes, files={}) for probes in (old, new))
    assert (suite_changes(before, after) == []) == (before.manifest_hash == after.manifest_hash)


@given(st.text(max_size=8))
def test_the_plain_form_is_final_and_a_look_is_stable(text: str) -> None:
    assert in_plain_form(in_plain_form(text)) == in_plain_form(text)
    assert lookalikes([text, text]) == []
    assert look_of(text) == look_of(unicodedata.normalize("NFD", text))


def test_ordinary_ids_are_not_refused() -> None:
    ids = [f"inj-{number:04}" for number in range(500)] + ["tool misuse", "日本語", "naïve", "ai", "al"]
    assert lookalikes(ids) == []
    assert [unseen_characters(id_) for id_ in ids if unseen_characters(id_)] == []
