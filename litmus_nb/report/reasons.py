"""What each reason says in plain words, made from the finding's fields and nothing else."""

from __future__ import annotations

import re
from collections.abc import Callable

from litmus_nb.contracts.codes import by_every_code, reason_code
from litmus_nb.contracts.findings import Finding
from litmus_nb.report.numbers import decimals_apart, percent, plural, points
from litmus_nb.report.phrases import Phrase, phrase, quoted, with_code

__all__ = ["reason_sentence"]


def reason_sentence(finding: Finding) -> Phrase:
    """The finding as one plain sentence; the code's meaning where its fields have another form than ours, as in a
    verdict that another version wrote.

    Raises:
        KeyError: there is no such reason code.
    """
    told = _SENTENCES[finding.code]
    try:
        sentence = told(finding)
    except (ValueError, OverflowError):  # a field that only looked like a number
        sentence = None
    return sentence or _meaning(finding)


def _meaning(finding: Finding) -> Phrase:
    return with_code(reason_code(finding.code).meaning)


_SIDE = re.compile(r"(candidate|baseline)\b")


def _side(finding: Finding) -> str:
    """`the candidate` or `the baseline`, whichever the subject is about; the candidate where it names neither."""
    match = _SIDE.match(finding.subject)
    return f"the {match[1]}" if match else "the candidate"


def _envelope(finding: Finding) -> Phrase | None:
    match = re.fullmatch(r"widened by (.*); narrowed by (.*)", finding.observed, re.DOTALL)
    if not match:
        return None
    wider, narrower = match[1], match[2]
    if narrower == "none":
        return phrase("The sandbox granted ", quoted(wider), "; the suite was calibrated without.")
    if wider == "none":
        return phrase("The sandbox withheld ", quoted(narrower), "; the suite was calibrated with it.")
    return phrase(
        "The sandbox granted ", quoted(wider), " and withheld ", quoted(narrower), ", unlike the calibration."
    )


def _namespace(finding: Finding) -> Phrase:
    suites = finding.expected.removesuffix(", or an adapter from exactly this interface")
    return phrase(
        "The candidate's tools are named in ",
        quoted(finding.observed),
        ", the attacks are written for ",
        quoted(suites),
        ", and no registered adapter translates; an attack that cannot be delivered looks safe.",
    )


def _tool_missing(finding: Finding) -> Phrase:
    return phrase("The scenarios attack the tool ", quoted(finding.subject), ", and the candidate has no such tool.")


def _probe_set(finding: Finding) -> Phrase:
    if finding.subject == "suite":
        return phrase(
            "The scenarios are not the frozen ones (",
            quoted(finding.observed),
            " instead of ",
            quoted(finding.expected),
            ").",
        )
    return phrase("The candidate's record names other scenarios than the frozen ones: ", quoted(finding.observed), ".")


def _unreadable(finding: Finding) -> Phrase:
    return phrase(
        quoted(finding.subject),
        " does not say what it must: expected ",
        quoted(finding.expected),
        ", seen ",
        quoted(finding.observed),
        ".",
    )


def _canary(finding: Finding) -> Phrase:
    return phrase(
        "The reference policy did the forbidden act and the detector reported ",
        quoted(finding.observed),
        " instead of ",
        quoted(finding.expected),
        ": the instrument is broken.",
    )


def _judge(finding: Finding) -> Phrase:
    if _side(finding) == "the baseline":
        return phrase(
            "The judge that labelled the baseline is not the pinned one (",
            quoted(finding.observed),
            " instead of ",
            quoted(finding.expected),
            ").",
        )
    return phrase(
        "The judge that answered is not the pinned one (",
        quoted(finding.observed),
        " instead of ",
        quoted(finding.expected),
        ").",
    )


def _judge_template(finding: Finding) -> Phrase:
    if "against" in finding.subject:
        return phrase("Candidate and baseline were judged by different templates.")
    return phrase(
        f"The template that judged {_side(finding)} is not the suite's (",
        quoted(finding.observed),
        " instead of ",
        quoted(finding.expected),
        ").",
    )


def _baseline_hash(finding: Finding) -> Phrase:
    return phrase(
        "The baseline's files are not the pinned ones (",
        quoted(finding.observed),
        " instead of ",
        quoted(finding.expected),
        ").",
    )


def _population(finding: Finding) -> Phrase | None:
    side, seen = _side(finding), quoted(finding.observed, limit=120)
    if finding.expected == "no unknown trial in a deterministic run":
        return phrase(f"The run of {side} says that it is deterministic, and trials have no result: ", seen, ".")
    if finding.expected == "no row of an excluded scenario":
        return phrase(f"{_capital(side)} has rows of scenarios that it excludes: ", seen, ".")
    if finding.subject.endswith(": trial"):
        return phrase(
            f"{_capital(side)} has trials that are not among the declared ", quoted(finding.expected), ": ", seen, "."
        )
    return _too_many_unknown(finding)


