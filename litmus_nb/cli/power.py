"""`litmus-nb power PARAMS`: what this gate can decide, class by class, before and after a run."""

from __future__ import annotations

import dataclasses
import json
import uuid
from pathlib import Path

import click

from litmus_nb.cli.decisions import usable
from litmus_nb.cli.plain import columns, printable
from litmus_nb.cli.requests import override_option
from litmus_nb.outcome.decide import decided
from litmus_nb.outcome.planner import MOST_SCENARIOS, ClassPlan, plans

__all__ = ["command"]


@click.command()
@click.argument("params", type=click.Path(path_type=Path))
@override_option
@click.option(
    "--probability",
    default=0.8,
    show_default=True,
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    help="Wanted of a PASS, of a regression shown, of a decision.",
)
@click.option(
    "--disagreement",
    type=click.FloatRange(0, 1),
    help="How often two trials of one scenario differ, instead of what the baseline says.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the plan as JSON.")
def command(
    params: Path,
    override: tuple[tuple[str, str], ...],
    *,
    probability: float,
    disagreement: float | None,
    as_json: bool,
) -> None:
    """How many scenarios a PASS needs, what more trials buy, and how small a regression is caught.

    Plans from the baseline's own rates and from how often its trials disagree; exact or simulated, never by a normal
    approximation. Writes nothing and decides nothing: the candidate may be a run that is only planned.

    \b
    Example:  litmus-nb power params/demo.yaml
              litmus-nb power params/demo.yaml --probability 0.9 --json
    Exit:     0 planned   2 usage, or nothing to plan from
    """
    asked = usable(params, override)
    result = decided(asked.params, as_of=asked.as_of, run_id=uuid.uuid4().hex)
    found = plans(result.verdict, result.evidence, probability=probability, disagreement=disagreement)
    if as_json:
        click.echo(json.dumps({"probability": probability, "classes": [dataclasses.asdict(plan) for plan in found]}))
        return
    click.echo(plan_text(found, probability))


def plan_text(found: list[ClassPlan], probability: float) -> str:
    """The plans as tables and sentences."""
    return "\n\n".join(
        (_now(found, probability), _trials(found), _notes(found), _undecided(found, probability))
    ).rstrip()


def _now(found: list[ClassPlan], probability: float) -> str:
    head = ("class", "n", "trials", "tolerance", "P(PASS)", "n for PASS", "smallest rise shown")
    rows = [
        (
            plan.name,
            plan.n,
            plan.trials,
            _points(plan.thresholds.tolerance),
            None if plan.now is None else _share(plan.now.passes),
            _count(plan, plan.n_to_pass),
            _points(plan.smallest_shown),
        )
        for plan in found
    ]
    return (
        "For a candidate that is as safe as the baseline on the whole; "
        f"where a probability is wanted, {100 * probability:.0f} %:\n" + columns(head, rows, indent="  ")
    )


def _trials(found: list[ClassPlan]) -> str:
    known = [plan for plan in found if len(plan.n_to_pass_by_trials) > 1]
    if not known:
        return ""
    trials = sorted({k for plan in known for k in plan.n_to_pass_by_trials})
    rows = [
        (
            plan.name,
            *(_count(plan, plan.n_to_pass_by_trials[k]) if k in plan.n_to_pass_by_trials else "" for k in trials),
        )
        for plan in known
    ]
    return "Scenarios for a PASS, by trials per scenario:\n" + columns(
        ("class", *(f"{k} trial{'s' if k > 1 else ''}" for k in trials)), rows, indent="  "
    )


def _notes(found: list[ClassPlan]) -> str:
    return (
        "Planned from how often two trials of one scenario differ, and how many scenarios change for good:\n"
        + "\n".join(
            f"  {printable(plan.name)}: "
            + ("unknown" if plan.disagreement is None else _share(plan.disagreement))
            + f" ({plan.disagreement_from}); {_share(plan.churn)} for the better and as many for the worse"
            + _interval(plan)
            for plan in found
        )
    )


def _interval(plan: ClassPlan) -> str:
    if plan.unfit_for_exact:
        return "; by the default interval: the gate's exact one is not for this class, which ends without a verdict"
    return "; by the exact interval" if plan.thresholds.is_exact else ""


def _undecided(found: list[ClassPlan], probability: float) -> str:
    lines = [
        f"  {printable(plan.name)}: {_needed(plan)}" for plan in found if plan.outcome == "NO_VERDICT" and plan.n > 0
    ]
    if not lines:
        return ""
    return (
        f"Ended without a verdict; scenarios like these that would have decided it with {100 * probability:.0f} %:\n"
        + "\n".join(lines)
    )


def _needed(plan: ClassPlan) -> str:
    if plan.n_to_decide is None:
        return f"no number up to {MOST_SCENARIOS:,}: the delta seen is too near the tolerance"
    if plan.n_to_decide <= plan.n:
        return f"{plan.n_to_decide} (there are {plan.n}): more scenarios are not what is missing"
    return f"{plan.n_to_decide}, that is {plan.n_to_decide - plan.n} more than the {plan.n} there are"


def _count(plan: ClassPlan, n: int | None) -> str | None:
    if plan.disagreement is None:
        return None
    return f"> {MOST_SCENARIOS:,}" if n is None else str(n)


def _points(share: float | None) -> str | None:
    return None if share is None else f"{100 * share:.1f} points"


def _share(value: float) -> str:
    return f"{100 * value:.1f} %"
