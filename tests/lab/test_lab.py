"""JupyterLab itself, from its own environment: the notebooks run from its menu, and their charts come alive."""

from __future__ import annotations

import os
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.report.browser import CHROMIUM, SCREENSHOTS

pytestmark = [pytest.mark.browser, pytest.mark.kernel, pytest.mark.slow]

ROOT = Path(__file__).parents[2]
LAB = ROOT / ".venv-lab" / "bin" / "litmus-nb"
NOTEBOOKS = sorted(path.name for path in (ROOT / "notebooks").glob("*.ipynb"))
TOKEN = "for-this-test-only"

KERNEL_IS_IDLE = "document.querySelector('#jp-main-statusbar').textContent.includes('| Idle')"
IS_DONE = f"""{KERNEL_IS_IDLE}
  && ![...document.querySelectorAll('.jp-InputPrompt')].some(prompt => prompt.textContent.includes('*'))
  && document.querySelectorAll('.jp-OutputArea-output').length > 0"""
ERRORS = """[...document.querySelectorAll('.jp-RenderedText[data-mime-type="application/vnd.jupyter.error"]')]
  .map(output => output.textContent.slice(0, 300))"""


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """JupyterLab on copies of the notebooks; its address."""
    if not LAB.exists():
        pytest.skip("no .venv-lab: JupyterLab is not looked at; `make lab-test` makes it and runs these tests")
    if not Path(CHROMIUM).exists():
        pytest.skip(f"no Chromium at {CHROMIUM}: JupyterLab is not looked at")
    folder = tmp_path_factory.mktemp("lab")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    words = [str(LAB), "lab", str(folder), "--no-browser", "--port", str(port), "--jupyter", "--allow-root"]
    environment = os.environ | {"JUPYTER_TOKEN": TOKEN, "JUPYTER_CONFIG_DIR": str(folder / ".jupyter")}
    server = subprocess.Popen(words, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(240):
            try:
                urllib.request.urlopen(f"{address}/api?token={TOKEN}", timeout=5).close()
                break
            except OSError:
                assert server.poll() is None, "JupyterLab ended"
                time.sleep(0.5)
        yield address
    finally:
        server.terminate()
        server.wait(30)


def wait_until_done(page: Any) -> None:
    """Until the kernel has nothing to do, for three seconds on end."""
    quiet = 0
    for _ in range(600):
        time.sleep(0.5)
        quiet = quiet + 1 if page.evaluate(IS_DONE) else 0
        if quiet == 6:
            return
    pytest.fail("the notebook was still running after five minutes")


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_run_all_ends_without_an_error(name: str, lab: str) -> None:
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as player:
        browser = player.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 2400})
        foreign: list[str] = []
        page.on(
            "request",
            lambda request: None if request.url.startswith((lab, "data:", "blob:")) else foreign.append(request.url),
        )
        page.goto(f"{lab}/lab/tree/{name}?token={TOKEN}&reset", timeout=120_000)
        page.wait_for_selector(".jp-Notebook .jp-CodeCell", timeout=120_000)
        # Before the kernel is there, Run asks which kernel is meant.
        page.wait_for_function(KERNEL_IS_IDLE, timeout=120_000)
        page.get_by_role("menuitem", name="Run", exact=True).click()
        page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
        wait_until_done(page)
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=SCREENSHOTS / f"lab-{name}.png")
        assert page.evaluate(ERRORS) == []
        assert foreign == []
        if name in ("gate.ipynb", "history.ipynb"):
            page.wait_for_selector(".vega-embed", timeout=60_000)
        browser.close()
