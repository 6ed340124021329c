"""Who did it and why: the two texts of every entry that a person makes."""

from __future__ import annotations

from litmus_nb.contracts.base import shown
from litmus_nb.errors import UsageError

__all__ = ["SHORTEST_REASON", "signed_by"]

SHORTEST_REASON = 15
"""Characters. Shorter reasons are "x" and "fix": nobody can act on them when the entry comes up for review."""


def signed_by(*, by: str, reason: str) -> dict[str, str]:
    """The keys `by` and `reason` of an entry.

    Raises:
        UsageError: no name, a reason that is too short to be one, or text that would not show as it is.
    """
    faults = []
    if not by.strip() or not by.isprintable():
        faults.append(f"--by: expected the name of whoever decides this, on one line; seen {shown(by)}")
    if len(reason.strip()) < SHORTEST_REASON or not reason.isprintable():
        faults.append(
            f"--reason: expected a reason of at least {SHORTEST_REASON} characters, on one line; seen {shown(reason)}"
        )
    if faults:
        raise UsageError("\n".join(faults))
    return {"by": by.strip(), "reason": reason.strip()}
