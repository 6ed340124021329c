"""The runbook has an entry for every reason code, whole, and none for a code that there is not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from litmus_nb.contracts.codes import CODES
from litmus_nb.shipped.runbook import runbook_entry

TEXT = (Path(__file__).parents[1] / "docs" / "runbook.md").read_text(encoding="utf-8")
RULE = (Path(__file__).parents[1] / "docs" / "rule.md").read_text(encoding="utf-8")
ENTRIES = dict(re.findall(r"^### ([A-Z_]+)\n(.*?)(?=^##|\Z)", TEXT, flags=re.MULTILINE | re.DOTALL))


def test_every_code_has_an_entry_and_every_entry_a_code() -> None:
    assert set(CODES) - set(ENTRIES) == set(), "docs/runbook.md has no entry for these codes"
    assert set(ENTRIES) - set(CODES) == set(), "docs/runbook.md has entries for codes that there are not"


@pytest.mark.parametrize("code", sorted(set(CODES) - {"EXECUTION_INCOMPLETE"}))  # ours, not the evidence's
def test_the_rule_names_every_code(code: str) -> None:
    assert code in RULE, "docs/rule.md has no paragraph that gives this code: write it first"


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("part", ["**Means**", "**Candidate or environment?**", "**Do**"])
def test_an_entry_says_what_it_means_whose_drift_it_is_and_what_to_do(code: str, part: str) -> None:
    assert code in ENTRIES, f"docs/runbook.md has no entry for {code}"
    said = ENTRIES[code].split(part)
    assert len(said) == 2
    assert len(said[1].split("**")[0].strip()) > 10


def test_a_code_is_linked_to_by_its_name_in_lower_case() -> None:
    """As the report links: a heading's anchor is its text in lower case."""
    headings = re.findall(r"^#+ (.*)$", TEXT, flags=re.MULTILINE)
    assert {code.lower() for code in CODES} <= {heading.lower() for heading in headings}


def test_the_entry_travels_with_the_package() -> None:
    said = runbook_entry("ENVELOPE_MISMATCH")
    assert list(said) == ["Means", "Candidate or environment?", "Do"]
    assert "[" not in said["Do"]
