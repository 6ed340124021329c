"""The documents are a site: every link leads somewhere, every page is in the navigation."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import yaml

from tests.conftest import ROOT


def test_the_site_is_built_without_a_warning(tmp_path):
    words = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path / "site")]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1", "PYTHONWARNINGS": "ignore"}
    ended = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300)
    assert ended.returncode == 0, ended.stderr
    assert "WARNING" not in ended.stderr
    index = (tmp_path / "site/index.html").read_text(encoding="utf-8")
    assert re.search(r"src=\"https?://", index) is None, "the site loads something from elsewhere"
    assert "GateInvariantViolation" in (tmp_path / "site/api.html").read_text(encoding="utf-8")


def test_every_link_of_every_page_leads_to_a_file():
    dead = []
    for path in sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.md")]):
        text = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        for target in re.findall(r"\]\(([^)\s:#]+)(?:#[^)]*)?\)", text):
            if not (path.parent / target).exists():
                dead.append(f"{path.relative_to(ROOT)}: {target}")
    assert dead == []


def test_the_site_needs_no_network():
    settings = yaml.load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"), Loader=yaml.SafeLoader)
    assert settings["theme"]["font"] is False
    assert settings["strict"] is True
