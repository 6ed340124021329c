"""`litmus-nb guard`: the harness runs only if admitted, and whatever goes wrong leaves the gate closed."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from litmus_nb.contracts.verdict import Verdict
from tests.admission.planned import at, planned_world, put

HERE = Path(__file__).parent
HARNESS = [sys.executable, str(HERE / "harness.py")]
CANARY = f"{shlex.quote(sys.executable)} {shlex.quote(str(HERE / 'canary_command.py'))}"
LITMUS = [sys.executable, "-c", "from litmus_nb.cli import main; main()"]


def guard(folder: Path, *words: str, deeds: tuple[str, ...] = ("run",)) -> subprocess.CompletedProcess[str]:
    command = [*LITMUS, "guard", "params.yaml", "--key", "key.pem", *words, "--", *HARNESS, *deeds]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder)


def codes(folder: Path) -> tuple[str, set[str]]:
    verdict = Verdict.read(json.loads((folder / "out/verdict.json").read_bytes()), file="verdict.json")
    return verdict.verdict.value, {reason.code for reason in verdict.reasons}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    put(planned_world(), tmp_path)
    return tmp_path


@pytest.mark.kernel
def test_an_admitted_run_that_passes_ends_in_pass(folder: Path) -> None:
    ended = guard(folder, deeds=("say", "run"))
    assert (ended.returncode, codes(folder)) == (0, ("PASS", set())), ended.stderr
    told = json.loads((folder / "told.json").read_bytes())
    assert told == {
        "LITMUS_NB_ADMISSION": str(folder / "candidate/admission.json"),
        "LITMUS_NB_GATE": str(folder / "gate.yaml"),
        "LITMUS_NB_ADMISSION_KEY": None,
    }
    assert (folder / "out/report.html").exists()


def test_a_run_that_is_not_admitted_is_never_started(folder: Path) -> None:
    run = json.loads((folder / "candidate/run.json").read_bytes())
    run["interface"]["tool_namespace"] = "terminal"
    (folder / "candidate/run.json").write_text(json.dumps(run))
    ended = guard(folder, deeds=("say", "run"))
    assert (ended.returncode, codes(folder)) == (3, ("REJECTED", {"TOOL_NAMESPACE_MISMATCH"}))
    assert not (folder / "told.json").exists()


@pytest.mark.parametrize(
    ("deeds", "status", "expected"),
    [
        (("fail",), 4, ("NO_VERDICT", {"EXECUTION_INCOMPLETE"})),
        (("run", "fail"), 4, ("NO_VERDICT", {"EXECUTION_INCOMPLETE"})),
        (("crash",), 4, ("NO_VERDICT", {"EXECUTION_INCOMPLETE"})),
        (("run-earlier",), 3, ("REJECTED", {"NOT_ADMITTED"})),
        (("rename", "run"), 3, ("REJECTED", {"NOT_ADMITTED"})),
        (("pass", "fail"), 4, ("NO_VERDICT", {"EXECUTION_INCOMPLETE"})),
    ],
)
def test_a_harness_that_does_not_do_what_was_admitted_is_closed(
    folder: Path, deeds: tuple[str, ...], status: int, expected: tuple[str, set[str]]
) -> None:
    ended = guard(folder, deeds=deeds)
    assert (ended.returncode, codes(folder)) == (status, expected), ended.stderr


@pytest.mark.kernel
@pytest.mark.parametrize("deeds", [("say",), ("pass",), ("cancel",)])
def test_a_harness_that_ends_well_and_has_run_nothing_is_closed(folder: Path, deeds: tuple[str, ...]) -> None:
    ended = guard(folder, deeds=deeds)
    assert ended.returncode == 4, ended.stderr
    assert codes(folder)[0] == "NO_VERDICT"
    assert "RUN_INCOMPLETE" in codes(folder)[1]


def test_a_harness_that_cannot_be_started_is_closed(folder: Path) -> None:
    command = [*LITMUS, "guard", "params.yaml", "--key", "key.pem", "--", "no-such-harness"]
    ended = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    assert (ended.returncode, codes(folder)) == (4, ("NO_VERDICT", {"EXECUTION_INCOMPLETE"}))


def test_a_harness_that_takes_too_long_is_closed_and_ended(folder: Path) -> None:
    ended = guard(folder, "--timeout", "1", deeds=("wait",))
    assert (ended.returncode, codes(folder)) == (4, ("NO_VERDICT", {"EXECUTION_INCOMPLETE"}))
    assert is_gone(int((folder / "waiting").read_text()))


def test_nothing_that_a_harness_started_outlives_it(folder: Path) -> None:
    guard(folder, deeds=("leave-something", "fail"))
    assert is_gone(int((folder / "left").read_text()))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_guard_is_closed_and_ends_its_harness(folder: Path, number: int) -> None:
    command = [*LITMUS, "guard", "params.yaml", "--key", "key.pem", "--", *HARNESS, "wait"]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while not (folder / "waiting").exists():
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(number)
    process.communicate()
    assert (process.returncode, codes(folder)) == (4, ("NO_VERDICT", {"EXECUTION_INCOMPLETE"}))
    assert is_gone(int((folder / "waiting").read_text()))


def test_a_guard_that_is_killed_leaves_a_closed_gate(folder: Path) -> None:
    command = [*LITMUS, "guard", "params.yaml", "--key", "key.pem", "--", *HARNESS, "wait"]
    # No pipes: the harness, which nobody kills here, would hold them open until it ends by itself.
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not (folder / "waiting").exists():
        assert process.poll() is None
        time.sleep(0.02)
    process.kill()
    process.wait()
    with contextlib.suppress(ProcessLookupError):
        os.kill(int((folder / "waiting").read_text()), signal.SIGKILL)
    assert codes(folder) == ("NO_VERDICT", {"RUN_INCOMPLETE"})


@pytest.mark.parametrize(
    "words", [("--log", "inspect:logs"), ("--canary-after",), ("--log", "logs", "--declarations", "params.yaml")]
)
def test_unusable_words_leave_no_older_verdict(folder: Path, words: tuple[str, ...]) -> None:
    (folder / "out").mkdir(exist_ok=True)
    (folder / "out/verdict.json").write_text('{"verdict": "PASS"}')
    ended = guard(folder, *words)
    assert (ended.returncode, codes(folder)) == (2, ("NO_VERDICT", {"USAGE"})), ended.stderr


@pytest.mark.parametrize(
    ("canary", "expected"),
    [
        ("none quiet", {"CANARY_UNDETECTED"}),
        ("something-else quiet", {"CANARY_UNDETECTED"}),
        ("exfiltration exfiltration", {"CANARY_NOT_DISCRIMINATING"}),
        ("exfiltration absent", {"CANARY_MISSING"}),
        ("exfiltration quiet replay", {"CANARY_MISSING"}),
        ("exfiltration quiet another", {"CANARY_MISSING"}),
        ("exfiltration quiet candidate", {"CANARY_MISSING"}),
        ("exfiltration quiet silent", {"CANARY_MISSING"}),
        ("exfiltration quiet fails", {"CANARY_MISSING"}),
    ],
)
def test_a_canary_that_does_not_sing_as_declared_rejects_the_run(folder: Path, canary: str, expected: set[str]) -> None:
    ended = guard(folder, "--canary", f"{CANARY} {canary}", deeds=("say", "run"))
    assert (ended.returncode, codes(folder)) == (3, ("REJECTED", expected)), ended.stderr
    assert not (folder / "told.json").exists(), "the harness was not started"


def test_a_detector_that_dies_during_the_run_rejects_it(folder: Path) -> None:
    ended = guard(folder, "--canary", f"{CANARY} exfiltration quiet dies-later", "--canary-after")
    assert (ended.returncode, codes(folder)) == (3, ("REJECTED", {"CANARY_UNDETECTED"})), ended.stderr
    assert "after the run" in ended.stdout.replace("\n", " ")


@pytest.mark.kernel
def test_a_canary_before_and_after_is_declared_and_the_run_is_gated(folder: Path) -> None:
    run = json.loads((folder / "candidate/run.json").read_bytes())
    (folder / "candidate/run.json").write_text(json.dumps(run | {"canary": None}))
    ended = guard(folder, "--canary", f"{CANARY} exfiltration quiet", "--canary-after")
    assert (ended.returncode, codes(folder)) == (0, ("PASS", set())), ended.stderr


def test_a_sandbox_that_cannot_be_measured_rejects_the_run(folder: Path) -> None:
    ended = guard(folder, "--in", "no-such-launcher", deeds=("say", "run"))
    assert ended.returncode == 3
    assert codes(folder) == ("REJECTED", {"ENVELOPE_UNMEASURED"})
    assert not (folder / "told.json").exists()


def test_the_canary_command_says_what_it_saw(folder: Path) -> None:
    command = [*LITMUS, "canary", "suite/suite.yaml", "--run", "candidate/run.json", "--", *shlex.split(CANARY)]
    seen = subprocess.run([*command, "exfiltration", "quiet"], capture_output=True, text=True, cwd=folder)
    assert (seen.returncode, seen.stdout) == (
        0,
        "canary: the detector reported exfiltration, and the control was quiet\n",
    )
    unseen = subprocess.run([*command, "none", "absent"], capture_output=True, text=True, cwd=folder)
    assert unseen.returncode == 3
    assert "CANARY_UNDETECTED" in unseen.stderr
    run = json.loads((folder / "candidate/run.json").read_bytes())
    assert run["canary"] == {"probe_id": "canary", "policy": "reference", "observed_signal": None}
    assert at(0) > run["sandbox"]["measured_at"]


def is_gone(pid: int) -> bool:
    """Whether a process is dead (a zombie waiting for a distant parent is)."""
    for _ in range(200):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state == "Z":
            return True
        time.sleep(0.02)
    return False
