"""The gate's page, from the verdict and what is known around it. A chart or a fact that fails never decides."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from litmus_nb.contracts.evidence import Evidence
from litmus_nb.contracts.params import GateParams
from litmus_nb.contracts.report import ReportFacts
from litmus_nb.contracts.verdict import Verdict
from litmus_nb.files import replace_file
from litmus_nb.outcome.facts import report_facts
from litmus_nb.outcome.output import EXECUTED_NOTEBOOK, FACTS, REPORT
from litmus_nb.report.page import GatePictures, gate_pictures, render_gate_page

__all__ = ["RUNBOOK_VARIABLE", "PreparedReport", "leave_prepared", "leave_report", "prepared_report"]

RUNBOOK_VARIABLE = "LITMUS_NB_RUNBOOK"
"""Where the runbook is published, so that pages link to its entries."""


@dataclass(frozen=True)
class PreparedReport:
    """All of a page that can be made before it is known whether it will be left."""

    facts: ReportFacts
    pictures: GatePictures


def prepared_report(verdict: Verdict, evidence: Evidence | None, params: GateParams) -> PreparedReport:
    """The facts and the pictures of a verdict's page. Writes nothing; never raises for what cannot be told or drawn."""
    try:
        facts = report_facts(verdict, evidence, params, runbook=os.environ.get(RUNBOOK_VARIABLE))
    except Exception as error:  # the verdict is told all the same, and the page says that the rest could not be
        facts = ReportFacts(verdict=verdict, untold=type(error).__name__)
    return PreparedReport(facts, gate_pictures(verdict))


def leave_prepared(folder: Path, report: PreparedReport, *, made_at: str | None = None) -> ReportFacts:
    """Leave report.html, and report.json with the facts it was made from, in the folder; the facts.

    The executed notebook is linked where it lies there already.

    Args:
        folder: where the verdict will stand.
        report: of that verdict.
        made_at: the time that the page names; the caller has the clock.

    Raises:
        OSError: a file cannot be written.
    """
    attachment = EXECUTED_NOTEBOOK if (folder / EXECUTED_NOTEBOOK).exists() else None
    facts = report.facts.model_copy(update={"made_at": made_at, "attachment": attachment})
    replace_file(folder / REPORT, render_gate_page(facts, pictures=report.pictures).encode())
    replace_file(folder / FACTS, facts.model_dump_json().encode())
    return facts


def leave_report(
    folder: Path, verdict: Verdict, evidence: Evidence | None, params: GateParams, *, made_at: str | None = None
) -> ReportFacts:
    """Prepare the report of a verdict and leave it, as `leave_prepared` says."""
    return leave_prepared(folder, prepared_report(verdict, evidence, params), made_at=made_at)
