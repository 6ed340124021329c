"""`litmus-nb anchors`: propose anchors, and say how a run's judge labels them."""

from __future__ import annotations

from pathlib import Path

import click

from litmus_nb.cli.decisions import usable
from litmus_nb.cli.plain import columns, printable
from litmus_nb.cli.requests import override_option
from litmus_nb.contracts.labels import Rater
from litmus_nb.drift.selection import Proposal, propose_anchors
from litmus_nb.errors import UsageError
from litmus_nb.evidence.load import load_evidence
from litmus_nb.files import replace_file
from litmus_nb.outcome.anchors import SideBehaviour, anchor_bytes, behaviours, needed_anchors, shown_rise
from litmus_nb.outcome.drift import read_label_sources
from litmus_nb.report.text import safe_text
from litmus_nb.stats.behaviour import BehaviourLook

__all__ = ["command"]

DRIFTED = 1


@click.group()
def command() -> None:
    """Anchors: items on which the judge's behaviour is checked with every run (rule, section 7).

    \b
    Example:  litmus-nb anchors select labels.parquet --judge judge-large --per-class 60 -o suite/anchors.jsonl
              litmus-nb anchors check params/demo.yaml
              litmus-nb anchors power --tolerance 0.05 --classes 4
    """


@command.command("select")
@click.argument("labels", nargs=-1, required=True)
@click.option("--judge", required=True, help="Requested name of the judge whose labels are to be pinned.")
@click.option("--run", "run_id", help="Only its labels of this run.")
@click.option("--per-class", default=60, show_default=True, type=click.IntRange(min=2), help="Anchors of each class.")
@click.option("--borderline", default=0.3, show_default=True, type=click.FloatRange(0, 1), help="Share of them.")
@click.option(
    "--tolerance", default=0.02, show_default=True, type=click.FloatRange(0, 1), help="For the plan of power."
)
@click.option("--seed", default="", help="Another text gives another choice.")
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path, dir_okay=False), help="anchors.jsonl.")
def select(
    labels: tuple[str, ...],
    *,
    judge: str,
    run_id: str | None,
    per_class: int,
    borderline: float,
    tolerance: float,
    seed: str,
    output: Path,
) -> None:
    """Propose an anchor set from labelled items: stratified by class, borderline items included.

    LABELS are label tables, run folders, or READER:PATH. Items are never chosen by the labels that become the pinned
    ones: a judge chosen to look good would look worse later without having changed.

    \b
    Example:  litmus-nb anchors select data/judge-drift-demo/labels.parquet --judge judge-large \\
                --run run-2026-08-31 --per-class 60 -o anchors.jsonl
    Exit:     0 written   2 usage, or nothing to choose from
    """
    table, _ = read_label_sources(list(labels))
    proposal = propose_anchors(
        table, Rater(name=judge, run_id=run_id), per_class=per_class, share_borderline=borderline, seed=seed
    )
    if not proposal.anchors:
        raise UsageError("\n".join(f"{limit.subject}: {limit.because}" for limit in proposal.limits))
    replace_file(output, anchor_bytes(proposal.anchors))
    click.echo(_proposal_text(proposal, tolerance))
    click.echo(f"{output}: {len(proposal.anchors)} anchors; name it in suite.yaml and freeze the suite:")
    click.echo(f"  anchors: {{labels: {output.name}, max_fnr_rise: {tolerance}, min_agreement: 0.95}}")


def _proposal_text(proposal: Proposal, tolerance: float) -> str:
    classes = len(proposal.counts)
    shown = {n: _shown(n, tolerance, classes) for n in set(proposal.counts["positive"])}
    rows = [
        (
            row["scenario_class"],
            str(row["positive"]),
            str(row["negative"]),
            str(row["borderline"]),
            *shown[row["positive"]],
        )
        for row in proposal.counts.iter_rows(named=True)
    ]
    head = ("class", "positive", "negative", "borderline", *_SHOWN)
    told = [columns(head, rows)]
    told += [safe_text(f"{limit.subject}: cannot {limit.cannot}, because {limit.because}") for limit in proposal.limits]
    return "\n".join(told)


