"""What a drift report says to people. Sentences are made from its fields and from nothing else."""

from __future__ import annotations

from litmus_nb.contracts.drift import (
    ALL,
    BehaviourRow,
    ChangeRow,
    DriftReport,
    EffectRow,
    Estimate,
    IdentityRow,
    Limit,
    OddsRow,
    PowerRow,
)
from litmus_nb.report.numbers import percent, plural, points, signed_points
from litmus_nb.report.phrases import Phrase, join_names, phrase, quoted
from litmus_nb.report.text import safe_text, short_digests

__all__ = [
    "agent_or_judge",
    "headline",
    "how_sure",
    "interval",
    "limit_sentence",
    "next_steps",
    "odds_sentences",
    "since_when",
    "summary",
    "where",
]

_MOST = 5


def headline(report: DriftReport) -> Phrase:
    """Is there drift?"""
    found = report.conclusion
    if found.is_drift == "cannot tell":
        telling = [limit for limit in report.limits if limit.subject in ("labels", "judges", "behaviour")]
        limit = next(iter([*telling, *report.limits]), None)
        why = "nothing could be compared" if limit is None else _clean(limit.because)
        return phrase(f"Whether the judge drifted cannot be told: {why}.")
    if found.is_drift == "none shown":
        return phrase("No drift of the judge is shown.", *_smallest_seen(report.power))
    place = ("in ", *join_names(found.classes)) if found.classes else ("over all classes together",)
    return phrase("The judge drifted ", *place, ".")


def _smallest_seen(power: list[PowerRow]) -> Phrase:
    """How much of a drift could have been missed."""
    row = next((row for row in power if row.scenario_class == ALL), None)
    if row is None or row.smallest_seen is None:
        return phrase(" These items could not have shown one.")
    return phrase(
        f" Over all classes, a rise of the false-negative rate below {points(row.smallest_seen)} points",
        " would be seen in fewer than 8 of 10 comparisons.",
    )


def where(report: DriftReport) -> list[Phrase]:
    """Which classes, by which sign, how large."""
    sentences = []
    for row in report.behaviour:
        if row.has_fnr_risen:
            sentences.append(_risen(row, report.question.max_fnr_rise))
        if row.has_agreement_fallen:
            sentences.append(_fallen(row, report.question.min_agreement))
    return sentences


def summary(report: DriftReport) -> list[Phrase]:
    """What belongs beside the headline: how large, since when, agent or judge. Nothing where nothing was compared."""
    if report.conclusion.is_drift == "cannot tell":
        return []
    drifted = report.conclusion.classes or [ALL]
    sentences = [_risen(row, report.question.max_fnr_rise) for row in report.behaviour
                 if row.has_fnr_risen and row.scenario_class in drifted][:_MOST]  # fmt: skip
    if report.conclusion.since_run is not None:
        sentences += since_when(report)[:1]
    sentences += _told_apart(report)
    return sentences


_AGENT = {
    "worse": "the agent got worse",
    "better": "the agent got better",
    "none shown": "no change of the agent is shown",
}
_JUDGE = {
    "more successes": "the judge sees more successes in the same runs",
    "fewer successes": "the judge sees fewer successes in the same runs",
    "none shown": "no change of the rate by the judge is shown",
}


def _told_apart(report: DriftReport) -> list[Phrase]:
    """Agent and judge in one sentence; none where either cannot be told."""
    found, taken = report.conclusion, report.decomposition
    if taken is None or found.is_agent_effect == "cannot tell" or found.is_judge_effect == "cannot tell":
        return []
    names = {row.scenario_class for row in taken.rows}
    classes = [name for name in found.classes if name in names]
    place = (" in ", *join_names(classes)) if classes else ()
    return [
        phrase(
            "From ",
            quoted(taken.baseline),
            " to ",
            quoted(taken.candidate),
            *place,
            f": {_AGENT[found.is_agent_effect]}; {_JUDGE[found.is_judge_effect]}.",
        )
    ]


def _named(scenario_class: str) -> str:
    return "Over all classes" if scenario_class == ALL else quoted(scenario_class, limit=80)


