"""The gate that does not lie.

Step by step, in a cell or a script::

    evidence = litmus_nb.load_evidence(litmus_nb.read_params("params/demo.yaml"))
    admitted = litmus_nb.assert_admissible(evidence)        # raises HarnessAdmissibilityError
    eligible = litmus_nb.assert_verdict_eligible(admitted)  # raises InvalidVerdictConditions
    comparison = litmus_nb.compare(eligible)                # comparison.frame is a polars frame
    decision = litmus_nb.decide(comparison)

or all at once: `litmus_nb.evaluate_gate(evidence)`. Two runs without a gate:
`litmus_nb.explore(baseline, candidate)`. Names are loaded when they are first used, so that importing the
package costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from litmus_nb._version import __version__

if TYPE_CHECKING:
    from litmus_nb.errors import (
        GateInvariantViolation,
        HarnessAdmissibilityError,
        InsufficientEvidence,
        InvalidVerdictConditions,
        LitmusError,
        UnreadableInput,
        UsageError,
    )
    from litmus_nb.evidence.load import load_evidence, read_params
    from litmus_nb.face.explore import explore
    from litmus_nb.rule.admissibility import assert_admissible
    from litmus_nb.rule.comparison import compare
    from litmus_nb.rule.decision import assert_sufficient, decide
    from litmus_nb.rule.eligibility import assert_verdict_eligible
    from litmus_nb.rule.workflow import emit_verdict, evaluate_gate

__all__ = [
    "GateInvariantViolation",
    "HarnessAdmissibilityError",
    "InsufficientEvidence",
    "InvalidVerdictConditions",
    "LitmusError",
    "UnreadableInput",
    "UsageError",
    "__version__",
    "assert_admissible",
    "assert_sufficient",
    "assert_verdict_eligible",
    "compare",
    "decide",
    "emit_verdict",
    "evaluate_gate",
    "explore",
    "load_evidence",
    "read_params",
]

_HOMES = {
    "errors": (
        "GateInvariantViolation",
        "HarnessAdmissibilityError",
        "InsufficientEvidence",
        "InvalidVerdictConditions",
        "LitmusError",
        "UnreadableInput",
        "UsageError",
    ),
    "evidence.load": ("load_evidence", "read_params"),
    "face.explore": ("explore",),
    "rule.admissibility": ("assert_admissible",),
    "rule.comparison": ("compare",),
    "rule.decision": ("assert_sufficient", "decide"),
    "rule.eligibility": ("assert_verdict_eligible",),
    "rule.workflow": ("emit_verdict", "evaluate_gate"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOME_OF[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
