"""Tables over all reason codes: one that forgets a code, or knows one that is none, is not made."""

from __future__ import annotations

import pytest

from litmus_nb.contracts.codes import CODES, by_every_code
from litmus_nb.contracts.fix_cost import FixCost, fix_cost
from litmus_nb.report.reasons import _SENTENCES
from litmus_nb.report.sentences import _COMMANDS

ALL = [(code, 1) for code in CODES]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (ALL[:-1], f"nothing is said about {ALL[-1][0]}"),
        ([], "nothing is said"),
        ([*ALL, ALL[0]], f"{ALL[0][0]} is there twice"),
        ([*ALL, ("NO_SUCH_CODE", 1)], "NO_SUCH_CODE is no reason code"),
    ],
)
def test_a_table_that_is_not_about_every_code_once_is_not_made(rows: list[tuple[str, int]], said: str) -> None:
    with pytest.raises(TypeError, match=f"a table: {said}"):
        by_every_code(rows, what="a table")


def test_every_code_has_its_sentence_and_its_cost_and_commands_are_of_codes() -> None:
    assert by_every_code(ALL, what="a table") == dict(ALL)
    assert set(_SENTENCES) == set(CODES)
    assert all(isinstance(fix_cost(code), FixCost) for code in CODES)
    assert set(_COMMANDS) <= set(CODES)


def test_what_one_line_mends_asks_for_no_scenarios() -> None:
    """Its action is to take a line out of the gate file, though it is about a class."""
    assert fix_cost("INTERVAL_NOT_APPLICABLE") is FixCost.WORDS
