"""What history.ipynb calls: the verdicts below a folder, or of a published site, as frames and a chart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from litmus_nb.contracts.canonical import digest_of_bytes
from litmus_nb.contracts.codes import VerdictState, reason_code
from litmus_nb.contracts.published import Published
from litmus_nb.contracts.times import day_of
from litmus_nb.contracts.verdict import verdict_bytes
from litmus_nb.errors import UnreadableInput
from litmus_nb.evidence.load import read_params
from litmus_nb.face.outputs import say, show_chart
from litmus_nb.outcome.decide import decided
from litmus_nb.outcome.facts import report_facts
from litmus_nb.report.history import (
    ClassHistory,
    SuiteHistory,
    by_suite,
    in_order_of_time,
    reasons_by_month,
    states_by_month,
)
from litmus_nb.report.history_chart import history_chart
from litmus_nb.report.numbers import plural
from litmus_nb.report.phrases import plain, with_code
from litmus_nb.report.site.publish import read_site
from litmus_nb.report.site.scan import found_verdict, published_of, verdict_files
from litmus_nb.report.text import safe_text
from litmus_nb.shipped import shipped_path

__all__ = ["History", "demo_history", "load_history", "open_history"]

DEMO_SCENES = ("demo", "demo-regressed", "demo-renamed", "demo-timeouts")


@dataclass(frozen=True)
class History:
    """Verdicts over time. Every frame is made of counts and of numbers that verdicts carry; nothing is decided anew."""

    published: tuple[Published, ...]
    """The oldest first."""
    problems: tuple[str, ...] = field(default=())
    """Files that could not be read, and why."""

    @property
    def suites(self) -> list[SuiteHistory]:
        """The suites, the one with the latest verdict first."""
        return by_suite(self.published)

    def of_suite(self, name: str | None) -> History:
        """The verdicts of one suite; all of them where `name` is None."""
        kept = tuple(one for one in self.published if name is None or one.suite == name)
        return History(kept, self.problems)

    @property
    def verdicts(self) -> pl.DataFrame:
        """as_of | suite | candidate | state | worst_class | ci_high | tolerance | reasons: a row a verdict, newest
        first.
        """
        rows = [_verdict_row(one) for one in reversed(self.published)]
        return pl.DataFrame(rows, schema=_VERDICTS)

    @property
    def states(self) -> pl.DataFrame:
        """month | PASS | FAIL | REJECTED | NO_VERDICT | undecided: counts, and the share closed without a decision."""
        rows = [_month_row(month, counts) for month, counts in states_by_month(self.published).items()]
        return pl.DataFrame(rows, schema=_STATES)

    @property
    def reasons(self) -> pl.DataFrame:
        """code | verdicts | share | meaning: how many verdicts each reason stood against, the most frequent first."""
        counted = reasons_by_month(self.published)
        rows = [
            {
                "code": code,
                "verdicts": counts.total(),
                "share": counts.total() / len(self.published),
                "meaning": plain(with_code(reason_code(code).meaning)),
            }
            for code, counts in counted.items()
        ]
        return pl.DataFrame(rows, schema=_REASONS)

    def show_classes(self) -> None:
        """A chart per suite: the change of each class over time with its interval, against its tolerance."""
        for suite in self.suites:
            classes = suite.classes()
            say(f"{_shown(suite.name) or 'suite not named'}: {len(classes)} classes were judged")
            if classes:
                show_chart(history_chart(classes).to_dict(), "each class over time; the last of each stands above")

    @property
    def headroom(self) -> pl.DataFrame:
        """suite | class | judged | last | outcome | ci_high | tolerance | headroom: the nearest to its tolerance first.

        Headroom is tolerance minus upper bound at the last judgement, as a fraction; below 0 the class did not pass.
        """
        rows = [_headroom_row(suite.name, history) for suite in self.suites for history in suite.classes()]
        return pl.DataFrame(rows, schema=_HEADROOM).sort("headroom", nulls_last=False)


_VERDICTS = {
    "as_of": pl.String, "suite": pl.String, "candidate": pl.String, "state": pl.String, "worst_class": pl.String,
    "ci_high": pl.Float64, "tolerance": pl.Float64, "reasons": pl.String,
}  # fmt: skip
_STATES = {"month": pl.String, **{state.value: pl.Int64 for state in VerdictState}, "undecided": pl.Float64}
_REASONS = {"code": pl.String, "verdicts": pl.Int64, "share": pl.Float64, "meaning": pl.String}
_HEADROOM = {
    "suite": pl.String, "class": pl.String, "judged": pl.Int64, "last": pl.String, "outcome": pl.String,
    "ci_high": pl.Float64, "tolerance": pl.Float64, "headroom": pl.Float64,
}  # fmt: skip


def _month_row(month: str, counts: Counter[VerdictState]) -> dict[str, str | int | float]:
    closed = counts[VerdictState.REJECTED] + counts[VerdictState.NO_VERDICT]
    of_state = {state.value: counts[state] for state in VerdictState}
    return {"month": month, **of_state, "undecided": closed / counts.total()}


def _verdict_row(one: Published) -> dict[str, str | float | None]:
    worst = next((row for row in one.classes if row.name == one.worst_class), None)
    return {
        "as_of": one.as_of,
        "suite": _shown(one.suite),
        "candidate": _shown(one.candidate),
        "state": one.state.value + (" (degraded)" if one.degraded else ""),
        "worst_class": _shown(worst.name if worst else None),
        "ci_high": worst.ci_high if worst else None,
        "tolerance": worst.tolerance if worst else None,
        "reasons": ", ".join(one.codes),
    }


def _headroom_row(suite: str | None, history: ClassHistory) -> dict[str, str | float | int | None]:
    one, row = history.judged[-1]
    return {
        "suite": _shown(suite),
        "class": safe_text(history.name, limit=80),
        "judged": len(history.judged),
        "last": one.as_of,
        "outcome": row.outcome,
        "ci_high": row.ci_high,
        "tolerance": row.tolerance,
        "headroom": history.headroom,
    }


def _shown(name: str | None) -> str | None:
    return None if name is None else safe_text(name, limit=80)


def open_history(source: str | Path) -> History:
    """What `load_history` finds, with a word about it; the demo's four scenes where it finds nothing.

    Raises:
        UnreadableInput: the folder is a site whose record cannot be read.
    """
    history = load_history(source)
    for problem in history.problems:
        say(f"not read: {problem}")
    if history.published:
        say(f"{plural(len(history.published), 'verdict')} on {plural(len(history.suites), 'suite')}")
        return history
    say(f"No verdict lies below {safe_text(source)}: these are the demo's four scenes, decided just now.")
    return demo_history()


def load_history(source: str | Path) -> History:
    """Every verdict below a folder of reports, or everything that a site published.

    A verdict that cannot be read is told in `problems`; the others are there. An absent folder is an empty history.

    Raises:
        UnreadableInput: the folder is a site whose record cannot be read.
    """
    folder = Path(source)
    if (folder / "site.json").is_file():
        return History(tuple(in_order_of_time(read_site(folder).published)))
    published, problems = {}, []
    for path in verdict_files(folder):
        try:
            one = found_verdict(path).published
        except UnreadableInput as unreadable:
            problems.append(safe_text(unreadable))
        else:
            published[one.id] = one
    return History(tuple(in_order_of_time(published.values())), tuple(problems))


def demo_history(scenes: Sequence[str] = DEMO_SCENES) -> History:
    """The demo's scenes, decided now in this process: four verdicts of four states, for a folder without reports."""
    return History(tuple(in_order_of_time(_decided_scene(scene) for scene in scenes)))


def _decided_scene(scene: str) -> Published:
    params_file = shipped_path(f"params/{scene}.yaml")
    root = params_file.parent.parent
    params = read_params(params_file)
    there = params.model_copy(update={"gate": str(root / params.gate), "candidate": str(root / params.candidate)})
    as_of = day_of(params.as_of or "2026-11-30")
    result = decided(there, as_of=as_of, run_id=f"history-{scene}")
    facts = report_facts(result.verdict, result.evidence)
    return published_of(facts, digest_of_bytes(verdict_bytes(result.verdict)))
