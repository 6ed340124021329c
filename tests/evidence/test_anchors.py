"""Anchors: the suite's file, the run's labels, and that the run digest covers them."""

from __future__ import annotations

import json

import pytest

from litmus_nb.errors import UnreadableInput
from litmus_nb.evidence.anchors import anchor_lines, anchor_tally, anchors_of
from litmus_nb.evidence.inventory import folder_digest
from litmus_nb.evidence.runs import read_run
from tests.builders import correct_world, give_anchors, json_lines, write


def line(**changes):
    return {"item_id": "a", "class": "c", "human_labels": [True, False], "pinned_labels": [True]} | changes


def read(*lines):
    return anchors_of(anchor_lines(json_lines(list(lines)), file="anchors.jsonl"), ["c"], file="anchors.jsonl")


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ([], "at least one anchor"),
        ([line(), line()], "each item_id once"),
        ([line(**{"class": "d"})], "class: one of"),
        ([line(), line(item_id="b", pinned_labels=[True, True])], "as many pinned_labels"),
        ([line(human_labels=[])], "human_labels"),
        ([line(pinned_labels=[])], "pinned_labels"),
        ([line(pinned_labels=[1])], "pinned_labels"),
        ([line(pinned_labels=[None])], "pinned_labels"),
        ([line(colour="red")], "no such key"),
        ([{"item_id": "a"}], "nothing"),
    ],
)
def test_anchors_that_are_none_are_refused(lines, says):
    with pytest.raises(UnreadableInput, match=says):
        read(*lines)


def test_an_even_split_of_humans_is_no_majority():
    (anchor,) = read(line())
    assert anchor.human_majority is None
    assert read(line(human_labels=[False, False, True]))[0].human_majority is False


def test_a_runs_labels_are_counted(tmp_path):
    rows = [
        {
            "item_id": "a",
            "scenario_class": "c",
            "rater": rater,
            "rater_kind": kind,
            "rater_digest": None,
            "label": label,
            "repeat": repeat,
        }
        for rater, kind, label, repeat in [
            ("judge", "judge", True, 0),
            ("judge", "judge", None, 1),
            ("ann", "human", False, 0),
        ]
    ]
    tally = anchor_tally(json_lines(rows), file="anchors.jsonl")
    assert tally.per_item.rows() == [("a", 1, 0, 1)]
    assert (tally.judge_digests, tally.humans, tally.run_ids) == ((None,), ("ann",), ())


def test_the_run_digest_covers_the_anchor_labels(tmp_path):
    world = correct_world()
    write(world, tmp_path / "without")
    give_anchors(world)
    write(world, tmp_path / "with")
    world.candidate.anchor_rows[0]["label"] = not world.candidate.anchor_rows[0]["label"]
    write(world, tmp_path / "changed")
    folders = [tmp_path / name / "candidate" for name in ("without", "with", "changed")]
    digests = [read_run(folder).run.digest for folder in folders]
    assert len(set(digests)) == 3
    assert digests == [folder_digest(folder) for folder in folders]


def test_two_anchor_files_are_refused(tmp_path):
    world = correct_world()
    give_anchors(world)
    write(world, tmp_path)
    (tmp_path / "candidate/anchors.csv").write_bytes(b"")
    result = read_run(tmp_path / "candidate")
    assert result.run.digest is None
    assert "at most one of" in str(result.anchor_faults[0])


def test_an_unreadable_anchor_file_is_a_fault_of_its_own(tmp_path):
    world = correct_world()
    give_anchors(world)
    write(world, tmp_path)
    (tmp_path / "candidate/anchors.jsonl").write_text(json.dumps({"item_id": "a"}) + "\n")
    result = read_run(tmp_path / "candidate")
    assert result.trials_faults == ()
    assert result.run.tally is not None
    assert result.run.anchor_labels is None
    assert result.anchor_faults
