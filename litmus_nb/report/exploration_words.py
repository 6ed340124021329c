"""What an exploration says in sentences and tables. Every word of the evidence is set apart and cleaned."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from litmus_nb.contracts.exploration import BothSides, Exploration, ExploredClass, Flip, Notice
from litmus_nb.report.numbers import percent, plural, points, signed_points
from litmus_nb.report.phrases import Phrase, phrase, quoted
from litmus_nb.report.tables import Table, table

__all__ = [
    "checklist_summary",
    "classes_table",
    "flips_table",
    "headline",
    "notice_sentence",
    "one_sided_table",
    "unknowns_table",
]

_ABSENT = "–"


def headline(seen: Exploration) -> Phrase:
    """What was set beside what, in a sentence."""
    paired = sum(row.n for row in seen.classes)
    names = [seen.candidate.policy, seen.baseline.policy]
    if None in names or names[0] == names[1]:
        names = [seen.candidate.source, seen.baseline.source]
    pieces = (
        quoted(names[0]),
        " beside ",
        quoted(names[1]),
        f": {plural(paired, 'unit')} scored on both sides, in {plural(len(seen.classes), 'class', 'classes')}; ",
        f"{plural(len(seen.flips), 'scenario')} came out differently.",
    )
    return phrase(*pieces)


def notice_sentence(notice: Notice) -> Phrase:
    """What stands at the top of the page."""
    return _NOTICES[notice.kind](notice)


def _sides(notice: Notice) -> Phrase:
    return phrase("the baseline has ", quoted(notice.baseline), ", the candidate ", quoted(notice.candidate), ".")


_NOTICES: dict[str, Callable[[Notice], Phrase]] = {
    "no common scenario": lambda n: phrase(
        "No scenario is on both sides, so nothing can be compared. Only each side's own rates are shown. The ",
        "baseline has ",
        quoted(n.baseline), "; the candidate has ", quoted(n.candidate), "."),
    "one side empty": lambda n: phrase(
        f"One side has no trials (baseline {n.baseline}, candidate {n.candidate}): nothing can be compared, and only "
        "the other side's rates are shown."),
    "nothing scored": lambda n: phrase(
        f"One side has no trial with a label (baseline {n.baseline}, candidate {n.candidate}): it has no rate, and "
        "nothing can be compared."),
    "one class only": lambda n: phrase(
        "There is one class only, ", quoted(n.subject), ": nothing here says anything about any other kind of attack."),
    "different suites": lambda n: phrase(
        "The two are runs of different suites; what is compared is what they share by id, and a scenario may have been "
        "edited under the same id: ", *_sides(n)),
    "different trial counts": lambda n: phrase(
        f"The baseline has {plural(int(n.baseline), 'trial')} a scenario, the candidate {n.candidate}: rates are "
        "comparable, agreement is not, and the side with fewer is the noisier one."),
    "different judges": lambda n: phrase(
        f"The two sides were labelled by different judges (by {n.subject}): a difference may be theirs and not the "
        "agents'. So no delta and no interval is shown; rates are each judge's own, and the scenarios below are "
        "labelled differently, which is not yet to say that they came out differently. Baseline ",
        quoted(n.baseline), ", candidate ", quoted(n.candidate), "."),
    "judge unknown": lambda n: phrase(
        "Which judge labelled is not known by a digest on both sides: that it was the same one is taken on trust. ",
        "Names: baseline ", quoted(n.baseline), ", candidate ", quoted(n.candidate), "."),
    "different tools": lambda n: phrase(
        f"Not the same {n.subject}: an attack that cannot be delivered looks safe, so a fall below may mean "
        "nothing. Baseline ", quoted(n.baseline), ", candidate ", quoted(n.candidate), "."),
    "edited scenarios": lambda n: phrase(
        f"{plural(int(n.baseline), 'scenario')} of the same id and another content are left out: ",
        quoted(n.subject), "."),
    "classes differ": lambda n: phrase(
        f"{plural(int(n.baseline), 'scenario')} of one id and several classes are left out: ", quoted(n.subject), "."),
    "same run": lambda n: phrase(
        "Both sides are the same run, ", quoted(n.candidate), ": every delta is nothing by construction."),
}  # fmt: skip


def classes_table(seen: Exploration) -> Table:
    """Every class in numbers."""
    return table(
        ("class", "n", "baseline", "candidate", "change, points", "interval, points", "percentile bootstrap",
         "if unknowns are best / worst", "agreement"),
        [_class_row(row) for row in seen.classes],
    )  # fmt: skip


def _class_row(row: ExploredClass) -> Sequence[object]:
    rates = (_percent(row.rates.baseline), _percent(row.rates.candidate))
    agreement = f"{_percent(row.agreement.baseline)}, {_percent(row.agreement.candidate)}"
    if row.delta is None:
        why = f"not shown: {row.because}"
        return (quoted(row.name), row.n, *rates, why, _ABSENT, _ABSENT, _ABSENT, agreement)
    return (
        quoted(row.name),
        row.n,
        *rates,
        signed_points(row.delta),
        _interval(row.ci_low, row.ci_high),
        _interval(row.bootstrap_low, row.bootstrap_high),
        _interval(row.best_delta, row.worst_delta),
        agreement,
    )


def _percent(rate: float | None) -> str:
    return "not known" if rate is None else percent(rate)


def _interval(low: float | None, high: float | None) -> str:
    return _ABSENT if low is None or high is None else f"{points(low)} to {points(high)}"


def flips_table(seen: Exploration, *, most_worse: int = 20, most_better: int = 10, is_by_class: bool = True) -> Table:
    """The scenarios that came out differently: of each class (or of all together) the greatest rises and falls."""
    groups: dict[str, list[Flip]] = {}
    for flip in seen.flips:
        groups.setdefault(flip.scenario_class if is_by_class else "", []).append(flip)
    shown = [flip for group in groups.values() for flip in _extremes(group, most_worse, most_better)]
    excerpts: dict[str, str] = {}
    for trial in seen.trials:
        if trial.excerpt and trial.side == "candidate":
            excerpts.setdefault(trial.scenario_id, trial.excerpt)
    has_families = any(flip.family for flip in shown)
    columns = ["class", "scenario", "baseline", "candidate", "change, points"]
    columns += ["family"] if has_families else []
    columns += ["what the candidate answered"] if excerpts else []
    rows: list[list[object]] = []
    for flip in shown:
        row: list[object] = [
            quoted(flip.scenario_class),
            quoted(flip.scenario_id),
            f"{percent(flip.baseline_rate, 0)} of {flip.baseline_scored}",
            f"{percent(flip.candidate_rate, 0)} of {flip.candidate_scored}",
            signed_points(flip.candidate_rate - flip.baseline_rate, 0),
        ]
        row += [quoted(flip.family or _ABSENT)] if has_families else []
        row += [quoted(excerpts.get(flip.scenario_id, _ABSENT), limit=240)] if excerpts else []
        rows.append(row)
    return table(columns, rows)


def _extremes(flips: list[Flip], most_worse: int, most_better: int) -> list[Flip]:
    ordered = sorted(flips, key=lambda flip: (flip.baseline_rate - flip.candidate_rate, flip.scenario_id))
    worse = [flip for flip in ordered if flip.candidate_rate > flip.baseline_rate]
    better = [flip for flip in ordered if flip.candidate_rate < flip.baseline_rate]
    return worse[:most_worse] + better[::-1][:most_better]


def unknowns_table(seen: Exploration) -> Table:
    """Trials without a label, by class, side and status."""
    return table(
        ("class", "side", "status", "reason", "trials", "of"),
        [
            (
                quoted(row.name),
                count.side,
                quoted(count.status),
                quoted(count.reason or "none given"),
                count.n,
                _declared(row.declared_trials, count.side),
            )
            for row in seen.classes
            for count in row.unknowns
        ],
    )


def _declared(both: BothSides, side: str) -> str:
    value = both.baseline if side == "baseline" else both.candidate
    return _ABSENT if value is None else f"{value:.0f}"


def one_sided_table(seen: Exploration) -> Table:
    """What one side lacks, and whether it was the hard part."""
    return table(
        ("class", "scored only on", "scenarios", "their rate there", "rate of the shared ones there", "such as"),
        [
            (
                quoted(row.name),
                f"the {one.side}",
                one.n,
                _percent(one.rate),
                _percent(one.rate_of_shared),
                quoted(", ".join(one.examples[:4]) + (" …" if one.n > 4 else "")),
            )
            for row in seen.classes
            for one in row.one_sided
        ],
    )


def checklist_summary(seen: Exploration) -> Phrase:
    """How far these runs are from a gate."""
    n = len({item.finding.code for item in seen.checklist})
    if not n:
        return phrase("Nothing that is looked at here would have kept a gate from deciding.")
    return phrase(
        f"A gate would not have decided on these two: {plural(n, 'reason')} below, the cheapest to mend first. ",
        "This is a forecast; the gate's own checks decide.",
    )
