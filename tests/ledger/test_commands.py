"""The commands that write to the ledger: exit codes, what they show, what they leave alone."""

from __future__ import annotations

import json
import shutil
import subprocess

import pytest

from litmus_nb.cli import main
from litmus_nb.rule.chain import walk_chain
from tests.builders import correct_world, write
from tests.ledger.conftest import REASON
from tests.ledger.test_since import git

WHO = ["--by", "red-team", "--reason", REASON]


@pytest.fixture
def call(folder, capsys, clock, monkeypatch):
    """Runs a command line in the world's folder, on its day; gives exit status and everything printed."""
    for module in ("baseline", "ledger", "quarantine"):
        monkeypatch.setattr(f"litmus_nb.cli.{module}.now", clock)

    def run(*words):
        with pytest.raises(SystemExit) as left:
            main(list(words))
        printed = capsys.readouterr()
        return left.value.code, printed.out + printed.err

    return run


def entries(ledger):
    return walk_chain(ledger.read_bytes()).entries


def test_verify_says_whole(call):
    status, said = call("ledger", "verify", "params.yaml")
    assert (status, "whole: 1 entries" in said) == (0, True)


def test_verify_finds_a_broken_chain(call, ledger):
    ledger.write_bytes(ledger.read_bytes().replace(b'"seq":0', b'"seq":1'))
    status, said = call("ledger", "verify", "params.yaml")
    assert (status, "line 1" in said) == (4, True)


def test_verify_finds_a_gate_that_pins_another_baseline(call, gate):
    gate.write_text(gate.read_text().replace("sha256: ", "sha256: &x ").replace("&x ", ""))
    text = gate.read_text()
    pinned = text.split("sha256: ")[1].split("\n")[0]
    gate.write_text(text.replace(pinned, '"sha256:' + "0" * 64 + '"'))
    status, said = call("ledger", "verify", "params.yaml")
    assert (status, "baseline that gate.yaml pins" in said) == (4, True)


def test_verify_since_a_branch(call, folder, ledger):
    git(folder, "init", "-q", "-b", "base")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "base")
    assert call("quarantine", "add", "params.yaml", "pi-1", "--days", "3", *WHO)[0] == 0
    assert call("ledger", "verify", "params.yaml", "--since", "base")[0] == 0
    ledger.write_bytes(ledger.read_bytes().replace(b'"first"', b'"First"', 1))
    status, said = call("ledger", "verify", "ledger.jsonl", "--since", "base")
    assert (status, "history was rewritten" in said) == (4, True)
    assert call("ledger", "verify", "params.yaml", "--since", "nowhere")[0] == 2


def test_a_merge_conflict_is_explained(call, ledger):
    line = ledger.read_bytes()
    ledger.write_bytes(b"<<<<<<< ours\n" + line + b"=======\n" + line + b">>>>>>> theirs\n")
    status, said = call("ledger", "verify", "params.yaml")
    assert (status, "git checkout BASE" in said) == (4, True)


def test_the_advice_for_a_merge_works(call, folder, gate, ledger):
    """Two branches append; the later one takes the base's ledger whole and appends again."""
    git(folder, "init", "-q", "-b", "base")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "base")
    git(folder, "checkout", "-qb", "branch")
    call("quarantine", "add", "params.yaml", "pi-1", "--days", "3", *WHO)
    git(folder, "commit", "-qam", "branch")
    git(folder, "checkout", "-q", "base")
    call("quarantine", "add", "params.yaml", "pi-2", "--days", "3", *WHO)
    git(folder, "commit", "-qam", "base goes on")
    git(folder, "checkout", "-q", "branch")
    with pytest.raises(subprocess.CalledProcessError):
        git(folder, "merge", "base")
    assert call("ledger", "verify", "params.yaml")[0] == 4
    git(folder, "checkout", "base", "--", "ledger.jsonl", "gate.yaml")
    assert call("quarantine", "add", "params.yaml", "pi-1", "--days", "3", *WHO)[0] == 0
    assert call("ledger", "verify", "params.yaml", "--since", "base")[0] == 0


def test_log_shows_the_number_of_the_attempt(call, ledger):
    for _ in range(2):
        call("evaluate", "params.yaml")
        assert call("ledger", "record", "params.yaml", "out/verdict.json")[0] == 0
    status, said = call("ledger", "log", "params.yaml")
    assert (status, "attempt 1" in said, "attempt 2" in said) == (0, True, True)
    lines = call("ledger", "log", "params.yaml", "--json")[1].splitlines()
    assert [json.loads(line)["attempt"] for line in lines] == [None, 1, 2]


def test_text_from_the_ledger_cannot_move_the_cursor(call, ledger, folder):
    world = correct_world()
    world.record("release", scenario_id="pi-1", by="some\x1b[2Jbody", reason="::error::\u202ehidden")
    write(world, folder)
    said = call("ledger", "log", "params.yaml")[1]
    assert ("\x1b" in said, "\u202e" in said, "\\x1b[2Jbody" in said) == (False, False, True)


