"""Ledgers made or mangled by tools, merges and people: whole, or broken and said to be."""

from __future__ import annotations

import hashlib
import json

import pytest

from litmus_nb.rule.chain import walk_chain
from tests.builders import codes, correct_world, decide


def two_more(world):
    world.record("quarantine", scenario_id=world.probes[0]["id"], max_age_days=30)
    world.record("release", scenario_id=world.probes[0]["id"])
    return world


MANGLED = {
    "CRLF": lambda c: c.replace(b"\n", b"\r\n"),
    "a formatter": lambda c: b"\n".join(json.dumps(json.loads(line)).encode() for line in c.splitlines()) + b"\n",
    "a blank line at the end": lambda c: c + b"\n",
    "a blank line within": lambda c: c.replace(b"\n", b"\n\n", 1),
    "no newline at the end": lambda c: c[:-1],
    "a line cut off": lambda c: c[:-20],
    "a line cut off, and a newline": lambda c: c[:-20] + b"\n",
    "a byte order mark": lambda c: b"\xef\xbb\xbf" + c,
    "NUL at the end": lambda c: c + b"\0" * 512,
    "conflict markers": lambda c: b"<<<<<<< ours\n" + c + b"=======\n" + c + b">>>>>>> theirs\n",
    "a union merge": lambda c: c + c.splitlines(keepends=True)[-1],
    "the first line gone": lambda c: b"".join(c.splitlines(keepends=True)[1:]),
    "the middle line gone": lambda c: b"".join(c.splitlines(keepends=True)[::2]),
    "lines swapped": lambda c: b"".join(reversed(c.splitlines(keepends=True))),
    "a key twice": lambda c: c.replace(b'"seq":0', b'"seq":0,"seq":0'),
    "keys in another order": lambda c: c.replace(b'"at":', b'"zz":', 1),
    "seq with a point": lambda c: c.replace(b'"seq":1', b'"seq":1.0'),
    "seq of true": lambda c: c.replace(b'"seq":1', b'"seq":true'),
    "a seq beyond 2^53": lambda c: c.replace(b'"seq":1', b'"seq":99999999999999999999'),
    "an escaped letter": lambda c: c.replace(b"because", b"bec\\u0061use", 1),
    "a lone surrogate": lambda c: c.replace(b"because", b"\\ud800", 1),
    "a reason edited": lambda c: c.replace(b"because", b"becausE", 1),
    "an infinite age": lambda c: c.replace(b'"max_age_days":30', b'"max_age_days":1e999'),
    "a list for a line": lambda c: b"[]\n" + c,
    "nesting without end": lambda c: c + b"[" * 100_000 + b"\n",
    "UTF-16": lambda c: c.decode().encode("utf-16"),
}


@pytest.mark.parametrize("what", MANGLED)
def test_a_mangled_ledger_is_broken(what, tmp_path):
    world = two_more(correct_world())
    before = world.sealed()["ledger.jsonl"]
    assert before != MANGLED[what](before)
    world.tampered["ledger.jsonl"] = MANGLED[what]
    assert codes(decide(world, tmp_path)) == {"LEDGER_BROKEN"}


def test_a_wildcard_names_no_scenario(tmp_path):
    world = correct_world()
    world.quarantine("*")
    assert codes(decide(world, tmp_path)) == {"QUARANTINE_INVALID"}


@pytest.mark.parametrize("days", [0, -1, 1.5, "30", True, None, [30], {}, 1e21])
def test_an_age_is_a_whole_positive_number_of_days(days, tmp_path):
    world = correct_world()
    world.quarantine(world.probes[0]["id"], max_age_days=days)
    assert codes(decide(world, tmp_path)) == {"QUARANTINE_INVALID"}


def test_times_that_fall_by_less_than_a_microsecond_fall(tmp_path):
    world = correct_world()
    world.record("release", scenario_id="x", at="2026-11-20T10:00:00.000000002Z")
    world.record("release", scenario_id="x", at="2026-11-20T10:00:00.000000001Z")
    assert codes(decide(world, tmp_path)) == {"LEDGER_BROKEN"}


def test_a_ledger_of_a_twenty_thousand_lines_is_walked_once_through():
    """Linear in its length; a quadratic walk would not come back from this."""
    lines, prev = [], "sha256:" + "0" * 64
    for seq in range(20_000):
        line = (
            f'{{"at":"2026-11-20T10:00:00Z","by":"b","kind":"release","prev":"{prev}","reason":"r",'
            f'"scenario_id":"s","seq":{seq}}}'
        ).encode()
        prev = "sha256:" + hashlib.sha256(line).hexdigest()
        lines.append(line)
    chain = walk_chain(b"\n".join(lines) + b"\n")
    assert chain.is_whole
    assert (20_000, prev) == (len(chain.entries), chain.head)
