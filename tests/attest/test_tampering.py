"""Every field of a verdict, every file of the evidence: whatever is changed afterwards is refused."""

from __future__ import annotations

import copy
import json
import os
import shutil

import pytest

from litmus_nb.attest.leave import leave_statement
from litmus_nb.attest.presented import read_presented
from litmus_nb.contracts.codes import VerdictState
from litmus_nb.contracts.verdict import verdict_bytes
from litmus_nb.errors import UnreadableInput
from litmus_nb.evidence.inventory import evidence_files
from tests.attest.gated import PRESENT, checking, codes, gate_again, params_in, verdict_in
from tests.builders import correct_world, write


def test_what_nobody_touched_is_accepted(folder):
    result = checking(folder)
    assert result.refusals == []
    assert result.accepted


# -- the verdict ---------------------------------------------------------------------------------------------------


def leaves(value, path=()):
    """The path of every value that holds no others, empty lists too."""
    if isinstance(value, dict) and value:
        for key, item in value.items():
            yield from leaves(item, (*path, key))
    elif isinstance(value, list) and value:
        for index, item in enumerate(value):
            yield from leaves(item, (*path, index))
    else:
        yield path


def flipped(value):
    """Another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value + 1
    if isinstance(value, str):
        return value[:-1] + ("0" if value[-1] != "0" else "1")
    return "sha256:" + "0" * 64 if value is None else [{"code": "INTERNAL_ERROR"}]


def written(folder, verdict):
    (folder / "out/verdict.json").write_text(json.dumps(verdict, indent=2) + "\n")


def holder_of(verdict, path):
    for key in path[:-1]:
        verdict = verdict[key]
    return verdict


def test_every_field_of_a_verdict_that_is_flipped_is_refused(folder):
    verdict = json.loads((folder / "out/verdict.json").read_bytes())
    paths = list(leaves(verdict))
    assert len(paths) > 50
    accepted = []
    for path in paths:
        changed = copy.deepcopy(verdict)
        holder = holder_of(changed, path)
        holder[path[-1]] = flipped(holder[path[-1]])
        written(folder, changed)
        if checking(folder).accepted:
            accepted.append(path)
    assert accepted == []


def test_every_field_of_a_verdict_that_is_left_out_or_added_is_refused(folder):
    verdict = json.loads((folder / "out/verdict.json").read_bytes())
    accepted = []
    for path in leaves(verdict):
        for change in (lambda holder, key: holder.pop(key), lambda holder, key: holder.update({"unheard_of": 1})):
            changed = copy.deepcopy(verdict)
            holder = holder_of(changed, path)
            if isinstance(holder, dict):
                change(holder, path[-1])
                written(folder, changed)
                if checking(folder).accepted:
                    accepted.append(path)
    assert accepted == []


def test_every_byte_of_a_verdict_counts_even_white_space(folder):
    path = folder / "out/verdict.json"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\n ", 1))
    assert codes(checking(folder)) == {"STATEMENT_MISMATCH"}


def test_a_forger_who_makes_the_statement_anew_is_refused_by_deciding_again(folder):
    """Everything outside `execution`; who forges that too is refused by a signature alone (test_signatures)."""
    verdict = verdict_in(folder)
    better = [item.model_copy(update={"candidate_rate": 0.0, "delta": -0.25}) for item in verdict.classes]
    forged = verdict.model_copy(update={"classes": better})
    (folder / "out/verdict.json").write_bytes(verdict_bytes(forged))
    leave_statement(folder / "out", forged, params_in(folder), issued_at=PRESENT)
    assert codes(checking(folder)) == {"RECOMPUTED_OTHERWISE"}


def test_a_fail_that_was_rewritten_as_a_pass_is_refused(tmp_path):
    world = correct_world(scenarios=12)
    for number in range(12):
        world.candidate.label(f"pi-{number}", True, True)
    for threshold in world.gate["classes"].values():
        threshold["tolerance"] = 0.3
    write(world, tmp_path)
    params = gate_again(tmp_path)
    failed = verdict_in(tmp_path)
    assert failed.verdict == "FAIL"
    passing = [item.model_copy(update={"outcome": "PASS"}) for item in failed.classes]
    forged = failed.model_copy(
        update={"verdict": VerdictState.PASS, "gate_open": True, "reasons": [], "classes": passing}
    )
    (tmp_path / "out/verdict.json").write_bytes(verdict_bytes(forged))
    leave_statement(tmp_path / "out", forged, params, issued_at=PRESENT)
    assert codes(checking(tmp_path)) == {"RECOMPUTED_OTHERWISE"}


@pytest.mark.parametrize("state", ["FAIL", "NO_VERDICT", "pass", "PASSED", True, None])
def test_anything_but_pass_is_refused(folder, state):
    verdict = json.loads((folder / "out/verdict.json").read_bytes())
    written(folder, verdict | {"verdict": state})
    assert not checking(folder).accepted


def test_another_schema_is_refused(folder):
    verdict = json.loads((folder / "out/verdict.json").read_bytes())
    written(folder, verdict | {"schema": "litmus-nb/verdict/v2"})
    assert codes(checking(folder)) == {"VERDICT_UNREADABLE"}


@pytest.mark.parametrize(
    "change",
    [
        lambda content: content.replace(b'"gate_open"', b'"verdict": "PASS", "gate_open"', 1),
        lambda content: b"\xef\xbb\xbf" + content,
        lambda content: content + b"{}",
        lambda content: b"",
        lambda content: content.replace(b"0.25", b"NaN", 1),
    ],
    ids=["a key twice", "byte order mark", "two documents", "nothing", "NaN"],
)
def test_what_two_readers_could_read_differently_is_refused(folder, change):
    path = folder / "out/verdict.json"
    path.write_bytes(change(path.read_bytes()))
    assert codes(checking(folder)) == {"VERDICT_UNREADABLE"}


@pytest.mark.parametrize("name", ["verdict.json", "verdict.statement.json"])
def test_a_symbolic_link_is_not_followed(folder, name):
    real = folder / "real"
    (folder / "out" / name).rename(real)
    (folder / "out" / name).symlink_to(real)
    with pytest.raises(UnreadableInput, match="symbolic link"):
        read_presented(folder / "out/verdict.json")


def test_a_pipe_is_not_waited_for(folder):
    (folder / "out/verdict.json").unlink()
    os.mkfifo(folder / "out/verdict.json")
    with pytest.raises(UnreadableInput, match="regular file"):
        read_presented(folder / "out/verdict.json")


# -- the statement -------------------------------------------------------------------------------------------------


def test_a_verdict_without_its_statement_is_refused(folder):
    (folder / "out/verdict.statement.json").unlink()
    assert codes(checking(folder)) == {"STATEMENT_MISSING"}


def test_every_field_of_a_statement_that_is_flipped_is_refused(folder):
    path = folder / "out/verdict.statement.json"
    statement = json.loads(path.read_bytes())
    accepted = []
    for where in leaves(statement):
        changed = copy.deepcopy(statement)
        holder = holder_of(changed, where)
        holder[where[-1]] = flipped(holder[where[-1]])
        path.write_text(json.dumps(changed, separators=(",", ":"), sort_keys=True))
        if checking(folder).accepted:
            accepted.append(where)
    assert accepted == []


def test_a_statement_about_another_kind_of_thing_is_refused(folder):
    path = folder / "out/verdict.statement.json"
    statement = json.loads(path.read_bytes())
    path.write_text(json.dumps(statement | {"predicateType": "https://slsa.dev/verification_summary/v1"}))
    assert codes(checking(folder)) == {"ATTESTATION_WRONG_TYPE"}


# -- the evidence --------------------------------------------------------------------------------------------------


def sampled(length, most=12):
    return sorted({round(index * (length - 1) / (most - 1)) for index in range(most)})


def test_a_flipped_bit_in_any_file_of_the_evidence_is_refused(folder):
    """Twelve places in each file, its first and last byte among them; in comments and white space too."""
    files = evidence_files(params_in(folder))
    assert {file.name for file in files} >= {"gate", "ledger", "suite", "suite/probes", "candidate/run.json"}
    accepted = []
    for file in files:
        content = file.path.read_bytes()
        for place in sampled(len(content)):
            file.path.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
            if checking(folder).accepted:
                accepted.append((file.name, place))
        file.path.write_bytes(content)
    assert accepted == []
    assert checking(folder).accepted


def test_a_comment_in_the_suite_is_a_change_though_the_manifest_hash_is_the_same(folder):
    path = folder / "suite/suite.yaml"
    path.write_bytes(path.read_bytes() + b"# harmless\n")
    assert codes(checking(folder)) == {"EVIDENCE_CHANGED"}


def test_probes_in_another_order_are_a_change(folder):
    path = folder / "suite/probes.jsonl"
    path.write_bytes(b"".join(reversed(path.read_bytes().splitlines(keepends=True))))
    assert codes(checking(folder)) == {"EVIDENCE_CHANGED"}


@pytest.mark.parametrize("name", ["notes.txt", "deep/er.json"])
def test_a_file_laid_beside_the_evidence_is_refused(folder, name):
    (folder / "candidate" / name).parent.mkdir(exist_ok=True)
    (folder / "candidate" / name).write_text("{}")
    assert codes(checking(folder)) == {"EVIDENCE_CHANGED"}


@pytest.mark.parametrize("name", ["gate.yaml", "ledger.jsonl", "suite/probes.jsonl", "candidate/run.json", "baseline"])
def test_evidence_that_is_a_symbolic_link_is_refused(folder, name):
    real = folder / "real"
    (folder / name).rename(real)
    (folder / name).symlink_to(real)
    assert codes(checking(folder)) == {"EVIDENCE_UNREADABLE"}


@pytest.mark.parametrize("name", ["gate.yaml", "ledger.jsonl", "suite/judge.md", "candidate/trials.jsonl", "baseline"])
def test_evidence_that_is_gone_is_refused(folder, name):
    path = folder / name
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    result = checking(folder)
    assert not result.accepted
    assert codes(result) & {"EVIDENCE_UNREADABLE", "EVIDENCE_CHANGED"}


def test_the_gate_of_another_folder_does_not_carry_over(folder, tmp_path):
    """A verdict on laxer terms, shown to somebody with their own gate file."""
    lax = correct_world()
    for threshold in lax.gate["classes"].values():
        threshold["tolerance"] = 0.99
    write(lax, tmp_path / "lax")
    gate_again(tmp_path / "lax")
    shutil.copytree(tmp_path / "lax/out", folder / "out", dirs_exist_ok=True)
    assert {"DIGEST_MISMATCH", "EVIDENCE_CHANGED", "RECOMPUTED_OTHERWISE"} == codes(checking(folder))


def test_all_refusals_are_reported_at_once(folder):
    (folder / "suite/suite.yaml").write_bytes((folder / "suite/suite.yaml").read_bytes() + b"# x\n")
    result = checking(folder, run_id="another", subject="sha256:" + "0" * 64, notebook_sha256="sha256:" + "0" * 64)
    assert codes(result) == {"EVIDENCE_CHANGED", "RUN_ID_MISMATCH", "SUBJECT_MISMATCH", "NOTEBOOK_MISMATCH"}
