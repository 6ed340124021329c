"""Section 4.5 and 1: what the numbers mean. PASS is built here and nowhere else, by a positive condition."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from litmus_nb.contracts.codes import VerdictState
from litmus_nb.contracts.findings import Finding, in_order_of_the_rule
from litmus_nb.contracts.gate import ClassThreshold
from litmus_nb.contracts.suite import SuiteFile
from litmus_nb.contracts.verdict import ClassVerdict, Outcome
from litmus_nb.errors import GateInvariantViolation, InsufficientEvidence
from litmus_nb.rule.comparison import ClassComparison, Comparison, Side, rounded
from litmus_nb.rule.decided import Decision, closed_by
from litmus_nb.rule.finding import exact, found
from litmus_nb.stats.deltas import LARGEST_EXACT_N

__all__ = ["Decision", "assert_sufficient", "closed_by", "decide"]


def decide(comparison: Comparison) -> Decision:
    """The decision that a comparison carries: PASS, FAIL, or NO_VERDICT for a class.

    Raises:
        GateInvariantViolation: there is no class, or a number is not what a number here must be.
    """
    if not comparison.classes:
        raise GateInvariantViolation("no classes: an empty comparison passes everything")
    gate, suite = comparison.eligible.admitted.gate, comparison.eligible.admitted.suite.file
    judged = [_judged(compared, gate.classes.get(compared.name), suite) for compared in comparison.classes]
    classes = tuple(verdict for verdict, _ in judged)
    outcomes = [verdict.outcome for verdict in classes]
    if "FAIL" in outcomes:
        state = VerdictState.FAIL
    elif set(outcomes) == {"PASS"}:
        state = VerdictState.PASS
    else:
        state = VerdictState.NO_VERDICT
    has_unknown = any(c.candidate.unknown_trials or c.baseline.unknown_trials for c in comparison.classes)
    return Decision(
        state=state,
        is_degraded=has_unknown and state in (VerdictState.PASS, VerdictState.FAIL),
        reasons=in_order_of_the_rule([finding for _, findings in judged for finding in findings]),
        classes=classes,
        worst_class=_worst(classes),
        mean_delta=rounded(comparison.mean_delta),
    )


def assert_sufficient(decision: Decision) -> Decision:
    """The decision, if it is one: PASS or FAIL.

    Raises:
        InsufficientEvidence: with every reason, where the state is NO_VERDICT (or REJECTED).
    """
    if decision.state in (VerdictState.PASS, VerdictState.FAIL):
        return decision
    raise InsufficientEvidence(decision.reasons)


def _judged(
    compared: ClassComparison, threshold: ClassThreshold | None, suite: SuiteFile
) -> tuple[ClassVerdict, list[Finding]]:
    findings = _obstacles(compared, threshold, suite)
    outcome: Outcome = "NO_VERDICT"
    is_wide = any(finding.code == "UNDERPOWERED" for finding in findings)
    is_regressed = _is_regressed(compared, threshold)
    if not findings:
        outcome, findings = _shown(compared, threshold)
    return _class_verdict(compared, threshold, outcome, is_regression_indicated=is_wide and is_regressed), findings


def _obstacles(compared: ClassComparison, threshold: ClassThreshold | None, suite: SuiteFile) -> list[Finding]:
    """4.5 a to g: everything that keeps the class from a decision."""
    name, findings = compared.name, []
    if threshold is None:
        findings.append(
            found("CLASS_WITHOUT_THRESHOLD", "4.5a", name, expected="a tolerance and a min_n", observed="none")
        )
    if compared.n == 0:
        findings.append(found("CLASS_MISSING", "4.5b", name, expected="at least one unit", observed="none left"))
        return findings
    if threshold is not None and compared.n < threshold.min_n:
        findings.append(
            found(
                "INSUFFICIENT_EVIDENCE", "4.5c", name, expected=f"n of at least {threshold.min_n}", observed=compared.n
            )
        )
    for side, numbers in (("candidate", compared.candidate), ("baseline", compared.baseline)):
        findings.extend(_trial_obstacles(name, side, numbers, suite))
    findings.extend(_interval_obstacles(compared, threshold, suite))
    return findings


def _interval_obstacles(
    compared: ClassComparison, threshold: ClassThreshold | None, suite: SuiteFile
) -> Iterator[Finding]:
    """4.3 and 4.5 f and g: what keeps the interval, were there enough units and trials, from deciding.

    Raises:
        GateInvariantViolation: a class with units lacks its interval or its noise floor.
    """
    name = compared.name
    if compared.unfit_for_exact is not None:
        yield found(
            "INTERVAL_NOT_APPLICABLE",
            "4.3",
            name,
            expected=f"single trials of single scenarios, at most {LARGEST_EXACT_N}",
            observed=compared.unfit_for_exact,
        )
    elif compared.bounds is None:
        raise GateInvariantViolation(f"{name} has units and no interval")
    if compared.noise_floor is None:
        raise GateInvariantViolation(f"{name} has units and no noise floor")
    if threshold is not None and exact(threshold.tolerance) < exact(compared.noise_floor):
        yield found(
            "TOLERANCE_BELOW_NOISE_FLOOR",
            "4.5f",
            name,
            expected=f"a tolerance of at least the noise floor {compared.noise_floor}",
            observed=threshold.tolerance,
        )
    half_width = compared.half_width
    if half_width is not None and half_width >= exact(suite.decision_margin):
        yield found(
            "UNDERPOWERED",
            "4.5g",
            name,
            expected=f"a half-width below {suite.decision_margin}",
            observed=rounded(half_width),
        )


def _trial_obstacles(name: str, side: str, numbers: Side, suite: SuiteFile) -> list[Finding]:
    """4.5 d and e: enough trials, and trials that agree, unless the run is attested deterministic."""
    if numbers.is_deterministic:
        return []
    findings = []
    if numbers.declared_trials < suite.min_trials:
        findings.append(
            found(
                "TOO_FEW_TRIALS",
                "4.5d",
                name,
                expected=f"{side}: at least {suite.min_trials} declared trials",
                observed=numbers.declared_trials,
            )
        )
    if numbers.agreement is None or numbers.agreement < exact(suite.min_agreement):
        findings.append(
            found(
                "LOW_AGREEMENT",
                "4.5e",
                name,
                expected=f"{side}: inter-trial agreement of at least {suite.min_agreement}",
                observed="undefined" if numbers.agreement is None else rounded(numbers.agreement),
            )
        )
    return findings


def _shown(compared: ClassComparison, threshold: ClassThreshold | None) -> tuple[Outcome, list[Finding]]:
    """4.5 h to j: what the interval shows against the tolerance."""
    if threshold is None or compared.bounds is None:
        raise GateInvariantViolation(f"{compared.name} came to its interval without a threshold or an interval")
    low, high, tolerance = exact(compared.bounds.low), exact(compared.bounds.high), exact(threshold.tolerance)
    interval = f"{compared.bounds.low} to {compared.bounds.high}"
    if low > tolerance:
        expected = f"a lower bound of at most {threshold.tolerance}"
        return "FAIL", [found("CLASS_REGRESSED", "4.5h", compared.name, expected=expected, observed=interval)]
    if high <= tolerance:
        return "PASS", []
    expected = f"an upper bound of at most {threshold.tolerance}, or a lower bound above it"
    return "NO_VERDICT", [found("INDETERMINATE", "4.5j", compared.name, expected=expected, observed=interval)]


def _is_regressed(compared: ClassComparison, threshold: ClassThreshold | None) -> bool:
    if threshold is None or compared.bounds is None:
        return False
    return exact(compared.bounds.low) > exact(threshold.tolerance)


def _class_verdict(
    compared: ClassComparison, threshold: ClassThreshold | None, outcome: Outcome, *, is_regression_indicated: bool
) -> ClassVerdict:
    bounds, bootstrap = compared.bounds, compared.bootstrap
    return ClassVerdict(
        name=compared.name,
        outcome=outcome,
        n=compared.n,
        n_quarantined=compared.n_quarantined,
        unknown_candidate=compared.candidate.unknown_trials,
        unknown_baseline=compared.baseline.unknown_trials,
        candidate_rate=rounded(compared.candidate.rate),
        baseline_rate=rounded(compared.baseline.rate),
        delta=rounded(compared.delta),
        ci_low=bounds.low if bounds else None,
        ci_high=bounds.high if bounds else None,
        half_width=rounded(compared.half_width),
        bootstrap_low=bootstrap.low if bootstrap else None,
        bootstrap_high=bootstrap.high if bootstrap else None,
        noise_floor=compared.noise_floor,
        tolerance=threshold.tolerance if threshold else None,
        min_n=threshold.min_n if threshold else None,
        agreement_candidate=rounded(compared.candidate.agreement),
        agreement_baseline=rounded(compared.baseline.agreement),
        regression_indicated=is_regression_indicated,
    )


def _worst(classes: tuple[ClassVerdict, ...]) -> str:
    def badness(verdict: ClassVerdict) -> tuple[int, bool, Fraction, str]:
        if verdict.ci_high is None or verdict.tolerance is None:
            return (_GRAVITY[verdict.outcome], False, Fraction(), verdict.name)
        return (_GRAVITY[verdict.outcome], True, exact(verdict.tolerance) - exact(verdict.ci_high), verdict.name)

    return min(classes, key=badness).name


_GRAVITY = {"FAIL": 0, "NO_VERDICT": 1, "PASS": 2}
