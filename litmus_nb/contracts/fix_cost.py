"""What it takes to mend what a reason code says, from the cheapest to the dearest."""

from __future__ import annotations

from enum import IntEnum

from litmus_nb.contracts.codes import CODES, Stage

__all__ = ["FixCost", "fix_cost"]


class FixCost(IntEnum):
    """How much work, in the order in which it is best done."""

    WORDS = 1
    MEASUREMENT = 2
    ONE_RUN = 3
    BOTH_RUNS = 4
    SCENARIOS = 5

    @property
    def words(self) -> str:
        """The cost in words."""
        return _WORDS[self]


_WORDS = {
    FixCost.WORDS: "a line in a file, or one command",
    FixCost.MEASUREMENT: "a measurement of minutes, no new run",
    FixCost.ONE_RUN: "one new run",
    FixCost.BOTH_RUNS: "both runs anew",
    FixCost.SCENARIOS: "more scenarios, or more trials of each, on both sides",
}

_MEASURED = {
    *("ENVELOPE_MISMATCH", "ENVELOPE_UNMEASURED", "CANARY_MISSING", "CANARY_UNDETECTED", "CANARY_NOT_DISCRIMINATING"),
    *("JUDGE_UNRESOLVED", "JUDGE_BEHAVIOUR_DRIFT"),
}
_RUN_AGAIN = {
    *("PROBE_SET_DRIFT", "TOOL_MISSING", "TOOL_NAMESPACE_MISMATCH", "TRACE_SCHEMA_MISMATCH", "RUN_INCOMPLETE"),
    *("POPULATION_DRIFT", "UNDECLARED_SCENARIO", "DUPLICATE_TRIAL", "LABEL_INVALID", "DETERMINISM_CONTRADICTED"),
    *("DECODING_MISMATCH", "CANDIDATE_IS_BASELINE", "SKIP_NOT_UNIFORM", "NOT_ADMITTED", "CLASS_REGRESSED"),
    "EVIDENCE_UNREADABLE",
}
_BOTH_AGAIN = {
    *("JUDGE_DIGEST_MISMATCH", "JUDGE_TEMPLATE_DRIFT", "JUDGE_IS_CANDIDATE", "BASELINE_INADMISSIBLE"),
    *("BASELINE_MANIFEST_MISMATCH", "BASELINE_HASH_MISMATCH"),
}
_OF_SIZE = {"TOO_FEW_TRIALS", "LOW_AGREEMENT", "CLASS_MISSING", "EMPTY_SUITE"}


def fix_cost(code: str) -> FixCost:
    """What mending takes for a reason code.

    Raises:
        KeyError: there is no such code.
    """
    if code in _MEASURED:
        return FixCost.MEASUREMENT
    if code in _RUN_AGAIN:
        return FixCost.ONE_RUN
    if code in _BOTH_AGAIN:
        return FixCost.BOTH_RUNS
    is_about_size = CODES[code].stage is Stage.CLASS and code != "CLASS_WITHOUT_THRESHOLD"
    return FixCost.SCENARIOS if code in _OF_SIZE or is_about_size else FixCost.WORDS
