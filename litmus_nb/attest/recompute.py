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
    ours, theirs = recomputed.model_dump(mode="json"), given.model_dump(mode="json")
    ours.pop(_NOT_COMPARED)
    theirs.pop(_NOT_COMPARED)
    return list(_differing("", ours, theirs))


def _differing(pointer: str, ours: Any, theirs: Any) -> Iterator[Difference]:
    if isinstance(ours, dict) and isinstance(theirs, dict) and ours.keys() == theirs.keys():
        for key in ours:
            yield from _differing(f"{pointer}/{key}", ours[key], theirs[key])
    elif isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        for index, (own, other) in enumerate(zip(ours, theirs, strict=True)):
            yield from _differing(f"{pointer}/{index}", own, other)
    elif ours != theirs or type(ours) is not type(theirs):
        yield Difference(pointer, json.dumps(ours)[:200], json.dumps(theirs)[:200])
