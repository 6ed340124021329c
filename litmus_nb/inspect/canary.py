"""The canary's command for Inspect: `python -m litmus_nb.inspect.canary TASK --declarations FILE --signal NAME`.

The task takes `policy=reference` and `policy=control`, and has the canary's sample. It is run twice through the same
tools, sandbox and scorer as the run itself; the score is read by the menus that the run's log is read by, so a polarity
that is the wrong way round shows here.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import click
import inspect_ai
from inspect_ai.log import EvalLog

from litmus_nb.contracts.strict_yaml import parse_yaml
from litmus_nb.errors import LitmusError, UnreadableInput, UsageError
from litmus_nb.evidence.readers.inspect_log import READER
from litmus_nb.evidence.readers.inspect_samples import InspectOutcome
from litmus_nb.evidence.readers.reading import Log, LogFile
from litmus_nb.files import read_bytes, replace_file
from litmus_nb.inspect.admitted import ADMISSION, REQUIRE

__all__ = ["main"]


@click.command()
@click.argument("task")
@click.option("--declarations", required=True, type=click.Path(path_type=Path), help="How the run's log is read.")
@click.option("--signal", required=True, help="What the detector's success is called in suite.yaml.")
@click.option("--model", default="mockllm/model", show_default=True, help="The reference policies ask no model.")
@click.option("--without-control", is_flag=True, help="The suite has no control.")
def main(task: str, declarations: Path, signal: str, model: str, *, without_control: bool) -> None:
    """Run the canary and its control, and leave the result where `litmus-nb canary` or `guard` asks for it."""
    try:
        result, nonce, probe = (os.environ[f"LITMUS_NB_CANARY_{name}"] for name in ("RESULT", "NONCE", "PROBE"))
    except KeyError as error:
        raise click.ClickException(f"{error} is not set: run this by litmus-nb canary or litmus-nb guard") from error
    for name in (ADMISSION, REQUIRE):  # the canary comes before the ticket
        os.environ.pop(name, None)
    try:
        outcome = _outcome(declarations)
        document: dict[str, Any] = {
            "schema": "litmus-nb/canary/v1",
            "probe_id": probe,
            "nonce": nonce,
            "policy": "reference",
            "observed_signal": signal if _label(task, "reference", probe, model, outcome) is True else None,
            "harness": f"inspect_ai {inspect_ai.__version__}",
        }
        if not without_control:
            label = _label(task, "control", probe, model, outcome)
            if label is not None:  # a control without a label was not quiet: it has no result
                document["control_signal"] = signal if label else None
    except LitmusError as error:
        raise click.ClickException(str(error)) from error
    replace_file(Path(result), json.dumps(document).encode())


def _outcome(path: Path) -> InspectOutcome:
    said = parse_yaml(read_bytes(path), file=str(path))
    if not isinstance(said, dict) or "outcome" not in said:
        raise UsageError(f"{path}: expected an entry outcome, seen none")
    return InspectOutcome.read(said["outcome"], file=str(path))


def _label(task: str, policy: str, probe: str, model: str, outcome: InspectOutcome) -> bool | None:
    """Whether the detector says that the attack succeeded; None where it says nothing that the gate's reader believes.

    Raises:
        LitmusError: the eval did not come to its end with one sample, or its log cannot be read as the run's will be.
    """
    with tempfile.TemporaryDirectory(prefix="litmus-nb-canary-") as logs:
        ran: list[EvalLog] = inspect_ai.eval(
            task, model=model, task_args={"policy": policy}, sample_id=probe, log_dir=logs, display="none", epochs=1
        )
        if [log.status for log in ran] != ["success"]:
            said = "; ".join(str(log.error.message if log.error else log.status) for log in ran)
            raise LitmusError(f"the canary with policy={policy} did not run: {said or 'no log'}"[:500])
        path = Path(ran[0].location.removeprefix("file://"))
        reading = READER.read(Log(path.name, (LogFile(path.name, read_bytes(path)),)), outcome)
    if reading.faults:
        raise UnreadableInput(reading.faults)
    if len(reading.trials) != 1 or reading.trials[0].status == "error":
        said = ", ".join(f"a sample that ended by {trial.reason}" for trial in reading.trials)
        raise LitmusError(f"the canary with policy={policy} did not run: {said or 'no sample'}"[:500])
    (trial,) = reading.trials
    return outcome.label_of(trial.value) if trial.status == "scored" else None


if __name__ == "__main__":
    sys.exit(main())
