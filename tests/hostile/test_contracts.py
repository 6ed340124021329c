"""YAML and JSON made to be read in two ways, or to wear the reader out: refused, with the file and the place."""

from __future__ import annotations

import json

import pytest

from litmus_nb.contracts.strict_json import parse_json
from litmus_nb.contracts.strict_yaml import parse_yaml
from litmus_nb.errors import UnreadableInput
from tests.builders import codes, correct_world, decide

YAML = {
    "nothing": b"",
    "a comment only": b"# nothing\n",
    "an anchor": b"a: &x 1\nb: 2\n",
    "an alias bomb": b"a: &a [x]\n" + b"".join(b"b%d: &b%d [*a, *a]\n" % (i, i) for i in range(30)),
    "an alias to itself": b"a: &a [*a]\n",
    "a merge key": b"a: {<<: {b: 1}}\n<<: {c: 2}\n<<: {d: 3}\n",
    "a tag": b"a: !!str 1\n",
    "a Python tag": b"a: !!python/object/apply:os.system ['true']\n",
    "a tag of its own": b"a: !thing 1\n",
    "a tag directive": b"%TAG !e! tag:example.com,2026:\n---\na: !e!x 1\n",
    "a key twice": b"a: 1\na: 2\n",
    "a key twice, quoted": b'a: 1\n"a": 2\n',
    "a key twice, escaped": b'a: 1\n"\\x61": 2\n',
    "a key twice, inside": b"a: {b: 1, b: 1}\n",
    "a key that is a number": b"1: a\n",
    "a key that is null": b"~: a\n",
    "a key that is a list": b"? [a]\n: b\n",
    "two documents": b"a: 1\n---\na: 2\n",
    "NaN": b"a: .nan\n",
    "infinity": b"a: -.INF\n",
    "too great a number": b"a: 1e999\n",
    "an integer beyond 2^53": b"a: 9007199254740992\n",
    "an integer of 5,000 digits": b"a: " + b"9" * 5000 + b"\n",
    "a byte order mark": b"\xef\xbb\xbfa: 1\n",
    "UTF-16": "a: 1\n".encode("utf-16"),
    "UTF-16 without a mark": "a: 1\n".encode("utf-16-le"),
    "UTF-32": "a: 1\n".encode("utf-32"),
    "Latin-1": "a: é\n".encode("latin-1"),
    "a NUL": b"a: \0\n",
    "a control character": b"a: \x07\n",
    "a C1 control character": "a: \x9b31m\n".encode(),
    "a tab for indentation": b"a:\n\tb: 1\n",
    "nesting of 100": b"a: " + b"[" * 100 + b"]" * 100 + b"\n",
    "nesting of 100,000": b"a: " + b"[" * 100_000,
    "mappings of 5,000": b"".join(b" " * depth + b"a:\n" for depth in range(500)),
    "an open quote": b'a: "b\n',
    "an open list": b"a: [1, 2\n",
}


@pytest.mark.parametrize("what", YAML)
def test_yaml_that_can_be_read_two_ways_is_refused(what):
    with pytest.raises(UnreadableInput):
        parse_yaml(YAML[what], file="gate.yaml")


PLAIN_WORDS = {
    "no": "no",
    "Yes": "Yes",
    "on": "on",
    "2026-11-30": "2026-11-30",
    "1:20": "1:20",
    "0o17": 15,
    "0x1F": 31,
    "010": 10,
    "1_000": "1_000",
    "~": None,
    "": None,
    "'null'": "null",
    '"true"': "true",
    "True": True,
    "-0": 0,
    "1.": 1.0,
    ".5": 0.5,
    "=": "=",
    "sha256:1e1": "sha256:1e1",
    "1e1": 10.0,
    "0b1": "0b1",
}


@pytest.mark.parametrize("word", PLAIN_WORDS)
def test_plain_words_have_the_json_types_of_yaml_1_2(word):
    """YAML 1.2.2, section 10.3.2; 1.1 would read no, on, 010, 1:20 and the day as something else."""
    seen = parse_yaml(f"a: {word}\n".encode(), file="f")["a"]
    assert (PLAIN_WORDS[word], type(PLAIN_WORDS[word])) == (seen, type(seen))


JSON = {
    "nothing": "",
    "white space": " \n",
    "two values": "1 2",
    "a trailing comma": "[1,]",
    "a comment": "[1] // one",
    "single quotes": "{'a': 1}",
    "a key without quotes": "{a: 1}",
    "a key twice": '{"a": 1, "a": 1}',
    "a key twice, escaped": '{"a": 1, "\\u0061": 2}',
    "a key twice, deep": '[[{"b": {"a": 1, "a": 2}}]]',
    "NaN": "[NaN]",
    "Infinity": "[-Infinity]",
    "1e999": "[1e999]",
    "-1e999": "[-1e999]",
    "2^53": "[9007199254740992]",
    "-2^53": "[-9007199254740992]",
    "4,000 digits": "[" + "7" * 4000 + "]",
    "a leading zero": "[01]",
    "a plus": "[+1]",
    "hexadecimal": "[0x1]",
    "a lone surrogate": '["\\udc00"]',
    "a lone surrogate in a key": '{"\\ud800": 1}',
    "surrogates in the wrong order": '["\\udc00\\ud800"]',
    "a control character": '["\x01"]',
    "a raw newline": '["\n"]',
    "a byte order mark": "\ufeff[]",
    "65 levels": "[" * 65 + "]" * 65,
    "5,000 levels": "[" * 5000 + "]" * 5000,
    "200,000 objects": '{"a":' * 200_000,
    "a wrong escape": '["\\x41"]',
    "NUL": "[]\0",
}


