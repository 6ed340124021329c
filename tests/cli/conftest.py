"""The command line, called in this process."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from litmus_nb.cli import main
from litmus_nb.shipped import shipped_path


class Done(NamedTuple):
    """What a command left."""

    status: int
    out: str
    err: str


@pytest.fixture
def litmus(capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    """`litmus-nb WORDS`, in this process."""

    def call(*words: str) -> Done:
        capsys.readouterr()
        with pytest.raises(SystemExit) as stopped:
            main(words)
        out, err = capsys.readouterr()
        return Done(int(stopped.value.code or 0), out, err)

    return call


@pytest.fixture
def demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the demo's data and params, as the working directory."""
    shutil.copytree(shipped_path("data/demo"), tmp_path / "data/demo")
    shutil.copytree(shipped_path("params"), tmp_path / "params")
    monkeypatch.chdir(tmp_path)
    for variable in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"):
        monkeypatch.delenv(variable, raising=False)
    return tmp_path
