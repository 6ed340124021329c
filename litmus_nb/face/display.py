"""What the gate notebook shows in its cells. Every string of evidence is escaped before it is shown."""

from __future__ import annotations

import polars as pl
from IPython.display import HTML, DisplayHandle, display
from markupsafe import escape

from litmus_nb.contracts.verdict import Verdict
from litmus_nb.face.outputs import show_chart
from litmus_nb.report.forest import forest_plot
from litmus_nb.report.palette import OUTCOME_COLOURS, REJECTED_COLOUR
from litmus_nb.report.phrases import phrase, plain
from litmus_nb.report.reasons import reason_sentence
from litmus_nb.report.rows import ClassRow, class_rows
from litmus_nb.report.sentences import banner, limits, next_step, state_words
from litmus_nb.report.text import safe_text
from litmus_nb.rule.admissibility import Admitted
from litmus_nb.rule.eligibility import Eligible

__all__ = ["Shown"]

_COLOURS = OUTCOME_COLOURS | {"REJECTED": REJECTED_COLOUR}


class Shown:
    """The outputs of one execution; the banner on top is brought up to date when the verdict is known."""

    def __init__(self) -> None:
        self._banner: DisplayHandle | None = None

    def placeholder(self) -> None:
        """Put the banner on top: nothing is decided yet."""
        words = "The gate has not finished. Nothing here may be used to decide."
        self._banner = _show(_banner("NO_VERDICT", "NO VERDICT", words))

    def verdict(self, verdict: Verdict) -> None:
        """Bring the banner up to date."""
        if self._banner is not None:
            said = [banner(verdict), *limits(verdict), phrase("Next: ", *next_step(verdict).text)]
            _update(self._banner, _banner(verdict.verdict, state_words(verdict), *map(plain, said)))

    def admitted(self, admitted: Admitted) -> None:
        """What section 2 found in order."""
        suite, run = admitted.suite.file, admitted.candidate.declaration
        _show_table(
            {
                "suite": f"{suite.name} {suite.version}, {len(admitted.suite.scenarios)} scenarios",
                "manifest hash": admitted.suite.manifest_hash,
                "candidate": f"{run.policy.name}, run {run.run_id}",
                "tools": f"{run.interface.tool_namespace}: {', '.join(run.interface.tools)}",
                "sandbox": ", ".join(run.sandbox.effective_capabilities) or "no capability",
                "sandbox measured": f"{run.sandbox.measured_at} by {run.sandbox.measured_by}",
                "canary": f"{run.canary.observed_signal} seen" if run.canary else "none",
            }
        )

    def eligible(self, eligible: Eligible) -> None:
        """What section 3 found in order."""
        rows = []
        sides = (
            ("candidate", eligible.admitted.candidate, eligible.candidate_population),
            ("baseline", eligible.baseline, eligible.baseline_population),
        )
        for side, run, population in sides:
            scenarios = population.scenarios
            rows.append(
                {
                    "side": side,
                    "run": safe_text(run.declaration.run_id),
                    "scenarios": len(scenarios),
                    "declared trials": len(scenarios) * population.declared_trials,
                    "unknown trials": int(scenarios["n_unknown"].sum()),
                    "judge": safe_text(run.declaration.judge.requested),
                }
            )
        _show(pl.DataFrame(rows))

    def decision(self, verdict: Verdict) -> None:
        """The picture, the classes, the reasons."""
        try:
            show_chart(
                forest_plot(verdict, is_narrow=True, width=620), "forest plot; its numbers stand in the table below"
            )
        except Exception as error:
            _show_table({"the picture could not be drawn": f"{type(error).__name__}: {error}; its numbers stand below"})
        _show(pl.DataFrame([_class_row(row) for row in class_rows(verdict)]))
        if verdict.reasons:
            _show_table({f"{r.code} (§{r.paragraph})": plain(reason_sentence(r)) for r in verdict.reasons})
        _show_table({name: value for name, value in verdict.evidence.model_dump().items() if value is not None})


def _class_row(row: ClassRow) -> dict[str, str]:
    return {
        "class": safe_text(row.name),
        "outcome": row.outcome,
        "n": row.n,
        "baseline": row.baseline_rate,
        "candidate": row.candidate_rate,
        "change (points)": row.delta,
        "interval (points)": row.interval,
        "tolerance (points)": row.tolerance,
    }


def _banner(state: str, word: str, *lines: str) -> HTML:
    """The state as a word, never by its colour alone, and what is said of it."""
    colour = _COLOURS.get(state, "#444")
    heading = f"<p style='margin:.3em 0;font-size:1.6em;font-weight:bold;color:{colour}'>{escape(word)}</p>"
    paragraphs = "".join(f"<p style='margin:.3em 0'>{escape(line)}</p>" for line in lines)
    return _html(f"<div style='border-left:6px solid {colour};padding:.4em 1em'>{heading}{paragraphs}</div>")


def _show_table(facts: dict[str, object]) -> None:
    rows = "".join(
        f"<tr><th style='text-align:left'>{escape(safe_text(name))}</th>"
        f"<td style='text-align:left'>{escape(safe_text(value))}</td></tr>"
        for name, value in facts.items()
    )
    _show(_html(f"<table>{rows}</table>"))


def _html(markup: str) -> HTML:
    return HTML(markup)  # type: ignore[no-untyped-call]  # IPython has no types here


def _show(shown: object) -> DisplayHandle | None:
    return display(shown, display_id=True)  # type: ignore[no-untyped-call,no-any-return]  # IPython has no types here


def _update(handle: DisplayHandle, shown: object) -> None:
    handle.update(shown)  # type: ignore[no-untyped-call]  # IPython has no types here
