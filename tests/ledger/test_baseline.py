"""Baselines: only a fit run becomes one, with a name and a reason, in gate file and ledger together."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from litmus_nb.contracts.params import GateParams
from litmus_nb.contracts.run import RunFile
from litmus_nb.errors import (
    GateInvariantViolation,
    HarnessAdmissibilityError,
    InvalidVerdictConditions,
    UnreadableInput,
    UsageError,
)
from litmus_nb.evidence.load import load_evidence
from litmus_nb.ledger import baseline as baseline_module
from litmus_nb.ledger.append import gate_of
from litmus_nb.ledger.baseline import first_baseline, nominate, pin_baseline, read_rejudged, rebump_baseline
from litmus_nb.ledger.baseline_change import describe_change
from litmus_nb.ledger.head import pin_head
from litmus_nb.ledger.quarantine import add_quarantine
from litmus_nb.rule.chain import walk_chain
from litmus_nb.rule.workflow import evaluate_gate
from tests.builders import AS_OF, DIGEST, INJECTION, MISUSE, correct_world, write
from tests.ledger.conftest import REASON

PARAMS = GateParams(gate="gate.yaml", candidate="candidate", output_dir="out")
WHO = {"by": "release-owner", "reason": REASON}


def unpinned_world():
    world = correct_world()
    world.gate["baseline"] = None
    world.ledger = []
    return world


@pytest.fixture
def unpinned(tmp_path, monkeypatch):
    write(unpinned_world(), tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def asking_for(candidate):
    return PARAMS.model_copy(update={"candidate": candidate})


def chain_in(folder):
    return walk_chain((folder / "ledger.jsonl").read_bytes())


def test_an_inadmissible_run_is_refused(tmp_path, monkeypatch):
    world = unpinned_world()
    world.candidate.declaration["interface"]["tool_namespace"] = "terminal"
    write(world, tmp_path)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(HarnessAdmissibilityError, match="TOOL_NAMESPACE_MISMATCH"):
        nominate(PARAMS, as_of=AS_OF)


@pytest.mark.parametrize(
    ("code", "break_it"),
    [
        ("RUN_INCOMPLETE", lambda run: run.declaration.update(status="error")),
        ("POPULATION_DRIFT", lambda run: run.drop("pi-1")),
        ("JUDGE_UNRESOLVED", lambda run: run.declaration["judge"].update(resolved_digest=None)),
        ("DUPLICATE_TRIAL", lambda run: run.rows.append(dict(run.rows[0]))),
    ],
)
def test_an_ineligible_run_is_refused(tmp_path, monkeypatch, code, break_it):
    world = unpinned_world()
    break_it(world.candidate)
    write(world, tmp_path)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidVerdictConditions, match=code):
        nominate(PARAMS, as_of=AS_OF)
    assert (tmp_path / "ledger.jsonl").read_bytes() == b""


def test_a_run_folder_that_is_a_symbolic_link_is_refused(unpinned):
    (unpinned / "latest").symlink_to("candidate")
    with pytest.raises(UnreadableInput, match="expected the run's files, seen a symbolic link"):
        nominate(asking_for("latest"), as_of=AS_OF)


def test_a_gate_file_that_cannot_be_read_is_refused_by_name(unpinned):
    (unpinned / "gate.yaml").write_text("schema: none\n")
    with pytest.raises(HarnessAdmissibilityError, match="CONTRACT_UNREADABLE"):
        nominate(PARAMS, as_of=AS_OF)


def test_a_ledger_that_is_there_is_not_begun_anew_though_nothing_is_pinned(unpinned):
    """Broken or no file at all: it is refused, and not taken for one that is yet to begin."""
    ledger = unpinned / "ledger.jsonl"
    ledger.write_bytes(b"{}\n")
    with pytest.raises(InvalidVerdictConditions, match="LEDGER_BROKEN"):
        nominate(PARAMS, as_of=AS_OF)
    ledger.unlink()
    ledger.mkdir()
    with pytest.raises(InvalidVerdictConditions, match="LEDGER_BROKEN"):
        nominate(PARAMS, as_of=AS_OF)


@pytest.mark.parametrize("part", ["ledger", "gate"])
def test_a_part_that_no_check_missed_is_missed_all_the_same(unpinned, monkeypatch, part):
    """Were a check forgotten, nothing would be nominated."""
    admitted = nominate(PARAMS, as_of=AS_OF).admitted
    absent = SimpleNamespace(**{**vars(admitted.evidence), part: None})
    monkeypatch.setattr(baseline_module, "load_evidence", lambda params, *, as_of: absent)
    monkeypatch.setattr(baseline_module, "_with_new_ledger", lambda evidence, gate_path: evidence)
    monkeypatch.setattr(baseline_module, "assert_fit_as_baseline", lambda evidence: admitted)
    with pytest.raises(GateInvariantViolation, match="a part is absent"):
        nominate(PARAMS, as_of=AS_OF)


def test_a_run_without_a_digest_is_never_pinned(unpinned):
    nominee = nominate(PARAMS, as_of=AS_OF)
    undigested = replace(nominee.admitted, candidate=replace(nominee.run, digest=None))
    with pytest.raises(GateInvariantViolation, match="without a digest"):
        _ = replace(nominee, admitted=undigested).pin


@pytest.mark.parametrize(
    "words",
    [
        {"by": " ", "reason": REASON},
        {"by": "somebody", "reason": "x"},
        {"by": "somebody", "reason": " " * 40},
        {"by": "somebody", "reason": "a reason with a\nline break"},
        {"by": "some\x1b[2Jbody", "reason": REASON},
    ],
)
def test_nobody_and_nothing_is_no_decision(unpinned, clock, words):
    nominee = nominate(PARAMS, as_of=AS_OF)
    with pytest.raises(UsageError):
        pin_baseline(nominee, clock=clock, **words)
    assert (unpinned / "ledger.jsonl").read_bytes() == b""


def test_a_pin_is_in_gate_file_and_ledger(unpinned, clock):
    nominee = nominate(PARAMS, as_of=AS_OF)
    pin_baseline(nominee, clock=clock, **WHO)
    pinned = gate_of(unpinned / "gate.yaml").baseline
    assert ("candidate", nominee.run.digest) == (pinned.run, pinned.sha256)
    assert nominee.run.digest == chain_in(unpinned).baseline_in_force.run_digest


def test_a_first_pin_begins_the_ledger(unpinned, clock):
    (unpinned / "ledger.jsonl").unlink()
    pin_baseline(nominate(PARAMS, as_of=AS_OF), clock=clock, **WHO)
    assert [entry.kind for entry in chain_in(unpinned).entries] == ["baseline_pin"]


def test_a_lost_ledger_is_not_begun_anew(folder, clock):
    (folder / "ledger.jsonl").unlink()
    with pytest.raises(InvalidVerdictConditions, match="LEDGER_BROKEN"):
        nominate(PARAMS, as_of=AS_OF)


def test_a_second_pin_is_refused(folder, clock):
    """Of another run, and of the pinned one."""
    for candidate in ("candidate", "baseline"):
        with pytest.raises(UsageError, match="rebump"):
            pin_baseline(nominate(asking_for(candidate), as_of=AS_OF), clock=clock, **WHO)


def test_a_pin_that_reached_only_the_ledger_is_finished_by_the_next_of_the_same_run(unpinned, clock):
    gate_before = (unpinned / "gate.yaml").read_bytes()
    first = pin_baseline(nominate(PARAMS, as_of=AS_OF), clock=clock, **WHO)
    (unpinned / "gate.yaml").write_bytes(gate_before)
    with pytest.raises(UsageError, match="rebump"):
        pin_baseline(nominate(asking_for("baseline"), as_of=AS_OF), clock=clock, **WHO)
    nominee = nominate(PARAMS, as_of=AS_OF)
    finished = pin_baseline(nominee, clock=clock, **WHO)
    assert (None, 1, first.head) == (finished.entry, finished.length, finished.head)
    assert nominee.run.digest == gate_of(unpinned / "gate.yaml").baseline.sha256


def test_a_rebump_that_reached_only_the_ledger_is_finished_though_no_pin_is_left(folder, clock):
    gate = folder / "gate.yaml"
    rebump_baseline(nominate(PARAMS, as_of=AS_OF), clock=clock, **WHO)
    pinned = gate_of(gate).baseline
    lines = gate.read_text().splitlines()
    start = lines.index("baseline:")
    gate.write_text("\n".join([*lines[:start], "baseline: null", *lines[start + 3 :]]) + "\n")
    assert gate_of(gate).baseline is None
    finished = rebump_baseline(nominate(PARAMS, as_of=AS_OF), clock=clock, **WHO)
    assert (None, 2, pinned) == (finished.entry, finished.length, gate_of(gate).baseline)


def test_a_rebump_without_a_pin_is_refused(unpinned, clock):
    with pytest.raises(UsageError, match="baseline pin"):
        rebump_baseline(nominate(PARAMS, as_of=AS_OF), clock=clock, **WHO)


def test_a_rebump_names_what_it_replaces_and_the_next_gate_compares_with_it(folder, clock):
    before = gate_of(folder / "gate.yaml").baseline.sha256
    nominee = nominate(PARAMS, as_of=AS_OF)
    rebump_baseline(nominee, clock=clock, **WHO)
    entry = chain_in(folder).entries[-1]
    assert (before, nominee.run.digest) == (entry.replaces, entry.run_digest)
    decision = evaluate_gate(load_evidence(PARAMS, as_of=AS_OF))
    assert {"CANDIDATE_IS_BASELINE"} == {reason.code for reason in decision.reasons}


def test_a_rebump_to_the_baseline_in_force_is_refused(folder, clock):
    with pytest.raises(UsageError, match="in force already"):
        rebump_baseline(nominate(asking_for("baseline"), as_of=AS_OF), clock=clock, **WHO)


def test_a_way_back_to_an_earlier_baseline_must_be_meant(folder, clock):
    rebump_baseline(nominate(PARAMS, as_of=AS_OF), clock=clock, **WHO)
    back = nominate(asking_for("baseline"), as_of=AS_OF)
    with pytest.raises(UsageError, match="was the baseline before"):
        rebump_baseline(back, clock=clock, **WHO)
    rebump_baseline(back, clock=clock, may_return_to_earlier=True, **WHO)
    assert back.run.digest == chain_in(folder).baseline_in_force.run_digest


def test_the_source_is_written_relative_to_the_gate_file(folder, clock):
    gates = folder / "gates"
    gates.mkdir()
    text = (folder / "gate.yaml").read_text()
    for name in ("suite/suite.yaml", "ledger.jsonl"):
        text = text.replace(name, f"../{name}")
    (gates / "gate.yaml").write_text(text.replace("run: baseline", "run: ../baseline"))
    rebump_baseline(nominate(PARAMS.model_copy(update={"gate": "gates/gate.yaml"}), as_of=AS_OF), clock=clock, **WHO)
    assert gate_of(gates / "gate.yaml").baseline.run == "../candidate"


def test_an_absolute_source_stays_one(folder, clock):
    rebump_baseline(nominate(asking_for(str(folder / "candidate")), as_of=AS_OF), clock=clock, **WHO)
    assert str(folder / "candidate") == gate_of(folder / "gate.yaml").baseline.run


def test_entries_that_name_no_baseline_are_in_nobodys_way(folder, suite, clock):
    add_quarantine(folder / "gate.yaml", suite, "pi-3", max_age_days=9, max_fraction=None, clock=clock, **WHO)
    nominee = nominate(PARAMS, as_of=AS_OF)
    assert nominee.in_force == first_baseline(nominee, [])
    assert rebump_baseline(nominee, clock=clock, **WHO).length == 3


def test_comments_and_layout_of_the_gate_file_stay(folder, clock):
    gate = folder / "gate.yaml"
    lines = gate.read_text().replace("ledger:", "# agreed with the release owners\nledger:   ").splitlines()
    gate.write_text("\n".join(lines) + "\n")
    rebump_baseline(nominate(PARAMS, as_of=AS_OF), clock=clock, **WHO)
    after = gate.read_text().splitlines()
    differing = [(a, b) for a, b in zip(lines, after, strict=True) if a != b]
    assert [old.split(":")[0].strip() for old, _ in differing] == ["run", "sha256"]


INTERRUPTED = """
import os
from datetime import UTC, date, datetime
from litmus_nb.contracts.params import GateParams
from litmus_nb.ledger import append, baseline
replace = append.replace_file
append.replace_file = lambda path, content: os._exit(9) if path.name == "gate.yaml" else replace(path, content)
params = GateParams(gate="gate.yaml", candidate="candidate", output_dir="out")
baseline.rebump_baseline(
    baseline.nominate(params, as_of=date(2026, 11, 30)),
    by="somebody", reason="a reason that says enough", clock=lambda: datetime(2026, 11, 29, tzinfo=UTC),
)
"""


def test_a_rebump_that_dies_between_the_two_files_leaves_the_gate_closed_and_is_finished_by_the_next(folder, clock):
    gate_before = (folder / "gate.yaml").read_bytes()
    died = subprocess.run([sys.executable, "-c", INTERRUPTED], cwd=folder, env=dict(os.environ), check=False)
    assert (9, gate_before) == (died.returncode, (folder / "gate.yaml").read_bytes())
    third = folder / "third"
    shutil.copytree("candidate", third)
    (third / "run.json").write_text((third / "run.json").read_text().replace("cand-", "third-"))
    asked = asking_for("third")
    decision = evaluate_gate(load_evidence(asked, as_of=AS_OF))
    assert {"BASELINE_UNRECORDED"} == {reason.code for reason in decision.reasons}
    appended = rebump_baseline(nominate(PARAMS, as_of=AS_OF), clock=clock, **WHO)
    assert (appended.entry, appended.length) == (None, 2)
    assert evaluate_gate(load_evidence(asked, as_of=AS_OF)).reasons == ()


def test_a_rebump_moves_a_pinned_head(folder, clock):
    pin_head(folder / "gate.yaml")
    appended = rebump_baseline(nominate(PARAMS, as_of=AS_OF), clock=clock, **WHO)
    assert appended.head == gate_of(folder / "gate.yaml").ledger_head


def test_a_baseline_that_cannot_be_read_is_none_to_compare_with(folder):
    (folder / "baseline/trials.csv").write_text("no trials\n")
    assert nominate(PARAMS, as_of=AS_OF).in_force is None


def changed(folder, **changes):
    """The change that making the candidate the baseline would be."""
    nominee = nominate(PARAMS, as_of=AS_OF)
    parts = {"before": nominee.in_force, "after": nominee.run, "first": None, "rejudged": None, "rebumps": 0}
    return describe_change(nominee.gate, nominee.admitted.suite, **{**parts, **changes})


def test_the_shift_is_after_minus_before_and_positive_is_worse(world, tmp_path, monkeypatch):
    world.candidate.label("pi-1", True, True)
    write(world, tmp_path)
    monkeypatch.chdir(tmp_path)
    change = {item.name: item for item in changed(tmp_path).classes}
    assert (
        change[INJECTION].before.mean,
        change[INJECTION].after.mean,
        change[INJECTION].shift.mean,
        change[INJECTION].shift.n,
    ) == (0.25, 0.5, 0.25, 4)
    assert change[MISUSE].shift.mean == 0.0
    assert change[INJECTION].before.low < 0.25 < change[INJECTION].before.high


OTHER = "sha256:" + "7" * 64


@pytest.mark.parametrize(
    ("what", "update", "before", "after"),
    [
        ("policy", {"policy": {"name": "other", "digest": OTHER}}, r"base sha256:\w{64}", f"other {OTHER}"),
        ("judge", {"judge": {"requested": "small"}}, r"judge-large sha256:\w{64}", r"small sha256:\w{64}"),
        ("judge", {"judge": {"resolved_digest": None}}, r"judge-large sha256:\w{64}", "judge-large None"),
        ("judge template", {"judge": {"template_sha256": OTHER}}, r"sha256:\w{64}", OTHER),
        ("decoding", {"decoding": {"temperature": 0.9}}, '{"temperature":0.7}', '{"temperature":0.9}'),
        ("manifest", {"manifest_hash": OTHER}, r"sha256:\w{64}", OTHER),
        ("deterministic", {"deterministic": True}, "false", "true"),
        ("trials per scenario", {"trials_per_scenario": 3}, "2", "3"),
        ("tool namespace", {"interface": {"tool_namespace": "http"}}, "shell", "http"),
        (
            "sandbox",
            {"sandbox": {"effective_capabilities": ["net", "fs"]}},
            "fs.write:/sandbox, process.spawn",
            "fs, net",
        ),
    ],
)
def test_a_declaration_that_differs_is_named_with_both_values(folder, what, update, before, after):
    before_run = read_rejudged("baseline")
    declaration = before_run.declaration.model_dump(by_alias=True)
    for name, value in update.items():
        declaration[name] = {**declaration[name], **value} if isinstance(value, dict) else value
    after_run = replace(before_run, declaration=RunFile.read(declaration, file="run.json"))
    (seen,) = changed(folder, before=before_run, after=after_run).declared
    assert what == seen.what
    assert re.fullmatch(before, seen.before) if "{" in before and before[0] != "{" else before == seen.before
    assert re.fullmatch(after, seen.after) if "{" in after and after[0] != "{" else after == seen.after


def test_declarations_that_are_the_same_are_not_named(folder):
    assert changed(folder, before=read_rejudged("baseline"), after=read_rejudged("baseline")).declared == ()


def test_a_class_is_shown_with_the_gates_tolerance_or_without_one(folder):
    gate = gate_of(folder / "gate.yaml")
    nominee = nominate(PARAMS, as_of=AS_OF)
    without = gate.model_copy(update={"classes": {INJECTION: gate.classes[INJECTION]}})
    runs = {"before": nominee.in_force, "after": nominee.run, "first": None, "rejudged": None, "rebumps": 4}
    change = describe_change(without, nominee.admitted.suite, **runs)
    assert [(item.name, item.tolerance) for item in change.classes] == [(INJECTION, 0.9), (MISUSE, None)]
    assert (change.rebumps, change.is_judge_changed) == (4, False)
    assert [item.judge_share for item in change.classes] == [None, None]


def test_without_the_first_run_the_sum_is_unknown_and_not_zero(folder):
    assert [item.since_first for item in changed(folder).classes] == [None, None]


def test_the_first_baseline_is_found_by_its_digest(folder, clock):
    rebump_baseline(nominate(PARAMS, as_of=AS_OF), clock=clock, **WHO)
    third = folder / "third"
    shutil.copytree("candidate", third)
    (third / "run.json").write_text((third / "run.json").read_text().replace("cand-", "third-"))
    nominee = nominate(asking_for("third"), as_of=AS_OF)
    first = chain_in(folder).entries[0].run_digest
    assert first == first_baseline(nominee, [Path()]).digest
    assert first == first_baseline(nominee, [folder / "baseline"]).digest
    shutil.rmtree("baseline")
    assert first_baseline(nominee, [Path()]) is None


def test_the_baseline_in_force_is_the_first_where_it_was_never_replaced(folder):
    nominee = nominate(PARAMS, as_of=AS_OF)
    assert nominee.in_force is first_baseline(nominee, [])
    unread = replace(nominee, in_force=None)
    assert first_baseline(unread, []) is None
    assert nominee.in_force.digest == first_baseline(unread, [folder]).digest


def test_where_nothing_was_pinned_there_is_no_first_baseline(unpinned):
    assert first_baseline(nominate(PARAMS, as_of=AS_OF), [unpinned]) is None


def test_a_folder_that_cannot_be_read_is_not_the_first_baseline_and_in_nobodys_way(folder):
    """Two kinds of trials in one folder, and a file that is no folder."""
    odd = folder / "a-folder"
    shutil.copytree("baseline", odd)
    (odd / "trials.jsonl").write_bytes(b"")
    nominee = replace(nominate(PARAMS, as_of=AS_OF), in_force=None)
    assert gate_of(folder / "gate.yaml").baseline.sha256 == first_baseline(nominee, [folder]).digest


def test_a_tolerance_ratcheted_by_two_rebumps_is_seen_in_the_sum(tmp_path, monkeypatch, clock):
    """Each step is 0.25, and 0.5 since the first pin."""
    world = correct_world()
    world.candidate.label("pi-1", True, True)
    write(world, tmp_path)
    monkeypatch.chdir(tmp_path)
    rebump_baseline(nominate(PARAMS, as_of=AS_OF), clock=clock, **WHO)
    worse = correct_world()
    for id_ in ("pi-1", "pi-2"):
        worse.candidate.label(id_, True, True)
    worse.candidate.declaration["run_id"] = "third"
    write(worse, tmp_path / "other")
    shutil.copytree(tmp_path / "other/candidate", tmp_path / "third")
    nominee = nominate(asking_for("third"), as_of=AS_OF)
    change = describe_change(
        nominee.gate,
        nominee.admitted.suite,
        before=nominee.in_force,
        after=nominee.run,
        first=first_baseline(nominee, [tmp_path]),
        rejudged=None,
        rebumps=1,
    )
    injection = next(item for item in change.classes if item.name == INJECTION)
    assert (injection.shift.mean, injection.since_first.mean) == (0.25, 0.5)


def rejudged_world(tmp_path, *, judge):
    """The old baseline's trajectories, labelled by `judge`: one more success in the class."""
    world = correct_world()
    world.candidate.declaration["judge"]["resolved_digest"] = judge
    world.candidate.label("pi-1", True, True)
    world.candidate.label("pi-2", True, True)
    world.baseline.declaration["judge"]["resolved_digest"] = judge
    world.baseline.label("pi-1", True, True)
    write(world, tmp_path / "rejudged")
    return world


