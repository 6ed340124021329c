"""Every reason code, in one place: its paragraphs, its stage, the state it leads to, what it means, what to do.

Codes are forever: add, deprecate, never reuse. `docs/codes.md` is generated from this table.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

__all__ = ["CODES", "ReasonCode", "Stage", "VerdictState", "by_every_code", "reason_code"]

_T = TypeVar("_T")


class VerdictState(StrEnum):
    """What a gate can say. Only `PASS` opens it."""

    PASS = "PASS"  # noqa: S105 - a state, not a password
    FAIL = "FAIL"
    REJECTED = "REJECTED"
    NO_VERDICT = "NO_VERDICT"

    @property
    def exit_code(self) -> int:
        """The process exit status that stands for this state."""
        return _EXIT_CODES[self]


_EXIT_CODES = {VerdictState.PASS: 0, VerdictState.FAIL: 1, VerdictState.REJECTED: 3, VerdictState.NO_VERDICT: 4}


class Stage(StrEnum):
    """Where on the path a finding was made."""

    ADMISSIBILITY = "admissibility"
    ELIGIBILITY = "eligibility"
    CLASS = "class"
    EXECUTION = "execution"


@dataclass(frozen=True)
class ReasonCode:
    """A reason code and everything that is said about it anywhere."""

    name: str
    paragraphs: tuple[str, ...]
    """The rule's paragraphs that give this code."""
    stage: Stage
    state: VerdictState
    """The state that a finding of this code leads to, where nothing graver is found."""
    meaning: str
    """One plain sentence."""
    action: str
    """What the reader does next, one sentence."""


def _admissibility(name: str, paragraphs: str, meaning: str, action: str) -> ReasonCode:
    return ReasonCode(name, tuple(paragraphs.split()), Stage.ADMISSIBILITY, VerdictState.REJECTED, meaning, action)


def _eligibility(name: str, paragraphs: str, meaning: str, action: str) -> ReasonCode:
    return ReasonCode(name, tuple(paragraphs.split()), Stage.ELIGIBILITY, VerdictState.NO_VERDICT, meaning, action)


def _class(name: str, paragraphs: str, meaning: str, action: str, state: VerdictState) -> ReasonCode:
    return ReasonCode(name, tuple(paragraphs.split()), Stage.CLASS, state, meaning, action)


def _execution(name: str, paragraphs: str, meaning: str, action: str) -> ReasonCode:
    return ReasonCode(name, tuple(paragraphs.split()), Stage.EXECUTION, VerdictState.NO_VERDICT, meaning, action)


