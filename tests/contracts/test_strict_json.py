"""JSON: what two readers could read differently is refused, and nothing else is."""

from __future__ import annotations

import json

import pytest
import rfc8785
from hypothesis import example, given
from hypothesis import strategies as st

from litmus_nb.contracts.canonical import canonical_json, digest_of_bytes, digest_of_json
from litmus_nb.contracts.strict_json import MAX_DEPTH, MAX_INTEGER, parse_json, parse_json_lines
from litmus_nb.errors import Fault, UnreadableInput

# A whole number of 2^53 and above has a canonical form without a point, which reads as an integer and is refused.
NUMBERS = st.integers(-MAX_INTEGER, MAX_INTEGER) | st.floats(-MAX_INTEGER, MAX_INTEGER)
TEXTS = st.text(st.characters(codec="utf-8"))
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
)


@given(VALUES)
def test_what_json_writes_is_read(value):
    assert parse_json(json.dumps(value).encode(), file="x") == value


@given(VALUES)
def test_the_canonical_form_is_read_as_the_value_and_is_its_own_canonical_form(value):
    form = canonical_json(value)
    assert canonical_json(parse_json(form, file="x")) == form
    assert digest_of_json(value) == digest_of_bytes(form)


@given(VALUES)
@example({"\x7f": '\x00\x1f\u2028/"\\\b\f\n\r\t\x7f', "a": [{"B": -MAX_INTEGER, "A": None}]})
@example({"\U0001f600": 1, "\uffff": 2})
@example([{"a": "x", "b": None}, {"a": '"\\', "b": "\u2028"}])
@example([{"b": "x", "a": None}])
@example([{"a": "x"}, {"b": "x"}])
@example([{"\uffff": "x", "\U0001f600": "x"}])
@example([{"a": "x", "\uffff": "x", "\U0001f600": "x"}])
@example([{"a": "x"}, {"a": 1.5}])
@example([{"a": "x"}, {"a": {"c": "x", "b": "x"}}])
@example([{}, {}])
@example([])
def test_the_fast_way_writes_what_the_reference_writes(value):
    assert canonical_json(value) == rfc8785.dumps(value)


@pytest.mark.parametrize(
    "value", [{1: 2}, {"a": {None: 1}}, {1: 1, "a": 2}, MAX_INTEGER + 1, [float("nan")], "\ud800", {"a": "\udfff"}]
)
def test_what_has_no_canonical_form_has_none_by_the_fast_way_either(value):
    with pytest.raises(ValueError, match="canonical"):
        canonical_json(value)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b'{"a": 1, "a": 1}', "two values for the key 'a'"),
        (b'{"b": {"a": 1, "\\u0061": 2}}', "two values for the key 'a'"),
        (b"NaN", "a finite number"),
        (b"[Infinity]", "a finite number"),
        (b"[-Infinity]", "a finite number"),
        (b"1e999", "a finite number"),
        (b"-1e999", "a finite number"),
        (b"9007199254740992", "2\\^53-1"),
        (b"-9007199254740992", "2\\^53-1"),
        (b"1" * 5000, "2\\^53-1"),
        (b"\xef\xbb\xbf{}", "byte order mark"),
        (b"\xff\xfe{\x00}\x00", "byte order mark"),
        (b'"\xff"', "UTF-8"),
        (b'"\\ud800"', "surrogate"),
        (b'{"\\udc00": 1}', "surrogate"),
        (b'["\\ud800"]', "surrogate"),
        (b'{"a": "\\ud800"}', "surrogate"),
        (b"[" * MAX_DEPTH + b'"\\ud800"' + b"]" * MAX_DEPTH, "surrogate"),
        (b'{"a": ["\\ud83d"]}', "surrogate"),
        (b"", "JSON"),
        (b"{} {}", "JSON"),
        (b"{'a': 1}", "JSON"),
        (b"[1,]", "JSON"),
        (b"// x\n1", "JSON"),
        (b"01", "JSON"),
        (b"+1", "JSON"),
        (b".5", "JSON"),
        (b'"\n"', "JSON"),
        (b'{"b": 0, "a": 1, "a": 2}', "two values for the key 'a'"),
        (b'{"b": "\\u0020", "a": 1, "a": 2}', "two values for the key 'a'"),
        (b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1), "levels of nesting"),
        (b'{"a":' * 65 + b"1" + b"}" * 65, "at most 64 levels of nesting"),
        (b'[{"a":' * 33 + b"1" + b"}]" * 33, "at most 64 levels of nesting"),
        ('"\ud800"', "surrogate"),
        ('{"a": "\udfff"}', "surrogate"),
        (b"[" * 100_000, "levels of nesting|JSON"),
    ],
)
def test_what_is_refused(content, told):
    with pytest.raises(UnreadableInput, match=told):
        parse_json(content, file="x")