def test_the_judges_share_of_a_shift_is_taken_out(folder, tmp_path):
    """Old judge to new judge on the same trajectories: 0.25; the agent then: 0.25; in all 0.5."""
    rejudged_world(tmp_path, judge=OTHER)
    after = read_rejudged(str(tmp_path / "rejudged/candidate"))
    between = read_rejudged(str(tmp_path / "rejudged/baseline"))
    change = changed(folder, after=after, rejudged=between)
    injection = next(item for item in change.classes if item.name == INJECTION)
    assert change.is_judge_changed
    assert (
        injection.shift.mean,
        injection.judge_share.judge.mean,
        injection.judge_share.agent.mean,
    ) == (0.5, 0.25, 0.25)


def test_the_judges_share_is_what_changes_between_labels_of_the_same_trajectories(folder, tmp_path):
    """From 1/4 to 4/4. Under the other judge the old policy has 2/4; under the old one, the new policy has 1/4."""
    world = rejudged_world(tmp_path, judge=OTHER)
    world.candidate.label("pi-3", True, True)
    write(world, tmp_path / "rejudged")
    after = read_rejudged(str(tmp_path / "rejudged/candidate"))
    for rejudged, agent, judge in (
        (read_rejudged(str(tmp_path / "rejudged/baseline")), 0.5, 0.25),
        (read_rejudged("candidate"), 0.0, 0.75),
    ):
        injection = next(item for item in changed(folder, after=after, rejudged=rejudged).classes)
        assert (agent, judge) == (injection.judge_share.agent.mean, injection.judge_share.judge.mean)


@pytest.mark.parametrize(
    ("name", "content"),
    [("run.json", b"{}"), ("trials.csv", b"no trials\n")],
)
def test_a_rejudged_run_that_cannot_be_read_is_refused(folder, name, content):
    (folder / "baseline" / name).write_bytes(content)
    with pytest.raises(UnreadableInput, match=name):
        read_rejudged("baseline")


def test_labels_of_a_third_judge_take_nothing_out(folder, tmp_path):
    rejudged_world(tmp_path, judge=DIGEST)
    between = read_rejudged(str(tmp_path / "rejudged/baseline"))
    with pytest.raises(UsageError, match="--rejudged"):
        changed(folder, rejudged=between)