_TABLE = (
    # -- execution: our own work ---------------------------------------------------------------------------------
    _execution(
        "USAGE",
        "1",
        "The command line or the parameters are unusable, so nothing was decided.",
        "Mend the parameter that the message names and run again.",
    ),
    _execution(
        "EXECUTION_INCOMPLETE",
        "1.3",
        "The gate started and did not finish: the kernel died, a cell was skipped, or the run was interrupted.",
        "Look at the executed notebook and the log, then run the gate again.",
    ),
    _execution(
        "INTERNAL_ERROR",
        "1.4",
        "The gate itself failed. This says nothing about the candidate.",
        "Run again with --debug and report the traceback to the maintainers of litmus_nb.",
    ),
    # -- admissibility: the measurement contract -----------------------------------------------------------------
    _admissibility(
        "CONTRACT_UNREADABLE",
        "1.4 3.4 4.5",
        "The suite, the gate file or a run's declaration cannot be read, or they contradict each other.",
        "Mend the file and the field that the finding names; nothing is guessed.",
    ),
    _admissibility(
        "PROBE_SET_DRIFT",
        "2.1 2.2",
        "The scenarios are not the frozen ones, so the result is not comparable with anything that was agreed.",
        "Restore the frozen suite, or freeze the new one and measure a new baseline on it.",
    ),
    _admissibility(
        "TOOL_NAMESPACE_MISMATCH",
        "2.3",
        "The candidate speaks another tool dialect than the attacks do; an attack that cannot be delivered looks safe.",
        "Register an adapter in the gate file, or run the candidate with the suite's tool names.",
    ),
    _admissibility(
        "TOOL_MISSING",
        "2.4",
        "A tool that the scenarios attack does not exist in the candidate.",
        "Give the candidate the tool, or retire the scenarios that need it and freeze the suite anew.",
    ),
    _admissibility(
        "ADAPTER_INCOMPLETE",
        "2.4",
        "The registered adapter has no entry for a tool of the suite, and there is no fallback to the same name.",
        "Add the missing entry to the adapter in the gate file.",
    ),
    _admissibility(
        "TRACE_SCHEMA_MISMATCH",
        "2.5",
        "The candidate's traces have another form than the detectors were calibrated on.",
        "Record traces with the suite's schema, or register an adapter that names both.",
    ),
    _admissibility(
        "ENVELOPE_MISMATCH",
        "2.6",
        "The sandbox granted other capabilities than the suite was calibrated under: more or less, both count.",
        "Restore the sandbox, or calibrate the suite and measure the baseline under the new envelope.",
    ),
    _admissibility(
        "ENVELOPE_UNMEASURED",
        "2.7",
        "What the sandbox grants was declared and not measured, measured at the wrong time, or partly unknown.",
        "Measure the sandbox with `litmus-nb envelope measure` within the 24 hours before the run.",
    ),
    _admissibility(
        "CANARY_MISSING",
        "2.8 2.9",
        "The canary or its control was not run on the reference policy, so nobody knows whether the detector works.",
        "Run the canary and its control in the same sandbox and harness, and record both signals.",
    ),
    _admissibility(
        "CANARY_UNDETECTED",
        "2.8",
        "The reference policy did the forbidden act and the detector saw nothing: the instrument is broken.",
        "Repair the detector; no score of this run means anything.",
    ),
    _admissibility(
        "CANARY_NOT_DISCRIMINATING",
        "2.9",
        "The detector fires on the hardened control too: it cannot tell safe from unsafe.",
        "Repair the detector until it stays quiet on the control.",
    ),
    _admissibility(
        "NOT_ADMITTED",
        "2.10",
        "The gate asks for an admission ticket issued before the run, and there is none that fits.",
        "Run `litmus-nb preflight` (or `guard`) before the first scenario and keep its ticket with the run.",
    ),
    _admissibility(
        "EMPTY_SUITE",
        "2.11",
        "The suite declares no class, or a class without a scenario.",
        "Add scenarios to the class or remove it, and freeze the suite anew.",
    ),
    # -- eligibility: the run as a whole -------------------------------------------------------------------------
    _eligibility(
        "EVIDENCE_UNREADABLE",
        "1.4 3.10",
        "The trials cannot be read as the format says.",
        "Mend or rewrite the trials file; the finding names the line or column.",
    ),
    _eligibility(
        "BASELINE_INADMISSIBLE",
        "2.2 2.3 2.4 2.5 2.6 2.7 2.8 2.9",
        "The baseline itself violates the measurement contract, so nothing can be compared with it.",
        "Measure and pin a baseline that is admissible.",
    ),
    _eligibility(
        "RUN_INCOMPLETE",
        "3.1",
        "The run did not complete; what is missing from it is not known to be harmless.",
        "Let the run finish, then gate it.",
    ),
    _eligibility(
        "POPULATION_DRIFT",
        "3.2 3.4 3.11 4.6",
        "Other trials were scored than the suite declares: too many are unknown, or some do not belong.",
        "Find out why the trials are missing or extra, repair the harness and run them.",
    ),
    _eligibility(
        "UNDECLARED_SCENARIO",
        "3.3",
        "The trials hold a scenario that the suite does not declare.",
        "Remove the foreign rows at their source, or freeze a suite that has the scenario.",
    ),
    _eligibility(
        "DUPLICATE_TRIAL",
        "3.3",
        "One trial of a scenario is there more than once; a retry may stand beside the attempt it replaced.",
        "Keep exactly one row a trial, chosen by a rule that was fixed before the result was known.",
    ),
    _eligibility(
        "CLASS_MISMATCH",
        "3.3",
        "A row names another class than the suite gives the scenario.",
        "Write the suite's class; a scenario cannot change class in a run.",
    ),
    _eligibility(
        "JUDGE_UNRESOLVED",
        "3.5",
        "Which judge labelled the trials was not resolved to an artefact; a name is no identity.",
        "Record the digest of the judge that answered.",
    ),
    _eligibility(
        "JUDGE_DIGEST_MISMATCH",
        "3.5",
        "The judge that answered is not the pinned one.",
        "Judge again with the pinned judge, or rebump the baseline with the new one.",
    ),
    _eligibility(
        "JUDGE_TEMPLATE_DRIFT",
        "3.6",
        "The judge's template is not the suite's, or changed between baseline and candidate.",
        "Judge both runs with the suite's template; a template change needs a rebump.",
    ),
    _eligibility(
        "JUDGE_IS_CANDIDATE",
        "3.7",
        "The policy grades itself.",
        "Use an independent judge.",
    ),
    _eligibility(
        "JUDGE_BEHAVIOUR_DRIFT",
        "3.8",
        "On the anchors the judge no longer labels as it did when it was pinned.",
        "Open the judge-drift notebook; until the drift is understood no score of this judge decides.",
    ),
    _eligibility(
        "DECODING_MISMATCH",
        "3.9",
        "Candidate and baseline were sampled with different decoding parameters.",
        "Run the candidate with the baseline's decoding parameters, or rebump the baseline.",
    ),
    _eligibility(
        "LABEL_INVALID",
        "3.10",
        "A label is neither true nor false on a scored trial, or there is one on a trial that was not scored.",
        "Write true or false on scored trials and nothing on others; an unparsed judgement has the status unparsed.",
    ),
    _eligibility(
        "DETERMINISM_CONTRADICTED",
        "3.11",
        "The run claims to be deterministic, and its temperature or its own trials say otherwise.",
        "Declare `deterministic: false` and run the trials that the suite asks for.",
    ),
    _eligibility(
        "BASELINE_MISSING",
        "3.12",
        "No baseline is pinned, or the pinned one is not there.",
        "Pin a baseline with `litmus-nb baseline pin`, or restore its folder.",
    ),
    _eligibility(
        "BASELINE_HASH_MISMATCH",
        "3.12",
        "The baseline's files are not the ones that were pinned.",
        "Restore the pinned files; a new baseline needs a rebump.",
    ),
    _eligibility(
        "BASELINE_UNRECORDED",
        "3.12",
        "The ledger's latest baseline entry does not name the pinned baseline.",
        "Record the change with `litmus-nb baseline rebump`, or restore the gate file.",
    ),
    _eligibility(
        "BASELINE_MANIFEST_MISMATCH",
        "3.13",
        "The baseline was measured on other scenarios.",
        "Measure and pin a baseline on this suite.",
    ),
    _eligibility(
        "LEDGER_BROKEN",
        "1.4 3.14",
        "The ledger's chain is not whole: a line was edited, dropped, reordered or reformatted.",
        "Restore the ledger from version control; never repair it by hand.",
    ),
    _eligibility(
        "QUARANTINE_EXPIRED",
        "3.15",
        "A quarantine is older than it was allowed to become.",
        "Repair the scenario and release it, or renew the quarantine with a reason.",
    ),
    _eligibility(
        "QUARANTINE_INVALID",
        "3.15",
        "A quarantine has no reason, no whole positive age, or is about a scenario that the suite lacks.",
        "Replace the entry by a valid one with `litmus-nb quarantine add`.",
    ),
    _eligibility(
        "QUARANTINE_TOO_MANY",
        "3.15",
        "More of a class is in quarantine than the gate allows; what is left may be the easy part.",
        "Repair and release scenarios; `litmus-nb quarantine audit` shows what the list does to the class.",
    ),
    _eligibility(
        "AS_OF_INVALID",
        "3.16",
        "The day that the gate counts from lies before the run's end or the ledger's last entry.",
        "Leave as_of out, or name a day not before the evidence; a back-dated day would revive what has expired.",
    ),
    _eligibility(
        "CANDIDATE_IS_BASELINE",
        "3.17",
        "Candidate and baseline are the same run.",
        "Gate a run that was measured for the candidate.",
    ),
    _eligibility(
        "TOO_MANY_ATTEMPTS",
        "3.18",
        "This policy has used up its attempts since the baseline in force.",
        "Stop re-running until green: find the cause, or agree on a new baseline.",
    ),
    _eligibility(
        "SKIP_UNDOCUMENTED",
        "4.6",
        "A trial is unknown without a reason that the suite lists.",
        "Find out why the trial has no label; list the reason in the suite only if it is truly infrastructure.",
    ),
    _eligibility(
        "SKIP_NOT_UNIFORM",
        "4.6",
        "The unknown trials gather in one class, which infrastructure noise does not do.",
        "Look at the unknown trials of that class; run them again.",
    ),
    # -- one class -----------------------------------------------------------------------------------------------
    _class(
        "CLASS_WITHOUT_THRESHOLD",
        "4.5a",
        "The gate sets no tolerance for this class; a class nobody judged has not passed.",
        "Add the class to the gate file with a tolerance and a min_n.",
        VerdictState.NO_VERDICT,
    ),
    _class(
        "CLASS_MISSING",
        "4.5b",
        "No scenario of this class is left to compare.",
        "Release or repair quarantined scenarios, or add scenarios to the class.",
        VerdictState.NO_VERDICT,
    ),
    _class(
        "INSUFFICIENT_EVIDENCE",
        "4.5c",
        "Fewer units were compared than the gate asks for.",
        "Add scenarios to the class; `litmus-nb power` says how many.",
        VerdictState.NO_VERDICT,
    ),
    _class(
        "TOO_FEW_TRIALS",
        "4.5d",
        "A stochastic policy was tried fewer times per scenario than the suite asks for.",
        "Run more trials per scenario, or attest the run deterministic if it is.",
        VerdictState.NO_VERDICT,
    ),
    _class(
        "LOW_AGREEMENT",
        "4.5e",
        "Trials of the same scenario disagree too often for their mean to stand for the scenario.",
        "Run more trials, and look at the scenarios that flip.",
        VerdictState.NO_VERDICT,
    ),
    _class(
        "TOLERANCE_BELOW_NOISE_FLOOR",
        "4.5f",
        "The tolerance is tighter than the class's own noise.",
        "Add scenarios, or agree on a tolerance that this class can show.",
        VerdictState.NO_VERDICT,
    ),
    _class(
        "INTERVAL_NOT_APPLICABLE",
        "4.3",
        "The gate asks for the exact interval, and this class is not of single trials of single scenarios.",
        "Take `interval: exact` out of the gate file: the default interval is for classes like this one.",
        VerdictState.NO_VERDICT,
    ),
    _class(
        "UNDERPOWERED",
        "4.5g",
        "The interval is too wide to decide anything.",
        "Add scenarios to the class; `litmus-nb power` says how many.",
        VerdictState.NO_VERDICT,
    ),
    _class(
        "CLASS_REGRESSED",
        "4.5h",
        "The class is shown to have got worse by more than its tolerance.",
        "Do not ship; look at the scenarios that flipped.",
        VerdictState.FAIL,
    ),
    _class(
        "INDETERMINATE",
        "4.5j",
        "The interval straddles the tolerance: neither a regression nor its absence is shown.",
        "Add scenarios to the class; `litmus-nb power` says how many.",
        VerdictState.NO_VERDICT,
    ),
)

CODES: dict[str, ReasonCode] = {code.name: code for code in _TABLE}


def reason_code(name: str) -> ReasonCode:
    """The reason code of that name.

    Raises:
        KeyError: there is none.
    """
    return CODES[name]


def by_every_code(rows: Iterable[tuple[str, _T]], *, what: str) -> dict[str, _T]:
    """A table that says something about every reason code: a new code that it forgets is an error where it is made.

    Args:
        rows: codes and what is said about each.
        what: what the table says, for the message.

    Raises:
        TypeError: a code is missing or there twice, or there is no such code.
    """
    said: dict[str, _T] = {}
    for code, value in rows:
        if code in said or code not in CODES:
            raise TypeError(f"{what}: {code} is {'there twice' if code in said else 'no reason code'}")
        said[code] = value
    if missing := [code for code in CODES if code not in said]:
        raise TypeError(f"{what}: nothing is said about {', '.join(missing)}")
    return said
