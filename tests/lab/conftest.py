"""A real JupyterLab from an environment of its own, on copies of the notebooks, and a Chromium for it alone.

One of each for all tests here; each notebook is opened and run once, and whoever asks for it gets the same page.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT

CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
SCREENSHOTS = ROOT / "build/screenshots"
_PATIENCE_S = 500
"""For a start, and for all cells of a notebook. A wait ends when what is waited for is there; this is when it fails."""


@dataclass(frozen=True)
class Lab:
    """A running JupyterLab."""

    address: str
    token: str
    folder: Path
    log: Path

    def url(self, notebook: str) -> str:
        """Where a notebook is opened, in a workspace of its own that remembers nothing."""
        return f"{self.address}/lab/workspaces/{notebook.split('.')[0]}/tree/{notebook}?token={self.token}&reset"

    def asked(self, path: str, method: str = "GET", body: object = None) -> Any:
        """What JupyterLab's own interface answers."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Authorization": f"token {self.token}", "Content-Type": "application/json"}
        request = urllib.request.Request(f"{self.address}/api/{path}", data, headers, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            said = answer.read()
        return json.loads(said) if said else None

    def with_kernel(self, notebook: str) -> None:
        """Start the notebook's kernel before its page is opened: the page joins it, and no dialog asks for one."""
        kernel = {"kernel": {"name": "python3"}, "name": notebook, "path": notebook, "type": "notebook"}
        self.asked("sessions", "POST", kernel)

    def without_kernel(self, notebook: str) -> None:
        """End the notebook's kernel."""
        for session in self.asked("sessions"):
            if session["path"] == notebook:
                self.asked(f"sessions/{session['id']}", "DELETE")


@dataclass
class Ran:
    """A notebook whose cells have all been run from the menu."""

    page: Any
    errors: list[str]
    elsewhere: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)


def lab_python() -> Path:
    """The interpreter of the environment with JupyterLab: LITMUS_LAB, or .venv-lab beside the checkout's files."""
    return Path(os.environ.get("LITMUS_LAB") or ROOT / ".venv-lab/bin/python")


def _missing(what: str) -> None:
    """Skip; but where JupyterLab was asked for, what is missing is a failure and no excuse."""
    if "LITMUS_LAB" in os.environ:
        pytest.fail(what)
    pytest.skip(what)