def test_quarantine_add_list_release(call, ledger):
    assert call("quarantine", "add", "params.yaml", "pi-3", "--days", "14", *WHO)[0] == 0
    status, said = call("quarantine", "list", "params.yaml")
    assert (status, "pi-3" in said, REASON in said) == (0, True, True)
    rows = json.loads(call("quarantine", "list", "params.yaml", "--json")[1])
    assert [row["scenario_id"] for row in rows] == ["pi-3"]
    assert call("quarantine", "release", "params.yaml", "pi-3", *WHO)[0] == 0
    assert "Nothing is in quarantine" in call("quarantine", "list", "params.yaml")[1]


@pytest.mark.parametrize(
    "words",
    [
        ["add", "params.yaml", "pi-3", *WHO],
        ["add", "params.yaml", "pi-3", "--days", "365", *WHO],
        ["add", "params.yaml", "pi-*", "--days", "3", *WHO],
        ["add", "params.yaml", "pi-3", "--days", "3", "--by", "me"],
        ["release", "params.yaml", "pi-3", *WHO],
    ],
)
def test_quarantine_refuses_and_writes_nothing(call, ledger, words):
    before = ledger.read_bytes()
    assert call("quarantine", *words)[0] == 2
    assert before == ledger.read_bytes()


def test_an_expired_quarantine_is_a_finding_of_the_audit(call, folder):
    world = correct_world()
    world.quarantine("pi-0", at="2026-10-01T10:00:00Z")
    write(world, folder)
    status, said = call("quarantine", "audit", "params.yaml")
    assert (status, "QUARANTINE_EXPIRED" in said, "-0.250" in said) == (4, True, True)


def test_baseline_show_and_diff_write_nothing(call, folder):
    before = {path: path.read_bytes() for path in folder.rglob("*.y*ml")}
    status, said = call("baseline", "show", "params.yaml")
    assert (status, "baseline_pin" in said) == (0, True)
    status, said = call("baseline", "diff", "params.yaml")
    assert (status, "shift (paired)" in said, "unknown" in said) == (0, True, False)
    assert before == {path: path.read_bytes() for path in folder.rglob("*.y*ml")}


def test_rebump_asks_first_and_writes_nothing_where_nobody_answers(call, ledger):
    before = ledger.read_bytes()
    status, said = call("baseline", "rebump", "params.yaml", *WHO)
    assert (status, "--yes" in said, before) == (2, True, ledger.read_bytes())


def test_rebump_shows_and_then_writes(call, ledger):
    status, said = call("baseline", "rebump", "params.yaml", *WHO, "--yes")
    assert (status, "shift (paired)" in said) == (0, True)
    assert [entry.kind for entry in entries(ledger)] == ["baseline_pin", "baseline_rebump"]


def test_rebump_without_the_first_baselines_run_must_be_meant(call, folder, ledger):
    call("baseline", "rebump", "params.yaml", *WHO, "--yes")
    shutil.copytree("candidate", "third")
    run = folder / "third/run.json"
    run.write_text(run.read_text().replace("cand-", "third-"))
    shutil.rmtree("baseline")
    third = ["params.yaml", "-p", "candidate", "third", *WHO, "--yes"]
    status, said = call("baseline", "rebump", *third)
    assert (status, "--without-history" in said, len(entries(ledger))) == (2, True, 2)
    assert call("baseline", "rebump", *third, "--without-history")[0] == 0


def test_an_unfit_run_is_named_with_its_reasons(call, folder, ledger):
    world = correct_world()
    world.candidate.declaration["interface"]["tool_namespace"] = "terminal"
    world.candidate.declaration["status"] = "error"
    write(world, folder)
    before = ledger.read_bytes()
    status, said = call("baseline", "rebump", "params.yaml", *WHO, "--yes")
    assert (status, "TOOL_NAMESPACE_MISMATCH" in said, before) == (3, True, ledger.read_bytes())
    world.candidate.declaration["interface"]["tool_namespace"] = "shell"
    write(world, folder)
    status, said = call("baseline", "rebump", "params.yaml", *WHO, "--yes")
    assert (status, "RUN_INCOMPLETE" in said, before) == (4, True, ledger.read_bytes())


def test_pin_head_closes_the_end_of_the_chain(call, gate, ledger):
    call("quarantine", "add", "params.yaml", "pi-1", "--days", "3", *WHO)
    assert call("ledger", "pin-head", "params.yaml")[0] == 0
    ledger.write_bytes(ledger.read_bytes().splitlines(keepends=True)[0])
    assert call("ledger", "verify", "params.yaml")[0] == 4
    assert "LEDGER_BROKEN" in call("evaluate", "params.yaml", "--json")[1]
