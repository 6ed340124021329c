"""What cannot be said is said so: no zero and no NaN stands in for it."""

from __future__ import annotations

import json
import math
import re

import polars as pl
import polars.selectors as cs
import pytest

from litmus_nb.contracts.drift import ALL, DriftReport, Estimate, Question
from litmus_nb.contracts.labels import Rater
from litmus_nb.drift.investigation import investigate
from litmus_nb.drift.pairs import compare_raters
from litmus_nb.drift.timeline import over_time
from litmus_nb.evidence.labels import label_table
from litmus_nb.face.judge_drift import Case
from litmus_nb.report.drift_page import panels

DIGEST = "sha256:" + "a" * 64


def rows(rater, labels, kind="judge", run_id=None, scenario_class="c", prefix="i", **more):
    return [
        {
            "item_id": f"{prefix}-{number}",
            "scenario_class": scenario_class,
            "rater": rater,
            "rater_kind": kind,
            "rater_digest": DIGEST if kind == "judge" else None,
            "label": label,
            "run_id": run_id,
            **more,
        }
        for number, label in enumerate(labels)
    ]


def table(*parts):
    return label_table(pl.DataFrame([row for part in parts for row in part], infer_schema_length=None))


def reasons(report):
    return " | ".join(f"{limit.subject}: cannot {limit.cannot} because {limit.because}" for limit in report.limits)


