"""3.5 to 3.8: who labelled the trials, with which template, and does it still judge as it did?"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from litmus_nb.contracts.findings import Finding
from litmus_nb.rule.finding import found, listed
from litmus_nb.rule.questioned import Questioned

__all__ = ["JUDGE_CHECKS"]


def check_judge_identity(asked: Questioned) -> Iterator[Finding]:
    """3.5: the run's resolved judge is there and is the suite's."""
    pinned = asked.suite.judge.digest
    for side, run in asked.sides.items():
        judge = run.declaration.judge
        if judge.resolved_digest is None:
            yield found("JUDGE_UNRESOLVED", "3.5", side, expected=pinned, observed=f"only a name: {judge.requested}")
        elif judge.resolved_digest != pinned:
            yield found("JUDGE_DIGEST_MISMATCH", "3.5", side, expected=pinned, observed=judge.resolved_digest)


def check_judge_of_each_row(asked: Questioned) -> Iterator[Finding]:
    """3.5: where rows name their judge, every scored row names the suite's."""
    pinned = asked.suite.judge.digest
    for side, _, tally in asked.tallies():
        if tally.judge_digests is None:
            continue
        seen = set(tally.judge_digests["judge_digest"])
        if None in seen:
            yield found(
                "JUDGE_UNRESOLVED", "3.5", f"{side}: judge_digest", expected=pinned, observed="scored rows without one"
            )
        if others := {digest for digest in seen if digest is not None} - {pinned}:
            yield found(
                "JUDGE_DIGEST_MISMATCH", "3.5", f"{side}: judge_digest", expected=pinned, observed=listed(others)
            )


def check_judge_template(asked: Questioned) -> Iterator[Finding]:
    """3.6: the judge's template is the suite's, and the same on both sides."""
    pinned = asked.admitted.suite.judge_template_sha256
    used = {side: run.declaration.judge.template_sha256 for side, run in asked.sides.items()}
    for side, sha256 in used.items():
        if sha256 != pinned:
            yield found("JUDGE_TEMPLATE_DRIFT", "3.6", side, expected=pinned, observed=sha256)
    if len(set(used.values())) > 1:
        yield found(
            "JUDGE_TEMPLATE_DRIFT",
            "3.6",
            "candidate against baseline",
            expected=used["baseline"],
            observed=used["candidate"],
        )


def check_judge_is_independent(asked: Questioned) -> Iterator[Finding]:
    """3.7: nobody grades their own work."""
    for side, run in asked.sides.items():
        own = run.declaration.policy.digest
        judges = {run.declaration.judge.resolved_digest, asked.suite.judge.digest}
        if run.tally is not None and run.tally.judge_digests is not None:
            judges |= set(run.tally.judge_digests["judge_digest"])
        if own in judges:
            yield found("JUDGE_IS_CANDIDATE", "3.7", side, expected="a judge other than the policy", observed=own)


def check_judge_behaviour(asked: Questioned) -> Iterator[Finding]:
    """3.8: where the suite has anchors, the judge labels them in this run as it did when it was pinned."""
    if asked.suite.anchors is not None:
        for side in asked.sides:
            yield found(
                "JUDGE_BEHAVIOUR_DRIFT",
                "3.8",
                side,
                expected="the judge's labels of the suite's anchors in this run",
                observed="none",
            )


JUDGE_CHECKS: tuple[Callable[[Questioned], Iterator[Finding]], ...] = (
    check_judge_identity,
    check_judge_of_each_row,
    check_judge_template,
    check_judge_is_independent,
    check_judge_behaviour,
)
