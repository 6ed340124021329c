"""Over a hundred hostile texts in every slot of an exploration, through its page in a real browser and its charts."""

from __future__ import annotations

from pathlib import Path

import pytest

from litmus_nb.contracts.exploration import (
    BothSides,
    ChecklistItem,
    Exploration,
    ExploredClass,
    ExploredSide,
    Flip,
    Notice,
    OneSided,
    SeenTrial,
    UnknownCount,
)
from litmus_nb.contracts.findings import Finding
from litmus_nb.report.charts import as_svg
from litmus_nb.report.exploration_charts import flips_chart
from litmus_nb.report.exploration_page import exploration_text, render_exploration_page
from litmus_nb.report.markup import themed
from litmus_nb.rule.finding import found
from tests.report.browser import Chromium, chromium
from tests.report.hostile import CORPUS

__all__ = ["chromium"]

NAMES = [text or f"empty-{place}" for place, text in enumerate(CORPUS)]


def harmless(place: int) -> str:
    return f"name-{place}"


def hostile(place: int) -> str:
    return NAMES[place % len(NAMES)]


def exploration(text, count: int = len(NAMES)) -> Exploration:
    half = BothSides(baseline=0.5, candidate=0.5)

    def side(place: int) -> ExploredSide:
        return ExploredSide(source=text(place), digest=None, policy=text(place + 1), run_id=text(place + 2),
                            judge=text(place + 3), judge_digest=text(place + 4), n_scenarios=1, n_trials=1,
                            trials_per_scenario=1, is_trial_count_declared=False)  # fmt: skip

    def klass(place: int) -> ExploredClass:
        return ExploredClass(
            name=text(place), n=1, n_scenarios=half, declared_trials=BothSides(baseline=10.0, candidate=10.0),
            rates=half, agreement=half, delta=0.1, ci_low=0.0, ci_high=0.2, bootstrap_low=0.0, bootstrap_high=0.1,
            best_delta=0.0, worst_delta=0.3, best_low=-0.1, worst_high=0.4, because=None,
            unknowns=[UnknownCount(side="candidate", status=text(place + 1), reason=text(place + 2), n=1)],
            one_sided=[OneSided(side="baseline", n=1, rate=0.5, rate_of_shared=None, examples=[text(place + 3)])],
            n_worse=1, n_better=0)  # fmt: skip

    def finding(place: int) -> Finding:
        return found("CONTRACT_UNREADABLE", "1.4", text(place), expected=text(place + 1), observed=text(place + 2))

    kinds = ("different judges", "different tools", "different suites", "edited scenarios", "classes differ",
             "one class only", "judge unknown", "no common scenario", "same run")  # fmt: skip
    notices = [
        Notice(kind=kind, subject=text(n), baseline="3" if kind in ("edited scenarios", "classes differ") else text(n),
               candidate=text(n + 1))
        for n, kind in enumerate(kinds)
    ]  # fmt: skip
    return Exploration(
        suite=text(0), confidence=0.95, baseline=side(1), candidate=side(2), notices=notices,
        classes=[klass(n) for n in range(count)],
        flips=[Flip(scenario_id=text(n), scenario_class=text(n + 1), family=text(n + 2), baseline_rate=0.0,
                    candidate_rate=1.0, baseline_scored=1, candidate_scored=1) for n in range(count)],
        trials=[SeenTrial(side="candidate", scenario_id=text(n), scenario_class=text(n + 1), family=None, trial=0,
                          status="scored", attack_success=True, reason=text(n + 2), excerpt=text(n + 3))
                for n in range(count)],
        checklist=[ChecklistItem(finding=finding(n), cost=1, cost_words="a line", action="Mend it.", how="")
                   for n in range(count)],
        litmus_nb="0")  # fmt: skip


@pytest.mark.browser
@pytest.mark.parametrize("heeds_policy", [True, False], ids=["with-policy", "without-policy"])
def test_nothing_runs_loads_or_leads_away(heeds_policy: bool, tmp_path: Path, chromium: Chromium) -> None:
    path = tmp_path / "page.html"
    path.write_text(render_exploration_page(exploration(hostile)), encoding="utf-8")
    for width in (1280, 390):
        with chromium.opened(path, width=width, heeds_policy=heeds_policy) as opened:
            assert opened.problems() == []
            assert opened.page.locator("h1").count() == 1
            assert opened.page.locator(".watermark-strip").is_visible()


@pytest.mark.browser
def test_the_page_is_built_as_with_harmless_names(tmp_path: Path, chromium: Chromium) -> None:
    skeletons = []
    for text in (harmless, hostile):
        path = tmp_path / f"{text.__name__}.html"
        path.write_text(render_exploration_page(exploration(text)), encoding="utf-8")
        with chromium.opened(path) as opened:
            skeletons.append(opened.skeleton)
    assert skeletons[0] == skeletons[1]


def test_charts_can_be_drawn_of_them_and_hold_nothing_but_a_drawing() -> None:
    seen = exploration(hostile)
    svg = themed(as_svg(flips_chart(seen, seen.trials)))
    assert "not a verdict" in svg


def test_a_terminal_is_not_commanded() -> None:
    told = exploration_text(exploration(hostile))
    assert "\x1b" not in told
    assert "\u202e" not in told
