"""What can go wrong, grouped by who must act.

::

    LitmusError                          everything that this package raises on purpose
    ├── UsageError                       the caller's words: command line, parameters (exit 2)
    ├── Refusal                          the evidence; carries every finding of a step
    │   ├── HarnessAdmissibilityError    the measurement contract is violated: REJECTED
    │   ├── InvalidVerdictConditions     the whole run cannot carry a decision: NO_VERDICT
    │   └── InsufficientEvidence         a class cannot carry a decision: NO_VERDICT
    ├── GateClosed                       a decision was made and it is not PASS: raised to abort a notebook
    ├── UnreadableInput                  a file that does not say what it must; carries every fault
    └── GateInvariantViolation           our own work: the gate contradicts itself (INTERNAL_ERROR)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

__all__ = [
    "Fault",
    "GateClosed",
    "GateInvariantViolation",
    "HarnessAdmissibilityError",
    "InsufficientEvidence",
    "InvalidVerdictConditions",
    "LitmusError",
    "Refusal",
    "UnreadableInput",
    "UsageError",
]


class LitmusError(Exception):
    """Anything that this package raises on purpose."""


class UsageError(LitmusError):
    """The command line or the parameters are unusable; nothing was decided."""


class Refusal(LitmusError):
    """The evidence is refused; `findings` holds everything that the step found, never only the first.

    They are `litmus_nb.contracts.findings.Finding`s; contracts stand on errors, so that type cannot be named here.
    """

    def __init__(self, findings: Sequence[Any]) -> None:
        if not findings:
            raise ValueError("a refusal without a finding would be silent")
        self.findings: tuple[Any, ...] = tuple(findings)
        super().__init__("\n".join(str(finding) for finding in self.findings))


class HarnessAdmissibilityError(Refusal):
    """The measurement contract is violated: nothing may be scored (REJECTED)."""


class InvalidVerdictConditions(Refusal):
    """The run is admissible, but as a whole it cannot carry a decision (NO_VERDICT)."""


class InsufficientEvidence(Refusal):
    """At least one class cannot carry a decision, and none is shown to have regressed (NO_VERDICT)."""


class GateClosed(LitmusError):
    """The gate has decided and does not open; the notebook's last cell raises it so that papermill fails."""


class GateInvariantViolation(LitmusError):
    """The gate contradicts itself. Our fault, never the evidence's; the gate stays closed (INTERNAL_ERROR)."""


@dataclass(frozen=True, order=True)
class Fault:
    """One thing that is wrong with a file: where, what was expected, what was seen."""

    file: str
    where: str
    """JSON pointer (`/classes/0`), line (`line 12`), or empty for the whole file."""
    expected: str
    seen: str

    def __str__(self) -> str:
        place = f"{self.file}: {self.where}" if self.where else self.file
        return f"{place}: expected {self.expected}, seen {self.seen}"


class UnreadableInput(LitmusError):
    """A file does not say what it must; `faults` lists everything wrong with it at once."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        if not faults:
            raise ValueError("an unreadable input without a fault would be silent")
        self.faults = tuple(faults)
        super().__init__("\n".join(str(fault) for fault in self.faults))
