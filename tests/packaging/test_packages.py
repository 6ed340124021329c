"""The packages as people get them: built, installed into fresh environments, and run in an empty folder.

`make packaging` runs all of it; it takes minutes and the package index. `make test` runs what needs neither.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from litmus_nb._version import __version__
from litmus_nb.cli import COMMANDS
from tests.conftest import ROOT

_PATIENCE_S = 900

pytestmark = pytest.mark.timeout(2 * _PATIENCE_S)

installing = pytest.mark.skipif(
    not os.environ.get("LITMUS_PACKAGING"), reason="builds and installs packages, which takes minutes: make packaging"
)


def run(*words: object, folder: Path = ROOT, **environment: str) -> str:
    ended = subprocess.run(
        [str(word) for word in words],
        cwd=folder,
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | environment,
        capture_output=True,
        text=True,
        timeout=_PATIENCE_S,
    )
    assert ended.returncode == 0, f"{words}: {ended.returncode}\n{ended.stdout[-2000:]}\n{ended.stderr[-3000:]}"
    return ended.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with sdist and wheel; the wheel is made from the sdist."""
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--outdir", folder)
    return folder


@pytest.fixture(scope="module")
def wheel(built: Path) -> Path:
    (found,) = built.glob("*.whl")
    return found


@installing
def test_the_wheel_carries_what_it_needs_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert wheel.name == f"litmus_nb-{__version__}-py3-none-any.whl"
    assert {name.split("/")[0] for name in names} == {"litmus_nb", f"litmus_nb-{__version__}.dist-info"}
    for wanted in (
        "litmus_nb/py.typed",
        "litmus_nb/_shipped/notebooks/gate.ipynb",
        "litmus_nb/_shipped/params/demo.yaml",
    ):
        assert wanted in names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert [name for name in names if "__pycache__" in name or name.endswith((".pyc", ".orig"))] == []


@installing
def test_the_sdist_holds_the_tests_and_the_documents(built: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    for wanted in ("tests/conftest.py", "docs/rule.md", "README.md", "CHANGELOG.md", "LICENSE", "pyproject.toml"):
        assert wanted in names
    assert [name for name in names if name.startswith(("build/", "reports/", ".venv"))] == []


def python_of(version: str) -> str:
    """An interpreter of that version; pyenv's stand-ins for versions that are not chosen do not run."""
    kept = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))
    for found in (shutil.which(f"python{version}"), *map(str, kept)):
        if found and subprocess.run([found, "--version"], capture_output=True).returncode == 0:
            return found
    pytest.skip(f"python{version} is not on this machine")


ENVIRONMENTS = {
    "lowest": ("3.11", ["--require-hashes", "-r", "requirements-lowest.lock"]),
    "newest": ("3.13", []),
    "newest on the oldest Python": ("3.11", []),
}


@pytest.fixture(scope="module", params=ENVIRONMENTS)
def environment(
    request: pytest.FixtureRequest, wheel: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Path]:
    """A fresh environment with the wheel, without any extra."""
    version, requirements = ENVIRONMENTS[request.param]
    folder = tmp_path_factory.mktemp("environment")
    run(python_of(version), "-m", "venv", folder)
    pip = [folder / "bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    if requirements:
        run(*pip, *requirements)
        run(*pip, "--no-deps", wheel)
    else:
        run(*pip, wheel)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@installing
def test_the_demo_runs_from_the_wheel_alone(environment: Path, tmp_path: Path) -> None:
    litmus = environment / "bin/litmus-nb"
    assert run(litmus, "--version", folder=tmp_path).strip().endswith(__version__)
    run(litmus, "demo", folder=tmp_path)
    assert (tmp_path / "reports/demo/verdict.json").exists()
    refused = subprocess.run([litmus, "evaluate", "params/demo-regressed.yaml"], cwd=tmp_path, capture_output=True)
    assert refused.returncode == 1


@installing
def test_every_command_has_help_and_every_name_loads_without_extras(environment: Path, tmp_path: Path) -> None:
    for name in COMMANDS:
        run(environment / "bin/litmus-nb", name, "--help", folder=tmp_path)
    run(
        environment / "bin/python",
        "-c",
        "import litmus_nb; [getattr(litmus_nb, name) for name in litmus_nb.__all__]",
        folder=tmp_path,
    )


# -- what needs no package index -------------------------------------------------------------------------------------


def test_the_version_stands_in_one_place() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert __version__ == citation["version"]
    assert '"version"' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    found = subprocess.run(
        ["git", "grep", "-lE", f'version(__)? *= *"{__version__}"'], cwd=ROOT, capture_output=True, text=True
    ).stdout.split()
    assert [name for name in found if name.endswith((".py", ".toml"))] == ["litmus_nb/_version.py"]


def test_no_lock_file_names_an_index() -> None:
    for path in ROOT.glob("requirements*.lock"):
        text = path.read_text(encoding="utf-8")
        assert "--index-url" not in text
        assert "--find-links" not in text
        for line in text.splitlines():
            if line and not line.startswith((" ", "#")):
                assert "==" in line, f"{path.name}: {line}"


def test_the_release_workflow_builds_apart_and_publishes_without_a_secret() -> None:
    text = (ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8")
    workflow = yaml.safe_load(text)
    assert "secrets." not in text
    assert workflow["permissions"] == {"contents": "read"}
    publish = workflow["jobs"]["publish"]
    assert publish["permissions"] == {"id-token": "write"}
    assert publish["needs"] == ["build", "test"]
    for job in workflow["jobs"].values():
        for step in job["steps"]:
            if "uses" in step:
                assert len(step["uses"].split("@")[1]) == 40, f"{step['uses']} is not pinned by its commit"
