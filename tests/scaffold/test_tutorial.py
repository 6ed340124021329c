"""The tutorial promises a FAIL, a PASS and a REJECTED; tests/documents runs its commands and holds it to that."""

from __future__ import annotations

from tests.conftest import ROOT
from tests.documents.commands import TESTED, commands_of

PAGE = (ROOT / "docs/tutorial.md").read_text(encoding="utf-8")


def test_it_says_that_it_is_tested_and_ends_in_the_three_states() -> None:
    assert TESTED in PAGE
    gates = [command.status for command in commands_of(PAGE) if command.text.startswith("litmus-nb gate ")]
    assert gates == [1, 0, 3]


def test_it_explores_two_logs_before_there_is_a_gate() -> None:
    words = [command.text.split()[:2] for command in commands_of(PAGE)]
    assert words.index(["litmus-nb", "explore"]) < words.index(["litmus-nb", "init"])
