"""`litmus-nb envelope` from the command line, on real sandboxes."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from litmus_nb.contracts.run import RunFile
from tests.envelope.sandboxes import box, why_not

REASON = why_not()
pytestmark = pytest.mark.skipif(bool(REASON), reason=f"NO SANDBOX WAS MEASURED: {REASON}")

SUITE = """# kept as it is
schema: litmus-nb/suite/v1
name: made-up   # and this
version: "1"
classes: [prompt-injection]
probes: probes.jsonl
tool_namespace: shell
tools: [shell.exec]
trace_schema: trace.schema.json
calibrated_capabilities: ["fs.write:/sandbox", "process.spawn"]
canary: {probe_id: canary, expected_signal: exfiltration, control: true}
judge: {digest: "sha256:%s", template: judge.md}
max_skip_fraction: 0
documented_skip_reasons: []
min_trials: 1
min_agreement: 0
decision_margin: 0.05
"""
RUN = {
    "schema": "litmus-nb/run/v1", "run_id": "next", "status": "planned",
    "policy": {"name": "p", "digest": "sha256:" + "1" * 64}, "manifest_hash": "sha256:" + "2" * 64,
    "interface": {"tool_namespace": "shell", "tools": ["shell.exec"], "trace_schema_sha256": "sha256:" + "3" * 64},
    "sandbox": {"effective_capabilities": [], "unknown": [], "measured_by": None, "measured_at": None},
    "canary": {"probe_id": "canary", "policy": "reference", "observed_signal": None},
    "judge": {"requested": "j", "resolved_digest": None, "template_sha256": "sha256:" + "4" * 64},
    "decoding": {}, "deterministic": False, "trials_per_scenario": 1, "started_at": None, "finished_at": None,
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sandbox").mkdir()
    (tmp_path / "suite.yaml").write_text(SUITE % ("5" * 64))
    (tmp_path / "run.json").write_text(json.dumps(RUN))
    return tmp_path


def envelope(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """`litmus-nb envelope` in a network of its own, in which loopback is up."""
    script = 'ip link set lo up; exec "$@"'
    program = "import sys; from litmus_nb.cli import main; main(['envelope', *sys.argv[1:]])"
    command = ["unshare", "-n", "sh", "-c", script, "sh", sys.executable, "-c", program, *words]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment)


def inside(folder: Path, *options: str) -> str:
    return shlex.join(box(folder / "sandbox", *options))


def test_a_sandbox_that_was_calibrated_is_as_calibrated_until_its_network_is_opened(folder: Path) -> None:
    shutil.copy(folder / "suite.yaml", folder / "before.yaml")
    calibrated = envelope(folder, "calibrate", "--in", inside(folder), "--suite", "suite.yaml")
    assert (calibrated.returncode, calibrated.stderr) == (0, "")
    before, after = ((folder / name).read_text().splitlines() for name in ("before.yaml", "suite.yaml"))
    assert before[:9] == after[:9]
    assert before[10:] == after[-7:], "all but the list is as it was, comments too"

    same = envelope(folder, "measure", "--in", inside(folder), "--suite", "suite.yaml", "-o", "same.json",
                    "--run", "run.json", "--witness", f"/sandbox={folder}/sandbox")  # fmt: skip
    assert (same.returncode, same.stderr) == (0, "")
    assert same.stdout.endswith("as calibrated\n")

    opened = inside(folder, "--share-net")
    open_ = envelope(folder, "measure", "--in", opened, "--suite", "suite.yaml", "-o", "open.json")
    assert open_.returncode == 3
    assert "+ net.tcp: granted, and not calibrated" in open_.stdout

    explained = envelope(folder, "diff", "same.json", "open.json")
    assert explained.returncode == 3
    assert "net.tcp: DENIED (ECONNREFUSED) -> ALLOWED" in explained.stdout
    assert envelope(folder, "diff", "suite.yaml", "same.json").returncode == 0
    assert envelope(folder, "diff", "suite.yaml", "run.json").returncode == 0


def test_the_result_is_put_into_a_planned_run_and_an_absent_control_stays_absent(folder: Path) -> None:
    ended = envelope(folder, "measure", "--in", inside(folder), "--run", "run.json")
    assert (ended.returncode, ended.stderr) == (0, "")
    run = RunFile.read(json.loads((folder / "run.json").read_text()), file="run.json")
    assert "process.spawn" in run.sandbox.effective_capabilities
    assert run.sandbox.measured_at is not None
    assert run.sandbox.measured_by is not None
    assert run.canary is not None
    assert not run.canary.has_control_result


def test_a_run_that_is_not_planned_is_left_alone(folder: Path) -> None:
    complete = json.dumps(RUN | {"status": "cancelled", "started_at": "2026-11-28T09:00:00Z"})
    (folder / "run.json").write_text(complete)
    ended = envelope(folder, "measure", "--in", inside(folder), "--run", "run.json")
    assert ended.returncode == 2
    assert "expected a planned run, seen one with status 'cancelled'" in ended.stderr
    assert (folder / "run.json").read_text() == complete


def test_a_sandbox_that_cannot_be_measured_is_rejected(folder: Path) -> None:
    ended = envelope(folder, "measure", "--in", "no-such-launcher -i")
    assert ended.returncode == 3
    assert ended.stderr == "ENVELOPE_UNMEASURED: no-such-launcher: cannot be started: No such file or directory\n"


def test_what_is_unknown_cannot_be_calibrated(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    prefix = inside(folder, "--bind", f"{folder}/pipe", "/home/agent/.netrc")
    ended = envelope(folder, "calibrate", "--in", prefix, "--suite", "suite.yaml")
    assert ended.returncode == 3
    assert "? cred.file:~/.netrc: could not be measured" in ended.stderr
    assert (folder / "suite.yaml").read_text() == SUITE % ("5" * 64)


def test_a_record_whose_capabilities_were_edited_is_refused(folder: Path) -> None:
    envelope(folder, "measure", "--in", inside(folder, "--share-net"), "-o", "record.json")
    record = json.loads((folder / "record.json").read_text())
    record["sandbox"]["effective_capabilities"].remove("net.tcp")
    (folder / "record.json").write_text(json.dumps(record))
    ended = envelope(folder, "diff", "suite.yaml", "record.json")
    assert ended.returncode == 2
    assert "expected what the facets amount to" in ended.stderr


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--suite", "suite.yaml", "--watch", "/data"], "expected none beside --suite"),
        (["--witness", "/sandbox=nowhere"], "expected /path/inside=/folder/outside"),
        (["--without", "net"], "/without/0"),
        (["--watch", "relative"], "/watch/0"),
        (["--beacon", "8.8.8.8"], "expected a loopback or private one"),
    ],
)
def test_what_cannot_be_asked_for_is_a_matter_of_usage(folder: Path, words: list[str], complaint: str) -> None:
    ended = envelope(folder, "measure", "--in", inside(folder), *words)
    assert ended.returncode == 2
    assert complaint in ended.stderr
