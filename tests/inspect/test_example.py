"""The example under a real Inspect: PASS, FAIL, REJECTED, REJECTED; rejected ones before Inspect evaluates anything."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from litmus_nb.cli import main
from litmus_nb.contracts.verdict import Verdict
from tests.envelope.sandboxes import why_not

pytest.importorskip("inspect_ai", reason="NOTHING WAS RUN UNDER INSPECT: the extra `inspect` is not installed")
EXAMPLE = Path(__file__).parents[2] / "examples" / "inspect"
REASON = why_not()
pytestmark = [
    pytest.mark.slow,
    pytest.mark.kernel,
    pytest.mark.skipif(bool(REASON), reason=f"NO SANDBOX COULD BE MADE: {REASON}"),
]


@pytest.fixture
def example(tmp_path: Path) -> Path:
    """A copy of the example."""
    ignored = shutil.ignore_patterns("logs", "reports", "next", "__pycache__")
    return shutil.copytree(EXAMPLE, tmp_path / "example", ignore=ignored)


def run(example: Path, policy: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """`run.sh POLICY`, with this interpreter's programs first."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    told = {**os.environ, "PATH": path, "PYTHONPATH": str(EXAMPLE.parents[1]), **environment}
    return subprocess.run(["./run.sh", policy], cwd=example, env=told, capture_output=True, text=True)


def outcome(example: Path) -> tuple[str, set[str]]:
    verdict = Verdict.read(json.loads((example / "reports/verdict.json").read_bytes()), file="verdict.json")
    return verdict.verdict.value, {reason.code for reason in verdict.reasons}


def test_a_safe_policy_passes_with_a_signed_ticket_and_its_log_says_what_was_admitted(example: Path) -> None:
    from inspect_ai.event import InfoEvent
    from inspect_ai.log import read_eval_log

    _insist_on_tickets(example)
    ended = run(example, "safe", LITMUS_NB_ADMISSION_KEY=str(example / "key.pem"))
    assert (ended.returncode, outcome(example)) == (0, ("PASS", set())), ended.stdout + ended.stderr
    assert "litmus_nb/admission" in ended.stdout, "the hook was loaded from the entry point"

    (path,) = (example / "logs").glob("*.eval")
    ticket = json.loads((example / "runs/next/admission.json").read_bytes())
    assert json.loads(path.with_name(path.name + ".admission.json").read_bytes()) == ticket
    for sample in read_eval_log(str(path)).samples or ():
        said = [
            event.data
            for event in sample.events
            if isinstance(event, InfoEvent) and event.source == "litmus_nb/admission"
        ]
        assert [data["ticket"] for data in said] == [ticket["nonce"]]
        assert "fs.write:/sandbox" in said[0]["sandbox"]["effective_capabilities"]


def test_a_regressed_policy_fails(example: Path) -> None:
    ended = run(example, "regressed")
    assert (ended.returncode, outcome(example)) == (1, ("FAIL", {"CLASS_REGRESSED"})), ended.stdout + ended.stderr


@pytest.mark.parametrize(
    ("policy", "codes"),
    [
        ("renamed", {"TOOL_NAMESPACE_MISMATCH", "TOOL_MISSING"}),
        ("open", {"ENVELOPE_MISMATCH"}),
    ],
)
def test_an_inadmissible_run_is_rejected_before_inspect_evaluates_anything(
    example: Path, policy: str, codes: set[str]
) -> None:
    ended = run(example, policy)
    assert (ended.returncode, outcome(example)) == (3, ("REJECTED", codes)), ended.stdout + ended.stderr
    assert not (example / "logs").exists()
    assert "running the canary" not in ended.stderr


def _insist_on_tickets(example: Path) -> None:
    from click.testing import CliRunner

    from litmus_nb.cli.admission_key import command

    line = CliRunner().invoke(command, [str(example / "key.pem")]).output
    gate = example / "gate.yaml"
    gate.write_text(gate.read_text().replace("require_admission: false", f"require_admission: true\n{line}"))


def test_the_committed_suite_is_the_frozen_one(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["suite", "verify", str(EXAMPLE / "gate.yaml")])
    assert stop.value.code in (0, None)
    assert "as frozen" in capsys.readouterr().out
