"""The objects of a scratch notebook: frames in and out, a repr that no text can break, charts in one line."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pytest

from litmus_nb.errors import UnreadableInput
from litmus_nb.face import judge_drift
from litmus_nb.shipped import shipped_path
from tests.report.browser import Chromium, chromium
from tests.report.hostile import CORPUS

__all__ = ["chromium"]

DIGEST = "sha256:" + "a" * 64
STEPS = ("drift", "where", "humans", "since", "effects", "rates", "power", "next")
PICTURES = ("drift", "where", "since", "effects")


@pytest.fixture(scope="module")
def demo():
    """The demo's investigation."""
    path = shipped_path("data/judge-drift-demo/labels.parquet")
    return judge_drift.investigate(path, baseline="agent-1.4", candidate="agent-1.5")


def labels(text=lambda place: f"name-{place}", n=40):
    """A table in which every free text is chosen by the caller."""
    rows = []
    for number in range(n):
        about = {
            "item_id": f"{number}-{text(number)}",
            "scenario_class": f"c{number % 2}-{text(number % 2)}",
            "scenario_id": f"{number % 20}-{text(number)}",
            "policy": f"p{number // 20}-{text(7 + number // 20)}",
            "family": f"f{number % 4}-{text(number % 4)}",
            "excerpt": f"{text(number)} {text(number + 1)} {text(number + 2)} {text(number + 3)}",
            "length": number + 1,
        }
        for rater, kind, value, run in (
            (f"ann-{text(60)}", "human", number % 3 == 0, None),
            (f"judge-{text(61)}", "judge", number % 3 == 0, f"r1-{text(62)}"),
            (f"judge-{text(61)}", "judge", number % 4 == 0, f"r2-{text(63)}"),
        ):
            rows.append(
                about
                | {
                    "rater": rater,
                    "rater_kind": kind,
                    "rater_digest": DIGEST if kind == "judge" else None,
                    "label": value,
                    "run_id": run,
                }
            )
    return pl.DataFrame(rows, infer_schema_length=None)


def test_the_demo_says_what_is_true_of_it(demo):
    """The plan of the demo: blind to a share of tool-misuse since 2 November, another artefact in October, no change of
    the agent."""
    found = demo.report.conclusion
    assert (found.is_drift, found.classes, found.since_run) == ("yes", ["tool-misuse"], "run-2026-11-02")
    assert found.identity == "did not change with it"
    assert (found.is_agent_effect, found.is_judge_effect) == ("none shown", "fewer successes")
    assert [row.run_id for row in demo.report.timeline.identities] == ["run-2026-10-05"]
    assert "tool-misuse" in repr(demo)


@pytest.mark.parametrize("name", STEPS)
def test_every_step_has_words_and_numbers(demo, name):
    exhibit = getattr(demo, name)
    assert exhibit.text
    assert "<script" not in exhibit._repr_html_()
    if name != "next":
        assert len(exhibit.frame)
        assert isinstance(exhibit.pandas(), pd.DataFrame)
        assert list(exhibit.pandas().columns) == exhibit.frame.columns
    assert name in dir(demo)


@pytest.mark.parametrize("name", PICTURES)
def test_every_picture_is_live_in_jupyterlab_and_a_picture_elsewhere(demo, name):
    data, metadata = getattr(demo, name).chart()._repr_mimebundle_()
    assert set(data) == {"application/vnd.vegalite.v5+json", "image/svg+xml", "text/plain"}
    assert data["application/vnd.vegalite.v5+json"]["$schema"].endswith("/v5.json")
    assert data["image/svg+xml"].startswith("<svg")
    assert metadata["application/vnd.vegalite.v5+json"]["embed_options"]["renderer"] == "svg"


def test_a_step_without_a_picture_says_so(demo):
    with pytest.raises(ValueError, match="no picture"):
        demo.power.chart()


def test_frames_go_in_as_they_are():
    frame = labels()
    one = judge_drift.investigate(frame)
    two = judge_drift.investigate(pd.DataFrame(frame.to_dict(as_series=False)))
    assert one.report == two.report


def test_wrong_parameters_are_refused_with_their_names():
    with pytest.raises(UnreadableInput, match="max_fnr_rise"):
        judge_drift.investigate(labels(), max_fnr_rise=2.0)
    with pytest.raises(UnreadableInput, match="no such key"):
        judge_drift.investigate(labels(), tolerance=0.02)


def test_saving_leaves_page_and_findings(demo, tmp_path):
    folder = demo.save(tmp_path)
    assert sorted(path.name for path in folder.iterdir()) == ["drift.json", "report.html"]


@pytest.mark.browser
def test_hostile_texts_do_nothing(tmp_path, chromium: Chromium):
    """Every text of the corpus in ids, classes, policies, families, excerpts, raters and runs; page and panels opened
    with the page's policy and without."""

    def text(place: int) -> str:
        return CORPUS[place % len(CORPUS)] or "empty"

    for start in range(0, len(CORPUS), 40):
        case = judge_drift.investigate(
            labels(lambda place, start=start: text(start + place)),
            baseline=f"p0-{text(start + 7)}",
            candidate=f"p1-{text(start + 8)}",
        )
        folder = case.save(tmp_path)
        panels = "".join(getattr(case, name)._repr_html_() for name in STEPS)
        live = case.where.chart()._repr_mimebundle_()[0]["image/svg+xml"]
        (tmp_path / "panels.html").write_text(f"<meta charset=utf-8>{panels}{live}", encoding="utf-8")
        for name, heeds in (("report.html", True), ("report.html", False), ("panels.html", False)):
            with chromium.opened(folder / name, heeds_policy=heeds) as opened:
                problems = [p for p in opened.problems() if not (name == "panels.html" and p.startswith("wider"))]
                assert problems == []
