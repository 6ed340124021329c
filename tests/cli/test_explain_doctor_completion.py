"""The commands that explain: a code, a machine, a shell."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from litmus_nb.cli import doctor, lab
from litmus_nb.contracts.codes import CODES
from tests.cli.conftest import Done

Litmus = Callable[..., Done]


def test_a_code_that_there_is_not_is_refused_with_what_is_near(litmus: Litmus) -> None:
    done = litmus("explain", "underpwered")
    assert done.status == 2
    assert "did you mean UNDERPOWERED" in done.err
    assert "Traceback" not in done.err


def test_a_hostile_code_is_shown_harmless(litmus: Litmus) -> None:
    done = litmus("explain", "\x1b[2J::error::\u202ex")
    assert done.status == 2
    assert "\x1b" not in done.err
    assert "\u202e" not in done.err


def test_every_code_is_explained_and_listed(litmus: Litmus) -> None:
    told = json.loads(litmus("explain", "--json").out)
    assert sorted(CODES) == sorted(row["name"] for row in told)
    listed = litmus("explain").out
    assert all(name in listed for name in CODES)


def test_a_code_is_found_however_it_is_typed(litmus: Litmus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    text = litmus("explain", "envelope-mismatch").out
    assert text.startswith("ENVELOPE_MISMATCH\n")
    assert "REJECTED (exit 3)" in text
    assert "§2.6" in text
    assert max(len(line) for line in text.splitlines()) <= 80


@pytest.mark.parametrize(
    ("expected", "typed"), [("plain,explain\n", "expla"), ("plain,ENVELOPE_MISMATCH\n", "explain ENVELOPE_M")]
)
def test_a_shell_completes_commands_and_codes(
    expected: str, typed: str, litmus: Litmus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("_LITMUS_NB_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", f"litmus-nb {typed}")
    monkeypatch.setenv("COMP_CWORD", str(len(typed.split())))
    assert litmus().out == expected


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_has_its_script(shell: str, litmus: Litmus) -> None:
    assert "_LITMUS_NB_COMPLETE" in litmus("completion", shell).out


def test_the_doctor_finds_what_the_gate_needs_and_names_what_misleads(
    tmp_path: Path, litmus: Litmus, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "statsmodels.py").write_text("")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONSTARTUP", "x.py")
    done = litmus("doctor", "--json")
    assert done.status == 0
    found = {row["what"]: row for row in json.loads(done.out)}
    assert found["papermill"]["state"] == "ok"
    assert found["gate.ipynb"]["state"] == "ok"
    assert found["statsmodels.py"]["state"] == "warning"
    assert found["PYTHONSTARTUP"]["state"] == "warning"
    assert not list(tmp_path.glob(".doctor-*"))


def test_the_doctor_says_that_something_needed_is_missing(litmus: Litmus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_GATE_PACKAGES", ("no-such-package-anywhere",))
    done = litmus("doctor")
    assert done.status == 4
    assert "1 thing(s) that the gate needs are missing" in done.out


def test_lab_copies_and_never_overwrites(tmp_path: Path, litmus: Litmus) -> None:
    folder = tmp_path / "work"
    first = litmus("lab", str(folder), "--copy-only")
    assert first.status == 0
    assert (folder / "gate.ipynb").exists()
    assert (folder / "data/demo/gate.yaml").exists()
    (folder / "gate.ipynb").write_text("mine")
    second = litmus("lab", str(folder), "--copy-only")
    assert (folder / "gate.ipynb").read_text() == "mine"
    assert "gate.ipynb" in second.err


def test_lab_without_jupyterlab_says_what_to_install(
    tmp_path: Path, litmus: Litmus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lab.importlib.util, "find_spec", lambda name: None)
    monkeypatch.chdir(tmp_path)
    done = litmus("lab")
    assert done.status == 2
    assert "litmus-nb[lab]" in done.err
    assert not list(tmp_path.iterdir())