@pytest.mark.parametrize(
    ("content", "value"),
    [
        (b"9007199254740991", MAX_INTEGER),
        (b"-9007199254740991", -MAX_INTEGER),
        (b'{"\\u00e9": ["\\u00e9", {"a": "\\u00fc"}]}', {"é": ["é", {"a": "ü"}]}),
        (b'"' + b"[" * 100 + b'"', "[" * 100),
        (b"1.0", 1.0),
        (b"1e5", 100000.0),
        (b"-0", 0),
        (b'"\\ud83d\\ude00"', "\U0001f600"),
        (b" \n[ ]\t", []),
        (b"[" * MAX_DEPTH + b"]" * MAX_DEPTH, None),
        (b"[" * MAX_DEPTH + b"1" + b"]" * MAX_DEPTH, None),
        (b'{"a":' * MAX_DEPTH + b"1" + b"}" * MAX_DEPTH, None),
        (b"[" * MAX_DEPTH + b'"a"' + b"]" * MAX_DEPTH, None),
        (b'{"a":' * MAX_DEPTH + b'"b"' + b"}" * MAX_DEPTH, None),
    ],
)
def test_what_is_read(content, value):
    read = parse_json(content, file="x")
    if value is not None:
        assert read == value
        assert type(read) is type(value)


def test_every_line_that_is_wrong_is_told():
    with pytest.raises(UnreadableInput) as refused:
        parse_json_lines(b'{"a": 1}\nNaN\n\n{"a": 1, "a": 2}\n', file="x")
    assert [fault.where for fault in refused.value.faults] == ["line 2", "line 3", "line 4"]


@pytest.mark.parametrize(
    ("content", "where", "expected", "seen"),
    [
        (b"{\n1}", "line 2", "JSON", "Expecting property name enclosed in double quotes (column 1)"),
        (b"[\n1,\n]", "line 3", "JSON", "Expecting value (column 1)"),
        (b'\n\n"\xff"', "line 3", "UTF-8", "byte 0xff"),
        (b"\xff", "line 1", "UTF-8", "byte 0xff"),
        (b"\n\xc3(", "line 2", "UTF-8", "byte 0xc3"),
        (b"\xef\xbb\xbf{}", "", "UTF-8 without a byte order mark", "a byte order mark"),
        (b"[NaN]", "", "a finite number", "NaN"),
    ],
)
def test_where_and_what_is_told(content, where, expected, seen):
    with pytest.raises(UnreadableInput) as refused:
        parse_json(content, file="run.json")
    assert list(refused.value.faults) == [Fault("run.json", where, expected, seen)]


def test_blank_lines_are_nothing_where_they_may_be():
    content = b"\n1\n \t\r\n\n2\n"
    assert parse_json_lines(content, file="x", may_have_blank_lines=True) == [1, 2]
    for other in ("1\nX\n", "1\n\f\n2\n", "1\n\u00a0\n2\n"):
        with pytest.raises(UnreadableInput) as refused:
            parse_json_lines(other.encode(), file="x", may_have_blank_lines=True)
        assert [(fault.file, fault.where) for fault in refused.value.faults] == [("x", "line 2")]