def _risen(row: BehaviourRow, tolerance: float) -> Phrase:
    return phrase(
        _named(row.scenario_class),
        f": the judge misses {points(_known(row.fnr_rise))} points more of the attacks that humans see",
        f" ({interval(row.fnr_rise)}; tolerated {points(tolerance)}), on {plural(row.n_positive, 'item')}.",
    )


def _fallen(row: BehaviourRow, floor: float) -> Phrase:
    own = row.pinned_self_agreement
    compared = "" if own is None else f"; the pinned judge agreed with itself on {percent(own)}"
    return phrase(
        _named(row.scenario_class),
        f": it agrees with its pinned labels on {percent(_known(row.agreement))}",
        f" (floor {percent(floor)}{compared}).",
    )


def since_when(report: DriftReport) -> list[Phrase]:
    """When it began, and whether the judge's identity says so."""
    found, timeline = report.conclusion, report.timeline
    if timeline is None:
        return [phrase("There are no other runs to look at.")]
    sentences = []
    if found.since_run is not None:
        begun = [row for row in timeline.changes if row.is_shown and row.first_run == found.since_run]
        begun.sort(key=lambda row: row.scenario_class not in found.classes)
        sentences += [_began(change) for change in begun[:1]]
    elif found.is_drift == "yes":
        sentences.append(phrase("The order of the runs does not show when it began."))
    sentences += [_identity(row) for row in timeline.identities[:_MOST]]
    if found.identity == "did not change with it":
        sentences.append(
            phrase(
                "The resolved identity did not change when the behaviour did: a pinned name or digest does not show it."
            )
        )
    if found.identity == "changed with it":
        sentences.append(phrase("The resolved identity changed at the same time."))
    return sentences


def _began(change: ChangeRow) -> Phrase:
    what = "attacks that humans see are missed" if change.measure == "missed" else "labels differ from the pinned ones"
    others = [run for run in change.plausible_runs if run != change.first_run]
    plausible = ("; it may also have begun in ", *join_names(others)) if others else ()
    return phrase(
        "Since ",
        quoted(change.first_run, limit=80),
        f" ({change.at[:10]})" if change.at else "",
        " ",
        *(() if change.scenario_class == ALL else ("in ", quoted(change.scenario_class, limit=80), " ")),
        f"{percent(change.after)} of {what}, before it was {percent(change.before)}",
        *plausible,
        f". A random order of the same runs splits as clearly with probability {_chance(change.p_value)}.",
    )


def _identity(row: IdentityRow) -> Phrase:
    requested = "another was requested, " if row.requested_changed else "the same was requested, "
    return phrase(
        quoted(row.run_id, limit=80),
        f": another artefact answered ({requested}",
        quoted(row.requested, limit=80),
        "): ",
        quoted(row.digest_before or "unresolved"),
        " before, ",
        quoted(row.digest or "unresolved"),
        " then.",
    )


def agent_or_judge(report: DriftReport) -> list[Phrase]:
    """What of the apparent change is the agent's and what the judge's."""
    taken = report.decomposition
    if taken is None:
        return [phrase("An apparent change between two policies was not taken apart.")]
    drifted = [row for row in taken.rows if row.scenario_class in report.conclusion.classes]
    overall = [row for row in taken.rows if row.scenario_class == ALL]
    return [sentence for row in [*overall, *drifted] for sentence in _effects(row)]


def _effects(row: EffectRow) -> list[Phrase]:
    if row.apparent.value is None:
        return [phrase(_named(row.scenario_class), f": {_clean(row.apparent.because or 'nothing is known')}.")]
    sentences = [
        phrase(
            _named(row.scenario_class),
            f": the attack success rate seems to change by {signed_points(row.apparent.value)} points",
            f" ({interval(row.apparent)}).",
        )
    ]
    if row.agent.value is not None and row.judge.value is not None:
        sentences.append(
            phrase(
                f"Of these, {signed_points(row.agent.value)} are the agent's ({interval(row.agent)};",
                f" both runs by the current judge) and {signed_points(row.judge.value)} the judge's",
                f" ({interval(row.judge)}; the baseline by both judges).",
            )
        )
    elif row.agent.low is not None and row.agent.high is not None:
        sentences.append(
            phrase(
                f"The agent's part lies between {signed_points(row.agent.low)} and",
                f" {signed_points(row.agent.high)} points: {_clean(row.agent.because or 'nothing more is known')}.",
            )
        )
    return sentences


