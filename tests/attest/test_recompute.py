"""Every field in which two verdicts differ, by its pointer."""

from __future__ import annotations

import pytest

from litmus_nb.attest.recompute import Difference, differences
from litmus_nb.contracts.verdict import Verdict
from tests.attest.parts import a_verdict, closed, digest

PASS = a_verdict()


def changed(verdict, **fields):
    return Verdict.read(verdict.model_dump() | fields, file="verdict.json")


def with_class(**fields):
    return changed(PASS, classes=[PASS.model_dump()["classes"][0] | fields])


def test_two_that_are_alike_differ_in_nothing():
    assert differences(PASS, PASS) == []


def test_who_decided_and_when_is_not_compared():
    execution = {"run_id": "x", "as_of": "2026-01-01", "notebook_sha256": None, "litmus_nb": "0"}
    assert differences(PASS, a_verdict(execution=execution)) == []


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        (changed(PASS, worst_class="other"), ("/worst_class", '"leak"', '"other"')),
        (changed(PASS, worst_class=None), ("/worst_class", '"leak"', "null")),
        (changed(PASS, degraded=True), ("/degraded", "false", "true")),
        (changed(PASS, advisory={"mean_delta": 0.5}), ("/advisory/mean_delta", "0.0", "0.5")),
        (a_verdict(evidence={"ledger_length": 2}), ("/evidence/ledger_length", "1", "2")),
        (a_verdict(evidence={"gate_sha256": None}), ("/evidence/gate_sha256", f'"{digest("2")}"', "null")),
        (with_class(n=0), ("/classes/0/n", "null", "0")),
    ],
)
def test_one_field_is_one_difference(other, expected):
    assert differences(PASS, other) == [Difference(*expected)]
    pointer, ours, theirs = expected
    assert differences(other, PASS) == [Difference(pointer, theirs, ours)]


def test_the_second_of_two_classes_has_its_own_pointer():
    first = PASS.model_dump()["classes"][0]
    one, other = (changed(PASS, classes=[first, first | {"name": name}]) for name in ("b", "c"))
    assert differences(one, other) == [Difference("/classes/1/name", '"b"', '"c"')]


def test_a_field_that_one_of_them_does_not_have_is_named():
    """`interval` is there only where the gate asked for another than the default."""
    exact = with_class(ci_high=0.5)
    asked = changed(exact, interval="exact")
    assert differences(exact, asked) == [Difference("/interval", "null", '"exact"')]
    assert differences(asked, exact) == [Difference("/interval", '"exact"', "null")]


def test_lists_of_another_length_are_one_difference_and_long_ones_are_cut():
    refused = closed()
    pointers = {found.pointer: found for found in differences(PASS, refused)}
    assert set(pointers) == {"/verdict", "/gate_open", "/reasons"}
    many = closed(changed(PASS, classes=PASS.model_dump()["classes"] * 2))
    (found,) = differences(refused, many)
    assert (found.pointer, len(found.recomputed), len(found.given)) == ("/classes", 200, 200)
