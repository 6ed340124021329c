"""Gate file and ledger as a verdict saw them: what may have moved on, and what is another file."""

from __future__ import annotations

import pytest

from litmus_nb.attest.rewind import gate_then, ledger_then
from litmus_nb.contracts.canonical import digest_of_bytes
from litmus_nb.ledger.head import pin_head
from tests.attest.gated import checking, codes, gate_again
from tests.attest.parts import HEAD, a_verdict, digest
from tests.attest.test_check import recorded
from tests.builders import DIGEST, correct_world, write


def seen(**evidence):
    return a_verdict(evidence=evidence).evidence


@pytest.mark.parametrize(
    ("length", "expected"),
    [
        (0, b""),
        (1, b"one\n"),
        (2, b"one\ntwo\n"),
        (3, b"one\ntwo\n"),
        (4, b"one\ntwo\n"),
        (99, b"one\ntwo\n"),
        (None, b"one\ntwo\n"),
    ],
)
def test_a_ledger_is_taken_back_to_the_lines_that_were_seen(length, expected):
    assert expected == ledger_then(b"one\ntwo\n", seen(ledger_length=length))


def test_a_torn_last_line_is_none_and_is_seen_where_the_length_is_not_known():
    assert ledger_then(b"one\ntwo", seen(ledger_length=2)) == b"one\n"
    assert ledger_then(b"one\ntwo", seen(ledger_length=None)) == b"one\ntwo"


@pytest.fixture
def gate(tmp_path):
    """A gate file that pins HEAD."""
    write(correct_world(), tmp_path)
    return (tmp_path / "gate.yaml").read_bytes() + f"ledger_head: {HEAD}\n".encode()


def then(content, was, head=HEAD):
    """The file that a verdict saw, which carries the digest of `was`."""
    return gate_then(content, seen(gate_sha256=was and digest_of_bytes(was), ledger_head=head), file="gate.yaml")


def test_a_pin_that_moved_on_is_moved_back(gate):
    moved = gate.replace(HEAD.encode(), digest("b").encode())
    assert then(moved, gate) == gate
    assert then(gate, gate) == gate


def test_a_gate_that_changed_by_anything_else_is_given_as_it_is(gate):
    moved = gate.replace(HEAD.encode(), digest("b").encode())
    for other in (moved + b"# a comment\n", moved.replace(b"0.9", b"0.8", 1), moved[:-1]):
        assert then(other, gate) == other


def test_a_verdict_that_saw_no_head_or_no_gate_takes_nothing_back(gate):
    assert then(gate, b"another", None) == gate
    assert then(gate, None) == gate


def test_what_is_no_gate_file_is_given_as_it_is(gate):
    assert then(b"ledger_head: [", gate) == b"ledger_head: ["


def test_a_pin_that_is_gone_has_not_moved_on(gate):
    """With the old head put in, the bytes would be the old ones; but nothing would show where the ledger ended."""
    commented = b"# ledger_head: moved by the gate\n" + gate
    without = commented.replace(f"ledger_head: {HEAD}\n".encode(), b"")
    ledger_line = next(line for line in gate.splitlines(keepends=True) if line.startswith(b"ledger:"))
    pinned_there = without.replace(ledger_line, ledger_line + f'ledger_head: "{HEAD}"\n'.encode())
    assert then(without, pinned_there) == without


def test_a_pin_that_is_removed_together_with_the_end_of_the_ledger_is_refused(tmp_path):
    """Whoever cuts the failed second attempt off cannot take its trace out of gate.yaml either."""
    write(correct_world(), tmp_path)
    path = tmp_path / "gate.yaml"
    unpinned = b"# ledger_head: moved by the gate\n" + path.read_bytes()
    path.write_bytes(unpinned)
    pin_head(path)
    gate_again(tmp_path)
    ledger = (tmp_path / "ledger.jsonl").read_bytes()
    recorded(tmp_path, "FAIL", candidate_digest=DIGEST)
    assert codes(checking(tmp_path)) == {"CONTRADICTED_LATER"}
    (tmp_path / "ledger.jsonl").write_bytes(ledger)
    path.write_bytes(unpinned)
    assert {"DIGEST_MISMATCH", "EVIDENCE_CHANGED"} <= codes(checking(tmp_path))
