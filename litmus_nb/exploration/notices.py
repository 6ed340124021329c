"""What must be known before anything of an exploration is read: it stands at the top of the page."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from litmus_nb.contracts.exploration import Notice
from litmus_nb.contracts.loose_run import LooseRun
from litmus_nb.exploration.pairing import Pairing
from litmus_nb.exploration.said import listed_names, text
from litmus_nb.rule.finding import listed

__all__ = ["notices_of", "withheld_because"]

_JUDGES = ("judge.resolved_digest", "judge.template_sha256", "judge.requested")
"""What tells judges apart, the surest first: two programs of one digest are one judge, whatever they are called."""


def notices_of(baseline: LooseRun, candidate: LooseRun, pairing: Pairing) -> list[Notice]:
    """Everything that makes what follows mean less, the gravest first."""
    return [notice for look in _LOOKS for notice in look(baseline, candidate, pairing)]


def withheld_because(baseline: LooseRun, candidate: LooseRun) -> str | None:
    """Why no delta of these runs means anything; None where it may be shown."""
    key = _differing_judge(baseline, candidate)
    if key is None:
        return None
    return "the two sides were labelled by different judges, so a difference may be theirs and not the agent's"


def _differing_judge(baseline: LooseRun, candidate: LooseRun) -> str | None:
    first, second = _judge_digests(baseline), _judge_digests(candidate)
    if first and second:
        if first != second:
            return "judge.resolved_digest"
        template = "judge.template_sha256"
        before, after = text(baseline, template), text(candidate, template)
        return template if before and after and before != after else None
    for key in _JUDGES[1:]:
        before, after = text(baseline, key), text(candidate, key)
        if before and after and before != after:
            return key
    return None


def _judge_digests(run: LooseRun) -> set[str]:
    """The digests of who labelled: those of the rows where the rows say it, else the declared one."""
    frame = run.tally.judge_digests
    of_rows = set() if frame is None else {one for one in frame["judge_digest"] if one is not None}
    declared = text(run, "judge.resolved_digest")
    return of_rows or ({declared} if declared else set())


def _nothing_scored(baseline: LooseRun, candidate: LooseRun, pairing: Pairing) -> Iterator[Notice]:
    for kind in ("one side empty", "nothing scored"):
        counts = [
            run.tally.n_rows if kind == "one side empty" else int(run.tally.per_scenario["n_scored"].sum())
            for run in (baseline, candidate)
        ]
        if 0 in counts:
            what = "trials" if kind == "one side empty" else "trials with a label"
            yield _notice(kind, what, str(counts[0]), str(counts[1]))
            return


def _nothing_shared(baseline: LooseRun, candidate: LooseRun, pairing: Pairing) -> Iterator[Notice]:
    if pairing.n_shared == 0 and baseline.tally.n_rows and candidate.tally.n_rows:
        ids = [listed(run.tally.per_scenario["scenario_id"]) for run in (baseline, candidate)]
        yield _notice("no common scenario", "", ids[0], ids[1])


def _same_run(baseline: LooseRun, candidate: LooseRun, pairing: Pairing) -> Iterator[Notice]:
    ids = [text(run, "run_id") for run in (baseline, candidate)]
    if (baseline.digest and baseline.digest == candidate.digest) or (ids[0] and ids[0] == ids[1]):
        yield _notice("same run", "", str(ids[0] or baseline.digest), str(ids[1] or candidate.digest))


def _different_judges(baseline: LooseRun, candidate: LooseRun, pairing: Pairing) -> Iterator[Notice]:
    key = _differing_judge(baseline, candidate)
    if key == "judge.resolved_digest":
        first, second = (listed(_judge_digests(run)) for run in (baseline, candidate))
        yield _notice("different judges", "digest", first, second)
    elif key is not None:
        what = "template" if key == "judge.template_sha256" else "name"
        yield _notice("different judges", what, str(text(baseline, key)), str(text(candidate, key)))
    elif not (_judge_digests(baseline) and _judge_digests(candidate)):
        said_names = [text(run, "judge.requested") or "not said" for run in (baseline, candidate)]
        yield _notice("judge unknown", "", said_names[0], said_names[1])


def _different_tools(baseline: LooseRun, candidate: LooseRun, pairing: Pairing) -> Iterator[Notice]:
    first, second = (text(run, "interface.tool_namespace") for run in (baseline, candidate))
    if first and second and first != second:
        yield _notice("different tools", "tool namespace", first, second)
        return
    tools = [listed_names(run, "interface.tools") for run in (baseline, candidate)]
    if tools[0] is not None and tools[1] is not None and tools[0] != tools[1]:
        yield _notice("different tools", "tools", listed(tools[0]), listed(tools[1]))


def _different_suites(baseline: LooseRun, candidate: LooseRun, pairing: Pairing) -> Iterator[Notice]:
    first, second = text(baseline, "manifest_hash"), text(candidate, "manifest_hash")
    if first and second and first != second:
        yield _notice("different suites", "manifest hash", first, second)
    if pairing.edited:
        yield _notice("edited scenarios", listed(pairing.edited), str(len(pairing.edited)), str(len(pairing.edited)))
    if pairing.torn:
        named = listed(f"{id_}: {' and '.join(names)}" for id_, names in pairing.torn.items())
        yield _notice("classes differ", named, str(len(pairing.torn)), str(len(pairing.torn)))


def _different_counts(baseline: LooseRun, candidate: LooseRun, pairing: Pairing) -> Iterator[Notice]:
    if baseline.trials_per_scenario != candidate.trials_per_scenario:
        counts = (str(baseline.trials_per_scenario), str(candidate.trials_per_scenario))
        yield _notice("different trial counts", "", *counts)


def _one_class(baseline: LooseRun, candidate: LooseRun, pairing: Pairing) -> Iterator[Notice]:
    names = sorted(set(pairing.scenarios["scenario_class"]))
    if len(names) == 1:
        yield _notice("one class only", names[0], "", "")


def _notice(kind: str, subject: str, baseline: str, candidate: str) -> Notice:
    return Notice.model_validate({"kind": kind, "subject": subject, "baseline": baseline, "candidate": candidate})


_LOOKS: tuple[Callable[[LooseRun, LooseRun, Pairing], Iterator[Notice]], ...] = (
    _nothing_scored,
    _nothing_shared,
    _same_run,
    _different_judges,
    _different_tools,
    _different_suites,
    _different_counts,
    _one_class,
)
