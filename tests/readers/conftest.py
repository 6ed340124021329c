"""Logs that the real tools wrote, made once a session and shared by all workers.

The tools' own environments are kept in `.cache` of the checkout, or where LITMUS_TEST_CACHE says. A tool that cannot be
installed is skipped with its reason; nothing else may be.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock

ROOT = Path(__file__).parents[2]
TOOLS = Path(__file__).parent / "tools"
CACHE = Path(os.environ.get("LITMUS_TEST_CACHE") or ROOT / ".cache")

AGENTDOJO = "agentdojo==0.1.35"
PROMPTFOO = "promptfoo@0.121.20"
LIBSQL = "@libsql/linux-x64-gnu@0.5.29"
"""promptfoo's own choice for its database; its other optional packages are 1.6 GB that no test needs."""

_LIMIT_S = 900


def run(arguments: list[str], **options) -> subprocess.CompletedProcess[str]:
    """A command that must end well."""
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=_LIMIT_S, check=False, **options)
    if done.returncode:
        raise RuntimeError(f"{arguments[:3]} ended with {done.returncode}: {(done.stderr or done.stdout)[-1500:]}")
    return done


def made_once(name: str, make: Callable[[Path], None], folder: Path) -> Path:
    """The folder `name` below `folder`, made by the first worker that asks; the others wait for it."""
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / name
    with FileLock(folder / f"{name}.lock"):
        if not target.exists():
            beside = folder / f"{name}.part"
            shutil.rmtree(beside, ignore_errors=True)
            beside.mkdir()
            make(beside)
            beside.rename(target)
    return target


@pytest.fixture(scope="session")
def session_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all workers of this session; LITMUS_TEST_LOGS keeps it, for who works on a reader."""
    if kept := os.environ.get("LITMUS_TEST_LOGS"):
        return Path(kept)
    base = tmp_path_factory.getbasetemp()
    return (base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base) / "written-by-real-tools"


@pytest.fixture(scope="session")
def inspect_logs(session_folder: Path) -> Path:
    """Logs by the installed Inspect on mock models; about 20 s of work."""
    pytest.importorskip("inspect_ai", reason="the extra `inspect` is not installed")
    script = str(TOOLS / "inspect_logs.py")
    return made_once("inspect", lambda folder: run([sys.executable, script, str(folder)], cwd=folder), session_folder)


@pytest.fixture(scope="session")
def agentdojo_runs(session_folder: Path) -> Path:
    """Episodes by the real AgentDojo, offline; about 10 s of work after its environment is there."""
    python = _agentdojo_python()
    script = str(TOOLS / "agentdojo_runs.py")
    return made_once("agentdojo", lambda folder: run([python, script, str(folder)], cwd=folder), session_folder)


@pytest.fixture(scope="session")
def promptfoo_results(session_folder: Path) -> Path:
    """Results by the real promptfoo on an exec provider; about 10 s of work after its packages are there."""
    binary = _promptfoo_binary()

    def make(folder: Path) -> None:
        run([sys.executable, str(TOOLS / "promptfoo_configs.py"), str(folder)])
        environment = {
            **os.environ,
            "PROMPTFOO_CONFIG_DIR": str(folder / ".promptfoo"),
            **dict.fromkeys(("PROMPTFOO_DISABLE_TELEMETRY", "PROMPTFOO_DISABLE_UPDATE"), "1"),
            "PROMPTFOO_DISABLE_REMOTE_GENERATION": "1",
        }
        for config in sorted(folder.glob("*.yaml")):
            repeat = json.loads((folder / "repeats.json").read_text())[config.stem]
            arguments = ["node", binary, "eval", "-c", config.name, "--repeat", str(repeat), "--no-cache", "--no-table"]
            outputs = ["--no-progress-bar", "-o", f"{config.stem}.json", "-o", f"{config.stem}.jsonl"]
            # promptfoo exits 100 where a test failed: failed is what red-team tests are for
            subprocess.run(
                [*arguments, *outputs], cwd=folder, env=environment, capture_output=True, timeout=_LIMIT_S, check=False
            )
            assert (folder / f"{config.stem}.json").exists()

    return made_once("promptfoo", make, session_folder)


def _agentdojo_python() -> str:
    def install(folder: Path) -> None:
        run([sys.executable, "-m", "venv", str(folder / "venv")])
        pip = [str(folder / "venv" / "bin" / "python"), "-m", "pip", "install", "--quiet"]
        run([*pip, "--disable-pip-version-check", AGENTDOJO])

    try:
        folder = made_once(AGENTDOJO.replace("==", "-"), install, CACHE)
    except (RuntimeError, OSError, subprocess.TimeoutExpired) as error:
        pytest.skip(f"{AGENTDOJO} cannot be installed here: {error}")
    return str(folder / "venv" / "bin" / "python")


def _promptfoo_binary() -> str:
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip("promptfoo needs node and npm, and they are not here")

    def install(folder: Path) -> None:
        options = ["--no-audit", "--no-fund", "--ignore-scripts", "--omit=optional", "--omit=peer"]
        run(["npm", "install", *options, PROMPTFOO, LIBSQL], cwd=folder)

    try:
        folder = made_once(PROMPTFOO.replace("@", "-"), install, CACHE)
    except (RuntimeError, OSError, subprocess.TimeoutExpired) as error:
        pytest.skip(f"{PROMPTFOO} cannot be installed here: {error}")
    return str(folder / "node_modules" / ".bin" / "promptfoo")
