"""Anchors are proposed by class and by what humans say, and never by the labels that become the pinned ones."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from litmus_nb.contracts.labels import LabelTable, Rater
from litmus_nb.drift.selection import propose_anchors
from litmus_nb.evidence.labels import label_table

DIGEST = "sha256:" + "a" * 64
PINNED = Rater(name="judge", run_id="pin")


def table(*, per_class: int = 40, judgements: int = 3) -> LabelTable:
    """Two classes; every fourth item has a human against the others; half are successes."""
    rows = []
    for name in ("a", "b"):
        for number in range(per_class):
            item, is_success = f"{name}-{number:03}", number % 2 == 0
            about = {"item_id": item, "scenario_class": name, "family": f"{name}-{number % 5}"}
            for human in range(3):
                torn = human == 0 and number % 4 < 2 and number % 8 > 3
                rows.append(about | _label(f"h{human}", "human", is_success != torn))
            rows += [
                about | _label("judge", "judge", is_success, run_id="pin", repeat=repeat)
                for repeat in range(judgements)
            ]
            rows.append(about | _label("other", "judge", is_success if number % 10 else not is_success))
    return label_table(pl.DataFrame(rows, infer_schema_length=None))


def _label(rater, kind, value, run_id=None, repeat=0):
    digest = DIGEST if kind == "judge" else None
    return {
        "rater": rater,
        "rater_kind": kind,
        "rater_digest": digest,
        "label": value,
        "run_id": run_id,
        "repeat": repeat,
    }


LABELS = table()


def test_what_is_asked_must_make_sense():
    for wrong in ({"per_class": 1}, {"per_class": 4, "share_borderline": 1.5}, {"per_class": 4, "share_positive": -1}):
        with pytest.raises(ValueError, match="shares in"):
            propose_anchors(LABELS, PINNED, **wrong)


def test_classes_and_successes_are_balanced_and_borderline_items_are_among_them():
    proposal = propose_anchors(LABELS, PINNED, per_class=20)
    assert [(row[1], row[2]) for row in proposal.counts.rows()] == [(10, 10), (10, 10)]
    assert all(row[3] >= 4 for row in proposal.counts.rows())
    assert {len(line.pinned_labels) for line in proposal.anchors} == {3}
    assert {len(line.human_labels) for line in proposal.anchors} == {3}
    assert len({line.item_id for line in proposal.anchors}) == 40
    families = [line.family for line in proposal.anchors if line.scenario_class == "a"]
    assert max(families.count(family) for family in set(families)) <= 6


@given(st.lists(st.booleans(), min_size=240, max_size=240))
@settings(max_examples=15)
def test_the_pinned_labels_do_not_choose(labels):
    """Whatever the pinned judge says, the same items are proposed: nobody is chosen for being right."""
    is_pinned = (pl.col("rater") == "judge") & (pl.col("run_id") == "pin")
    pinned = LABELS.frame.filter(is_pinned).with_columns(label=pl.Series(labels))
    changed = LabelTable(pl.concat([LABELS.frame.filter(~is_pinned.fill_null(False)), pinned]))
    expected = [line.item_id for line in propose_anchors(LABELS, PINNED, per_class=12).anchors]
    assert expected == [line.item_id for line in propose_anchors(changed, PINNED, per_class=12).anchors]


def test_another_seed_is_another_choice_and_the_same_the_same():
    one, same, other = (
        [line.item_id for line in propose_anchors(LABELS, PINNED, per_class=10, seed=seed).anchors]
        for seed in ("x", "x", "y")
    )
    assert one == same
    assert one != other


def test_what_is_wanting_is_said():
    proposal = propose_anchors(LABELS, PINNED, per_class=100)
    assert {limit.subject for limit in proposal.limits} == {"a", "b"}
    once = propose_anchors(table(judgements=1), PINNED, per_class=10)
    assert any("labelled each item once" in limit.because for limit in once.limits)
    nobody = propose_anchors(LABELS, Rater(name="nobody"), per_class=10)
    assert nobody.anchors == ()
    assert "nobody labelled no item" in nobody.limits[0].because
