"""notebooks/explore.ipynb as a person uses it: a click on a scenario shows its trials, and nothing of them acts."""

from __future__ import annotations

import json
import re

import pytest

from tests.lab.conftest import SCREENSHOTS

pytestmark = [pytest.mark.browser, pytest.mark.kernel, pytest.mark.slow, pytest.mark.timeout(1500)]

SCENARIO = re.compile(r"\b(?:exfil|inj|jail|tool)-\d{4}\b")


def scenarios_in(texts):
    return {found for text in texts for found in SCENARIO.findall(text)}


def test_a_click_on_a_scenario_shows_its_trials(ran):
    opened = ran("explore.ipynb")
    assert opened.errors == []
    chart = opened.page.locator(".jp-RenderedVegaCommon5", has_text="Click a scenario").first
    chart.scroll_into_view_if_needed()
    before = chart.locator("svg text").all_text_contents()
    # The last point lies on top of the others.
    chart.locator("g.mark-symbol.role-mark path").last.click()
    opened.page.wait_for_function(
        """before => {
            const chart = [...document.querySelectorAll('.jp-RenderedVegaCommon5')]
                .find(one => one.textContent.includes('Click a scenario'));
            return JSON.stringify([...chart.querySelectorAll('svg text')].map(e => e.textContent)) !== before;
        }""",
        arg=json.dumps(before, ensure_ascii=False, separators=(",", ":")),
    )
    after = chart.locator("svg text").all_text_contents()
    opened.page.screenshot(path=str(SCREENSHOTS / "explore-lab-clicked.png"))
    assert after != before
    assert len(scenarios_in(after)) == 1
    assert opened.dialogs == []
    assert opened.elsewhere == []
