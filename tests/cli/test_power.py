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
from litmus_nb.report.power_charts import pass_chances, shown_chances
from litmus_nb.shipped import shipped_path
from tests.cli.conftest import Done


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


def test_charts_survive_a_round_trip() -> None:
    passes = [PassChance(scenario_class="<b>", trials=k, n=n, chance=0.5) for k in (1, 3) for n in (20, 40)]
    shown = [ShownChance(scenario_class="<b>", n=20, delta=0.1, chance=0.5)]
    for chart in (pass_chances(passes, probability=0.8), shown_chances(shown, probability=0.8)):
        assert alt.Chart.from_dict(chart.to_dict()).to_dict()
    with pytest.raises(ValueError, match="no class to draw"):
        pass_chances([], probability=0.8)
    with pytest.raises(ValueError, match="no class to draw"):
        shown_chances([], probability=0.8)