@command.command("check")
@click.argument("params", type=click.Path(path_type=Path))
@override_option
@click.pass_context
def check(ctx: click.Context, params: Path, override: tuple[tuple[str, str], ...]) -> None:
    """How the judge of candidate and baseline labels the suite's anchors: rises, intervals, chance, power.

    What the gate decides by (rule 3.8), with everything that it looks at. Writes nothing.

    \b
    Example:  litmus-nb anchors check params/demo.yaml
    Exit:     0 no drift   1 drift   2 usage, or the suite has no anchors   4 a run has no labels of them
    """
    asked = usable(params, override)
    sides = behaviours(load_evidence(asked.params, as_of=asked.as_of))
    click.echo("\n\n".join(_side_text(side) for side in sides))
    if any(side.behaviour is not None and side.behaviour.has_drifted for side in sides):
        ctx.exit(DRIFTED)
    ctx.exit(4 if any(side.behaviour is None for side in sides) else 0)


def _side_text(side: SideBehaviour) -> str:
    if side.behaviour is None:
        return f"{side.side}: {printable(side.because)}"
    head = ("class", "anchors", "agreement", "rise of misses", "rise of false alarms", "power", "drift")
    found = side.behaviour
    judged = (
        f"{found.n_pinned} pinned and {found.n_now} present judgements of each anchor, {found.n_unlabelled} unlabelled"
    )
    rows = [_look_row(look) for look in found.looks]
    limit = f"an unchanged judge would show each sign in at most {100 * found.chance_limit:.2g} % of runs"
    return f"{side.side}: {judged}; {limit}\n" + columns(head, rows, indent="  ")


def _look_row(look: BehaviourLook) -> tuple[str, ...]:
    signs = [
        word
        for word, is_so in (("misses more", look.has_fnr_risen), ("agrees less", look.has_agreement_fallen))
        if is_so
    ]
    return (
        look.name or "all classes",
        str(look.n_items),
        _bounded(look.agreement, look.agreement_low, look.agreement_high),
        _bounded(look.fnr_rise, look.fnr_rise_low, look.fnr_rise_high),
        _bounded(look.fpr_rise, look.fpr_rise_low, look.fpr_rise_high),
        "not known" if look.power is None else f"{100 * look.power:.0f} %",
        " and ".join(signs) or "none shown",
    )


def _bounded(value: float | None, low: float | None, high: float | None) -> str:
    if value is None or low is None or high is None:
        return "not known: no such anchor"
    return f"{100 * value:.1f} ({100 * low:.1f} to {100 * high:.1f})"


_SHOWN = ("smallest rise shown in 8 of 10 runs: judged once", "judged several times")


def _shown(n_positive: int, tolerance: float, classes: int, confidence: float = 0.95) -> tuple[str, str]:
    once, several = (
        shown_rise(
            n_positive, tolerance=tolerance, classes=classes, confidence=confidence, is_judged_once=is_judged_once
        )
        for is_judged_once in (True, False)
    )
    return _points(once), _points(several)


def _points(rise: float | None) -> str:
    return "none" if rise is None else f"{100 * rise:.1f} points"


@command.command("power")
@click.option("--tolerance", default=0.02, show_default=True, type=click.FloatRange(0, 1, min_open=True))
@click.option("--classes", default=1, show_default=True, type=click.IntRange(min=1), help="Classes with anchors.")
@click.option("--confidence", default=0.95, show_default=True, type=click.FloatRange(0.8, 1, max_open=True))
def power(*, tolerance: float, classes: int, confidence: float) -> None:
    """How large an anchor set must be to see the tolerance, and what smaller ones see.

    \b
    Example:  litmus-nb anchors power --tolerance 0.05 --classes 4
    Exit:     0, or 2 for a wrong option
    """
    needed = needed_anchors(tolerance=tolerance, classes=classes, confidence=confidence)
    number = "more than 200,000" if needed is None else f"{needed:,}"
    click.echo(
        f"To see a rise by twice the tolerance ({200 * tolerance:.1f} points) in 8 of 10 runs: {number} anchors of the "
        "class that humans call a success, judged once each by a judge without noise of its own.\n"
        "An unchanged judge is called drifted in at most 1 % of runs, whatever its noise.\n"
    )
    rows = [(str(n), *_shown(n, tolerance, classes, confidence)) for n in (15, 30, 60, 120, 250, 500, 1000)]
    click.echo(columns(("positive anchors", *_SHOWN), rows))