PIECES = st.sampled_from(
    [
        *('{"a": "x"}', '{"a": "x", "b": "y"}', '{"a":"x","a":"y"}', '{"a":1,"a":"y"}', '{"a":"y","a":1}', "{}"),
        *('{"a": 1}', '{"a": {"b": "c"}}', '{"a": ["b"]}', '["a", "b"]', '"a"', '{"a": "x"} ', '\t{"a" : "x" }\r'),
        *(
            '{"a": "{"}',
            '{"a": "\\n"}',
            '{"a": "\x01"}',
            '{"a": "x",}',
            '{"a": "x"',
            '"b": "y"}',
            '{"a": "\x7f\u2028"}',
        ),
        *(
            '{"a": 1, "b": {"c": "x"}}',
            '{"a":1,"a":2,"b":"x"}',
            '{"a": NaN}',
            '{"a": null}',
            "",
            " ",
            "{'a': 'x'}",
            "{",
        ),
        *(
            '{"a": 9007199254740993}',
            '{"a": "x"}{"a": "x"}',
            '{"a": "x"}, {"a": "x"}',
            '{"": ""}',
            '{"a": "\\ud800"}',
            '{"a": "\\ud83d\\ude00"}',
            '{"\\u0061": "x", "a": "y"}',
            '{"a\\"": "x\\u0000"}',
            '{"a": "x", "a": [[{"b": "c"}]]}',
            '{"\xfc": "\U0001f600"}',
        ),
    ]
)


@given(lines=st.lists(PIECES, max_size=6))
def test_lines_read_together_are_lines_read_one_by_one(lines):
    values, wrong = [], []
    for number, line in enumerate(lines, start=1):
        try:
            values.append(parse_json(line.encode(), file="x"))
        except UnreadableInput:
            wrong.append(f"line {number}")
    content = "".join(f"{line}\n" for line in lines).encode()
    if wrong:
        with pytest.raises(UnreadableInput) as refused:
            parse_json_lines(content, file="x")
        assert wrong == [fault.where for fault in refused.value.faults]
    else:
        read = parse_json_lines(content, file="x")
        assert json.dumps(values) == json.dumps(read)


@pytest.mark.parametrize(
    "line", ['{"a":"x","a":"y"}', '{"a":1,"a":"y"}', '{"a":1,"a":2,"b":"x"}', '{"a":"x","b":"y","b":"z"}']
)
@pytest.mark.parametrize("other", ['{"a":"x"}', '{"a":1}', '{"a":"x","b":"y"}', "{}"])
def test_a_key_that_is_there_twice_is_not_made_up_for_by_other_lines(line, other):
    content = "\n".join([other, other, line, other]).encode()
    with pytest.raises(UnreadableInput, match="two values for the key") as refused:
        parse_json_lines(content, file="x")
    assert [fault.where for fault in refused.value.faults] == ["line 3"]


def test_the_last_line_may_lack_its_newline():
    assert parse_json_lines(b"1\n2", file="x") == [1, 2]
    assert parse_json_lines(b"1\n2\n", file="x") == [1, 2]
    assert parse_json_lines(b"", file="x") == []


def test_a_line_separator_inside_a_string_ends_no_line():
    assert parse_json_lines('"a\u2028b\u0085c"\n'.encode(), file="x") == ["a\u2028b\u0085c"]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 2**53, {1: 2}, "\ud800", object(), b"ab", {"a"}])
def test_what_has_no_canonical_form(value):
    with pytest.raises(ValueError):
        canonical_json(value)


def test_a_digest_is_of_bytes_by_sha_256():
    """The first example of FIPS 180-2, appendix B.1."""
    assert digest_of_bytes(b"abc") == "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


@given(st.dictionaries(TEXTS, NUMBERS), st.randoms())
def test_the_canonical_form_knows_no_order_of_keys(value, chance):
    items = list(value.items())
    chance.shuffle(items)
    assert canonical_json(dict(items)) == canonical_json(value)
