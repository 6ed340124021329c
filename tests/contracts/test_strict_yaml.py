"""YAML 1.2 with the JSON types: no word is a boolean, no date a date, and nothing is said twice."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litmus_nb.contracts.strict_json import MAX_DEPTH
from litmus_nb.contracts.strict_yaml import parse_yaml
from litmus_nb.errors import Fault, UnreadableInput


def read(text):
    return parse_yaml(f"a: {text}\n".encode(), file="x")["a"]


WORDS = "no No yes on off y n 2026-11-30 2026-11-30T10:00:00Z 1:30 1_000 0b11 = 012x 1e 0x tRUE + -. 1.2.3"


@pytest.mark.parametrize("word", WORDS.split())
def test_a_plain_word_is_text(word):
    assert read(word) == word


@pytest.mark.parametrize(
    ("written", "value"),
    [
        *((word, True) for word in ("true", "True", "TRUE")),
        *((word, False) for word in ("false", "False", "FALSE")),
        *((word, None) for word in ("null", "Null", "NULL", "~", "")),
        ("012", 12),
        ("9007199254740991", 2**53 - 1),
        ("-9007199254740991", 1 - 2**53),
        ("0" * 39 + "7", 7),
        ("0o14", 12),
        ("0xC", 12),
        ("+12", 12),
        ("-12", -12),
        ("1e3", 1000.0),
        ("1.", 1.0),
        (".5", 0.5),
        ("0.07", 0.07),
        ("'true'", "true"),
        ('"1"', "1"),
        ("|\n  1\n", "1\n"),
        ("[1, {b: 2}]", [1, {"b": 2}]),
    ],
)
def test_what_a_scalar_is(written, value):
    assert read(written) == value
    assert type(read(written)) is type(value)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"a: 1\na: 2\n", "two values for the key 'a'"),
        (b"a: {b: 1, b: 1}\n", "two values for the key 'b'"),
        (b"a: 1\n'a': 2\n", "two values for the key 'a'"),
        (b"a: .nan\n", "a finite number"),
        (b"a: .inf\n", "a finite number"),
        (b"a: -.INF\n", "a finite number"),
        (b"a: 1e999\n", "a finite number"),
        (b"a: 9007199254740992\n", "2\\^53-1"),
        (b"a: -9007199254740992\n", "2\\^53-1"),
        (b"a: 0xffffffffffffffff\n", "2\\^53-1"),
        (b"a: " + b"0" * 40 + b"7\n", "2\\^53-1"),
        (b"a: " + b"9" * 5000 + b"\n", "2\\^53-1"),
        (b"a: !!str 1\n", "the tag"),
        (b"a: !!python/object/apply:os.system [x]\n", "the tag"),
        (b"a: ! 1\n", "the tag"),
        (b"a: &x 1\n", "an anchor"),
        (b"a: &x [1]\nb: *x\n", "an anchor"),
        (b"a: {<<: {b: 1}, <<: {c: 1}}\n", "two values for the key '<<'"),
        (b"1: a\n", "a key that is text"),
        (b"null: a\n", "a key that is text"),
        (b"[a]: b\n", "a key that is text"),
        (b"a: 1\n---\nb: 2\n", "a second document"),
        (b"", "one document"),
        (b"# nothing\n", "one document"),
        (b"\xef\xbb\xbfa: 1\n", "byte order mark"),
        (b"a: \xff\n", "UTF-8"),
        (b"a: [1\n", "YAML"),
        (b"a:\tb: 1\n", "YAML"),
        (b"a: \x00\n", "YAML"),
        (b"a: " + b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1), "levels of nesting"),
        (b"a: " + b"[" * 300_000, "levels of nesting"),
        (b"- " * 300_000, "levels of nesting"),
        (b"? " * 300_000, "levels of nesting"),
        (b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1), "at most 64 levels of nesting, seen more"),
        (b"{a: " * (MAX_DEPTH + 1) + b"1" + b"}" * (MAX_DEPTH + 1), "at most 64 levels of nesting, seen more"),
        (b'a: "\\ud800"\n', "well-formed Unicode, seen a surrogate"),
        (b'a: "\\ud83d\\ude00"\n', "well-formed Unicode, seen a surrogate"),
        (b'"\\udfff": 1\n', "well-formed Unicode, seen a surrogate"),
        (b'a: "\\U00110000"\n', "YAML"),
        (b'a: "\\UFFFFFFFF"\n', "YAML"),
        (b"%YAML " + b"9" * 5000 + b".1\n---\na: 1\n", "YAML"),
    ],
)
def test_what_is_refused(content, told):
    with pytest.raises(UnreadableInput, match=told):
        parse_yaml(content, file="x")


def test_a_merge_key_is_a_key():
    assert parse_yaml(b"a: {<<: {b: 1}}\n", file="x") == {"a": {"<<": {"b": 1}}}


@pytest.mark.parametrize(
    "content", [b"[" * 64 + b"]" * 64, b"[" * 62 + b"{a: 1}" + b"]" * 62, b"a: " + b"[" * 63 + b"]" * 63]
)
def test_64_levels_are_read(content):
    assert parse_yaml(content, file="x")


@pytest.mark.parametrize(
    ("content", "where", "expected", "seen"),
    [
        (b"a: 1\nb: 2\na: 3\n", "line 3", "each key once", "two values for the key 'a'"),
        (b"a: 1\n2: b\n", "line 2", "a key that is text", "2"),
        (b"a: 1\n---\nb: 2\n", "line 2", "one document", "a second document"),
        (b"a: 1\nb: !x 1\n", "line 2", "plain values", "the tag !x"),
        (b"a: 1\nb: *x\n", "line 2", "plain values", "an anchor or alias"),
        (b"a: [1\n", "line 2", "YAML", "expected ',' or ']', but got '<stream end>'"),
        (b"a: 1\nb: @\n", "line 2", "YAML", "found character '@' that cannot start any token"),
        (b"a: 1\nb: \x07\n", "", "YAML", "unacceptable character #x0007: special characters are not allowed"),
        (b"a: 1\nb: \xff\n", "line 2", "UTF-8", "byte 0xff"),
    ],
)
def test_where_and_what_is_told(content, where, expected, seen):
    with pytest.raises(UnreadableInput) as refused:
        parse_yaml(content, file="gate.yaml")
    assert list(refused.value.faults) == [Fault("gate.yaml", where, expected, seen)]


@given(st.binary(max_size=200))
def test_no_bytes_crash_the_reader(content):
    try:
        parse_yaml(content, file="x")
    except UnreadableInput as refused:
        told = refused.faults
        assert told


@given(st.text(alphabet="a:-[]{},&*!|>'\"#%@` \n\t~1.e?", max_size=60))
def test_no_punctuation_crashes_the_reader(text):
    try:
        parse_yaml(text.encode(), file="x")
    except UnreadableInput as refused:
        told = refused.faults
        assert told
