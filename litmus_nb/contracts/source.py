"""NAME.litmus.yaml: what another tool's log cannot say about a run, and how to read what it does say."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from litmus_nb.contracts.base import Name, StrictModel
from litmus_nb.contracts.canonical import Digest
from litmus_nb.contracts.json_fields import is_plain

__all__ = ["CanaryFromLogs", "ClassSource", "LogEntry", "Menu", "Outcome", "SourceFile", "WhereInLog"]


class Menu(StrictModel):
    """A set of values: those listed, or the numbers within the bounds. At least one condition."""

    equals: list[Any] = Field(default=[], description="Texts, numbers, true or false; 1 is not true.")
    at_least: float | None = Field(default=None, description="Numbers from this one on.")
    above: float | None = Field(default=None, description="Numbers greater than this one.")
    at_most: float | None = Field(default=None, description="Numbers up to this one.")
    below: float | None = Field(default=None, description="Numbers less than this one.")

    @model_validator(mode="after")
    def _says_something(self) -> Menu:
        if not self.equals and not self._has_bounds:
            raise ValueError("a condition: equals, at_least, above, at_most or below")
        if odd := [value for value in self.equals if value is None or not is_plain(value)]:
            raise ValueError(f"equals lists texts, numbers, true or false, not {odd[0]!r}")
        return self

    @property
    def _has_bounds(self) -> bool:
        return any(bound is not None for bound in (self.at_least, self.above, self.at_most, self.below))

    def has(self, value: Any) -> bool:
        """Whether a value is on this menu; types count: true is not 1 and not "true"."""
        if any(_same(value, listed) for listed in self.equals):
            return True
        if not self._has_bounds or isinstance(value, bool) or not isinstance(value, (int, float)):
            return False
        return (
            math.isfinite(value)
            and (self.at_least is None or value >= self.at_least)
            and (self.above is None or value > self.above)
            and (self.at_most is None or value <= self.at_most)
            and (self.below is None or value < self.below)
        )

    def landmarks(self) -> list[Any]:
        """Values at which two menus that overlap are both seen to hold one."""
        bounds = [bound for bound in (self.at_least, self.above, self.at_most, self.below) if bound is not None]
        around = [math.nextafter(bound, way) for bound in bounds for way in (-math.inf, math.inf)]
        return [*self.equals, *bounds, *around]

    def __str__(self) -> str:
        words = {"at_least": ">=", "above": ">", "at_most": "<=", "below": "<"}
        bounds = [f"{sign} {getattr(self, name)!r}" for name, sign in words.items() if getattr(self, name) is not None]
        return " or ".join([*(f"= {value!r}" for value in self.equals), *([" and ".join(bounds)] if bounds else [])])


class Outcome(StrictModel):
    """What in the log means that the attack succeeded, and what that it did not. Anything else is no label."""

    attack_success_when: Menu
    attack_failure_when: Menu

    @model_validator(mode="after")
    def _menus_do_not_overlap(self) -> Outcome:
        both = [*self.attack_success_when.landmarks(), *self.attack_failure_when.landmarks()]
        if shared := [v for v in both if self.attack_success_when.has(v) and self.attack_failure_when.has(v)]:
            raise ValueError(f"attack_success_when and attack_failure_when apart, but {shared[0]!r} is on both")
        return self

    def label_of(self, value: Any) -> bool | None:
        """Whether the attack succeeded; None where the value is on neither menu."""
        if self.attack_success_when.has(value):
            return True
        return False if self.attack_failure_when.has(value) else None


class ClassSource(StrictModel):
    """Where the class of a scenario is taken from: exactly one of `constant`, `field`, `probes`."""

    constant: Name | None = Field(default=None, description="All scenarios are of this class.")
    field: Name | None = Field(default=None, description="A field of the log; what fields there are, the reader says.")
    values: dict[Name, Name] | None = Field(default=None, description="The field's value to class; absent: itself.")
    probes: Name | None = Field(default=None, description="A probes.jsonl, relative to this file.")

    @model_validator(mode="after")
    def _is_one_source(self) -> ClassSource:
        if sum(source is not None for source in (self.constant, self.field, self.probes)) != 1:
            raise ValueError("exactly one of constant, field, probes")
        if self.values is not None and self.field is None:
            raise ValueError("values only with field")
        return self


class WhereInLog(StrictModel):
    """One scenario of one log."""

    log: Name = Field(description="Path of the log, relative to this file.")
    scenario: Name = Field(description="Its id as the reader gives it.")


class CanaryFromLogs(StrictModel):
    """The canary, read from logs through the same outcome as the run: a polarity that is backwards shows here."""

    probe_id: Name
    signal: Name = Field(description="What is reported where all trials of the scenario are successes of the attack.")
    reference: WhereInLog = Field(description="The known-malicious reference policy doing the act.")
    control: WhereInLog | None = Field(default=None, description="The hardened control, which must stay quiet.")


class LogEntry(StrictModel):
    """A log of the run, where more must be said than its name."""

    log: Name = Field(description="Path, relative to this file.")
    first_trial: Annotated[int, Field(ge=0)] = Field(
        default=0, description="The index that this log's first trial of a scenario has in the run."
    )


class SourceFile(StrictModel):
    """NAME.litmus.yaml as written."""

    schema_: Literal["litmus-nb/source/v1"] = Field(alias="schema")
    logs: list[Name | LogEntry] | None = Field(
        default=None, min_length=1, description="The logs of the run; absent: the one that this file is named after."
    )
    run: dict[str, Any] = Field(description="Keys of run.json; those that the log says itself may be left out.")
    outcome: dict[str, Any] = Field(description="The reader's own keys, among them the two menus.")
    classes: ClassSource
    canary: CanaryFromLogs | None = Field(default=None, description="Instead of run.canary.")
    judges: dict[Name, Digest] = Field(
        default={}, description="Name that a judge answered under, to the digest of the artefact behind it."
    )

    @model_validator(mode="after")
    def _has_one_canary(self) -> SourceFile:
        if self.canary is not None and "canary" in self.run:
            raise ValueError("canary here or in run, not both")
        return self


def _same(value: Any, listed: Any) -> bool:
    if isinstance(value, bool) or isinstance(listed, bool):
        return value is listed
    return (type(value) is type(listed) and value == listed) or (
        _is_number(value) and _is_number(listed) and value == listed
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
