"""What it takes to mend what a reason code says, from the cheapest to the dearest."""

from __future__ import annotations

from enum import IntEnum

from litmus_nb.contracts.codes import by_every_code

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

_CODES_OF = {
    FixCost.WORDS: (
        *("USAGE", "EXECUTION_INCOMPLETE", "INTERNAL_ERROR", "CONTRACT_UNREADABLE", "ADAPTER_INCOMPLETE"),
        *("CLASS_MISMATCH", "BASELINE_MISSING", "BASELINE_UNRECORDED", "LEDGER_BROKEN", "QUARANTINE_EXPIRED"),
        *("QUARANTINE_INVALID", "QUARANTINE_TOO_MANY", "AS_OF_INVALID", "TOO_MANY_ATTEMPTS", "SKIP_UNDOCUMENTED"),
        *("CLASS_WITHOUT_THRESHOLD", "INTERVAL_NOT_APPLICABLE"),
    ),
    FixCost.MEASUREMENT: (
        *("ENVELOPE_MISMATCH", "ENVELOPE_UNMEASURED", "CANARY_MISSING", "CANARY_UNDETECTED"),
        *("CANARY_NOT_DISCRIMINATING", "JUDGE_UNRESOLVED", "JUDGE_BEHAVIOUR_DRIFT"),
    ),
    FixCost.ONE_RUN: (
        *("PROBE_SET_DRIFT", "TOOL_MISSING", "TOOL_NAMESPACE_MISMATCH", "TRACE_SCHEMA_MISMATCH", "RUN_INCOMPLETE"),
        *("POPULATION_DRIFT", "UNDECLARED_SCENARIO", "DUPLICATE_TRIAL", "LABEL_INVALID", "DETERMINISM_CONTRADICTED"),
        *("DECODING_MISMATCH", "CANDIDATE_IS_BASELINE", "SKIP_NOT_UNIFORM", "NOT_ADMITTED", "CLASS_REGRESSED"),
        "EVIDENCE_UNREADABLE",
    ),
    FixCost.BOTH_RUNS: (
        *("JUDGE_DIGEST_MISMATCH", "JUDGE_TEMPLATE_DRIFT", "JUDGE_IS_CANDIDATE", "BASELINE_INADMISSIBLE"),
        *("BASELINE_MANIFEST_MISMATCH", "BASELINE_HASH_MISMATCH"),
    ),
    FixCost.SCENARIOS: (
        *("EMPTY_SUITE", "CLASS_MISSING", "INSUFFICIENT_EVIDENCE", "TOO_FEW_TRIALS", "LOW_AGREEMENT"),
        *("TOLERANCE_BELOW_NOISE_FLOOR", "UNDERPOWERED", "INDETERMINATE"),
    ),
}
_COSTS = by_every_code(
    ((code, cost) for cost, codes in _CODES_OF.items() for code in codes), what="the cost of mending"
)


def fix_cost(code: str) -> FixCost:
    """What mending takes for a reason code.

    Raises:
        KeyError: there is no such code.
    """
    return _COSTS[code]
