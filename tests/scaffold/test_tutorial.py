"""Every command of the tutorial, in order, in a fresh folder, as the page has them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.kernel]

PAGE = ROOT / "docs/tutorial.md"


def blocks() -> list[str]:
    return re.findall(r"^```bash\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def test_every_command_of_the_tutorial_runs_and_ends_as_it_says(tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai", reason="inspect_ai is not installed: no log is made")
    if shutil.which("bwrap") is None:
        pytest.skip("no bubblewrap: no sandbox to measure (apt install bubblewrap)")
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("LITMUS", "INSPECT", "PYTHON"))}
    states: list[str] = []
    told = ""
    for block in blocks():
        ended = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", block],
            cwd=tmp_path,
            env=clean | {"PATH": path},
            capture_output=True,
            text=True,
            timeout=400,
            check=False,
        )
        assert ended.returncode == 0, f"{block}\n{ended.stdout}\n{ended.stderr}"
        told += ended.stdout
        if "litmus-nb gate " in block:
            states.append(json.loads((tmp_path / "reports/gate/verdict.json").read_bytes())["verdict"])
    assert states == ["FAIL", "PASS", "REJECTED"]
    assert "EXPLORATION, NOT A VERDICT" in told
    seen = json.loads((tmp_path / "look/exploration.json").read_bytes())
    assert {flip["scenario_class"] for flip in seen["flips"]} == {"exfiltration"}
    assert any("the-key-under-the-mat" in (trial["excerpt"] or "") for trial in seen["trials"])
    assert (tmp_path / ".github/workflows/litmus-gate.yml").exists()
