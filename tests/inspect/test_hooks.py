"""The hook under a real Inspect: no valid ticket, no eval; and who answered as the judge stands in the log."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("inspect_ai", reason="NOTHING WAS RUN UNDER INSPECT: the extra `inspect` is not installed")

from litmus_nb.contracts.params import GateParams
from litmus_nb.driver.preflight import run_preflight
from litmus_nb.inspect.admitted import NotAdmitted, admitted_run, is_asked_for
from tests.admission.planned import PRIVATE, planned_world, put
from tests.builders import AS_OF

TASK = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score, scorer

def answering(text):
    output = ModelOutput.from_content("the-one-that-answered", text)
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return output

@scorer(metrics=[])
def judged():
    async def score(state, target):
        judge = get_model("mockllm/judge", role="grader", custom_outputs=[answering("safe")], memoize=False)
        return Score(value=(await judge.generate("safe?")).completion)
    return score

@task
def small():
    async def policy(state, generate):
        return state
    from inspect_ai.solver import solver
    return Task(dataset=[Sample(id="s", input="x")], solver=solver(lambda: policy)(), scorer=judged())
"""


@pytest.fixture
def admitted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The environment of an admitted run."""
    monkeypatch.chdir(tmp_path)
    put(planned_world(), tmp_path)
    params = GateParams(gate="gate.yaml", candidate="candidate", output_dir="out")
    assert run_preflight(params, as_of=AS_OF, private_key=PRIVATE).ticket
    (tmp_path / "task.py").write_text(TASK)
    return {
        "LITMUS_NB_ADMISSION": str(tmp_path / "candidate/admission.json"),
        "LITMUS_NB_GATE": str(tmp_path / "gate.yaml"),
        "LITMUS_NB_RUN": str(tmp_path / "candidate"),
    }


def inspect_eval(folder: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "inspect_ai", "eval", "task.py", "--model", "mockllm/model", "--log-dir", "logs"]
    required = {"INSPECT_REQUIRED_HOOKS": "litmus_nb/admission"}
    told = {**os.environ, **required, **environment}
    return subprocess.run([*command, "--display", "plain"], cwd=folder, env=told, capture_output=True, text=True)


def test_an_admitted_eval_runs_and_its_log_says_who_judged(admitted: dict[str, str], tmp_path: Path) -> None:
    from inspect_ai.event import InfoEvent
    from inspect_ai.log import read_eval_log

    ended = inspect_eval(tmp_path, admitted)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    (path,) = (tmp_path / "logs").glob("*.eval")
    (sample,) = read_eval_log(str(path)).samples or ()
    said = [event.data for event in sample.events if isinstance(event, InfoEvent)]
    assert {"role": "grader", "requested": "mockllm/judge", "answered": "the-one-that-answered"} in said


@pytest.mark.parametrize("missing", ["LITMUS_NB_ADMISSION", "the file"])
def test_an_eval_without_a_ticket_is_not_started(admitted: dict[str, str], tmp_path: Path, missing: str) -> None:
    if missing == "the file":
        Path(admitted["LITMUS_NB_ADMISSION"]).unlink()
    else:
        admitted = {**admitted, missing: "", "LITMUS_NB_REQUIRE_ADMISSION": "1"}
    ended = inspect_eval(tmp_path, admitted)
    assert ended.returncode != 0
    assert "NOT_ADMITTED" in (ended.stdout + ended.stderr).replace("\n", "")
    assert not list(tmp_path.glob("logs/*.eval"))


def _edited(path: str, edit: Callable[[dict[str, Any]], object]) -> None:
    document = json.loads(Path(path).read_bytes())
    edit(document)
    Path(path).write_text(json.dumps(document))


@pytest.mark.parametrize(
    ("name", "edit", "complaint"),
    [
        ("ADMISSION", lambda ticket: ticket.update(nonce="x"), "not by the key"),
        ("ADMISSION", lambda ticket: ticket.update(signature=None), "not by the key"),
        ("ADMISSION", lambda ticket: ticket.update(expires_at="2026-01-01T00:00:00Z"), "expires_at after issued_at"),
        ("RUN", lambda run: run["interface"].update(tool_namespace="terminal"), "another declaration"),
        ("RUN", lambda run: run.update(status="cancelled", started_at="2026-11-28T00:00:00Z"), "cancelled already"),
    ],
)
def test_a_ticket_that_is_worth_nothing_admits_nothing(
    admitted: dict[str, str], name: str, edit: Callable[[dict[str, Any]], object], complaint: str
) -> None:
    path = admitted["LITMUS_NB_RUN"] + "/run.json" if name == "RUN" else admitted["LITMUS_NB_ADMISSION"]
    _edited(path, edit)
    with pytest.raises(NotAdmitted, match=complaint):
        admitted_run(admitted)


def test_a_ticket_for_another_gate_admits_nothing(admitted: dict[str, str]) -> None:
    gate = Path(admitted["LITMUS_NB_GATE"])
    gate.write_text(gate.read_text() + "# edited\n")
    with pytest.raises(NotAdmitted, match="another gate file"):
        admitted_run(admitted)


def test_where_nobody_asks_for_a_ticket_the_hook_is_silent() -> None:
    assert not is_asked_for({})
    assert is_asked_for({"LITMUS_NB_ADMISSION": "x"})
    assert is_asked_for({"LITMUS_NB_REQUIRE_ADMISSION": "1"})
