"""Verdicts to show: one of each state, made by hand, each field plausible and none computed."""

from __future__ import annotations

from typing import Any

from litmus_nb.contracts.codes import VerdictState, reason_code
from litmus_nb.contracts.findings import Finding
from litmus_nb.contracts.verdict import Advisory, ClassVerdict, EvidenceDigests, Execution, Verdict

DIGEST = "sha256:" + "9f3c" * 16
OTHER_DIGEST = "sha256:" + "ab12" * 16


def finding(code: str, paragraph: str, subject: str, expected: str, observed: str) -> Finding:
    return Finding(
        code=code,
        paragraph=paragraph,
        stage=reason_code(code).stage,
        subject=subject,
        expected=expected,
        observed=observed,
    )


def judged(name: str, outcome: str = "PASS", **fields: Any) -> ClassVerdict:
    """A class with every number, a PASS unless told otherwise."""
    defaults: dict[str, Any] = {
        "n": 100, "n_quarantined": 0, "unknown_candidate": 0, "unknown_baseline": 0,
        "candidate_rate": 0.09, "baseline_rate": 0.09, "delta": 0.0, "ci_low": -0.056, "ci_high": 0.056,
        "half_width": 0.056, "bootstrap_low": -0.04, "bootstrap_high": 0.04, "noise_floor": 0.024, "tolerance": 0.1,
        "min_n": 50, "agreement_candidate": 1.0, "agreement_baseline": 0.98, "regression_indicated": False,
    }  # fmt: skip
    return ClassVerdict(name=name, outcome=outcome, **(defaults | fields))  # type: ignore[arg-type]


def regressed(name: str, **fields: Any) -> ClassVerdict:
    numbers = {"delta": 0.12, "ci_low": 0.051, "ci_high": 0.187, "tolerance": 0.05, "candidate_rate": 0.203}
    return judged(
        name, "FAIL", **(numbers | {"baseline_rate": 0.083, "bootstrap_low": 0.06, "bootstrap_high": 0.17} | fields)
    )


def withheld_class(name: str) -> ClassVerdict:
    numbers = dict.fromkeys(set(ClassVerdict.model_fields) - {"name", "outcome", "regression_indicated"})
    return ClassVerdict(name=name, outcome="NO_VERDICT", regression_indicated=False, **numbers)  # type: ignore[arg-type]


def verdict_of(
    state: VerdictState,
    classes: list[ClassVerdict],
    reasons: list[Finding],
    *,
    degraded: bool = False,
    worst: str | None = None,
    mean_delta: float | None = None,
    run_id: str = "run-1",
    as_of: str = "2026-11-30",
    policy: str = OTHER_DIGEST,
) -> Verdict:
    return Verdict(
        verdict=state,
        gate_open=state is VerdictState.PASS,
        degraded=degraded,
        reasons=reasons,
        classes=classes,
        worst_class=worst,
        advisory=Advisory(mean_delta=mean_delta),
        evidence=EvidenceDigests(
            manifest_hash=DIGEST, gate_sha256=DIGEST, candidate_digest=OTHER_DIGEST, policy_digest=policy,
            baseline_digest=DIGEST, ledger_head=DIGEST, ledger_length=None if state is VerdictState.REJECTED else 3,
        ),
        execution=Execution(run_id=run_id, as_of=as_of, notebook_sha256=None, litmus_nb="0.1.0"),
    )  # fmt: skip


def a_pass(**options: Any) -> Verdict:
    classes = [judged("prompt-injection"), judged("tool-misuse", ci_high=0.02)]
    return verdict_of(VerdictState.PASS, classes, [], worst="prompt-injection", mean_delta=0.0, **options)


def a_degraded_pass() -> Verdict:
    classes = [judged("prompt-injection", unknown_candidate=3, unknown_baseline=1), judged("tool-misuse")]
    return verdict_of(VerdictState.PASS, classes, [], worst="prompt-injection", mean_delta=0.0, degraded=True)


def a_fail(**options: Any) -> Verdict:
    classes = [regressed("prompt-injection"), judged("a"), judged("b"), judged("c")]
    observed = finding("CLASS_REGRESSED", "4.5h", "prompt-injection", "a lower bound of at most 0.05", "0.051 to 0.187")
    return verdict_of(VerdictState.FAIL, classes, [observed], worst="prompt-injection", mean_delta=-0.01, **options)


def a_rejection() -> Verdict:
    widened = finding(
        "ENVELOPE_MISMATCH",
        "2.6",
        "effective_capabilities",
        "fs.write:/sandbox, process.spawn",
        "widened by net.egress; narrowed by none",
    )
    return verdict_of(VerdictState.REJECTED, [], [widened])


def a_withheld() -> Verdict:
    judge = finding("JUDGE_DIGEST_MISMATCH", "3.5", "candidate", DIGEST, OTHER_DIGEST)
    classes = [withheld_class("prompt-injection"), withheld_class("tool-misuse")]
    return verdict_of(VerdictState.NO_VERDICT, classes, [judge])


def an_indeterminate() -> Verdict:
    open_ = judged("tool-misuse", "NO_VERDICT", delta=0.07, ci_low=-0.004, ci_high=0.149)
    straddles = finding(
        "INDETERMINATE",
        "4.5j",
        "tool-misuse",
        "an upper bound of at most 0.1, or a lower bound above it",
        "-0.004 to 0.149",
    )
    classes = [judged("prompt-injection"), open_]
    return verdict_of(VerdictState.NO_VERDICT, classes, [straddles], worst="tool-misuse", mean_delta=0.03)


STATES = {
    "pass": a_pass,
    "pass-degraded": a_degraded_pass,
    "fail": a_fail,
    "rejected": a_rejection,
    "no-verdict-run": a_withheld,
    "no-verdict-class": an_indeterminate,
}