def _environment(base: Path, runtime: Path) -> dict[str, str]:
    """Settings, kernels and histories of the tests' own."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("JUPYTER", "IPYTHON"))}
    kept |= {f"JUPYTER_{name}_DIR": str(base / name.lower()) for name in ("CONFIG", "DATA")}
    return kept | {"JUPYTER_RUNTIME_DIR": str(runtime), "IPYTHONDIR": str(base / "ipython")}


def _settle(base: Path) -> None:
    settings = base / "config/lab/user-settings/@jupyterlab"
    for name, text in (
        # Without this JupyterLab keeps cells out of the document that are not in view, and a test cannot see them.
        ("notebook-extension/tracker", '{"windowingMode": "none"}'),
        ("apputils-extension/notification", '{"fetchNews": "false", "checkForUpdates": false}'),
    ):
        path = settings / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True)
        path.write_text(text)


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """`litmus-nb lab` in a new folder, from the environment with JupyterLab."""
    python = lab_python()
    if not python.exists():
        _missing(f"no JupyterLab at {python}: make lab-test")
    base = tmp_path_factory.mktemp("lab")
    _settle(base)
    # Kernels are spoken to through sockets of the file system, whose paths must be short: two kernels that start at one
    # moment on a busy machine may pick the same port, and then neither answers.
    runtime = Path(tempfile.mkdtemp(prefix="lab-"))
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    token = secrets.token_hex(16)
    for_jupyter = (
        *(
            "--allow-root",
            "--ServerApp.ip=127.0.0.1",
            "--ServerApp.port_retries=0",
            f"--IdentityProvider.token={token}",
        ),
        *("--KernelManager.transport=ipc", f"--MappingKernelManager.kernel_info_timeout={_PATIENCE_S}"),
    )
    words = [str(python), "-m", "litmus_nb", "lab", str(base / "work"), "--no-browser", "--port", str(port)]
    words += [word for for_it in for_jupyter for word in ("--jupyter", for_it)]
    running = Lab(f"http://127.0.0.1:{port}", token, base / "work", base / "lab.log")
    with running.log.open("wb") as log:
        process = subprocess.Popen(
            words, env=_environment(base, runtime), stdout=log, stderr=subprocess.STDOUT, start_new_session=True
        )
        try:
            _wait_for(running, process)
            yield running
        finally:
            process.terminate()
            try:
                process.wait(timeout=60)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            shutil.rmtree(runtime, ignore_errors=True)


def _wait_for(running: Lab, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + _PATIENCE_S
    while process.poll() is None and time.monotonic() < until:
        try:
            running.asked("status")
        except OSError:
            time.sleep(0.3)
        else:
            return
    pytest.fail(f"JupyterLab did not start:\n{running.log.read_text(errors='replace')[-2000:]}")


@pytest.fixture(scope="package")
def browser() -> Iterator[Any]:
    """A headless Chromium that resolves no name."""
    try:
        from playwright import sync_api as playwright
    except ImportError:
        _missing("playwright is not installed: nothing is clicked")
    if not Path(CHROMIUM).exists():
        _missing(f"no Chromium at {CHROMIUM}: install it (apt-get install chromium)")
    arguments = [
        *("--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"),
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    ]
    with playwright.sync_playwright() as player:
        started = player.chromium.launch(executable_path=CHROMIUM, args=arguments, timeout=_PATIENCE_S * 1000)
        try:
            yield started
        finally:
            started.close()


@pytest.fixture(scope="package")
def ran(lab: Lab, browser: Any) -> Callable[[str], Ran]:
    """Gives a notebook after Run All: opened and run at the first call, the same page at any later one."""
    seen: dict[str, Ran] = {}

    def after_run_all(name: str) -> Ran:
        if name not in seen:
            seen[name] = _run_all(lab, browser, name)
        return seen[name]

    return after_run_all


def _run_all(lab: Lab, browser: Any, name: str) -> Ran:
    lab.with_kernel(name)
    page = browser.new_page(viewport={"width": 1280, "height": 2000})
    page.set_default_timeout(_PATIENCE_S * 1000)
    opened = Ran(page, [])
    allowed = (lab.address, lab.address.replace("http", "ws", 1), "data:", "blob:")
    page.on(
        "request", lambda asked: None if asked.url.startswith(allowed) else opened.elsewhere.append(asked.url[:200])
    )
    page.on("dialog", lambda dialog: (opened.dialogs.append(dialog.message), dialog.dismiss()))
    page.goto(lab.url(name))
    opened.errors = _until_done(page)
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SCREENSHOTS / f"lab-{name}.png")
    return opened


_SEEN = """() => {
  const cells = [...document.querySelectorAll('.jp-NotebookPanel .jp-CodeCell')];
  const prompts = cells.map(cell => cell.querySelector('.jp-InputPrompt').textContent);
  const bar = document.querySelector('#jp-main-statusbar');
  return {
    cells: cells.length,
    isIdle: bar !== null && bar.textContent.includes('| Idle'),
    hasBegun: prompts.some(prompt => /[\\d*]/.test(prompt)),
    isBusy: prompts.some(prompt => prompt.includes('*')),
    isDone: prompts.length > 0 && /\\d/.test(prompts[prompts.length - 1]),
    dialogs: document.querySelectorAll('.jp-Dialog .jp-mod-accept').length,
    errors: [...document.querySelectorAll('.jp-RenderedText[data-mime-type="application/vnd.jupyter.error"]')]
      .map(output => output.textContent.slice(0, 600)),
  };
}"""


def _until_done(page: Any) -> list[str]:
    """Run All from the menu, again where it was lost, until the last cell has its number or a cell has failed."""
    until = time.monotonic() + _PATIENCE_S
    asked_at, quiet = None, 0
    while time.monotonic() < until:
        seen = page.evaluate(_SEEN)
        # The last cell may show no number, where its input is folded away: three seconds of rest will do as well.
        quiet = quiet + 1 if seen["isIdle"] and seen["hasBegun"] and not seen["isBusy"] else 0
        if seen["errors"] or seen["isDone"] or quiet == 10:
            return list(seen["errors"])
        if seen["dialogs"]:
            page.locator(".jp-Dialog .jp-mod-accept").first.click()
        elif seen["isIdle"] and not seen["hasBegun"] and (asked_at is None or time.monotonic() > asked_at + 30):
            # A Run All is lost where it comes before the page has joined the kernel, whatever its status bar says.
            asked_at = time.monotonic()
            page.get_by_role("menuitem", name="Run", exact=True).click()
            page.get_by_role("menuitem", name=re.compile("^Run All Cells$")).click()
        page.wait_for_timeout(300)
    return [f"not done after {_PATIENCE_S} seconds; last seen: {seen}"]
