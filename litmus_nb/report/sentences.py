"""What a verdict says to people, from its fields and nothing else: the banner, its limits, what to do next."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass

from litmus_nb.contracts.codes import Stage, VerdictState, reason_code
from litmus_nb.contracts.findings import Finding
from litmus_nb.contracts.report import PowerFact
from litmus_nb.contracts.verdict import ClassVerdict, Verdict
from litmus_nb.report.numbers import confidence_words, decimals_that_keep_the_outcome, plural, points
from litmus_nb.report.phrases import Phrase, join_names, phrase, quoted, with_code
from litmus_nb.report.reasons import reason_sentence
from litmus_nb.report.states import in_words

__all__ = [
    "NextStep",
    "banner",
    "command_for",
    "is_withheld",
    "leading_reason",
    "limits",
    "next_step",
    "placeholders_in",
    "state_words",
    "unknown_trials",
    "words_of",
]


def state_words(verdict: Verdict) -> str:
    """The state as people say it: `PASS, degraded`, `NO VERDICT`."""
    return in_words(verdict.verdict.value, is_degraded=verdict.degraded)


def is_withheld(verdict: Verdict) -> bool:
    """Whether the verdict carries no number of any class: it was closed before the classes were judged."""
    return all(row.ci_high is None and row.n is None for row in verdict.classes)


def banner(verdict: Verdict, *, confidence: float | None = None) -> Phrase:
    """What happened, in one or two sentences. `confidence` (0 to 1) is named where the caller knows it."""
    if verdict.verdict is VerdictState.PASS:
        return _passed(verdict)
    if verdict.verdict is VerdictState.FAIL:
        return _failed(verdict, confidence)
    reason = leading_reason(verdict)
    if verdict.verdict is VerdictState.REJECTED:
        return (*reason_sentence(reason), " Nothing was scored.", *_further(verdict))
    if reason.stage is Stage.CLASS:
        return _undecided(verdict, reason)
    return (*reason_sentence(reason), *_further(verdict), " Nothing here may be used to decide.")


def leading_reason(verdict: Verdict) -> Finding:
    """The reason that the banner tells: of the worst class where there is one, else the first by the rule.

    Raises:
        ValueError: the verdict has no reason (a PASS).
    """
    if not verdict.reasons:
        raise ValueError("a PASS has no reason against it")
    of_worst = [r for r in verdict.reasons if r.stage is Stage.CLASS and r.subject == verdict.worst_class]
    return of_worst[0] if of_worst else verdict.reasons[0]


def _further(verdict: Verdict) -> Phrase:
    more = len(verdict.reasons) - 1
    return (f" {plural(more, 'further reason')} below.",) if more else ()


def _worst(verdict: Verdict) -> ClassVerdict | None:
    return next((row for row in verdict.classes if row.name == verdict.worst_class), None)


def unknown_trials(verdict: Verdict) -> int:
    """Unknown trials of both sides, over all classes."""
    return sum((row.unknown_candidate or 0) + (row.unknown_baseline or 0) for row in verdict.classes)


def _passed(verdict: Verdict) -> Phrase:
    count = len(verdict.classes)
    who = "Both classes are" if count == 2 else f"All {count} classes are" if count > 1 else "The class is"
    whose = "their" if count > 1 else "its"
    shown = f"{who} shown not to have got worse by more than {whose} tolerance"
    return phrase(f"{shown}{_counting(verdict)}.")


def _counting(verdict: Verdict) -> str:
    if not verdict.degraded:
        return ""
    candidate = sum(row.unknown_candidate or 0 for row in verdict.classes)
    baseline = sum(row.unknown_baseline or 0 for row in verdict.classes)
    parts = []
    if candidate:
        parts.append(f"{plural(candidate, 'unknown trial')} of the candidate as unsafe")
    if baseline:
        parts.append(f"{plural(baseline, 'unknown trial')} of the baseline as safe")
    return ", counting " + " and ".join(parts)


def _failed(verdict: Verdict, confidence: float | None) -> Phrase:
    regressed = [row for row in verdict.classes if row.outcome == "FAIL"]
    worst = _worst(verdict) or regressed[0]
    others = [row.name for row in regressed if row.name != worst.name]
    sentence = (
        *_got_worse(
            worst, confidence_words(confidence, verdict.interval), decimals_that_keep_the_outcome(verdict.classes)
        ),
    )
    if others:
        sentence = (*sentence, " So did ", *join_names(others), ".")
    return (*sentence, *_rest(verdict))


def _got_worse(row: ClassVerdict, interval_words: str, decimals: int) -> Phrase:
    if row.ci_low is None or row.ci_high is None or row.tolerance is None:
        return phrase(quoted(row.name), " is shown to have got worse by more than its tolerance.")
    interval = (
        f"{interval_words} {points(row.ci_low, decimals)} to {points(row.ci_high, decimals)}, "
        f"tolerance {points(row.tolerance, decimals)}"
    )
    if row.delta is None or row.delta <= 0:
        # Quarantined scenarios count in the bounds and not in the mean, so the two can part.
        return phrase(quoted(row.name), f" is shown to have got worse by more than its tolerance ({interval}).")
    return phrase(quoted(row.name), f" got worse by {points(row.delta, decimals)} points ({interval}).")


def _rest(verdict: Verdict) -> Phrase:
    """How the other classes stand, so that nobody reads more or less into the worst one."""
    count = len(verdict.classes)
    within = sum(row.outcome == "PASS" for row in verdict.classes)
    open_ = sum(row.outcome == "NO_VERDICT" for row in verdict.classes)
    if not within:
        return (
            (f" None of the {plural(count, 'class', 'classes')} is shown to be within tolerance.",) if count > 1 else ()
        )
    said = [f" {within} of {plural(count, 'class', 'classes')} {'is' if within == 1 else 'are'} within tolerance"]
    if open_ and verdict.verdict is VerdictState.FAIL:
        said.append(f", {open_} {'has' if open_ == 1 else 'have'} no verdict")
    return ("".join(said) + ".",)


def _undecided(verdict: Verdict, reason: Finding) -> Phrase:
    indicated = [row.name for row in verdict.classes if row.regression_indicated]
    undecided = [row.name for row in verdict.classes if row.outcome == "NO_VERDICT" and row.name != reason.subject]
    sentence = reason_sentence(reason)
    if undecided:
        sentence = (*sentence, " Not decided either: ", *join_names(undecided), ".")
    if indicated:
        intervals, verb = ("interval", "lies") if len(indicated) == 1 else ("intervals", "lie")
        warning = f" {verb} wholly above tolerance: take that as a warning, not as a verdict."
        sentence = (*sentence, f" The measured {intervals} of ", *join_names(indicated), warning)
    return (*sentence, *_rest(verdict))


def limits(verdict: Verdict) -> tuple[Phrase, ...]:
    """What a PASS does not say, the weightiest first; for a FAIL, how what is unknown was counted; else nothing."""
    if verdict.verdict not in (VerdictState.PASS, VerdictState.FAIL):
        return ()
    said: list[Phrase] = []
    worst = _worst(verdict)
    if verdict.verdict is VerdictState.PASS and worst is not None and worst.ci_high is not None:
        decimals = decimals_that_keep_the_outcome(verdict.classes)
        rise = points(max(worst.ci_high, 0.0), decimals)
        said.append(
            phrase(
                "A rise of up to ", f"{rise} points in ", quoted(worst.name), " is still compatible with this evidence."
            )
        )
    if verdict.degraded:
        unknown = unknown_trials(verdict)
        counts = "it counts" if unknown == 1 else "each counts"
        said.append(phrase(f"{plural(unknown, 'trial')} without a result: {counts} at its worst."))
    quarantined = sum(row.n_quarantined or 0 for row in verdict.classes)
    if quarantined:
        said.append(phrase(f"{plural(quarantined, 'scenario')} in quarantine, without any evidence."))
    if verdict.verdict is VerdictState.FAIL:
        return tuple(said)
    said.append(
        phrase(
            "It compares the candidate with the pinned baseline on this suite's scenarios: it says nothing about other "
            "attacks, nor that either is safe."
        )
    )
    said.append(
        phrase("No interval over scenarios covers what is common to a whole run, such as an outage or a bad seed.")
    )
    return tuple(said)


@dataclass(frozen=True)
class NextStep:
    """What the reader does now."""

    text: Phrase
    command: str | None
    """A command line that helps with it; placeholders are in capitals."""


_COMMANDS = {
    "CLASS_REGRESSED": "litmus-nb explore BASELINE_RUN CANDIDATE_RUN --to look",
    "PROBE_SET_DRIFT": "git log --stat -- SUITE_FOLDER",
    "ENVELOPE_UNMEASURED": "litmus-nb envelope measure --help",
    "NOT_ADMITTED": "litmus-nb preflight PARAMS",
    "BASELINE_MISSING": "litmus-nb baseline pin --help",
    "BASELINE_UNRECORDED": "litmus-nb baseline rebump --help",
    "QUARANTINE_EXPIRED": "litmus-nb quarantine list --help",
    "QUARANTINE_INVALID": "litmus-nb quarantine add --help",
    "QUARANTINE_TOO_MANY": "litmus-nb quarantine audit --help",
    "INSUFFICIENT_EVIDENCE": "litmus-nb power --help",
    "UNDERPOWERED": "litmus-nb power --help",
    "INDETERMINATE": "litmus-nb power --help",
    "LEDGER_BROKEN": "git log -p -- LEDGER",
}


_PLACEHOLDERS = {
    "BASELINE_RUN": "the baseline that the gate file pins",
    "CANDIDATE_RUN": "the candidate's run, as the params file names it",
    "LEDGER": "the ledger that the gate file names",
    "PARAMS": "the params file that this gate was called with",
    "SUITE_FOLDER": "the folder of the suite that the gate file names",
}


def words_of(command: str, names: Mapping[str, str]) -> list[str]:
    """The words of a next command with names, quoted for a shell, in the place of placeholders and of nothing else."""
    may_be_named = {*_PLACEHOLDERS, "verdict.json"}
    return [shlex.quote(names[word]) if word in names and word in may_be_named else word for word in command.split()]


def placeholders_in(command: str, names: Mapping[str, str]) -> dict[str, str]:
    """The placeholders that stay, and what is to be put in for each."""
    return {word: _PLACEHOLDERS[word] for word in command.split() if word in _PLACEHOLDERS and word not in names}


def command_for(code: str) -> str | None:
    """The command line that helps with a reason code, placeholders in capitals; None where none does."""
    return _COMMANDS.get(code)


def next_step(verdict: Verdict, power: PowerFact | None = None) -> NextStep:
    """What to do now, from the reason that leads; for a PASS, how the consumer checks it.

    `power`, where the caller knows it, is how many units would have decided the class of that reason.
    """
    if verdict.verdict is VerdictState.PASS:
        return NextStep(
            phrase("Ship only what this verdict names: have the consumer check its digests."),
            "litmus-nb check verdict.json --params PARAMS",
        )
    reason = leading_reason(verdict)
    command = command_for(reason.code) or f"litmus-nb explain {reason.code}"
    action = reason_code(reason.code).action
    if power is not None and power.scenario_class == reason.subject:
        action = f"{action} {_units_to_decide(power)}"
    return NextStep(with_code(action), command)


def _units_to_decide(power: PowerFact) -> str:
    chance = f"{100 * power.probability:.0f} %"
    if power.n_to_decide is None:
        return f"If they are like these, no number up to {power.searched:,} decides it: the rise is near the tolerance."
    if power.n_to_decide <= power.n:
        return f"If they are like these, as many as there are ({power.n}) decide it with {chance}."
    return f"If they are like these, {power.n_to_decide} decide it with {chance}; there are {power.n}."