def _too_many_unknown(finding: Finding) -> Phrase | None:
    asked = re.fullmatch(r"at most ([0-9.e-]+) of (\d+) declared trials unknown", finding.expected)
    seen = re.match(r"(\d+) unknown, (\d+) of them without a row", finding.observed)
    if not asked or not seen:
        return None
    allowed = percent(float(asked[1])) if float(asked[1]) else "none"
    without_row = "all" if seen[1] == seen[2] else f"{seen[2]} of them"
    absent = f", {without_row} without so much as a row" if int(seen[2]) else ""
    verb = "has" if seen[1] == "1" else "have"
    share = "none may be" if allowed == "none" else f"at most {allowed} may be"
    return phrase(
        f"{seen[1]} of {_side(finding)}'s {asked[2]} trials {verb} no result{absent}; {share} unknown: "
        "a trial that was not scored is neither safe nor unsafe."
    )


def _not_uniform(finding: Finding) -> Phrase | None:
    asked = re.fullmatch(r"at most (\d+) of (\d+) declared trials unknown", finding.expected)
    if not asked or ": " not in finding.subject:
        return None
    return phrase(
        f"{_capital(_side(finding))}'s unknown trials gather in ",
        quoted(finding.subject.split(": ", 1)[1]),
        f": {int(finding.observed)} of {asked[2]}, where chance failures would leave at most {asked[1]}.",
    )


def _undocumented(finding: Finding) -> Phrase:
    return phrase(f"Trials of {_side(finding)} are unknown for a reason that the suite does not list.")


def _incomplete(finding: Finding) -> Phrase:
    return phrase(f"The run of {_side(finding)} did not complete; its status is ", quoted(finding.observed), ".")


def _expired(finding: Finding) -> Phrase | None:
    asked, seen = (
        re.fullmatch(r"at most (\d+) days old", finding.expected),
        re.fullmatch(r"(-?\d+) days", finding.observed),
    )
    if not asked or not seen:
        return None
    return phrase(
        "The quarantine of ",
        quoted(finding.subject),
        f" is {plural(int(seen[1]), 'day')} old; it may become {asked[1]}.",
    )


def _no_baseline(finding: Finding) -> Phrase:
    if finding.observed == "none":
        return phrase("The gate file pins no baseline, so there is nothing to compare with.")
    return phrase("The pinned baseline is not there: ", quoted(finding.subject), ".")


def _regressed(finding: Finding) -> Phrase | None:
    interval = _interval(finding.observed)
    if not interval:
        return None
    low, high = interval
    return phrase(
        quoted(finding.subject),
        f" got worse: its interval, {points(low)} to {points(high)} points, lies wholly above the tolerance.",
    )


def _indeterminate(finding: Finding) -> Phrase | None:
    interval = _interval(finding.observed)
    if not interval:
        return None
    low, high = interval
    return phrase(
        quoted(finding.subject),
        f" is not decided: its interval, {points(low)} to {points(high)} points, straddles "
        "the tolerance. Neither a regression nor its absence is shown.",
    )


def _interval(text: str) -> tuple[float, float] | None:
    match = re.fullmatch(r"(-?[0-9.e-]+) to (-?[0-9.e-]+)", text)
    try:
        return (float(match[1]), float(match[2])) if match else None
    except ValueError:
        return None


def _number(text: str) -> float | None:
    match = re.search(r"(-?\d[0-9.]*(?:e-?\d+)?)$", text)
    return float(match[1]) if match else None


def _underpowered(finding: Finding) -> Phrase | None:
    asked, seen = _number(finding.expected), _number(finding.observed)
    if asked is None or seen is None:
        return None
    return phrase(
        "The interval of ",
        quoted(finding.subject),
        f" is too wide to decide anything: ± {points(seen)} points, where less than ± {points(asked)} is asked for.",
    )


def _noise(finding: Finding) -> Phrase | None:
    asked, seen = _number(finding.expected), _number(finding.observed)
    if asked is None or seen is None:
        return None
    decimals = decimals_apart(seen, asked)
    return phrase(
        "The tolerance of ",
        quoted(finding.subject),
        f", {points(seen, decimals)} points, is tighter than the class's own noise, {points(asked, decimals)}.",
    )


def _insufficient(finding: Finding) -> Phrase | None:
    asked, seen = _number(finding.expected), _number(finding.observed)
    if asked is None or seen is None:
        return None
    return phrase(
        quoted(finding.subject), f" has {plural(int(seen), 'compared unit')}; the gate asks for {int(asked)}."
    )


