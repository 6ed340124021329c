"""What was found wrong with the evidence, as fields; sentences are made in the report."""

from __future__ import annotations

import re

from pydantic import Field, model_validator

from litmus_nb.contracts.base import StrictModel
from litmus_nb.contracts.codes import CODES, Stage

__all__ = ["Finding", "in_order_of_the_rule", "paragraph_key"]


class Finding(StrictModel):
    """One reason against a PASS."""

    code: str = Field(description="A reason code of the table.")
    paragraph: str = Field(description="The rule's paragraph that was violated.")
    stage: Stage = Field(strict=False, description="Where on the path the finding was made.")
    subject: str = Field(description="What the finding is about: a class, a scenario, a side, a field.")
    expected: str = Field(description="What the rule asks for.")
    observed: str = Field(description="What the evidence says.")

    @model_validator(mode="after")
    def _is_in_the_table(self) -> Finding:
        if self.code not in CODES:
            raise ValueError(f"a reason code of the table, not {self.code!r}")
        return self

    def __str__(self) -> str:
        return f"{self.code} (§{self.paragraph}) {self.subject}: expected {self.expected}, observed {self.observed}"


def in_order_of_the_rule(findings: list[Finding]) -> tuple[Finding, ...]:
    """The findings without repetition, by paragraph, code, subject and then by what was seen."""
    distinct = {(f.code, f.paragraph, f.stage, f.subject, f.expected, f.observed): f for f in findings}
    return tuple(
        sorted(
            distinct.values(),
            key=lambda f: (paragraph_key(f.paragraph), f.code, f.subject, f.expected, f.observed),
        )
    )


def paragraph_key(paragraph: str) -> tuple[tuple[int, str], ...]:
    """The sort key that puts 3.2 before 3.10 and 4.5a before 4.5b."""
    parts = (re.match(r"(\d*)(.*)", part) for part in paragraph.split("."))
    return tuple((int(part[1] or 0), part[2]) for part in parts if part)
