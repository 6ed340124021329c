"""check, attest, bundle on the command line: exit codes, all reasons, JSON for machines."""

from __future__ import annotations

import json

import pytest

from litmus_nb.cli import main
from litmus_nb.contracts.check_result import CheckResult
from tests.attest.gated import PRESENT, gate
from tests.builders import correct_world


@pytest.fixture
def call(tmp_path, capsys, monkeypatch):
    """Runs a command line in a world's folder whose gate has run; gives exit status and everything printed."""
    gate(correct_world(), tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("litmus_nb.cli.attest.now", lambda: PRESENT)

    def run(*words):
        with pytest.raises(SystemExit) as left:
            main(list(words))
        printed = capsys.readouterr()
        return left.value.code, printed.out + printed.err

    return run


def check(call, *words):
    """The check on the day of the verdict."""
    return call("check", *words, "--as-if-at", "2026-11-30T23:00:00Z")


def test_accepted(call):
    status, said = check(call, "out/verdict.json", "--params", "params.yaml", "--recompute")
    assert (status, said.startswith("accepted, unsigned")) == (0, True), said


def test_refused_with_every_reason_and_what_to_do(call):
    status, said = check(call, "out/verdict.json", "--run-id", "x", "--subject", "sha256:" + "0" * 64)
    assert status == 1
    assert [word in said for word in ("RUN_ID_MISMATCH", "SUBJECT_MISMATCH", "UNPROVEN", "Give --params")] == [True] * 4


def test_as_json(call):
    status, said = check(call, "out/verdict.json", "--json")
    result = CheckResult.read(json.loads(said), file="check")
    assert (status, result.accepted, result.refusals[0].code) == (1, False, "UNPROVEN")


@pytest.mark.parametrize("name", ["none.json", "none.tar", "out"])
def test_nothing_there_is_refused(call, name):
    assert check(call, name, "--params", "params.yaml")[0] in (1, 2)


def test_a_symbolic_link_is_refused(call, tmp_path):
    (tmp_path / "link.json").symlink_to("out/verdict.json")
    status, said = check(call, "link.json", "--params", "params.yaml")
    assert (status, "symbolic link" in said) == (1, True)


@pytest.mark.parametrize(
    "words",
    [
        ["out/verdict.json", "--trust-bundle"],
        ["out/verdict.json", "--identity", "somebody"],
        ["out/verdict.json", "--subject", "no-such-file"],
        ["out/verdict.json", "--signatures", "2", "--key", "a.pub"],
        ["out/verdict.json", "--as-if-at", "yesterday"],
        ["gate.tar", "--params", "params.yaml"],
        ["out/verdict.json", "--params", "none.yaml"],
        ["out/verdict.json", "--unheard-of"],
    ],
)
def test_words_that_contradict_each_other_are_no_check(call, words):
    assert call("check", *words)[0] == 2


def test_sign_and_deploy(call, new_key, tmp_path):
    key = new_key()
    status, said = call("attest", "out/verdict.json", "--params", "params.yaml", "--key", str(key.private))
    assert status == 0, said
    verdict = json.loads((tmp_path / "out/verdict.json").read_bytes())
    subject = verdict["evidence"]["policy_digest"]
    status, said = check(call, "out/verdict.json", "--key", str(key.public), "--subject", subject)
    assert (status, "signed by sha256:" in said) == (0, True), said
    assert check(call, "out/verdict.json", "--key", str(key.public))[0] == 1


def test_an_artefact_is_hashed_where_it_is_a_file(call, tmp_path):
    (tmp_path / "artefact").write_bytes(b"another policy")
    status, said = check(call, "out/verdict.json", "--params", "params.yaml", "--subject", "artefact")
    assert (status, "SUBJECT_MISMATCH" in said) == (1, True)


def test_what_does_not_follow_is_not_signed(call, new_key, tmp_path):
    path = tmp_path / "out/verdict.json"
    path.write_text(path.read_text().replace('"mean_delta": 0.0', '"mean_delta": -0.1'))
    status, said = call("attest", "out/verdict.json", "--params", "params.yaml", "--key", str(new_key().private))
    assert (status, "RECOMPUTED_OTHERWISE" in said) == (1, True)
    assert not (tmp_path / "out/verdict.dsse.json").exists()


def test_a_new_verdict_takes_the_old_signature_away(call, new_key, tmp_path):
    call("attest", "out/verdict.json", "--params", "params.yaml", "--key", str(new_key().private))
    assert (tmp_path / "out/verdict.dsse.json").exists()
    call("evaluate", "params.yaml")
    assert not (tmp_path / "out/verdict.dsse.json").exists()


@pytest.mark.parametrize(
    "words", [[], ["--key", "a", "--keyless"], ["--key", "env:NO_SUCH_VARIABLE"], ["--key", "none"]]
)
def test_a_signature_needs_exactly_one_key(call, words):
    assert call("attest", "out/verdict.json", "--params", "params.yaml", *words)[0] == 2


def test_bundle_and_recompute(call, tmp_path):
    assert call("bundle", "params.yaml", "-o", "gate.tar")[0] == 0
    status, said = check(call, "gate.tar", "--trust-bundle", "--keep-recomputed", "again.json")
    assert (status, "recomputed" in said) == (0, True), said
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "out/verdict.json").read_bytes()
    assert check(call, "gate.tar")[0] == 1


def test_a_bundle_of_a_signed_verdict_is_deployed_from(call, new_key, tmp_path):
    key = new_key()
    call("attest", "out/verdict.json", "--params", "params.yaml", "--key", str(key.private))
    call("bundle", "params.yaml", "-o", "gate.tar")
    subject = json.loads((tmp_path / "out/verdict.json").read_bytes())["evidence"]["policy_digest"]
    words = ["gate.tar", "--key", str(key.public), "--subject", subject, "--gate", "gate.yaml", "--recompute"]
    assert check(call, *words)[0] == 0


def test_a_bundle_goes_by_its_name(call):
    assert call("bundle", "params.yaml", "-o", "gate.zip")[0] == 2
