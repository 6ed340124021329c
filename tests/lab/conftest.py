"""A real JupyterLab from an environment of its own, on copies of the notebooks, and a Chromium for it alone."""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT

CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
_START_S = 240


@dataclass(frozen=True)
class Lab:
    """A running JupyterLab."""

    address: str
    token: str
    folder: Path

    def url(self, notebook: str) -> str:
        """Where a notebook is opened."""
        return f"{self.address}/lab/tree/{notebook}?token={self.token}"


def lab_python() -> Path:
    """The interpreter of the environment with JupyterLab: LITMUS_LAB, or .venv-lab beside the checkout's files."""
    return Path(os.environ.get("LITMUS_LAB") or ROOT / ".venv-lab/bin/python")


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """JupyterLab on copies of everything that is shipped; skipped where its environment was not made."""
    python = lab_python()
    if not python.exists():
        pytest.skip(f"no JupyterLab at {python}: make lab-test")
    base = tmp_path_factory.mktemp("lab")
    folder = base / "work"
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("JUPYTER", "IPYTHON"))}
    for name in ("CONFIG", "DATA", "RUNTIME"):
        environment[f"JUPYTER_{name}_DIR"] = str(base / name.lower())
    environment["IPYTHONDIR"] = str(base / "ipython")
    # Kernels are spoken to through sockets of the file system, whose paths must be short: two kernels that start at one
    # moment on a busy machine may pick the same port, and then neither answers.
    runtime = Path(tempfile.mkdtemp(prefix="lab-"))
    environment["JUPYTER_RUNTIME_DIR"] = str(runtime)
    # Without this JupyterLab keeps cells out of the document that are not in view, and a test cannot see them.
    settings = base / "config/lab/user-settings/@jupyterlab"
    for name, text in (
        ("notebook-extension/tracker", '{"windowingMode": "none"}'),
        ("apputils-extension/notification", '{"fetchNews": "false", "checkForUpdates": false}'),
    ):
        path = settings / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True)
        path.write_text(text)
    copied = [python, "-m", "litmus_nb", "lab", str(folder), "--copy-only"]
    subprocess.run(copied, env=environment, check=True, timeout=_START_S)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    token = secrets.token_hex(16)
    words = [
        *(python, "-m", "jupyterlab", "--no-browser", "--allow-root", f"--ServerApp.root_dir={folder}"),
        *("--ServerApp.ip=127.0.0.1", f"--ServerApp.port={port}", "--ServerApp.port_retries=0"),
        *(f"--IdentityProvider.token={token}", "--KernelManager.transport=ipc"),
    ]
    with (base / "lab.log").open("wb") as log:
        process = subprocess.Popen(words, env=environment, stdout=log, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            running = Lab(f"http://127.0.0.1:{port}", token, folder)
            _wait_for(running, process, base / "lab.log")
            yield running
        finally:
            process.terminate()
            try:
                process.wait(timeout=30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            shutil.rmtree(runtime, ignore_errors=True)


def _wait_for(running: Lab, process: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(2 * _START_S):
        if process.poll() is not None:
            break
        try:
            with urllib.request.urlopen(f"{running.address}/api?token={running.token}", timeout=2):
                return
        except OSError:
            time.sleep(0.5)
    pytest.fail(f"JupyterLab did not start:\n{log.read_text(errors='replace')[-2000:]}")


@pytest.fixture(scope="module")
def page(lab: Lab) -> Iterator[Any]:
    """A page of a headless Chromium that resolves no name; what it asks for elsewhere is in `page.elsewhere`."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: nothing is clicked")
    if not Path(CHROMIUM).exists():
        pytest.skip(f"no Chromium at {CHROMIUM}: install it (apt-get install chromium)")
    arguments = ["--no-sandbox", "--disable-gpu", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]
    with playwright.sync_playwright() as player:
        browser = player.chromium.launch(executable_path=CHROMIUM, args=arguments)
        try:
            opened = browser.new_page(viewport={"width": 1500, "height": 1400})
            opened.elsewhere = []
            opened.dialogs = []
            opened.on("request", lambda request: _note(opened, lab, request.url))
            opened.on("dialog", lambda dialog: (opened.dialogs.append(dialog.message), dialog.dismiss()))
            opened.set_default_timeout(120_000)
            yield opened
        finally:
            browser.close()


def _note(opened: Any, lab: Lab, url: str) -> None:
    host = lab.address.removeprefix("http")
    if not url.startswith((f"http{host}", f"ws{host}", "data:", "blob:")):
        opened.elsewhere.append(url[:200])
