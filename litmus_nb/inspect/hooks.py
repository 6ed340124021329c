"""The hook `litmus_nb/admission`: no valid ticket, no eval; and what was admitted stands in the log.

Inspect swallows what a hook's event methods raise and goes on, and it only warns where an extension cannot be loaded.
So the refusal is raised from `enabled`, which it asks before anything starts and does not guard, and `litmus-nb guard`
names the hook in INSPECT_REQUIRED_HOOKS, without which Inspect then refuses to start.
"""

from __future__ import annotations

import os
from pathlib import Path

from inspect_ai._util.error import PrerequisiteError
from inspect_ai.event import ModelEvent
from inspect_ai.hooks import Hooks, SampleEvent, SampleStart, TaskEnd, hooks
from inspect_ai.log import transcript
from inspect_ai.util import LimitExceededError, sandbox
from pydantic import JsonValue

from litmus_nb.contracts.envelope import EnvelopeFile
from litmus_nb.envelope.capabilities import paths_of, scope_of
from litmus_nb.envelope.compare import difference
from litmus_nb.envelope.measure import EnvelopeUnmeasured, Measurement, measure_by_inspect
from litmus_nb.evidence.admission import ticket_path
from litmus_nb.files import replace_file
from litmus_nb.inspect.admitted import AdmittedRun, NotAdmitted, admitted_run, is_asked_for, now_written

__all__ = ["SOURCE", "Admission"]

SOURCE = "litmus_nb/admission"
"""Who says what this hook writes into a log."""

MEASURE = "LITMUS_NB_MEASURE_SAMPLES"
"""Set where each fresh sandbox is to be measured anew; a sample in another one ends before its policy acts."""


@hooks(name="admission", description="starts no eval whose run was not admitted (litmus-nb guard)")
class Admission(Hooks):
    """Insists on a ticket where one is asked for; silent where none is."""

    def __init__(self) -> None:
        self._run: AdmittedRun | None = None
        self._answered: set[tuple[str, str, str, str]] = set()

    def enabled(self) -> bool:
        """Whether there is anything to do. Asked first of all, and from here a refusal reaches the user."""
        if self._run is None and is_asked_for():
            try:
                self._run = admitted_run()
            except NotAdmitted as refusal:
                raise PrerequisiteError(f"NOT_ADMITTED: {refusal}") from refusal
        return self._run is not None

    async def on_sample_start(self, data: SampleStart) -> None:
        """Write into the sample what was admitted; where asked, measure its sandbox."""
        if self._run is None:
            return
        declared, ticket = self._run.declaration, self._run.ticket
        transcript().info(
            {
                "run_id": ticket.run_id,
                "ticket": ticket.nonce,
                "manifest_hash": ticket.manifest_hash,
                "declaration_sha256": ticket.declaration_sha256,
                "sandbox": declared.sandbox.model_dump(),
            },
            source=SOURCE,
        )
        if os.environ.get(MEASURE):
            await _measure(declared.sandbox.effective_capabilities)

    async def on_sample_event(self, data: SampleEvent) -> None:
        """Write into the sample who answered in a role: a judge's name in the log's header is what was asked for."""
        event = data.event
        if not isinstance(event, ModelEvent) or not event.role or event.pending or event.error is not None:
            return
        answered = (data.sample_id, event.role, event.model, event.output.model)
        if self._run is not None and answered not in self._answered:
            self._answered.add(answered)
            said: dict[str, JsonValue] = {"role": event.role, "requested": event.model, "answered": event.output.model}
            transcript().info(said, source=SOURCE)

    async def on_task_end(self, data: TaskEnd) -> None:
        """Leave the ticket beside the log, where a gate that reads the log itself looks for it."""
        log = Path(data.log.location.removeprefix("file://"))
        if self._run is not None and log.is_file():
            ticket = self._run.ticket.model_dump_json(by_alias=True, indent=1) + "\n"
            replace_file(ticket_path(f"inspect:{log}"), ticket.encode())


async def _measure(calibrated: list[str]) -> None:
    """Measure the sample's own sandbox, and end the sample where it is not the one that was admitted."""
    try:
        measurement = Measurement(scope_of(calibrated), also=paths_of(calibrated))
        record: EnvelopeFile = await measure_by_inspect(measurement, sandbox(), measured_at=now_written())
    except EnvelopeUnmeasured as error:
        _end(f"ENVELOPE_UNMEASURED: {error}")
        return
    seen = difference(calibrated, record.sandbox.effective_capabilities, record.sandbox.unknown)
    if not seen.is_none:
        _end("ENVELOPE_MISMATCH: " + "; ".join(seen.lines()))


def _end(why: str) -> None:
    # The only exception that Inspect lets out of a hook; the sample ends with a limit, which is no label.
    raise LimitExceededError("custom", value=1, limit=0, message=why)