def how_sure(report: DriftReport) -> list[Phrase]:
    """What the findings rest on."""
    sentences = []
    if panel := report.panel:
        agreed = "" if panel.alpha.value is None else f", Krippendorff's alpha {panel.alpha.value:.2f}"
        sentences.append(
            phrase(
                f"{plural(len(panel.humans), 'human')} labelled {plural(panel.n_items, 'item')}: of one mind on",
                f" {panel.n_unanimous}, outvoted on {panel.n_majority}, evenly split on {panel.n_split}{agreed}.",
            )
        )
    else:
        sentences.append(phrase("No human labelled anything: which judge is right is not known."))
    row = next((row for row in report.power if row.scenario_class == ALL), None)
    if row is not None and row.n_needed is not None:
        twice = 2 * report.question.max_fnr_rise
        sentences.append(
            phrase(
                f"To see a rise of {points(twice)} points, judged once each, takes {row.n_needed} items that humans",
                f" call a success; there are {row.n_positive}. Several judgements of each item need fewer.",
            )
        )
    sentences.append(
        phrase("An unchanged judge is called drifted in at most 1 of 100 comparisons, however noisy it is.")
    )
    return sentences


_STEPS = {
    "hold the gate": "Hold the gate: no score of the drifted judge decides, and the gate says JUDGE_BEHAVIOUR_DRIFT.",
    "rejudge": "Let the current judge label the baseline's stored trajectories again: then agent and judge come apart.",
    "repin": "Go back to the pinned artefact if it still answers; else calibrate the current judge, pin its labels of "
    "the anchors and measure the baseline anew.",
    "more anchors": "Label more anchors if a smaller drift matters: litmus-nb anchors select proposes them.",
    "label more": "Have humans label a sample, borderline items among it, and let both judges label the same items.",
    "watch": "Keep judging the anchors with every run.",
    "nothing": "Nothing.",
}


def next_steps(report: DriftReport) -> list[str]:
    """What to do."""
    return [_STEPS[step] for step in report.conclusion.next_steps]


def odds_sentences(rows: list[OddsRow]) -> list[Phrase]:
    """Where disagreement gathers, the clearest first; only what stands out against chance."""
    clear = [row for row in rows if row.p_value is not None and row.p_value < 0.05 and row.odds_ratio.value is not None]
    clear.sort(key=lambda row: (row.p_value or 0.0, row.factor, row.level))
    return [
        phrase(
            f"The odds of a disagreement in {row.factor} ",
            quoted(row.level, limit=80),
            f" are {row.odds_ratio.value:.1f} times those of the average {row.factor}",
            f" ({row.odds_ratio.low:.1f} to {row.odds_ratio.high:.1f}; {row.n_disagreements} of {row.n} items).",
        )
        for row in clear[:_MOST]
    ]


def limit_sentence(limit: Limit) -> Phrase:
    """Something that cannot be said, and why."""
    return phrase(f"{_clean(limit.subject)}: cannot {_clean(limit.cannot)}, because {_clean(limit.because)}.")


def _clean(text: str) -> str:
    """A sentence of ours in which names of the evidence stand: made harmless, not set apart."""
    return short_digests(safe_text(text))


def _known(estimate: Estimate) -> float:
    if estimate.value is None:
        raise ValueError("a number that a finding rests on is absent")
    return estimate.value


def interval(estimate: Estimate) -> str:
    """`5.1 to 18.7`, in points; empty where there are no limits."""
    if estimate.low is None or estimate.high is None:
        return ""
    return f"{points(estimate.low)} to {points(estimate.high)}"


def _chance(p_value: float) -> str:
    return "below 0.001" if p_value < 0.001 else f"{p_value:.3f}"
