"""Everything that a label table says about a change of the judge, and everything that it cannot say."""

from __future__ import annotations

from dataclasses import dataclass, field

import polars as pl

from litmus_nb._version import __version__
from litmus_nb.contracts.drift import (
    CorrectedRow,
    Decomposition,
    DriftReport,
    Limit,
    Question,
    RaterComparison,
    Timeline,
)
from litmus_nb.contracts.labels import LabelTable, Rater
from litmus_nb.drift.changed import changed_behaviour, power_rows, relabelled
from litmus_nb.drift.conclusion import concluded
from litmus_nb.drift.corrected import corrected_rates
from litmus_nb.drift.decomposition import decompose
from litmus_nb.drift.humans import against_humans, human_panel
from litmus_nb.drift.pairs import compare_raters
from litmus_nb.drift.timeline import over_time
from litmus_nb.drift.votes import human_votes, judge_versions, labels_of
from litmus_nb.stats.behaviour import Relabelled

__all__ = ["investigate"]

_MOST_NAMED = 5


@dataclass
class _Investigation:
    table: LabelTable
    question: Question
    limits: list[Limit] = field(default_factory=list)

    def cannot(self, subject: str, what: str, because: str) -> None:
        self.limits.append(Limit(subject=subject, cannot=what, because=because))


def investigate(table: LabelTable, question: Question, *, labels_sha256: str | None = None) -> DriftReport:
    """The whole investigation: is there drift, where, since when, agent or judge, how sure, what next.

    Whatever cannot be said is in `limits` with its reason, and its part of the report is empty.

    Args:
        table: the labels.
        question: which judge is compared with which, which policies, what is tolerated.
        labels_sha256: digest of what the table was read from, where it was read from files.
    """
    asked = _Investigation(table, question)
    pinned, current = _judges(asked)
    _note_labels(asked)
    panel = human_panel(table, confidence=question.confidence)
    _note_humans(asked)
    items = _relabelled(asked, pinned, current)
    behaviour = (
        changed_behaviour(
            items,
            max_fnr_rise=question.max_fnr_rise,
            min_agreement=question.min_agreement,
            confidence=question.confidence,
        )
        if items
        else []
    )
    power = power_rows(items, max_fnr_rise=question.max_fnr_rise, confidence=question.confidence) if items else []
    decomposition = _decomposition(asked, pinned, current)
    timeline = _timeline(asked, pinned)
    raters = [rater for rater in (pinned, current) if rater is not None]
    return DriftReport(
        labels_sha256=labels_sha256,
        question=question.model_copy(update={"pinned": pinned, "current": current}),
        conclusion=concluded(behaviour, timeline, decomposition, power),
        behaviour=behaviour,
        comparison=_comparison(asked, pinned, current),
        panel=panel,
        errors=[
            row for rater in raters if panel for row in against_humans(table, rater, confidence=question.confidence)
        ],
        decomposition=decomposition,
        corrected=_corrected(asked, current),
        timeline=timeline,
        power=power,
        limits=asked.limits,
        litmus_nb=__version__,
    )


def _judges(asked: _Investigation) -> tuple[Rater | None, Rater | None]:
    """The pinned and the current judge: as asked, else the earliest and the latest version that the table has."""
    versions = judge_versions(asked.table)
    if not versions:
        asked.cannot("judges", "say anything of a judge", "the table has no label of one")
        return None, None
    pinned = asked.question.pinned or versions[0]
    current = asked.question.current or versions[-1]
    for role, rater in (("pinned", pinned), ("current", current)):
        if labels_of(asked.table, rater).is_empty():
            known = ", ".join(version.title for version in versions[:_MOST_NAMED])
            asked.cannot(f"{role} judge", f"find labels of {rater.title}", f"the table has {known}")
    if pinned == current:
        because = f"there is one rater to look at, {pinned.title}"
        asked.cannot("judges", "compare two judges or two versions", because)
        return pinned, None
    return pinned, current


