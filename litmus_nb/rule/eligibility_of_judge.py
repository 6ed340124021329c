"""3.5 to 3.8: who labelled the trials, with which template, and does it still judge as it did?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from litmus_nb.contracts.anchors import Anchor, AnchorTally
from litmus_nb.contracts.findings import Finding
from litmus_nb.contracts.suite import Anchors
from litmus_nb.rule.finding import exact, found, listed
from litmus_nb.rule.questioned import Questioned

if TYPE_CHECKING:
    from litmus_nb.stats.behaviour import Behaviour, BehaviourLook

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


def check_judge_of_anchors(asked: Questioned) -> Iterator[Finding]:
    """3.5: who labelled the anchors is the suite's judge too."""
    pinned = asked.suite.judge.digest
    for side, _, labels in asked.anchor_labels():
        if None in labels.judge_digests:
            yield found(
                "JUDGE_UNRESOLVED",
                "3.5",
                f"{side}: anchors",
                expected=pinned,
                observed="anchor labels without a digest",
            )
        if others := {digest for digest in labels.judge_digests if digest is not None} - {pinned}:
            yield found("JUDGE_DIGEST_MISMATCH", "3.5", f"{side}: anchors", expected=pinned, observed=listed(others))


def check_anchors_are_judged(asked: Questioned) -> Iterator[Finding]:
    """3.8: where the suite has anchors, this run's judge labelled exactly them, each as often as the others."""
    if asked.suite.anchors is None:
        return
    anchors = asked.admitted.suite.anchors
    for fault in asked.admitted.suite.anchor_faults:
        yield _not_judged(f"{fault.file} {fault.where}".strip(), fault.expected, fault.seen)
    for side, run in asked.sides.items():
        if run.anchor_labels is None:
            yield _not_judged(side, "the judge's labels of the suite's anchors in this run", "none")
        elif anchors is not None:
            for expected, observed in _faults_of_anchor_labels(anchors, run.anchor_labels, run.declaration.run_id):
                yield _not_judged(f"{side}: anchors", expected, observed)


def _not_judged(subject: str, expected: str, observed: str) -> Finding:
    return found("JUDGE_BEHAVIOUR_DRIFT", "3.8", subject, expected=expected, observed=observed)


def _faults_of_anchor_labels(
    anchors: tuple[Anchor, ...], labels: AnchorTally, run_id: str
) -> Iterator[tuple[str, str]]:
    declared = {anchor.item_id: anchor.scenario_class for anchor in anchors}
    judged = _judgements(labels)
    if absent := set(declared) - set(judged):
        yield "labels of every anchor", f"none of {listed(absent)}"
    if strange := set(judged) - set(declared):
        yield "labels of the suite's anchors only", listed(strange)
    if len(set(judged.values())) > 1:
        fewest, most = min(judged.values()), max(judged.values())
        short = listed(item_id for item_id, n in judged.items() if n < most)
        yield "as many judgements of each anchor", f"{fewest} to {most}; fewer than {most} of {short}"
    differing = [
        row["item_id"]
        for row in labels.classes_seen.iter_rows(named=True)
        if declared.get(row["item_id"], row["scenario_class"]) != row["scenario_class"]
    ]
    if differing:
        yield "each anchor in its class", f"another class of {listed(differing)}"
    if others := set(labels.run_ids) - {run_id}:
        yield f"labels given in this run, {run_id}", listed(others)
    if labels.humans:
        yield "the judge's labels alone", f"labels of humans: {listed(labels.humans)}"


def _judgements(labels: AnchorTally) -> dict[str, int]:
    """How often each item was judged."""
    rows = labels.per_item.select("item_id", "n_yes", "n_no", "n_unlabelled").iter_rows()
    return {item_id: int(sum(counts)) for item_id, *counts in rows}


def check_anchors_are_labelled(asked: Questioned) -> Iterator[Finding]:
    """3.8 with 4.6: the judge gave a label that can be read, but for the share that the suite tolerates of trials."""
    most = exact(asked.suite.max_skip_fraction)
    if asked.suite.anchors is None:
        return
    for side, _, labels in asked.anchor_labels():
        unlabelled, judgements = int(labels.per_item["n_unlabelled"].sum()), sum(_judgements(labels).values())
        if unlabelled > most * judgements:
            yield _not_judged(
                f"{side}: anchors",
                f"at most {asked.suite.max_skip_fraction} of the judgements without a label",
                f"{unlabelled} of {judgements}",
            )


def check_judge_behaviour(asked: Questioned) -> Iterator[Finding]:
    """3.8: on the anchors, the judge labels as it did when it was pinned (section 7)."""
    anchors, settings = asked.admitted.suite.anchors, asked.suite.anchors
    if settings is None or anchors is None:
        return
    # Deferred: it needs scipy, and most suites have no anchors.
    from litmus_nb.rule.judge_behaviour import judge_behaviour

    for side, run in asked.sides.items():
        labels = run.anchor_labels
        if labels is None or any(_faults_of_anchor_labels(anchors, labels, run.declaration.run_id)):
            continue
        behaviour = judge_behaviour(anchors, labels, settings, confidence=asked.gate.confidence, with_intervals=False)
        if behaviour.has_drifted:
            behaviour = judge_behaviour(anchors, labels, settings, confidence=asked.gate.confidence)
        for look in behaviour.looks:
            yield from _findings_of_look(look, side, settings, behaviour)


def _findings_of_look(look: BehaviourLook, side: str, settings: Anchors, behaviour: Behaviour) -> Iterator[Finding]:
    where = f"{side}: {look.name or 'all anchors'}"
    if look.has_fnr_risen:
        yield found(
            "JUDGE_BEHAVIOUR_DRIFT",
            "3.8",
            f"{where}: false-negative rate",
            expected=f"a rise of at most {settings.max_fnr_rise}",
            observed=f"{look.fnr_rise}, from {look.fnr_pinned} to {look.fnr_now}, lower bound {look.fnr_rise_low} "
            f"over {look.n_positive} anchors",
        )
    if look.has_agreement_fallen:
        yield found(
            "JUDGE_BEHAVIOUR_DRIFT",
            "3.8",
            f"{where}: agreement with the pinned labels",
            expected=f"at least {settings.min_agreement}",
            observed=f"{look.agreement}, between {look.agreement_low} and {look.agreement_high} "
            f"over {look.n_items} anchors",
        )
    if settings.require_power and not look.has_power:
        shown = "no anchor that humans call a success" if look.power is None else f"in {look.power:.2f} of runs"
        yield found(
            "JUDGE_BEHAVIOUR_DRIFT",
            "3.8",
            f"{where}: too few anchors",
            expected=f"a rise by {2 * settings.max_fnr_rise:g} is declared in {behaviour.power_asked} of runs",
            observed=f"{shown}, with {look.n_positive} such anchors judged {behaviour.n_now} times",
        )


JUDGE_CHECKS: tuple[Callable[[Questioned], Iterator[Finding]], ...] = (
    check_judge_identity,
    check_judge_of_each_row,
    check_judge_template,
    check_judge_is_independent,
    check_judge_of_anchors,
    check_anchors_are_judged,
    check_anchors_are_labelled,
    check_judge_behaviour,
)
