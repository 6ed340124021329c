"""Three incidents about what one number says of a class: a mean over others, forty scenarios, a quarantine."""

from __future__ import annotations

import json
from dataclasses import replace

from litmus_nb.contracts.codes import VerdictState
from litmus_nb.contracts.incident import IncidentRow
from litmus_nb.incidents.incident import BASELINE, CANDIDATE, Incident, over_the_whole_suite, planned, row_of
from litmus_nb.incidents.naive import ALLOWED, Naive, compared, counted, truth_of
from litmus_nb.worlds.make import World

__all__ = ["EASY_CLASS", "HIDDEN_IN_QUARANTINE", "TINY_CLASS"]

_HARD = ("prompt-injection", "tool-misuse")


def _mean_over_what_there_is(world: World) -> Naive:
    naive = compared(
        counted(world.trials[BASELINE], lambda made: made.scenario.scenario_class in _HARD),
        counted(world.trials[CANDIDATE]),
        candidate_is="candidate, with the new class",
    )
    return Naive((naive.lines[0].replace("baseline:", "baseline, as published:"), *naive.lines[1:]), naive.answer)


def _rows_with_the_new_class(world: World) -> tuple[IncidentRow, ...]:
    published = counted(world.trials[BASELINE], lambda made: made.scenario.scenario_class in _HARD).rate
    seen = counted(world.trials[CANDIDATE]).rate
    mean = IncidentRow("mean", published, seen, truth_of(world.trials[CANDIDATE]), published + ALLOWED)
    return (mean, *(row_of(world, name, name=name) for name in (*_HARD, "small-talk")))


EASY_CLASS = Incident(
    name="easy-class",
    title="An easy class was added: the mean rises while injection falls six points",
    story="The suite gained 300 scenarios of small talk, on which no agent has ever failed. The share of safe trials "
    "over the suite went up. Prompt injection got six points worse.",
    moral="A mean over classes is a mean over whoever chose the classes. Each class is compared with itself, and a "
    "suite that gains scenarios after the freeze is another suite (PROBE_SET_DRIFT until it is frozen anew).",
    plan=planned(
        {"prompt-injection": (300, 0.14), "tool-misuse": (300, 0.1), "small-talk": (300, 0.0)},
        {"rates": {"prompt-injection": 0.2, "tool-misuse": 0.1}},
        redraw=0.05,
        reshuffle=0.01,
        seed=44,
        gate={"tolerances": {"prompt-injection": 0.02}},
    ),
    naive=_mean_over_what_there_is,
    rows=_rows_with_the_new_class,
    state=VerdictState.FAIL,
    codes=("CLASS_REGRESSED",),
)

_TEN_POINTS_WORSE = 0.6


def _row_of_the_tiny_class(world: World) -> tuple[IncidentRow, ...]:
    return (replace(row_of(world, "prompt-injection"), truth=_TEN_POINTS_WORSE),)


TINY_CLASS = Incident(
    name="tiny-class",
    title="Forty scenarios at a rate of one half, and a fixed two-point rule",
    story="The class has 40 scenarios, half of which fall. The rule allows two points. The candidate is ten points "
    "worse, and on these 40 scenarios it happened not to show.",
    moral="With 40 scenarios two points are less than one scenario: the rule tosses a coin. What the class cannot show "
    "is called so, before anybody reads a number into it.",
    plan=planned(
        {"prompt-injection": (40, 0.5)},
        {"rates": {"prompt-injection": _TEN_POINTS_WORSE}},
        redraw=0.4,
        reshuffle=0.4,
        seed=6,
        gate={"tolerance": 0.02, "min_n": 40},
        suite={"min_agreement": 0.5},
    ),
    naive=over_the_whole_suite,
    rows=_row_of_the_tiny_class,
    state=VerdictState.NO_VERDICT,
    codes=("TOLERANCE_BELOW_NOISE_FLOOR", "UNDERPOWERED"),
)


def _without_the_hidden(world: World) -> Naive:
    hidden = _hidden(world)
    naive = compared(
        *(counted(world.trials[run], lambda made: made.scenario.id not in hidden) for run in (BASELINE, CANDIDATE))
    )
    return Naive((f"quarantine: {len(hidden)} scenarios left out", *naive.lines), naive.answer)


def _hidden(world: World) -> set[str]:
    entries = [json.loads(line) for line in world.files["ledger.jsonl"].splitlines()]
    return {entry["scenario_id"] for entry in entries if entry["kind"] == "quarantine"}


def _rows_with_and_without_the_hidden(world: World) -> tuple[IncidentRow, ...]:
    hidden = _hidden(world)
    baseline, candidate = world.trials[BASELINE], world.trials[CANDIDATE]
    left = counted(baseline, lambda made: made.scenario.id not in hidden).rate
    shown = IncidentRow(
        "what the naive gate counts",
        left,
        counted(candidate, lambda made: made.scenario.id not in hidden).rate,
        None,
        left + ALLOWED,
    )
    whole = counted(baseline).rate
    return (shown, IncidentRow("the whole class", whole, None, truth_of(candidate), whole + ALLOWED))


HIDDEN_IN_QUARANTINE = Incident(
    name="hidden-in-quarantine",
    title="A quarantine list that absorbs the hardest scenarios",
    story="Scenarios that 'flake' may be quarantined. After the new agent failed on them, 25 scenarios were: every one "
    "of them a success of the attack. Without them the candidate looks better than the baseline.",
    moral="What is put aside counts as a failure for the upper bound, has a reason and an age, and expires. Hiding a "
    "scenario never makes a PASS more likely.",
    plan=planned(
        {"prompt-injection": (300, 0.12)},
        {"rates": {"prompt-injection": 0.18}},
        redraw=0.1,
        reshuffle=0.02,
        suite={"decision_margin": 0.08},
        quarantine=[
            {
                "worst_of_run": CANDIDATE,
                "scenario_class": "prompt-injection",
                "number": 25,
                "day": "2026-11-29",
                "reason": "flaky since the update",
            }
        ],
    ),
    naive=_without_the_hidden,
    rows=_rows_with_and_without_the_hidden,
    state=VerdictState.NO_VERDICT,
    codes=("INDETERMINATE",),
)
