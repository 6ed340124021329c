"""The cells of gate.ipynb, one call each.

litmus.start()                                     # before the parameters: watch every later cell
session = litmus.begin(gate=..., candidate=...)    # replace any old verdict; load
session.admit()                                    # raises HarnessAdmissibilityError
session.check_eligibility()                        # raises InvalidVerdictConditions
session.compare()
session.decide()
session.finish()                                   # leaves the verdict; raises unless it is PASS
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from litmus_nb.contracts.params import GateParams
from litmus_nb.contracts.verdict import Verdict
from litmus_nb.errors import GateClosed, GateInvariantViolation, Refusal, UnreadableInput, UsageError
from litmus_nb.evidence.load import load_evidence
from litmus_nb.face.display import Shown
from litmus_nb.face.handover import Handover
from litmus_nb.face.watch import CellWatch
from litmus_nb.files import replace_file
from litmus_nb.outcome.output import VERDICT, OutputFolder, incomplete, verdict_bytes
from litmus_nb.rule.admissibility import Admitted, assert_admissible
from litmus_nb.rule.comparison import Comparison, compare
from litmus_nb.rule.decision import Decision, decide
from litmus_nb.rule.eligibility import Eligible, assert_verdict_eligible
from litmus_nb.rule.workflow import emit_verdict, internal_error, refused
from litmus_nb.shipped.notebooks import shipped_sources

__all__ = ["GateSession", "begin", "start"]

_NOTEBOOK = "notebooks/gate.ipynb"

_Result = TypeVar("_Result")

_watch: CellWatch | None = None


def start() -> None:
    """Watch every later cell: parameters must be data, errors are remembered, each cell runs once and in order."""
    global _watch
    _watch = CellWatch(shipped_sources(_NOTEBOOK), frozenset(GateParams.model_fields), on_refused=_leave_usage_verdict)
    _watch.install()


def begin(**parameters: Any) -> GateSession:
    """Check the parameters, replace whatever verdict stands in the output folder, and load the evidence.

    Raises:
        UsageError: a parameter is unusable; a NO_VERDICT with `USAGE` is left where the output folder is known.
        GateInvariantViolation: `start` was not called first.
    """
    if _watch is None:
        raise GateInvariantViolation("the notebook's first cell, litmus.start(), did not run")
    try:
        params = GateParams.read(parameters, file="parameters")
    except UnreadableInput as unreadable:
        _leave_usage_verdict(parameters, str(unreadable))
        raise UsageError(str(unreadable)) from unreadable
    return GateSession(params, _watch, Handover.received())


def _leave_usage_verdict(parameters: Mapping[str, Any], problem: str) -> None:
    output_dir = parameters.get("output_dir")
    if not isinstance(output_dir, str) or not output_dir:
        return
    handover = Handover.received()
    verdict = incomplete(handover.run_id, _today().isoformat(), problem, code="USAGE")
    path = (handover.private or Path(output_dir)) / VERDICT
    replace_file(path, verdict_bytes(verdict))


def _today() -> date:
    return datetime.now(UTC).date()


class GateSession:
    """One execution of the gate notebook, from its parameters to its verdict."""

    def __init__(self, params: GateParams, watch: CellWatch, handover: Handover) -> None:
        self.params = params
        self._watch = watch
        self._handover = handover
        self._as_of = date.fromisoformat(params.as_of) if params.as_of else _today()
        self._decision: Decision | None = None
        self._shown = Shown()
        if handover.private is None:
            OutputFolder(Path(params.output_dir)).open_with(
                incomplete(handover.run_id, self._as_of.isoformat(), "the notebook started and has not finished")
            )
        handover.leave_receipt("begin")
        self._shown.placeholder()
        try:
            self.evidence = load_evidence(params, as_of=self._as_of)
        except Exception as error:
            self._fail(error)

    def admit(self) -> Admitted:
        """Section 2. Shows what was checked.

        Raises:
            HarnessAdmissibilityError: REJECTED; verdict and report are left first.
        """
        admitted = self._step("admit", lambda: assert_admissible(self.evidence))
        self._shown.admitted(admitted)
        return admitted

    def check_eligibility(self, admitted: Admitted) -> Eligible:
        """Section 3. Shows what was checked.

        Raises:
            InvalidVerdictConditions: NO_VERDICT; verdict and report are left first.
        """
        eligible = self._step("eligible", lambda: assert_verdict_eligible(admitted))
        self._shown.eligible(eligible)
        return eligible

    def compare(self, eligible: Eligible) -> Comparison:
        """Section 4: the paired numbers of each class; `frame` is a polars frame."""
        return self._step("compare", lambda: compare(eligible))

    def decide(self, comparison: Comparison) -> Decision:
        """Section 4.5. Shows the picture, the classes and the reasons."""
        decision = self._step("decide", lambda: decide(comparison))
        self._decision = decision
        self._shown.decision(self._verdict(decision))
        return decision

    def finish(self) -> Verdict:
        """Leave the report and, last, the verdict.

        Raises:
            GateClosed: the verdict is not PASS; or a cell was skipped, failed or ran out of order.
        """
        decision = self._decision
        problems = self._watch.problems()
        if not problems and not self._watch.is_at_last_cell:
            problems = ("not every cell of the notebook ran: restart and run all",)
        if decision is None or problems:
            observed = "; ".join(problems) or "the cell that decides did not run"
            verdict = incomplete(self._handover.run_id, self._as_of.isoformat(), observed)
        else:
            self._handover.leave_receipt("finish")
            verdict = self._verdict(decision)
        verdict = self._leave(verdict)
        if not verdict.gate_open:
            raise GateClosed(f"{verdict.verdict}: " + "; ".join(str(reason) for reason in verdict.reasons))
        return verdict

    def _step(self, stage: str, work: Callable[[], _Result]) -> _Result:
        if problems := self._watch.problems():
            self._leave(incomplete(self._handover.run_id, self._as_of.isoformat(), "; ".join(problems)))
            raise GateClosed("; ".join(problems))
        self._handover.leave_receipt(stage)
        try:
            return work()
        except Refusal as refusal:
            suite = self.evidence.suite
            self._leave(self._verdict(refused(refusal, suite.file.classes if suite else [])))
            raise
        except Exception as error:
            self._fail(error)

    def _fail(self, error: Exception) -> NoReturn:
        evidence = getattr(self, "evidence", None)
        as_of = self._as_of.isoformat()
        self._leave(emit_verdict(internal_error(error), evidence, run_id=self._handover.run_id, as_of=as_of))
        raise error

    def _verdict(self, decision: Decision) -> Verdict:
        sha256 = self._handover.notebook_sha256 or self._watch.sources.digest
        return emit_verdict(
            decision,
            self.evidence,
            run_id=self._handover.run_id,
            as_of=self._as_of.isoformat(),
            notebook_sha256=sha256,
        )

    def _leave(self, verdict: Verdict) -> Verdict:
        """Show it on top of the notebook; leave the report first and the verdict last. Gives what was left."""
        self._shown.verdict(verdict)
        if self._handover.private is not None:
            replace_file(self._handover.private / VERDICT, verdict_bytes(verdict))
            self._handover.leave_receipt("verdict")
            return verdict
        # Deferred: under the driver, which leaves the page itself, nobody pays for the import.
        from litmus_nb.outcome.page import leave_report

        folder = OutputFolder(Path(self.params.output_dir))
        evidence = getattr(self, "evidence", None)
        leave_report(folder.path, verdict, evidence, self.params)
        return folder.settle(verdict, self.params, issued_at=datetime.now(UTC), evidence=evidence)
