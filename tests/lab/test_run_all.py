"""Every notebook from JupyterLab's own menu: Run All ends without an error and without a word to anybody else."""

from __future__ import annotations

import time
from typing import Any

import pytest

from tests.conftest import ROOT

pytestmark = [pytest.mark.browser, pytest.mark.kernel, pytest.mark.slow]

NOTEBOOKS = sorted(path.name for path in (ROOT / "notebooks").glob("*.ipynb"))
SCREENSHOTS = ROOT / "build" / "screenshots"
ALLOWED = ("http://127.0.0.1:", "ws://127.0.0.1:", "data:", "blob:")
WITH_CHARTS = {"gate.ipynb", "history.ipynb"}

KERNEL_IS_IDLE = "document.querySelector('#jp-main-statusbar').textContent.includes('| Idle')"
IS_DONE = f"""{KERNEL_IS_IDLE}
  && ![...document.querySelectorAll('.jp-InputPrompt')].some(prompt => prompt.textContent.includes('*'))
  && document.querySelectorAll('.jp-OutputArea-output').length > 0"""
ERRORS = """[...document.querySelectorAll('.jp-RenderedText[data-mime-type="application/vnd.jupyter.error"]')]
  .map(output => output.textContent.slice(0, 300))"""


def wait_until_done(page: Any) -> None:
    """Until the kernel has nothing to do, for three seconds on end."""
    quiet = 0
    for _ in range(800):
        time.sleep(0.5)
        quiet = quiet + 1 if page.evaluate(IS_DONE) else 0
        if quiet == 6:
            return
    pytest.fail("the notebook was still running after several minutes")


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_run_all_ends_without_an_error(name: str, lab: Any, page: Any) -> None:
    # A page of its own: one with an unsaved notebook asks whether it may be left.
    tab = page.context.browser.new_page(viewport={"width": 1280, "height": 2400})
    elsewhere: list[str] = []
    tab.on("request", lambda request: None if request.url.startswith(ALLOWED) else elsewhere.append(request.url[:200]))
    tab.goto(f"{lab.url(name)}&reset", timeout=120_000)
    tab.wait_for_selector(".jp-Notebook .jp-CodeCell", timeout=120_000)
    # Before the kernel is there, Run asks which kernel is meant.
    tab.wait_for_function(KERNEL_IS_IDLE, timeout=120_000)
    tab.get_by_role("menuitem", name="Run", exact=True).click()
    tab.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    wait_until_done(tab)
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    tab.screenshot(path=SCREENSHOTS / f"lab-{name}.png")
    assert tab.evaluate(ERRORS) == []
    assert elsewhere == []
    if name in WITH_CHARTS:
        assert tab.locator(".jp-RenderedVegaCommon5 svg").count() > 0
    tab.close()
