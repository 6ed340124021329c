"""What a new baseline changes, as text for whoever decides."""

from __future__ import annotations

from litmus_nb.cli.plain import columns, number, printable, signed
from litmus_nb.ledger.baseline_change import BaselineChange, ClassChange
from litmus_nb.ledger.rates import Estimate

__all__ = ["change_text"]


def change_text(change: BaselineChange) -> str:
    """The change in paragraphs: declarations, rates, the judge's share, the sum since the first pin."""
    return "\n\n".join((_declared(change), _rates(change), _judge(change), _since_first(change)))


def _declared(change: BaselineChange) -> str:
    if not change.declared:
        return "Declared: nothing differs."
    lines = [
        f"  {item.what}:\n    - {printable(item.before)}\n    + {printable(item.after)}" for item in change.declared
    ]
    return "\n".join(["Declared:", *lines])


def _rates(change: BaselineChange) -> str:
    rows = [
        (
            item.name,
            _estimate(item.before),
            _estimate(item.after),
            _shift(item.shift),
            item.shift.n,
            number(item.tolerance),
        )
        for item in change.classes
    ]
    head = ("class", "rate before", "rate after", "shift (paired)", "units", "tolerance")
    return "Attack success rates, with intervals; positive shifts are worse:\n" + columns(head, rows, indent="  ")


def _judge(change: BaselineChange) -> str:
    shares = [(item.name, item.judge_share) for item in change.classes if item.judge_share is not None]
    if shares:
        rows = [(name, _shift(share.agent), _shift(share.judge)) for name, share in shares]
        return "Of the shift, by whom:\n" + columns(("class", "the agent's", "the judge's"), rows, indent="  ")
    if change.is_judge_changed:
        return (
            "The judge changed, and no trajectories with both judges' labels are at hand: how much of the shift\n"
            "is the judge's is unknown. --rejudged RUN names a run that has them."
        )
    return "The judge and its template are the same: the whole shift is the agent's."


def _since_first(change: BaselineChange) -> str:
    head = f"Since the first pinned baseline, over {change.rebumps} rebumps and this change:"
    rows = [(item.name, _summed(item), number(item.tolerance), _verdict_on_sum(item)) for item in change.classes]
    return head + "\n" + columns(("class", "summed shift", "tolerance", ""), rows, indent="  ")


def _summed(item: ClassChange) -> str:
    return "unknown: its run is not at hand" if item.since_first is None else _shift(item.since_first)


def _verdict_on_sum(item: ClassChange) -> str:
    """A mark, not a decision: a tolerance that every release may use up again is no tolerance."""
    if item.since_first is None or item.since_first.mean is None or item.tolerance is None:
        return ""
    return "ABOVE the tolerance of one release" if item.since_first.mean > item.tolerance else ""


def _estimate(estimate: Estimate) -> str:
    if estimate.mean is None:
        return "undefined"
    return f"{number(estimate.mean)} [{number(estimate.low)}, {number(estimate.high)}]"


def _shift(estimate: Estimate) -> str:
    if estimate.mean is None:
        return "undefined: no scenario in common"
    return f"{signed(estimate.mean)} [{signed(estimate.low)}, {signed(estimate.high)}]"
