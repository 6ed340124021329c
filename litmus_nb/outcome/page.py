"""The gate's page, from the verdict and what is known around it. A chart or a fact that fails never decides."""

from __future__ import annotations

from litmus_nb.contracts.evidence import Evidence
from litmus_nb.contracts.params import GateParams
from litmus_nb.contracts.report import ReportFacts
from litmus_nb.contracts.verdict import Verdict
from litmus_nb.outcome.facts import report_facts
from litmus_nb.outcome.output import EXECUTED_NOTEBOOK
from litmus_nb.report.page import render_gate_page

__all__ = ["page_of"]


def page_of(
    verdict: Verdict,
    evidence: Evidence | None,
    params: GateParams,
    *,
    made_at: str | None = None,
    has_notebook: bool = False,
) -> str:
    """The self-contained HTML page of a verdict.

    Args:
        made_at: the time that the page names; the caller has the clock.
        has_notebook: whether the executed notebook lies beside the page.
    """
    attachment = EXECUTED_NOTEBOOK if has_notebook else None
    try:
        facts = report_facts(verdict, evidence, params, made_at=made_at, attachment=attachment)
    except Exception:  # circumstances that cannot be told are left out; the verdict is told all the same
        facts = ReportFacts(verdict=verdict, made_at=made_at, attachment=attachment)
    return render_gate_page(facts)
