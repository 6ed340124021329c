"""`litmus-nb preflight`: section 2, asked of a planned run."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from litmus_nb.contracts.admission import AdmissionTicket
from litmus_nb.contracts.verdict import Verdict
from tests.admission.planned import PUBLIC, at, planned_world, put, run_it
from tests.builders import World

LITMUS = "from litmus_nb.cli import main; main()"


def litmus(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", LITMUS, *words]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder)


def verdict_in(folder: Path) -> Verdict:
    return Verdict.read(json.loads((folder / "out/verdict.json").read_bytes()), file="verdict.json")


def test_an_admitted_run_gets_a_ticket_and_the_gate_stays_closed_until_it_has_run(tmp_path: Path) -> None:
    put(planned_world(), tmp_path)
    ended = litmus(tmp_path, "preflight", "params.yaml", "--key", "key.pem")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.startswith("admitted until ")
    AdmissionTicket.read(json.loads((tmp_path / "candidate/admission.json").read_bytes()), file="ticket")
    verdict = verdict_in(tmp_path)
    assert ([reason.code for reason in verdict.reasons], verdict.gate_open) == (["RUN_INCOMPLETE"], False)
    assert not (tmp_path / "out/report.html").exists()

    run_it(tmp_path)
    assert litmus(tmp_path, "evaluate", "params.yaml").returncode == 0


def _widen(world: World) -> None:
    world.candidate.declaration["sandbox"]["effective_capabilities"].append("net.tcp")


BROKEN: dict[str, tuple[Callable[[World], object], set[str]]] = {
    "renamed tools": (
        lambda w: w.candidate.declaration["interface"].update(tool_namespace="terminal"),
        {"TOOL_NAMESPACE_MISMATCH"},
    ),
    "network opened": (_widen, {"ENVELOPE_MISMATCH"}),
    "nothing measured": (
        lambda w: w.candidate.declaration["sandbox"].update(measured_at=None, measured_by=None),
        {"ENVELOPE_UNMEASURED"},
    ),
    "measured yesterday": (
        lambda w: w.candidate.declaration["sandbox"].update(measured_at=at(-25 * 3600)),
        {"ENVELOPE_UNMEASURED"},
    ),
    "measured tomorrow": (
        lambda w: w.candidate.declaration["sandbox"].update(measured_at=at(3600)),
        {"ENVELOPE_UNMEASURED"},
    ),
    "something unknown": (
        lambda w: w.candidate.declaration["sandbox"].update(unknown=["net.tcp"]),
        {"ENVELOPE_UNMEASURED"},
    ),
    "no canary": (lambda w: w.candidate.declaration.update(canary=None), {"CANARY_MISSING"}),
    "an undetected canary": (
        lambda w: w.candidate.declaration["canary"].update(observed_signal=None),
        {"CANARY_UNDETECTED"},
    ),
    "a control that is not quiet": (
        lambda w: w.candidate.declaration["canary"].update(control_signal="exfiltration"),
        {"CANARY_NOT_DISCRIMINATING"},
    ),
    "no control": (lambda w: w.candidate.declaration["canary"].pop("control_signal"), {"CANARY_MISSING"}),
    "an edited probe": (
        lambda w: w.tampered.update(
            {"suite/probes.jsonl": lambda content: content.replace(b"situation", b"Situation")}
        ),
        {"PROBE_SET_DRIFT"},
    ),
    "already started": (
        lambda w: w.candidate.declaration.update(status="complete", started_at=at(), finished_at=at(1)),
        {"NOT_ADMITTED"},
    ),
    "no declaration": (lambda w: w.tampered.update({"candidate/run.json": None}), {"CONTRACT_UNREADABLE"}),
    "everything at once": (
        lambda w: (_widen(w), w.candidate.declaration.update(canary=None)),
        {"ENVELOPE_MISMATCH", "CANARY_MISSING"},
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_violates_the_contract_is_rejected_before_anything_runs(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from litmus_nb.cli import main

    world = planned_world()
    break_it, expected = BROKEN[name]
    break_it(world)
    put(world, tmp_path)
    (tmp_path / "candidate/admission.json").write_text("an older ticket")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as stop:
        main(["preflight", "params.yaml", "--key", "key.pem"])
    assert stop.value.code == 3
    verdict = verdict_in(tmp_path)
    assert (verdict.verdict, {reason.code for reason in verdict.reasons}) == ("REJECTED", expected)
    assert not (tmp_path / "candidate/admission.json").exists()
    page = (tmp_path / "out/report.html").read_text()
    assert "REJECTED" in page
    assert all(code in page for code in expected)
    assert "REJECTED" in capsys.readouterr().out


def test_a_log_is_no_planned_run(tmp_path: Path) -> None:
    put(planned_world(), tmp_path)
    ended = litmus(
        tmp_path, "preflight", "params.yaml", "-p", "candidate", "inspect:logs/next.eval", "--key", "key.pem"
    )
    assert ended.returncode == 3
    assert "CONTRACT_UNREADABLE" in ended.stdout


def test_unusable_parameters_are_a_matter_of_usage(tmp_path: Path) -> None:
    put(planned_world(), tmp_path)
    ended = litmus(tmp_path, "preflight", "params.yaml", "-p", "candidat", "x")
    assert ended.returncode == 2
    assert [reason.code for reason in verdict_in(tmp_path).reasons] == ["USAGE"]


def test_a_key_that_others_can_read_signs_nothing(tmp_path: Path) -> None:
    put(planned_world(), tmp_path)
    (tmp_path / "key.pem").chmod(0o644)
    ended = litmus(tmp_path, "preflight", "params.yaml", "--key", "key.pem")
    assert ended.returncode == 2
    assert "nobody else can read" in ended.stderr


def test_a_new_key_is_made_once_and_its_public_half_is_said(tmp_path: Path) -> None:
    first = litmus(tmp_path, "admission-key", "keys/admission.pem")
    again = litmus(tmp_path, "admission-key", "keys/admission.pem")
    assert (first.returncode, again.returncode, first.stdout) == (0, 0, again.stdout)
    assert first.stdout.startswith('admission_key: "MFkw')
    assert (tmp_path / "keys/admission.pem").stat().st_mode & 0o777 == 0o600
    assert PUBLIC not in first.stdout


@pytest.mark.parametrize("widened", [False, True])
def test_neither_polars_nor_a_kernel_is_needed_to_admit(tmp_path: Path, widened: bool) -> None:
    world = planned_world()
    if widened:
        _widen(world)
    put(world, tmp_path)
    program = """
import sys, atexit
heavy = {"polars", "numpy", "scipy", "altair", "papermill", "nbformat", "pandas"}
atexit.register(lambda: print("loaded:", *sorted(heavy & set(sys.modules))))
from litmus_nb.cli import main
main(["preflight", "params.yaml", "--key", "key.pem", "--json"])
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path)
    assert ended.returncode == (3 if widened else 0), ended.stderr
    assert ended.stdout.splitlines()[-1] == "loaded:"
