"""What is written as YAML is read back as it was."""

from __future__ import annotations

import math

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from litmus_nb.contracts.plain_yaml import yaml_text
from litmus_nb.contracts.strict_yaml import parse_yaml

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**53) + 1, 2**53 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(codec="utf-8")),
    st.sampled_from(["no", "2026-11-30", "1e3", "0x1f", ".5", "1:30", "- a", "a: b", "#", "~", "null", "=", "<<", "y"]),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner, max_size=3)
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=9), VALUES, min_size=1, max_size=4))
@example({"a": [{"b": [[], {}, [1, [2, "x"]]]}]})
def test_the_strict_reader_reads_what_was_written(value):
    assert parse_yaml(yaml_text(value).encode(), file="x") == value


@given(
    st.dictionaries(
        st.text(st.characters(codec="utf-8"), min_size=1, max_size=9), st.text(st.characters(codec="utf-8"))
    )
)
def test_a_yaml_1_1_reader_reads_the_same_text(value):
    assert yaml.safe_load(yaml_text(value) if value else "{}") == value


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_what_is_no_json_is_refused(number):
    with pytest.raises(ValueError):
        yaml_text({"a": number})