@pytest.mark.parametrize("what", JSON)
def test_json_that_can_be_read_two_ways_is_refused(what):
    with pytest.raises(UnreadableInput):
        parse_json(JSON[what].encode(), file="run.json")


@pytest.mark.parametrize("text", ["[1e308]", "[-0.0]", "[9007199254740991]", '["\\ud83d\\ude00"]', "[" * 64 + "]" * 64])
def test_json_at_the_edge_is_read(text):
    assert json.loads(text) == parse_json(text.encode(), file="f")


def test_utf_16_is_no_json_though_the_standard_library_reads_it():
    content = "[]".encode("utf-16-le")
    assert json.loads(content) == []
    with pytest.raises(UnreadableInput):
        parse_json(content, file="f")


RUN_CHANGES = {
    "a key of another case": lambda c: c.replace(b'"judge"', b'"Judge"', 1),
    "a key that looks alike": lambda c: c.replace(b'"judge"', '"jud\u0261e"'.encode(), 1),
    "a number for a boolean": lambda c: c.replace(b'"deterministic": false', b'"deterministic": 0'),
    "trials in text": lambda c: c.replace(b'"trials_per_scenario": 2', b'"trials_per_scenario": "2"'),
    "trials with a point": lambda c: c.replace(b'"trials_per_scenario": 2', b'"trials_per_scenario": 2.0'),
    "trials with an exponent": lambda c: c.replace(b'"trials_per_scenario": 2', b'"trials_per_scenario": 2e0'),
    "a second value of a key": lambda c: c.replace(b'"status":', b'"status": "error", "status":', 1),
    "a list around it": lambda c: b"[" + c + b"]",
    "cut off": lambda c: c[:-5],
    "twice": lambda c: c + c,
    "CSV": lambda c: b"schema,run_id\nlitmus-nb/run/v1,x\n",
    "a digest with a newline": lambda c: c.replace(b'"manifest_hash": "sha256:', b'"manifest_hash": "sha256:\\n'),
    "a digest in capitals": lambda c: c.replace(b'"manifest_hash": "sha256:', b'"manifest_hash": "SHA256:'),
    "an unknown capability that is null": lambda c: c.replace(b'"measured_by"', b'"unknown": null, "measured_by"'),
}


@pytest.mark.parametrize("what", RUN_CHANGES)
@pytest.mark.parametrize("side", ["candidate", "baseline"])
def test_a_declaration_that_says_two_things_is_unreadable(what, side, tmp_path):
    world = correct_world()
    before = world.sealed()[f"{side}/run.json"]
    assert before != RUN_CHANGES[what](before)
    world.tampered[f"{side}/run.json"] = RUN_CHANGES[what]
    assert codes(decide(world, tmp_path)) == {"CONTRACT_UNREADABLE"}


TIMES = [
    "2026-11-28T09:00:00",
    "2026-11-28T09:00:00+01:00",
    "2026-11-28T09:00:00-00:00",
    "2026-11-28 09:00:00Z",
    "2026-11-28t09:00:00z",
    "2026-11-28T24:00:00Z",
    "2026-11-28T23:59:60Z",
    "2026-02-29T09:00:00Z",
    "0000-01-01T00:00:00Z",
    "10000-01-01T00:00:00Z",
    "2026-11-28T09:00Z",
    "2026-11-28T09:00:00.Z",
    "2026-11-28T09:00:00.1234567891Z",
    "\u0662\u0660\u0662\u0666-11-28T09:00:00Z",
    "2026-11-28T09:00:00Z\n",
    "",
    1764320400,
]


@pytest.mark.parametrize("time", TIMES, ids=repr)
def test_a_time_in_another_form_is_unreadable(time, tmp_path):
    world = correct_world()
    world.candidate.declaration["finished_at"] = time
    assert codes(decide(world, tmp_path)) == {"CONTRACT_UNREADABLE"}


def test_a_million_unknown_keys_do_not_stop_the_gate(tmp_path):
    """All findings are reported, so there may be many; the state is what it must be."""
    world = correct_world()
    keys = b"".join(b'"k%d":0,' % number for number in range(20_000))
    world.tampered["candidate/run.json"] = lambda content: content.replace(b"{", b"{" + keys, 1)
    assert codes(decide(world, tmp_path)) == {"CONTRACT_UNREADABLE"}
