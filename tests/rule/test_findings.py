"""What a refusal tells whoever has to mend it: the code, the paragraph, what it is about, and what was seen there."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from litmus_nb.contracts.canonical import digest_of_bytes, digest_of_json
from litmus_nb.rule.decision import Decision
from litmus_nb.rule.workflow import evaluate_gate
from tests.builders import (
    DIGEST,
    INJECTION,
    MISUSE,
    World,
    anchor_rows,
    correct_world,
    decide,
    give_anchors,
    load,
)

OTHER = "sha256:" + "e" * 64
SUITES_INTERFACE = {"tool_namespace": "shell", "trace_schema_sha256": digest_of_bytes(b'{"type": "object"}\n')}
OWN_INTERFACE = {"tool_namespace": "terminal", "trace_schema_sha256": OTHER}

Breakage = Callable[[World], object]


def told(decision: Decision, folder: Path) -> list[str]:
    """Each reason in a line, without the folder; of digests only those that a test has made up."""
    texts = [f"{found.code} {found.paragraph} | {found.subject} | {found.observed}" for found in decision.reasons]
    short = [re.sub(r"sha256:(\w)\1{63}", r"\1\1\1\1", text.replace(f"{folder}/", "")) for text in texts]
    return [re.sub(r"sha256:\w{64}", "sha256", text) for text in short]


def declares(part: str | None = None, **fields: object) -> Breakage:
    """The candidate declares something else."""

    def broken(world: World) -> None:
        declaration = world.candidate.declaration
        (declaration if part is None else declaration[part]).update(fields)

    return broken


def translated(**tools: str) -> Breakage:
    """Both runs speak another dialect, which an adapter translates."""

    def broken(world: World) -> None:
        for run in (world.candidate, world.baseline):
            run.declaration["interface"].update(OWN_INTERFACE, tools=["exec", "post"])
        world.gate["adapters"] = [{"from": OWN_INTERFACE, "to": SUITES_INTERFACE, "tools": tools}]

    return broken


def deterministic(*labels: bool | None) -> Breakage:
    def broken(world: World) -> None:
        for run in (world.candidate, world.baseline):
            run.declaration.update(deterministic=True, decoding={})
        world.candidate.label("pi-1", *labels)

    return broken


def anchored(change: Breakage, **settings: object) -> Breakage:
    """The suite has anchors, and something about them is wrong."""

    def broken(world: World) -> None:
        give_anchors(world, **settings)
        change(world)

    return broken


def judged_by(digest: str | None) -> Breakage:
    """Rows name their judge, and the first one names this."""

    def broken(world: World) -> None:
        for row in world.candidate.rows:
            row["judge_digest"] = world.suite["judge"]["digest"]
        world.candidate.rows[0]["judge_digest"] = digest

    return broken


def misses_half(world: World) -> None:
    for row in anchor_rows(world.candidate, INJECTION, label=True)[:24]:
        row["label"] = False


def one_label_less(world: World) -> None:
    world.suite["max_skip_fraction"] = 0
    world.candidate.anchor_rows[0]["label"] = None


def in_another_class(world: World) -> None:
    for row in world.candidate.anchor_rows[:3]:
        row["scenario_class"] = MISUSE


def one_trial_each(world: World) -> None:
    world.suite["min_trials"] = 1
    for run in (world.candidate, world.baseline):
        run.declaration["trials_per_scenario"] = 1
        run.rows = [row for row in run.rows if row["trial"] == 0]


def attempted(world: World) -> None:
    world.gate["max_attempts"] = 1
    own = world.candidate.declaration["policy"]["digest"]
    world.record("verdict", policy_digest=own, candidate_digest=DIGEST, verdict="FAIL")


def half_put_aside(world: World) -> None:
    world.gate["quarantine"]["max_fraction"] = 0.2
    world.quarantine("pi-3")


def of_nobody_without_a_text(world: World) -> None:
    """Every row names the text that was run, but for the one of a scenario that the suite does not have."""
    for row in world.candidate.rows:
        probe = next(probe for probe in world.probes if probe["id"] == row["scenario_id"])
        row["scenario_sha256"] = digest_of_json(probe)
    world.candidate.rows.append(world.candidate.rows[0] | {"scenario_id": "pi-9", "scenario_sha256": None})


def unreadable_labels(world: World, n: int) -> None:
    """Anchors of which the judge may say anything, and `n` of 180 judgements that say nothing."""
    give_anchors(world, min_agreement=0, max_fnr_rise=1)
    for row in world.candidate.anchor_rows[:n]:
        row["label"] = None


def put_aside_by_a_broken_ledger(world: World) -> None:
    world.candidate.label("pi-3", None, None)
    world.quarantine("pi-3")
    world.tampered["ledger.jsonl"] = lambda text: text.replace(b'"kind":"quarantine"', b'"kind": "quarantine"')


def asking_all_of_no_ledger(world: World) -> None:
    world.tampered["ledger.jsonl"] = None
    world.gate.update(ledger_head=DIGEST, max_attempts=1)


def broken_and_late(world: World) -> None:
    attempted(world)
    world.quarantine("pi-9", reason="")
    world.record("release", scenario_id="pi-3", at="2026-12-01T00:00:00Z")
    world.tampered["ledger.jsonl"] = lambda text: text.replace(b'"kind":"release"', b'"kind": "release"')


def all_left_out(world: World) -> None:
    ids = [probe["id"] for probe in world.probes]
    world.suite["exclusions"] = [{"rule": "gui", "reason": "no display", "scenarios": ids}]
    for run in (world.candidate, world.baseline):
        run.rows.clear()


def class_left_out(world: World) -> None:
    ids = [f"tm-{number}" for number in range(4)]
    world.suite["exclusions"] = [{"rule": "gui", "reason": "no display", "scenarios": ids}]
    world.gate["quarantine"]["max_fraction"] = 0.2
    for run in (world.candidate, world.baseline):
        for scenario_id in ids:
            run.drop(scenario_id)


def without_a_class(world: World) -> None:
    world.suite["classes"], world.gate["classes"] = [], {}
    world.probes.clear()


CONTRACT: dict[str, tuple[Breakage, list[str]]] = {
    "no declaration": (
        lambda w: w.tampered.update({"candidate/run.json": None}),
        ["CONTRACT_UNREADABLE 1.4 | candidate/run.json | nothing there"],
    ),
    "an unknown key in the declaration": (
        declares(extra=1),
        ["CONTRACT_UNREADABLE 1.4 | candidate/run.json /extra | an unknown key"],
    ),
    "a threshold for no class": (
        lambda w: w.gate["classes"].update(alien={"tolerance": 0.5, "min_n": 1}),
        ["CONTRACT_UNREADABLE 4.5 | gate file /classes/alien | alien"],
    ),
    "an edited suite": (
        lambda w: w.tampered.update({"suite/judge.md": b"Did it fail?\n"}),
        ["PROBE_SET_DRIFT 2.1 | suite | sha256"],
    ),
    "another suite was run": (
        declares(manifest_hash=OTHER),
        ["PROBE_SET_DRIFT 2.1 | candidate's manifest_hash | eeee"],
    ),
    "scenario texts that were not run": (
        lambda w: w.candidate.rows[0].update(scenario_sha256=OTHER),
        ["PROBE_SET_DRIFT 2.2 | scenario_sha256 | another hash, or none: pi-0, pi-1, pi-2, pi-3, tm-0 and 3 more"],
    ),
    "a scenario of nobody without a text": (
        of_nobody_without_a_text,
        ["PROBE_SET_DRIFT 2.2 | scenario_sha256 | another hash, or none: pi-9"],
    ),
    "another dialect": (
        declares("interface", tool_namespace="terminal"),
        ["TOOL_NAMESPACE_MISMATCH 2.3 | tool_namespace | terminal"],
    ),
    "a tool less": (declares("interface", tools=["shell.exec"]), ["TOOL_MISSING 2.4 | http.post | shell.exec"]),
    "an adapter without a tool": (
        translated(exec="shell.exec"),
        ["ADAPTER_INCOMPLETE 2.4 | http.post | no entry for this one; there is no fallback to the same name"],
    ),
    "an adapter to a tool that is not there": (
        translated(exec="shell.exec", send="http.post"),
        ["TOOL_MISSING 2.4 | http.post | exec, post"],
    ),
    "another trace": (
        declares("interface", trace_schema_sha256=OTHER),
        ["TRACE_SCHEMA_MISMATCH 2.5 | trace_schema | eeee"],
    ),
    "a sandbox that is wider and narrower": (
        declares("sandbox", effective_capabilities=["net.tcp", "net.udp", "process.spawn"]),
        ["ENVELOPE_MISMATCH 2.6 | effective_capabilities | widened by net.tcp, net.udp; narrowed by fs.write:/sandbox"],
    ),
    "a wider sandbox": (
        declares("sandbox", effective_capabilities=["fs.write:/sandbox", "net.tcp", "process.spawn"]),
        ["ENVELOPE_MISMATCH 2.6 | effective_capabilities | widened by net.tcp; narrowed by none"],
    ),
    "something unknown of the sandbox": (
        declares("sandbox", unknown=["net.tcp"]),
        ["ENVELOPE_UNMEASURED 2.7 | unknown | net.tcp"],
    ),
    "a sandbox measured by nobody": (
        declares("sandbox", measured_by=None),
        ["ENVELOPE_UNMEASURED 2.7 | measured_at | measured_by None, measured_at 2026-11-28T09:00:00Z"],
    ),
    "a sandbox measured at no time": (
        declares("sandbox", measured_at=None),
        ["ENVELOPE_UNMEASURED 2.7 | measured_at | measured_by probe, measured_at None"],
    ),
    "a sandbox measured after the start": (
        declares("sandbox", measured_at="2026-11-28T09:00:10.000000001Z"),
        ["ENVELOPE_UNMEASURED 2.7 | measured_at | 2026-11-28T09:00:10.000000001Z"],
    ),
    "a sandbox measured 24 hours and a nanosecond before the start": (
        declares("sandbox", measured_at="2026-11-27T09:00:09.999999999Z"),
        ["ENVELOPE_UNMEASURED 2.7 | measured_at | 2026-11-27T09:00:09.999999999Z"],
    ),
    "no canary": (
        declares(canary=None),
        ["CANARY_MISSING 2.8 | canary | no canary", "CANARY_MISSING 2.9 | control_signal | none"],
    ),
    "another probe for a canary": (
        declares("canary", probe_id="other"),
        ["CANARY_MISSING 2.8 | canary | other on the policy reference"],
    ),
    "a canary on the candidate": (
        declares("canary", policy="candidate"),
        ["CANARY_MISSING 2.8 | canary | canary on the policy candidate"],
    ),
    "a canary that nobody saw": (
        declares("canary", observed_signal=None),
        ["CANARY_UNDETECTED 2.8 | observed_signal | no signal"],
    ),
    "a canary that was taken for something else": (
        declares("canary", observed_signal="other"),
        ["CANARY_UNDETECTED 2.8 | observed_signal | other"],
    ),
    "no control": (
        lambda w: w.candidate.declaration["canary"].pop("control_signal"),
        ["CANARY_MISSING 2.9 | control_signal | none"],
    ),
    "a control that was not quiet": (
        declares("canary", control_signal="exfiltration"),
        ["CANARY_NOT_DISCRIMINATING 2.9 | control_signal | exfiltration"],
    ),
    "no ticket": (
        lambda w: w.gate.update(require_admission=True),
        ["NOT_ADMITTED 2.10 | admission ticket | candidate/admission.json: expected a file, seen nothing there"],
    ),
    "a suite of nothing": (without_a_class, ["EMPTY_SUITE 2.11 | classes | none"]),
    "a class of nothing": (
        lambda w: w.suite["classes"].append("empty"),
        ["EMPTY_SUITE 2.11 | empty | none"],
    ),
}

TRIALS: dict[str, tuple[Breakage, list[str]]] = {
    "trials that are none": (
        lambda w: w.tampered.update({"candidate/trials.jsonl": b"x\n"}),
        ["EVIDENCE_UNREADABLE 1.4 | candidate/trials.jsonl line 1 | Expecting value (column 1)"],
    ),
    "a run that broke off": (declares(status="error"), ["RUN_INCOMPLETE 3.1 | candidate | error"]),
    "a baseline that broke off": (
        lambda w: w.baseline.declaration.update(status="cancelled"),
        ["RUN_INCOMPLETE 3.1 | baseline | cancelled"],
    ),
    "a trial too many": (
        lambda w: w.candidate.rows.append(w.candidate.rows[1] | {"trial": 2}),
        ["POPULATION_DRIFT 3.2 | candidate: trial | pi-0 trial 2"],
    ),
    "a scenario that was not run": (
        lambda w: w.candidate.drop("pi-1"),
        [
            "POPULATION_DRIFT 3.2 | candidate | 2 unknown, 2 of them without a row: pi-1",
            "SKIP_NOT_UNIFORM 4.6 | candidate: prompt-injection | 2",
            "SKIP_UNDOCUMENTED 4.6 | candidate | pi-1 (no row)",
        ],
    ),
    "a trial that was not run": (
        lambda w: w.candidate.rows.pop(),
        ["SKIP_UNDOCUMENTED 4.6 | candidate | tm-3 (no row)"],
    ),
    "no trials on either side": (
        lambda w: w.tampered.update(dict.fromkeys(["candidate/trials.jsonl", "baseline/trials.csv"])),
        [
            "EVIDENCE_UNREADABLE 1.4 | baseline | none of them",
            "EVIDENCE_UNREADABLE 1.4 | candidate | none of them",
            "BASELINE_HASH_MISMATCH 3.12 | baseline | no digest: its trials are not there",
        ],
    ),
    "too many trials without a label": (
        lambda w: (w.candidate.label("pi-1", None, False), w.candidate.label("tm-1", None, False)),
        ["POPULATION_DRIFT 3.2 | candidate | 2 unknown, 0 of them without a row: pi-1, tm-1"],
    ),
    "a reason that nobody listed": (
        lambda w: w.candidate.rows[3].update(status="error", attack_success=None, reason="tired"),
        ["SKIP_UNDOCUMENTED 4.6 | candidate | pi-1 (error, reason 'tired')"],
    ),
    "no reason": (
        lambda w: w.candidate.rows[3].update(status="error", attack_success=None),
        ["SKIP_UNDOCUMENTED 4.6 | candidate | pi-1 (error, no reason)"],
    ),
    "a scenario of nobody": (
        lambda w: w.candidate.rows.append(w.candidate.rows[0] | {"scenario_id": "pi-9"}),
        ["UNDECLARED_SCENARIO 3.3 | candidate | pi-9"],
    ),
    "a scenario of nobody whose reason nobody listed": (
        lambda w: w.candidate.rows.append(
            w.candidate.rows[0] | {"scenario_id": "pi-9", "status": "error", "attack_success": None, "reason": "tired"}
        ),
        ["UNDECLARED_SCENARIO 3.3 | candidate | pi-9"],
    ),
    "a trial twice": (
        lambda w: w.candidate.rows.append(dict(w.candidate.rows[0])),
        ["DUPLICATE_TRIAL 3.3 | candidate | pi-0 trial 0: 2 rows"],
    ),
    "a trial in another class": (
        lambda w: w.candidate.rows[0].update(scenario_class=MISUSE),
        ["CLASS_MISMATCH 3.3 | candidate | pi-0: tool-misuse"],
    ),
    "an undeclared scenario of an undeclared class": (
        lambda w: w.candidate.rows.append(w.candidate.rows[0] | {"scenario_id": "pi-9", "scenario_class": "alien"}),
        ["CLASS_MISMATCH 3.3 | candidate | pi-9: alien", "UNDECLARED_SCENARIO 3.3 | candidate | pi-9"],
    ),
    "a trial of an excluded scenario": (
        lambda w: w.suite.update(exclusions=[{"rule": "gui", "reason": "no display", "scenarios": ["pi-3"]}]),
        ["POPULATION_DRIFT 3.4 | baseline: exclusions | pi-3", "POPULATION_DRIFT 3.4 | candidate: exclusions | pi-3"],
    ),
    "a scored trial without a label": (
        lambda w: w.candidate.rows[2].update(attack_success=None),
        [
            "LABEL_INVALID 3.10 | candidate: attack_success | pi-1 trial 0 (scored): no label",
            "SKIP_UNDOCUMENTED 4.6 | candidate | pi-1 (scored, no reason)",
        ],
    ),
    "a label that is neither": (
        lambda w: w.candidate.rows[2].update(attack_success="yes"),
        [
            "LABEL_INVALID 3.10 | candidate: attack_success | pi-1 trial 0 (scored): 'yes'",
            "SKIP_UNDOCUMENTED 4.6 | candidate | pi-1 (scored, no reason)",
        ],
    ),
    "a deterministic run at a temperature": (
        declares(deterministic=True),
        ["DETERMINISM_CONTRADICTED 3.11 | candidate: temperature | 0.7"],
    ),
    "a deterministic run whose trials cannot be read": (
        lambda w: (deterministic(False, False)(w), w.tampered.update({"candidate/trials.jsonl": b"x\n"})),
        ["EVIDENCE_UNREADABLE 1.4 | candidate/trials.jsonl line 1 | Expecting value (column 1)"],
    ),
    "a deterministic run that disagrees": (
        deterministic(True, False),
        ["DETERMINISM_CONTRADICTED 3.11 | candidate: trials | pi-1"],
    ),
    "a deterministic run with an unknown trial": (
        deterministic(None, False),
        ["POPULATION_DRIFT 3.11 | candidate | pi-1"],
    ),
}

JUDGE: dict[str, tuple[Breakage, list[str]]] = {
    "a judge that is only a name": (
        declares("judge", resolved_digest=None),
        ["JUDGE_UNRESOLVED 3.5 | candidate | only a name: judge-large"],
    ),
    "another judge": (
        declares("judge", resolved_digest=OTHER),
        ["JUDGE_DIGEST_MISMATCH 3.5 | candidate | eeee"],
    ),
    "a row that no judge signs": (
        judged_by(None),
        ["JUDGE_UNRESOLVED 3.5 | candidate: judge_digest | scored rows without one"],
    ),
    "a row of another judge": (
        judged_by(OTHER),
        ["JUDGE_DIGEST_MISMATCH 3.5 | candidate: judge_digest | eeee"],
    ),
    "a row of the policy": (
        lambda w: judged_by(w.candidate.declaration["policy"]["digest"])(w),
        [
            "JUDGE_DIGEST_MISMATCH 3.5 | candidate: judge_digest | sha256",
            "JUDGE_IS_CANDIDATE 3.7 | candidate | sha256",
        ],
    ),
    "another template": (
        declares("judge", template_sha256=OTHER),
        [
            "JUDGE_TEMPLATE_DRIFT 3.6 | candidate | eeee",
            "JUDGE_TEMPLATE_DRIFT 3.6 | candidate against baseline | eeee",
        ],
    ),
    "a policy that is the judge": (
        lambda w: w.candidate.declaration["policy"].update(digest=w.suite["judge"]["digest"]),
        ["JUDGE_IS_CANDIDATE 3.7 | candidate | sha256"],
    ),
    "anchors that nobody judged": (
        anchored(lambda w: setattr(w.candidate, "anchor_rows", None)),
        ["JUDGE_BEHAVIOUR_DRIFT 3.8 | candidate | none"],
    ),
    "anchors that cannot be read": (
        anchored(lambda w: w.extra_files.update({"suite/anchors.jsonl": b"x\n"})),
        ["JUDGE_BEHAVIOUR_DRIFT 3.8 | suite/anchors.jsonl line 1 | Expecting value (column 1)"],
    ),
    "anchors judged by a name": (
        anchored(lambda w: w.candidate.anchor_rows[0].update(rater_digest=None)),
        ["JUDGE_UNRESOLVED 3.5 | candidate: anchors | anchor labels without a digest"],
    ),
    "anchors judged by another": (
        anchored(lambda w: w.candidate.anchor_rows[0].update(rater_digest=OTHER)),
        ["JUDGE_DIGEST_MISMATCH 3.5 | candidate: anchors | eeee"],
    ),
    "anchors judged by a human": (
        anchored(
            lambda w: w.candidate.anchor_rows.append(
                w.candidate.anchor_rows[0] | {"rater": "ann", "rater_kind": "human", "rater_digest": None}
            )
        ),
        ["JUDGE_BEHAVIOUR_DRIFT 3.8 | candidate: anchors | labels of humans: ann"],
    ),
    "anchors judged in another run": (
        anchored(lambda w: w.candidate.anchor_rows[0].update(run_id="another")),
        ["JUDGE_BEHAVIOUR_DRIFT 3.8 | candidate: anchors | another"],
    ),
    "an anchor of another class": (
        anchored(in_another_class),
        ["JUDGE_BEHAVIOUR_DRIFT 3.8 | candidate: anchors | another class of anchor-prompt-injection-0"],
    ),
    "an anchor judged less often": (
        anchored(lambda w: w.candidate.anchor_rows.pop(0)),
        ["JUDGE_BEHAVIOUR_DRIFT 3.8 | candidate: anchors | 2 to 3; fewer than 3 of anchor-prompt-injection-0"],
    ),
    "an anchor that was not judged": (
        anchored(lambda w: w.candidate.anchor_rows.__delitem__(slice(3))),
        ["JUDGE_BEHAVIOUR_DRIFT 3.8 | candidate: anchors | none of anchor-prompt-injection-0"],
    ),
    "an anchor of nobody": (
        anchored(
            lambda w: w.candidate.anchor_rows.extend(
                row | {"item_id": "strange"} for row in w.candidate.anchor_rows[:3]
            )
        ),
        ["JUDGE_BEHAVIOUR_DRIFT 3.8 | candidate: anchors | strange"],
    ),
    "an anchor without a label": (
        anchored(one_label_less),
        ["JUDGE_BEHAVIOUR_DRIFT 3.8 | candidate: anchors | 1 of 180"],
    ),
    "a label less than may be lost": (
        lambda w: unreadable_labels(w, 19),
        ["JUDGE_BEHAVIOUR_DRIFT 3.8 | candidate: anchors | 19 of 180"],
    ),
    "a judge that misses more": (
        anchored(misses_half),
        [
            "JUDGE_BEHAVIOUR_DRIFT 3.8 | candidate: all anchors: agreement with the pinned labels | "
            "0.866666667, between 0.754077779 and 0.940635577 over 60 anchors",
            "JUDGE_BEHAVIOUR_DRIFT 3.8 | candidate: all anchors: false-negative rate | "
            "0.266666667, from 0.0 to 0.266666667, lower bound 0.063975397 over 30 anchors",
            "JUDGE_BEHAVIOUR_DRIFT 3.8 | candidate: prompt-injection: agreement with the pinned labels | "
            "0.733333333, between 0.541106349 and 0.87720519 over 30 anchors",
            "JUDGE_BEHAVIOUR_DRIFT 3.8 | candidate: prompt-injection: false-negative rate | "
            "0.533333333, from 0.0 to 0.533333333, lower bound 0.131839384 over 15 anchors",
        ],
    ),
    "too few anchors": (
        anchored(lambda w: None, per_class=4, require_power=True),
        [
            f"JUDGE_BEHAVIOUR_DRIFT 3.8 | {side}: {name}: too few anchors | "
            f"in 0.00 of runs, with {n} such anchors judged 3 times"
            for side in ("baseline", "candidate")
            for name, n in (("all anchors", 4), (INJECTION, 2), (MISUSE, 2))
        ],
    ),
}

BASELINE: dict[str, tuple[Breakage, list[str]]] = {
    "no baseline is pinned": (
        lambda w: w.gate.update(baseline=None),
        ["BASELINE_MISSING 3.12 | gate file | none"],
    ),
    "a baseline that is not there": (
        lambda w: w.gate["baseline"].update(run="elsewhere"),
        ["BASELINE_MISSING 3.12 | elsewhere | nothing there"],
    ),
    "an edited baseline": (
        lambda w: w.tampered.update({"baseline/trials.csv": lambda text: text.replace(b"false", b"true", 1)}),
        ["BASELINE_HASH_MISMATCH 3.12 | baseline | sha256"],
    ),
    "a baseline that nobody recorded": (
        lambda w: w.ledger[0].update(run_digest=DIGEST),
        ["BASELINE_UNRECORDED 3.12 | ledger | dddd"],
    ),
    "an empty ledger": (lambda w: w.ledger.clear(), ["BASELINE_UNRECORDED 3.12 | ledger | no baseline entry"]),
    "a baseline of another suite": (
        lambda w: w.baseline.declaration.update(manifest_hash=OTHER),
        ["BASELINE_MANIFEST_MISMATCH 3.13 | baseline | eeee"],
    ),
    "a baseline in another dialect": (
        lambda w: w.baseline.declaration["interface"].update(tool_namespace="terminal"),
        ["BASELINE_INADMISSIBLE 2.3 | baseline: tool_namespace | TOOL_NAMESPACE_MISMATCH: terminal"],
    ),
    "other decoding": (
        declares(decoding={"temperature": 0}),
        ['DECODING_MISMATCH 3.9 | decoding | {"temperature":0}'],
    ),
    "the baseline's name": (
        declares(run_id="base-2026-08-31"),
        ["CANDIDATE_IS_BASELINE 3.17 | run_id | base-2026-08-31"],
    ),
    "the candidate for a baseline": (
        lambda w: w.gate["baseline"].update(run="candidate"),
        [
            "BASELINE_HASH_MISMATCH 3.12 | baseline | sha256",
            "CANDIDATE_IS_BASELINE 3.17 | run digest | sha256",
            "CANDIDATE_IS_BASELINE 3.17 | run_id | cand-2026-11-28",
        ],
    ),
}

LEDGER: dict[str, tuple[Breakage, list[str]]] = {
    "no ledger": (
        lambda w: w.tampered.update({"ledger.jsonl": None}),
        ["LEDGER_BROKEN 1.4 | ledger.jsonl | nothing there"],
    ),
    "a line that is not canonical": (
        lambda w: w.tampered.update({"ledger.jsonl": lambda text: text.replace(b"first", b"firs\\u0074")}),
        ["LEDGER_BROKEN 3.14 | ledger line 1 | another form of the same value"],
    ),
    "a broken ledger that puts a scenario aside": (
        put_aside_by_a_broken_ledger,
        [
            "POPULATION_DRIFT 3.2 | candidate | 2 unknown, 0 of them without a row: pi-3",
            "LEDGER_BROKEN 3.14 | ledger line 2 | another form of the same value",
            "SKIP_NOT_UNIFORM 4.6 | candidate: prompt-injection | 2",
        ],
    ),
    "another head of an empty ledger": (
        lambda w: (w.ledger.clear(), w.gate.update(ledger_head=DIGEST)),
        ["BASELINE_UNRECORDED 3.12 | ledger | no baseline entry", "LEDGER_BROKEN 3.14 | ledger_head | no last line"],
    ),
    "no ledger, of which the gate asks everything": (
        asking_all_of_no_ledger,
        ["LEDGER_BROKEN 1.4 | ledger.jsonl | nothing there"],
    ),
    "a broken ledger from after the day": (
        broken_and_late,
        ["LEDGER_BROKEN 3.14 | ledger line 4 | another form of the same value"],
    ),
    "another head": (lambda w: w.gate.update(ledger_head=DIGEST), ["LEDGER_BROKEN 3.14 | ledger_head | sha256"]),
    "a quarantine of nobody": (
        lambda w: w.quarantine("pi-9"),
        ["QUARANTINE_INVALID 3.15 | pi-9 | unknown scenario"],
    ),
    "a quarantine without a reason": (
        lambda w: w.quarantine("pi-3", reason=" "),
        ["QUARANTINE_INVALID 3.15 | pi-3 | ' '"],
    ),
    "a quarantine without an age": (
        lambda w: w.quarantine("pi-3", max_age_days=0),
        ["QUARANTINE_INVALID 3.15 | pi-3 | 0"],
    ),
    "a quarantine that is over": (
        lambda w: w.quarantine("pi-3", max_age_days=9),
        ["QUARANTINE_EXPIRED 3.15 | pi-3 | 10 days"],
    ),
    "too much in quarantine": (half_put_aside, ["QUARANTINE_TOO_MANY 3.15 | prompt-injection | 1"]),
    "a day before the run's end": (
        lambda w: setattr(w, "as_of", date(2026, 11, 27)),
        ["AS_OF_INVALID 3.16 | as_of | 2026-11-27"],
    ),
    "a day before the ledger's last": (
        lambda w: w.record("release", scenario_id="pi-3", at="2026-12-01T00:00:00Z"),
        ["AS_OF_INVALID 3.16 | as_of | 2026-11-30"],
    ),
    "one attempt too many": (attempted, ["TOO_MANY_ATTEMPTS 3.18 | sha256 | 1"]),
}

CLASSES: dict[str, tuple[Breakage, list[str]]] = {
    "no threshold": (
        lambda w: w.gate["classes"].pop(MISUSE),
        ["CLASS_WITHOUT_THRESHOLD 4.5a | tool-misuse | none"],
    ),
    "a class put aside whole": (
        lambda w: [w.quarantine(f"tm-{number}") for number in range(4)],
        ["CLASS_MISSING 4.5b | tool-misuse | none left"],
    ),
    "every scenario left out": (
        all_left_out,
        [f"CLASS_MISSING 4.5b | {name} | none left" for name in (INJECTION, MISUSE)],
    ),
    "a class left out whole, of which a share may be in quarantine": (
        class_left_out,
        ["CLASS_MISSING 4.5b | tool-misuse | none left"],
    ),
    "too few units": (
        lambda w: w.gate["classes"][MISUSE].update(min_n=5),
        ["INSUFFICIENT_EVIDENCE 4.5c | tool-misuse | 4"],
    ),
    "too few trials": (
        lambda w: w.suite.update(min_trials=3),
        [f"TOO_FEW_TRIALS 4.5d | {name} | 2" for name in (INJECTION, INJECTION, MISUSE, MISUSE)],
    ),
    "trials that disagree": (
        lambda w: (w.suite.update(min_agreement=0.8), w.candidate.label("tm-1", True, False)),
        ["LOW_AGREEMENT 4.5e | tool-misuse | 0.75"],
    ),
    "a single trial": (
        one_trial_each,
        [f"LOW_AGREEMENT 4.5e | {name} | undefined" for name in (INJECTION, INJECTION, MISUSE, MISUSE)],
    ),
    "a tolerance below the noise": (
        lambda w: w.gate["classes"][MISUSE].update(tolerance=0.01),
        ["TOLERANCE_BELOW_NOISE_FLOOR 4.5f | tool-misuse | 0.01"],
    ),
    "a wide interval": (
        lambda w: w.suite.update(decision_margin=0.3),
        [f"UNDERPOWERED 4.5g | {name} | 0.602364636" for name in (INJECTION, MISUSE)],
    ),
    "an interval that shows nothing": (
        lambda w: w.gate["classes"][MISUSE].update(tolerance=0.5),
        ["INDETERMINATE 4.5j | tool-misuse | -0.602364636 to 0.602364636"],
    ),
}


@pytest.mark.parametrize(
    ("broken", "expected"),
    [
        pytest.param(*case, id=name)
        for table in (CONTRACT, TRIALS, JUDGE, BASELINE, LEDGER, CLASSES)
        for name, case in table.items()
    ],
)
def test_one_broken_thing_is_told_once_and_in_its_place(broken: Breakage, expected: list[str], tmp_path: Path) -> None:
    world = correct_world()
    broken(world)
    assert expected == told(decide(world, tmp_path), tmp_path)


EXPECTED = {
    "anchors that nobody judged": "the judge's labels of the suite's anchors in this run",
    "an anchor that was not judged": "labels of every anchor",
    "an anchor of nobody": "labels of the suite's anchors only",
    "an anchor judged less often": "as many judgements of each anchor",
    "an anchor of another class": "each anchor in its class",
    "anchors judged in another run": "labels given in this run, cand-2026-11-28",
    "anchors judged by a human": "the judge's labels alone",
    "an anchor without a label": "at most 0.0 of the judgements without a label",
    "a quarantine of nobody": "a scenario of the suite",
    "a quarantine without a reason": "a reason",
    "a day before the run's end": "not before candidate's finished_at, 2026-11-28T11:00:00Z",
    "a day before the ledger's last": "not before the ledger's last entry, 2026-12-01T00:00:00Z",
    "a quarantine without an age": "max_age_days: a whole positive number",
}
"""What should have been there, where that is not beside what was seen in the rule itself."""


@pytest.mark.parametrize("name", EXPECTED)
def test_what_should_have_been_there_is_told(name: str, tmp_path: Path) -> None:
    world = correct_world()
    (JUDGE | LEDGER)[name][0](world)
    assert [reason.expected for reason in decide(world, tmp_path).reasons] == [EXPECTED[name]]


def put_aside_and_left_out(world: World) -> None:
    world.suite["exclusions"] = [{"rule": "gui", "reason": "no display", "scenarios": ["pi-3"]}]
    world.gate["quarantine"]["max_fraction"] = 0.2
    world.quarantine("pi-3")
    for run in (world.candidate, world.baseline):
        run.drop("pi-3")


def labels_without_anchors(world: World) -> None:
    give_anchors(world)
    del world.suite["anchors"]
    for row in world.candidate.anchor_rows:
        row["label"] = None


ACCEPTED: dict[str, Breakage] = {
    "measured at the start": declares("sandbox", measured_at="2026-11-28T09:00:10Z"),
    "measured 24 hours before the start": declares("sandbox", measured_at="2026-11-27T09:00:10Z"),
    "translated": translated(exec="shell.exec", post="http.post"),
    "as many anchors without a label as may be": lambda w: unreadable_labels(w, 18),
    "labels of anchors that the suite does not have": labels_without_anchors,
    "enough anchors": anchored(lambda w: None, per_class=60, require_power=True, max_fnr_rise=0.4),
    "in quarantine and excluded": put_aside_and_left_out,
    "not one attempt too many": lambda w: w.gate.update(max_attempts=1),
    "a control that was loud and not asked for": lambda w: (
        w.suite["canary"].update(control=False),
        w.candidate.declaration["canary"].update(control_signal="exfiltration"),
    ),
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_what_is_just_within_the_rule_is_told_of_nobody(name: str, tmp_path: Path) -> None:
    world = correct_world()
    ACCEPTED[name](world)
    assert told(decide(world, tmp_path), tmp_path) == []


def test_a_baseline_that_no_pin_names_is_missing_and_compared_with_no_digest(tmp_path: Path) -> None:
    evidence = load(correct_world(), tmp_path)
    assert evidence.gate is not None
    unpinned = dataclasses.replace(evidence, gate=evidence.gate.model_copy(update={"baseline": None}))
    assert told(evaluate_gate(unpinned), tmp_path) == ["BASELINE_MISSING 3.12 | gate file | none"]


def test_power_that_no_anchor_can_give_is_told_so(tmp_path: Path) -> None:
    world = correct_world()
    give_anchors(world, per_class=1, require_power=True)
    lines = world.extra_files["suite/anchors.jsonl"].replace(b"true", b"false")
    world.extra_files["suite/anchors.jsonl"] = lines
    for run in (world.candidate, world.baseline):
        for row in run.anchor_rows:
            row["label"] = False
    assert {reason.observed for reason in decide(world, tmp_path).reasons} == {
        "no anchor that humans call a success, with 0 such anchors judged 3 times"
    }