def numbers_of(value):
    """Every number in a report, however deep."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return
    if isinstance(value, (int, float)):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from numbers_of(inner)
    else:
        for inner in value:
            yield from numbers_of(inner)


def check(report: DriftReport):
    """The report is JSON with finite numbers, and survives the way there and back."""
    text = report.model_dump_json()
    assert all(math.isfinite(number) for number in numbers_of(json.loads(text)))
    assert DriftReport.model_validate_json(text) == report


def test_an_estimate_is_a_number_or_a_reason():
    for wrong in ({}, {"value": 0.5}, {"value": 0.5, "low": 0.1, "high": 0.6, "because": "x"}, {"low": 0.1}):
        with pytest.raises(ValueError, match=r"reason|limits"):
            Estimate(**wrong)


def test_one_rater_only():
    report = investigate(table(rows("judge", [True, False])), Question())
    assert report.conclusion.is_drift == "cannot tell"
    assert (report.comparison, report.behaviour, report.timeline) == (None, [], None)
    assert "there is one rater to look at, judge" in reasons(report)
    assert "no item has a human label" in reasons(report)
    check(report)


def test_humans_only():
    report = investigate(table(rows("ann", [True, False], "human"), rows("ben", [True, True], "human")), Question())
    assert "the table has no label of one" in reasons(report)
    assert report.panel.n_split == 1
    check(report)


def test_a_judge_that_is_not_there():
    report = investigate(table(rows("judge", [True, False])), Question(pinned=Rater(name="other")))
    assert "find labels of other because the table has judge" in reasons(report)
    assert report.conclusion.is_drift == "cannot tell"
    check(report)


def test_two_judges_without_a_common_item():
    one = table(rows("j1", [True], prefix="a"), rows("j2", [False], prefix="b"))
    report = investigate(one, Question(pinned=Rater(name="j1"), current=Rater(name="j2")))
    overall = report.comparison.rows[0]
    assert (overall.n, overall.mcnemar_p, overall.agreement.value) == (0, None, None)
    assert overall.kappa.because == "no item was labelled by both"
    assert report.conclusion.is_drift == "cannot tell"
    check(report)


@pytest.mark.parametrize("label", [True, False])
def test_all_agree_on_one_label(label):
    compared = compare_raters(
        table(rows("j1", [label] * 9), rows("j2", [label] * 9)), Rater(name="j1"), Rater(name="j2")
    )
    overall = compared.rows[0]
    assert overall.agreement.value == 1.0
    assert overall.agreement.low < 1.0
    assert "0/0" in overall.kappa.because
    assert overall.ac1.value == 1.0
    assert compared.concentration.rows == []
    assert compared.concentration.failure


def test_all_disagree():
    compared = compare_raters(
        table(rows("j1", [True] * 9), rows("j2", [False] * 9)), Rater(name="j1"), Rater(name="j2")
    )
    overall = compared.rows[0]
    assert (overall.agreement.value, overall.change.value, overall.only_first) == (0.0, -1.0, 9)
    assert overall.agreement.high > 0.0
    assert overall.kappa.value == 0.0
    assert overall.mcnemar_p == pytest.approx(2 * 0.5**9)
    assert compared.concentration.failure


def test_a_class_without_a_human_label_has_no_error_rate():
    labels = table(
        rows("judge", [True, False], run_id="r1"),
        rows("judge", [False, False], run_id="r2"),
        rows("judge", [True], run_id="r1", scenario_class="d", prefix="d"),
        rows("judge", [True], run_id="r2", scenario_class="d", prefix="d"),
        rows("ann", [True, False], "human"),
    )
    report = investigate(labels, Question())
    assert "error rates in d: cannot say which judge is right" in reasons(report)
    assert {row.scenario_class for row in report.errors} == {ALL}
    check(report)


def test_a_class_that_humans_call_all_safe_has_no_false_negative_rate():
    labels = table(
        rows("judge", [False, False], run_id="r1"),
        rows("judge", [False, True], run_id="r2"),
        rows("ann", [False, False], "human"),
    )
    report = investigate(labels, Question())
    assert report.behaviour[0].fnr_rise.because == "humans call no item here a success of the attack"
    assert report.errors[-1].fpr.value == 0.5
    assert report.power[0].power is None
    check(report)


def test_evenly_split_humans_are_no_truth():
    labels = table(
        rows("judge", [True], run_id="r1"),
        rows("judge", [True], run_id="r2"),
        rows("ann", [True], "human"),
        rows("ben", [False], "human"),
    )
    report = investigate(labels, Question())
    assert "humans are evenly split on 1 items" in reasons(report)
    assert report.errors[0].agreement.because
    check(report)


def test_unreadable_labels_are_neither_yes_nor_no():
    labels = table(rows("judge", [True, None], run_id="r1"), rows("judge", [None, True], run_id="r2"))
    report = investigate(labels, Question())
    assert "2 of its labels cannot be read" in reasons(report)
    assert (report.comparison.rows[0].n, report.comparison.n_torn) == (0, 2)
    check(report)


def test_policies_that_are_not_there():
    report = investigate(table(rows("j", [True], run_id="a", policy="p")), Question(baseline="p", candidate="q"))
    assert "no item is of q; the table has p" in reasons(report)
    check(report)


def test_no_policies_were_named():
    report = investigate(table(rows("j", [True], run_id="a"), rows("j", [True], run_id="b")), Question())
    assert "no two policies were named" in reasons(report)
    assert report.conclusion.is_agent_effect == "cannot tell"
    assert "fewer than four runs" in reasons(report)
    check(report)


def test_an_empty_table():
    empty = label_table(table(rows("j", [True])).frame.clear())
    report = investigate(empty, Question())
    assert "the table is empty" in reasons(report)
    check(report)


ALL_YES, ALL_NO, MIXED = [True] * 9, [False] * 9, [True, False, True, False, True, True, False, True, False]

POOR = {
    "one rater": table(rows("j", MIXED)),
    "humans only": table(rows("ann", MIXED, "human"), rows("ben", ALL_YES, "human")),
    "nothing in common": table(rows("j", MIXED, run_id="a", prefix="a"), rows("j", MIXED, run_id="b", prefix="b")),
    "no human": table(rows("j", MIXED, run_id="a"), rows("j", ALL_NO, run_id="b")),
    "a class without a human": table(
        *(rows("j", MIXED, run_id=run, scenario_class=name, prefix=name) for run in "ab" for name in "cd"),
        rows("ann", MIXED, "human", prefix="c"),
    ),
    "all agree on yes": table(
        rows("j", ALL_YES, run_id="a"), rows("j", ALL_YES, run_id="b"), rows("ann", ALL_YES, "human")
    ),
    "all agree on no": table(
        rows("j", ALL_NO, run_id="a"), rows("j", ALL_NO, run_id="b"), rows("ann", ALL_NO, "human")
    ),
    "all disagree": table(rows("j", ALL_YES, run_id="a"), rows("j", ALL_NO, run_id="b"), rows("ann", MIXED, "human")),
    "humans evenly split": table(
        *(rows("j", MIXED, run_id="a"), rows("j", ALL_NO, run_id="b")),
        *(rows("ann", ALL_YES, "human"), rows("ben", ALL_NO, "human")),
    ),
    "nothing can be read": table(rows("j", [None] * 9, run_id="a"), rows("j", [None] * 9, run_id="b")),
    "one item": table(rows("j", [True], run_id="a"), rows("j", [False], run_id="b"), rows("ann", [True], "human")),
    "policies without a common scenario": table(
        *(rows("j", MIXED, run_id=run, prefix=name, policy=name) for run in "ab" for name in ("p", "q"))
    ),
    "nothing at all": label_table(table(rows("j", [True])).frame.clear()),
}  # fmt: skip


def unknown(value):
    """Every estimate without a number, however deep."""
    if isinstance(value, Estimate):
        return [value] if value.value is None else []
    if isinstance(value, list):
        return [found for inner in value for found in unknown(inner)]
    if hasattr(value, "model_fields_set"):
        return [found for name in type(value).model_fields for found in unknown(getattr(value, name))]
    return []


@pytest.mark.parametrize("name", POOR)
def test_every_cell_is_a_number_or_says_why_there_is_none(name):
    """As many cells say that they are not known as there are estimates without a number; no frame holds a NaN."""
    report = investigate(POOR[name], Question(baseline="p", candidate="q"))
    check(report)
    shown = [
        cell for panel in panels(report).values() for _, found in panel.tables for row in found.rows for cell in row
    ]
    assert not [cell for cell in shown if re.search(r"\b(nan|inf)\b|^\s*(none|null)\s*$", cell, re.IGNORECASE)]
    told = [*report.behaviour, *report.errors, *report.corrected]
    told += report.comparison.rows + report.comparison.concentration.rows if report.comparison else []
    told += report.decomposition.rows if report.decomposition else []
    # `power` says "not known" of a class without a positive item, an odds ratio's p where there is no ratio
    others = sum(row.power is None for row in report.power)
    if report.comparison:
        others += sum(row.mcnemar_p is None for row in report.comparison.rows)
        others += sum(row.p_value is None for row in report.comparison.concentration.rows)
    # the change between two judges stands in no table of its own: both kinds of flips do
    behind = [found for row in told for found in unknown(row) if found is not getattr(row, "change", None)]
    assert all(found.because for found in behind)
    seen = [cell for cell in shown if cell.startswith(("not known", "between"))]
    assert len(seen) == len(behind) + others
    case = Case(report, POOR[name])
    for step in ("drift", "where", "humans", "since", "effects", "rates", "power"):
        frame = getattr(case, step).frame
        assert not any(column.is_nan().any() for column in frame.select(cs.float()))
    if name != "nothing at all":
        assert report.limits


def test_an_unreadable_label_counts_against_the_judge_in_its_run():
    """And an attack that humans saw and the judge left unread is a missed one."""
    pinned = [True, False] * 6
    parts = [rows("j", pinned, run_id="r0", at="2026-01-01T00:00:00Z"), rows("h", pinned, kind="human")]
    for number in range(1, 5):
        said = [None, None, *pinned[2:]] if number == 4 else pinned
        parts.append(rows("j", said, run_id=f"r{number}", at=f"2026-01-0{number + 1}T00:00:00Z"))
    timeline = over_time(table(*parts), Rater(name="j", digest=DIGEST, run_id="r0"), "j")
    points = {point.run_id: point for point in timeline.points if point.scenario_class == ALL}
    assert {run: (point.n, point.n_disagreements) for run, point in points.items()} == {
        "r1": (12, 0),
        "r2": (12, 0),
        "r3": (12, 0),
        "r4": (12, 2),
    }
    assert points["r4"].fnr.value == pytest.approx(1 / 6)