def _note_labels(asked: _Investigation) -> None:
    frame = asked.table.frame
    if frame.is_empty():
        asked.cannot("labels", "say anything", "the table is empty")
        return
    unknown = frame.filter(pl.col("label").is_null())
    for row in unknown.group_by("rater").agg(n=pl.len()).sort("rater").iter_rows(named=True):
        because = f"{row['n']} of its labels cannot be read; they are unknown, neither yes nor no"
        asked.cannot(f"labels of {row['rater']}", "use every label", because)
    unresolved = frame.filter((pl.col("rater_kind") == "judge") & pl.col("rater_digest").is_null())
    if len(unresolved):
        names = ", ".join(sorted(set(unresolved["rater"]))[:_MOST_NAMED])
        nameless = "1 label names" if len(unresolved) == 1 else f"{len(unresolved)} labels name"
        asked.cannot(f"identity of {names}", "say which artefact answered", f"{nameless} no digest")


def _note_humans(asked: _Investigation) -> None:
    votes = human_votes(asked.table)
    if votes.is_empty():
        asked.cannot("error rates", "say which judge is right", "no item has a human label")
        return
    decided = votes.filter(pl.col("vote").is_not_null())
    classes = asked.table.frame.select("item_id", "scenario_class").unique()
    without = set(classes["scenario_class"]) - set(classes.join(decided, on="item_id")["scenario_class"])
    for name in sorted(without):
        asked.cannot(f"error rates in {name}", "say which judge is right", "no item of the class has a human majority")
    if split := len(votes) - len(decided):
        because = f"humans are evenly split on {split} items; they are in no error rate"
        asked.cannot("error rates", "take every item that humans labelled", because)


def _relabelled(asked: _Investigation, pinned: Rater | None, current: Rater | None) -> Relabelled | None:
    if pinned is None or current is None:
        return None
    items, limits = relabelled(asked.table, pinned, current)
    asked.limits.extend(limits)
    return items


def _comparison(asked: _Investigation, pinned: Rater | None, current: Rater | None) -> RaterComparison | None:
    if pinned is None or current is None:
        return None
    return compare_raters(asked.table, pinned, current, confidence=asked.question.confidence)


def _decomposition(asked: _Investigation, pinned: Rater | None, current: Rater | None) -> Decomposition | None:
    baseline, candidate = asked.question.baseline, asked.question.candidate
    if baseline is None or candidate is None:
        asked.cannot("agent or judge", "take an apparent change apart", "no two policies were named")
        return None
    known = set(asked.table.frame["policy"].drop_nulls())
    if absent := sorted({baseline, candidate} - known):
        named = ", ".join(sorted(known)[:_MOST_NAMED]) or "none"
        because = f"no item is of {' or '.join(absent)}; the table has {named}"
        asked.cannot("agent or judge", "take an apparent change apart", because)
        return None
    if pinned is None or current is None:
        asked.cannot("agent or judge", "take an apparent change apart", "there are not two judges")
        return None
    result = decompose(
        asked.table,
        baseline=baseline,
        candidate=candidate,
        pinned=pinned,
        current=current,
        confidence=asked.question.confidence,
    )
    if (only_bounds := result.rows[0].agent.because) is not None:
        asked.cannot("agent effect", "give a number, only what it lies between", only_bounds)
    return result


def _timeline(asked: _Investigation, pinned: Rater | None) -> Timeline | None:
    if pinned is None:
        return None
    result = over_time(asked.table, pinned, pinned.name, confidence=asked.question.confidence)
    if result is None:
        asked.cannot("since when", "look at the judge over time", "no run but the pinned one labelled the same items")
    elif len({point.run_id for point in result.points}) < 4:
        asked.cannot("since when", "look for a change over time", "fewer than four runs labelled the same items")
    return result


def _corrected(asked: _Investigation, current: Rater | None) -> list[CorrectedRow]:
    policies = [name for name in (asked.question.baseline, asked.question.candidate) if name is not None]
    known = set(asked.table.frame["policy"].drop_nulls())
    if current is None:
        return []
    return [
        row
        for policy in dict.fromkeys(policies)
        if policy in known
        for row in corrected_rates(asked.table, policy, current, confidence=asked.question.confidence)
    ]
