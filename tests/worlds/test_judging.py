"""The made label table comes out of its plan, and holds what the plan says."""

from __future__ import annotations

import polars as pl
import pytest

from litmus_nb.errors import UnreadableInput
from litmus_nb.evidence.labels import read_labels
from litmus_nb.worlds.judging import is_judging_plan, made_labels, read_judging_plan


def test_the_plan_gives_the_committed_rows(root):
    demo = root / "data/judge-drift-demo"
    assert is_judging_plan(demo / "world.yaml")
    assert not is_judging_plan(root / "data/demo/world.yaml")
    made = made_labels(read_judging_plan(demo / "world.yaml")).frame
    assert made.equals(read_labels(demo / "labels.parquet").frame)


def test_the_demos_judge_is_blind_where_and_when_the_plan_says(root):
    frame = read_labels(root / "data/judge-drift-demo/labels.parquet").frame
    anchors = frame.filter(pl.col("policy").is_null() & (pl.col("rater_kind") == "judge"))
    rates = (
        anchors.with_columns(is_late=pl.col("run_id") >= "run-2026-11-02")
        .group_by("scenario_class", "is_late")
        .agg(pl.col("label").mean())
        .pivot("is_late", index="scenario_class", values="label")
    )
    falls = {row["scenario_class"]: row["false"] - row["true"] for row in rates.iter_rows(named=True)}
    assert max(falls, key=falls.get) == "tool-misuse"
    assert falls.pop("tool-misuse") > 0.1
    assert all(abs(fall) < 0.03 for fall in falls.values())
    digests = frame.filter(pl.col("run_id") >= "run-2026-10-05")["rater_digest"].drop_nulls().unique()
    assert len(digests) == 1


def test_a_plan_must_name_its_own_classes(root, tmp_path):
    text = (root / "data/judge-drift-demo/world.yaml").read_text().replace("{tool-misuse: 0.35}", "{other: 0.35}")
    (tmp_path / "world.yaml").write_text(text)
    with pytest.raises(UnreadableInput, match="not other"):
        read_judging_plan(tmp_path / "world.yaml")