def _few_trials(finding: Finding) -> Phrase | None:
    match = re.fullmatch(r"(candidate|baseline): at least (\d+) declared trials", finding.expected)
    if not match:
        return None
    times = "once" if finding.observed == "1" else f"{int(finding.observed)} times"
    return phrase(
        "In ",
        quoted(finding.subject),
        f", the {match[1]} was tried {times} per scenario; unless deterministic it needs {match[2]}.",
    )


def _agreement(finding: Finding) -> Phrase | None:
    match = re.fullmatch(r"(candidate|baseline): inter-trial agreement of at least ([0-9.e-]+)", finding.expected)
    if not match:
        return None
    if finding.observed == "undefined":
        told = f", whether the {match[1]}'s trials of one scenario agree cannot be known from so few."
    else:
        seen, asked = percent(float(finding.observed)), percent(float(match[2]))
        told = f", the {match[1]}'s trials of one scenario agree {seen} of the time; {asked} is asked for."
    return phrase("In ", quoted(finding.subject), told)


def _no_threshold(finding: Finding) -> Phrase:
    return phrase("The gate sets no tolerance for ", quoted(finding.subject), "; a class nobody judged has not passed.")


def _no_unit(finding: Finding) -> Phrase:
    return phrase("No scenario of ", quoted(finding.subject), " is left to compare.")


def _with_observed(finding: Finding) -> Phrase:
    meaning = with_code(reason_code(finding.code).meaning.removesuffix("."))
    return phrase(*meaning, ": ", quoted(finding.observed, limit=120), ".")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


_FROM_FIELDS: dict[str, Callable[[Finding], Phrase | None]] = {
    "CONTRACT_UNREADABLE": _unreadable,
    "EVIDENCE_UNREADABLE": _unreadable,
    "PROBE_SET_DRIFT": _probe_set,
    "TOOL_NAMESPACE_MISMATCH": _namespace,
    "TOOL_MISSING": _tool_missing,
    "ENVELOPE_MISMATCH": _envelope,
    "CANARY_UNDETECTED": _canary,
    "RUN_INCOMPLETE": _incomplete,
    "POPULATION_DRIFT": _population,
    "UNDECLARED_SCENARIO": _with_observed,
    "DUPLICATE_TRIAL": _with_observed,
    "CLASS_MISMATCH": _with_observed,
    "LABEL_INVALID": _with_observed,
    "JUDGE_DIGEST_MISMATCH": _judge,
    "JUDGE_TEMPLATE_DRIFT": _judge_template,
    "BASELINE_MISSING": _no_baseline,
    "BASELINE_HASH_MISMATCH": _baseline_hash,
    "QUARANTINE_EXPIRED": _expired,
    "SKIP_NOT_UNIFORM": _not_uniform,
    "SKIP_UNDOCUMENTED": _undocumented,
    "CLASS_WITHOUT_THRESHOLD": _no_threshold,
    "CLASS_MISSING": _no_unit,
    "INSUFFICIENT_EVIDENCE": _insufficient,
    "TOO_FEW_TRIALS": _few_trials,
    "LOW_AGREEMENT": _agreement,
    "TOLERANCE_BELOW_NOISE_FLOOR": _noise,
    "UNDERPOWERED": _underpowered,
    "CLASS_REGRESSED": _regressed,
    "INDETERMINATE": _indeterminate,
}
_BY_MEANING = (
    *("USAGE", "EXECUTION_INCOMPLETE", "INTERNAL_ERROR", "ADAPTER_INCOMPLETE", "TRACE_SCHEMA_MISMATCH"),
    *("ENVELOPE_UNMEASURED", "CANARY_MISSING", "CANARY_NOT_DISCRIMINATING", "NOT_ADMITTED", "EMPTY_SUITE"),
    *("BASELINE_INADMISSIBLE", "JUDGE_UNRESOLVED", "JUDGE_IS_CANDIDATE", "JUDGE_BEHAVIOUR_DRIFT"),
    *("DECODING_MISMATCH", "DETERMINISM_CONTRADICTED", "BASELINE_UNRECORDED", "BASELINE_MANIFEST_MISMATCH"),
    *("LEDGER_BROKEN", "QUARANTINE_INVALID", "QUARANTINE_TOO_MANY", "AS_OF_INVALID", "CANDIDATE_IS_BASELINE"),
    *("TOO_MANY_ATTEMPTS", "INTERVAL_NOT_APPLICABLE"),
)
"""Codes whose meaning is the whole sentence: their findings' fields stand below it, or add nothing to it."""
_SENTENCES = by_every_code(
    [*_FROM_FIELDS.items(), *((code, _meaning) for code in _BY_MEANING)], what="the sentence of a reason"
)
