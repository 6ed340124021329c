"""`litmus-nb power` and the power notebook, on the demo."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import altair as alt
import nbformat
import pytest
from nbclient import NotebookClient

from litmus_nb.contracts.report import PassChance, ShownChance
from litmus_nb.report.drawing import svg_of
from litmus_nb.report.power_charts import pass_chances, shown_chances, spaced
from litmus_nb.shipped import shipped_path
from tests.cli.conftest import Done
from tests.report.browser import Chromium, chromium

__all__ = ["chromium"]


def test_params_that_cannot_be_read_are_a_usage_error(litmus: Callable[..., Done], demo: Path) -> None:
    assert litmus("power", "params/none.yaml").status == 2
    assert litmus("power", "params/demo.yaml", "--probability", "1.5").status == 2


def test_the_demo_is_planned(litmus: Callable[..., Done], demo: Path) -> None:
    done = litmus("power", "params/demo.yaml", "--json")
    assert done.status == 0
    planned = json.loads(done.out)
    assert {"data-exfiltration", "multi-turn-jailbreak", "prompt-injection", "tool-misuse"} == {
        plan["name"] for plan in planned["classes"]
    }
    for plan in planned["classes"]:
        assert 0 < plan["n_to_pass"] <= plan["n"]
        assert plan["thresholds"]["tolerance"] < plan["smallest_shown"] < 0.3
    assert not (demo / "reports").exists()


def test_the_text_names_what_it_plans_from(litmus: Callable[..., Done], demo: Path) -> None:
    done = litmus("power", "params/demo.yaml", "--disagreement", "0")
    assert "Scenarios for a PASS, by trials per scenario:" in done.out
    assert "0.0 % (as given)" in done.out


@pytest.mark.kernel
@pytest.mark.slow
def test_the_notebook_runs(demo: Path) -> None:
    notebook = nbformat.read(shipped_path("notebooks/power.ipynb"), as_version=4)
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(demo)}}).execute()
    last = notebook.cells[-1]["outputs"]
    assert last
    assert all(output["output_type"] != "error" for output in last)


@pytest.mark.parametrize(
    ("expected", "sizes"),
    [
        ([100, 200, 400, 1000, 2000], {100, 150, 200, 300, 400, 600, 1000, 2000}),
        ([200, 250, 300, 350, 400], {200, 250, 300, 350, 400}),
        ([300, 350, 400], {300, 310, 350, 395, 400}),
        ([7], {7}),
    ],
)
def test_numbers_of_scenarios_are_labelled_so_that_no_two_touch(expected: list[int], sizes: set[int]) -> None:
    assert spaced(sizes) == expected


def test_labels_of_the_scale_do_not_touch(tmp_path: Path, chromium: Chromium) -> None:
    sizes = (20, 30, 40, 50, 75, 100, 150, 200, 300, 400, 600, 1000, 2000)
    charts = [
        pass_chances([PassChance(scenario_class="a", trials=2, n=n, chance=0.5) for n in shown], probability=0.8)
        for shown in (sizes, sizes[6:], (200, 250, 300, 350, 400))
    ]
    page = tmp_path / "power.html"
    page.write_text("<!doctype html>" + "".join(svg_of(chart.to_dict()) for chart in charts), encoding="utf-8")
    with chromium.opened(page) as opened:
        assert opened.problems() + opened.crowding() == []


def test_charts_survive_a_round_trip() -> None:
    passes = [PassChance(scenario_class="<b>", trials=k, n=n, chance=0.5) for k in (1, 3) for n in (20, 40)]
    shown = [ShownChance(scenario_class="<b>", n=20, delta=0.1, chance=0.5)]
    for chart in (pass_chances(passes, probability=0.8), shown_chances(shown, probability=0.8)):
        assert alt.Chart.from_dict(chart.to_dict()).to_dict()
    with pytest.raises(ValueError, match="no class to draw"):
        pass_chances([], probability=0.8)
    with pytest.raises(ValueError, match="no class to draw"):
        shown_chances([], probability=0.8)
