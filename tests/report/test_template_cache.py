"""Compiled templates are kept beside the package's bytecode, and a page is the same with and without them."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from jinja2 import Environment

from litmus_nb.report import markup, template_cache
from tests.torture.test_faults import Mounted, fill

WORDS = dict.fromkeys(("version", "css", "policy", "title"), "")


@pytest.fixture
def beside(tmp_path, monkeypatch):
    """The folder in which Python would keep the package's bytecode."""
    folder = tmp_path / "__pycache__"
    folder.mkdir()
    spec = type("Spec", (), {"cached": str(folder / "template_cache.cpython-311.pyc")})
    monkeypatch.setattr(template_cache, "__spec__", spec)
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    return folder


def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A new environment loads a template; the names of those that had to be compiled."""
    names: list[str] = []
    compile_ = Environment._compile

    def watched(self, source, filename):
        names.append(Path(filename).name)
        return compile_(self, source, filename)

    with monkeypatch.context() as context:
        context.setattr(Environment, "_compile", watched)
        environment = markup.page_environment.__wrapped__()
        assert "<html" in environment.get_template("base.html.j2").render(WORDS)
    return names


def test_a_template_is_compiled_once(beside, monkeypatch):
    assert compiled(monkeypatch) == ["base.html.j2"]
    assert compiled(monkeypatch) == []


def test_nothing_is_kept_where_python_keeps_nothing(beside, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert compiled(monkeypatch) == compiled(monkeypatch) == ["base.html.j2"]
    assert list(beside.iterdir()) == []


def test_what_was_kept_is_read_where_nothing_more_is_kept(beside, monkeypatch):
    compiled(monkeypatch)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert compiled(monkeypatch) == []


@pytest.mark.parametrize("cached", [None, "absent"])
def test_there_is_no_cache_where_there_is_no_folder_for_it(beside, monkeypatch, cached):
    beside.rmdir()
    if cached is None:
        monkeypatch.setattr(template_cache, "__spec__", None)
    assert template_cache.compiled_templates() is None
    assert compiled(monkeypatch) == ["base.html.j2"]
    assert not beside.exists()


@pytest.mark.parametrize("damage", [b"", b"j2", b"no bytecode at all"])
def test_a_damaged_file_is_compiled_anew(beside, monkeypatch, damage):
    compiled(monkeypatch)
    (kept,) = beside.iterdir()
    kept.write_bytes(damage)
    assert compiled(monkeypatch) == ["base.html.j2"]
    assert compiled(monkeypatch) == []


def test_a_file_cut_short_is_compiled_anew(beside, monkeypatch):
    compiled(monkeypatch)
    (kept,) = beside.iterdir()
    kept.write_bytes(kept.read_bytes()[:-20])
    assert compiled(monkeypatch) == ["base.html.j2"]


def test_a_folder_in_a_files_place_is_passed_over(beside, monkeypatch):
    compiled(monkeypatch)
    (kept,) = beside.iterdir()
    kept.unlink()
    kept.mkdir()
    assert compiled(monkeypatch) == ["base.html.j2"]


def test_a_template_that_changed_is_compiled_anew(beside, monkeypatch):
    compiled(monkeypatch)
    source = Path(markup.__file__).parent / "templates/base.html.j2"
    loaded = source.read_text() + "<!-- changed -->"
    environment = markup.page_environment.__wrapped__()
    monkeypatch.setattr(environment.loader, "get_source", lambda env, name: (loaded, str(source), lambda: True))
    page = environment.get_template("base.html.j2").render(WORDS)
    assert page.rstrip().endswith("<!-- changed -->")


def test_a_full_disk_fails_no_page(tmp_path, monkeypatch):
    with Mounted(tmp_path / "disk", 64) as disk:
        spec = type("Spec", (), {"cached": str(disk / "template_cache.cpython-311.pyc")})
        monkeypatch.setattr(template_cache, "__spec__", spec)
        monkeypatch.setattr(sys, "dont_write_bytecode", False)
        fill(disk, 0)
        assert compiled(monkeypatch) == ["base.html.j2"]
        assert [path.name for path in disk.iterdir()] == ["ballast"]


def test_the_package_keeps_them_where_its_own_bytecode_lies(tmp_path):
    """Whoever can write there can change the package; no other folder is trusted."""
    shutil.copytree(Path(markup.__file__).parents[1], tmp_path / "litmus_nb", ignore=shutil.ignore_patterns("__pyc*"))
    code = "from litmus_nb.report.template_cache import compiled_templates as c; x = c(); print(x and x.directory)"
    told = [
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=tmp_path,
            env={"PYTHONPATH": str(tmp_path), "HOME": str(tmp_path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for _ in range(2)
    ]
    assert told[-1] == str(tmp_path / "litmus_nb/report/__pycache__")
