"""Replacing entries of a YAML file: nothing else in it changes, or nothing is given."""

from __future__ import annotations

import pytest

from litmus_nb.contracts.strict_yaml import parse_yaml
from litmus_nb.contracts.yaml_edit import Value, entry_text, with_entries
from litmus_nb.errors import UnreadableInput


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("b: 2\n", None),
        ("- k\n", None),
        ("- k\n", "k"),
        ("", "b"),
        ("null\n", "b"),
        ("{b: 2}\n", "b"),
        ("b: 2\n", "another"),
    ],
)
def test_an_entry_that_cannot_be_written_is_refused(text: str, after: str | None) -> None:
    with pytest.raises(UnreadableInput):
        with_entries(text.encode(), {"k": ["new"]}, file="f", after=after)


@pytest.mark.parametrize(
    "text",
    [
        "a: [x]  # why\nk: [1,\n 2]\nb: 2\n",
        "k: old # why\nb: 2\n",
        "b: 2\nk:\n  - old\n  - older\n# tail\n",
        "b: 1\nk: []",
        "b: 2 # why\n'k': 7 # tail\n",
        '{"b": 2, "k": null, "c": [1]} # tail\n',
        "k: # why\nb: 2\n",
    ],
)
@pytest.mark.parametrize("value", ["new # not a comment", ["one", 'tw"o'], [], {"run": "a", "sha256": "b"}])
def test_an_entry_is_replaced_and_the_rest_stays(text: str, value: Value) -> None:
    changed = with_entries(text.encode(), {"k": value}, file="f")
    assert parse_yaml(text.encode(), file="f") | {"k": value} == parse_yaml(changed, file="f")
    for comment in ("# why", "# tail"):
        assert (comment in changed.decode()) == (comment in text)
    assert with_entries(changed, {"k": value}, file="f") == changed


def test_several_entries_are_written_at_once_and_a_lacking_one_behind_the_one_named() -> None:
    text = "b: 2 # two\nk: runs/old # old\nm: {x: '1', y: '2'}\n"
    changed = with_entries(text.encode(), {"new": "n", "m": {"x": "1", "y": "3"}, "k": "runs/k"}, file="f", after="b")
    assert changed.decode() == 'b: 2 # two\nnew: "n"\nk: runs/k # old\nm: {x: \'1\', y: "3"}\n'


@pytest.mark.parametrize("value", ["a: b", ["x", "- y"], {"run": "r#1"}])
def test_an_entrys_own_text_is_read_back_as_its_value(value: Value) -> None:
    assert parse_yaml(entry_text("k", value).encode(), file="f") == {"k": value}
    assert parse_yaml(entry_text("k", value, is_one_line=True).encode(), file="f") == {"k": value}
