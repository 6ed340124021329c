"""How findings are worded: lists that stay short, texts that a page can show, and only what the table knows."""

from __future__ import annotations

import pytest

from litmus_nb.contracts.codes import Stage
from litmus_nb.errors import GateInvariantViolation
from litmus_nb.rule.finding import found, listed


def test_a_paragraph_that_does_not_give_the_code_is_refused() -> None:
    with pytest.raises(GateInvariantViolation, match=r"RUN_INCOMPLETE is given by 3\.1 of the rule, not by 3\.2"):
        found("RUN_INCOMPLETE", "3.2", "candidate", expected="complete", observed="error")


@pytest.mark.parametrize(
    ("items", "line"),
    [
        ([], "none"),
        (["b", "a", "b"], "a, b"),
        ([2, 10], "10, 2"),
        (list("edcba"), "a, b, c, d, e"),
        (list("fedcba"), "a, b, c, d, e and 1 more"),
        (["x" * 120], "x" * 120),
        (["x" * 121], "x" * 117 + "..."),
    ],
)
def test_a_list_is_in_order_and_short(items: list[object], line: str) -> None:
    assert listed(items) == line


def test_a_finding_says_no_more_than_a_page_can_show() -> None:
    whole, long, cut = "x" * 2_000, "x" * 2_001, "x" * 1_997 + "..."
    shown = found("RUN_INCOMPLETE", "3.1", long, expected=whole, observed=long)
    assert (shown.stage, shown.subject, shown.expected, shown.observed) == (Stage.ELIGIBILITY, cut, whole, cut)
