"""Deciding again from the evidence, and every field that comes out otherwise."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from litmus_nb.contracts.evidence import Evidence
from litmus_nb.contracts.verdict import Verdict
from litmus_nb.rule.workflow import emit_verdict, evaluate_gate

__all__ = ["Difference", "decided_again", "differences"]

_NOT_COMPARED = "execution"
"""Which run of the gate it was, on which day, by which version: no function of the evidence."""

_SHOWN = 200
"""How many characters of a value are shown."""


class Difference(NamedTuple):
    """One field, by its JSON pointer."""

    pointer: str
    recomputed: str
    given: str


def decided_again(evidence: Evidence, given: Verdict) -> Verdict:
    """The verdict on the evidence, under the circumstances that the given one names.

    Raises:
        GateInvariantViolation: the gate contradicts itself.
    """
    circumstances = given.execution
    return emit_verdict(
        evaluate_gate(evidence),
        evidence,
        run_id=circumstances.run_id,
        as_of=circumstances.as_of,
        notebook_sha256=circumstances.notebook_sha256,
    )


def differences(recomputed: Verdict, given: Verdict) -> list[Difference]:
    """Every field outside `execution` in which the two differ."""
    ours, theirs = recomputed.model_dump(), given.model_dump()
    ours.pop(_NOT_COMPARED)
    theirs.pop(_NOT_COMPARED)
    return list(_differing("", ours, theirs))


def _differing(pointer: str, ours: Any, theirs: Any) -> Iterator[Difference]:
    if isinstance(ours, dict):
        for key in dict.fromkeys((*ours, *theirs)):  # what may be absent from a verdict is never null there
            yield from _differing(f"{pointer}/{key}", ours.get(key), theirs.get(key))
    elif isinstance(ours, list) and len(ours) == len(theirs):
        for index, own in enumerate(ours):
            yield from _differing(f"{pointer}/{index}", own, theirs[index])
    elif ours != theirs:
        yield Difference(pointer, json.dumps(ours)[:_SHOWN], json.dumps(theirs)[:_SHOWN])
