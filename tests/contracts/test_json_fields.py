"""Some fields of a document: strict where they are used, tolerant where nothing is used."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litmus_nb.contracts.json_fields import ANYTHING, IS_THERE, SCALAR, FieldsOf, is_plain
from litmus_nb.errors import UnreadableInput

WISH = {"id": SCALAR, "any": ANYTHING, "there": IS_THERE, "maybe": ({"x": SCALAR},), "items": [{"n": SCALAR}]}
READER = FieldsOf(WISH)


def read(text: str | bytes):
    return READER.read(text if isinstance(text, bytes) else text.encode(), file="f")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{}", {}),
        ('{"other": {"id": 1, "id": 2}}', {}),
        ('{"id": "a", "items": [{"n": 1, "m": 2}, null], "there": {"deep": [1]}}',
         {"id": "a", "items": [{"n": 1}, None], "there": True}),
        ('{"there": null, "maybe": null, "items": null}', {"there": None, "maybe": None, "items": None}),
        ('{"there": false, "maybe": "text"}', {"there": True, "maybe": None}),
        ('{"maybe": {"x": 1, "y": 2}, "any": {"a": [{"b": 1}]}}', {"maybe": {"x": 1}, "any": {"a": [{"b": 1}]}}),
    ],
)  # fmt: skip
def test_the_wished_fields_come_back_and_absent_ones_stay_absent(text, expected):
    assert expected == read(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"id": 1, "id": 1}', "two values for the key 'id'"),
        ('{"other": 1, "other": 2}', "two values for the key 'other'"),
        ('{"any": {"a": [{"b": 1, "b": 2}]}}', "two values for the key 'b'"),
        ('{"items": [{"n": 1}, {"m": 1, "m": 2}]}', "two values for the key 'm'"),
        ('{"maybe": {"y": 1, "y": 2}}', "two values for the key 'y'"),
        ('{"id": []}', "/id: expected a text, a number"),
        ('{"items": {}}', "/items"),
        ("[]", "an object"),
        ("null", "an object"),
        ("", "JSON"),
        ('{"id": 1}{}', "trailing"),
        ('{"other": "\\ud800"}', "JSON"),
        (b'{"other": "\xff"}', "JSON"),
        (b"\xef\xbb\xbf{}", "JSON"),
        ('{"other": ' + "[" * 5000 + "]" * 5000 + "}", "recursion"),
    ],
)
def test_what_two_readers_could_read_differently_is_refused(text, said):
    with pytest.raises(UnreadableInput, match=said):
        read(text)


def test_a_closed_document_has_no_other_key():
    with pytest.raises(UnreadableInput):
        FieldsOf({"value": SCALAR}, is_closed=True).read(b'{"value": 1, "x": 2}', file="f")


@pytest.mark.parametrize(
    ("value", "plain"),
    [("a", True), (None, True), (True, True), (2**53 - 1, True), (2**53, False), (float("nan"), False), ([], False)],
)
def test_a_number_that_not_every_reader_keeps_is_not_plain(value, plain):
    assert plain is is_plain(value)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abinx", max_size=5), inner, max_size=3),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from(["id", "any", "there", "other"]), JSON))
def test_what_is_read_is_what_the_document_says(document):
    """Against the standard library's reader, for documents without tricks."""
    document = {key: value for key, value in document.items() if key != "id" or not isinstance(value, (list, dict))}
    seen = read(json.dumps(document))
    expected = {key: value for key, value in document.items() if key in ("id", "any")}
    assert expected == {key: value for key, value in seen.items() if key != "there"}
    assert ("there" in seen) == ("there" in document)
    assert (seen.get("there") is True) == (document.get("there") is not None)
