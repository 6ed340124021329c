"""The gate's page, from the verdict and what is known around it. A chart that fails never decides."""

from __future__ import annotations

from litmus_nb.contracts.evidence import Evidence
from litmus_nb.contracts.params import GateParams
from litmus_nb.contracts.verdict import Verdict

__all__ = ["page_of"]


def page_of(verdict: Verdict, evidence: Evidence | None, params: GateParams) -> str:
    """The self-contained HTML page of a verdict."""
    return str(verdict.verdict)
