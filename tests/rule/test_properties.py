"""Section 5, 1 to 4: monotone, ignorance never helps, order-free and reproducible, A/A never FAILs."""

from __future__ import annotations

import shutil
import subprocess
import sys

from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from litmus_nb.contracts.codes import VerdictState
from litmus_nb.rule.workflow import emit_verdict, evaluate_gate
from tests.builders import AUTO, Run, codes, decide, load, read_back, write
from tests.conformance.table import TABLE
from tests.strategies import outcome_worlds, shuffled_world

CLOSED_BY_SECTION_3 = [
    entry
    for entry in TABLE
    if set(entry.codes)
    & {"RUN_INCOMPLETE", "POPULATION_DRIFT", "UNDECLARED_SCENARIO", "DUPLICATE_TRIAL", "CLASS_MISMATCH"}
]
"""Conformance cases that 3.1 to 3.4 close."""


def is_indeterminate(decision):
    return decision.state is VerdictState.NO_VERDICT and codes(decision) == {"INDETERMINATE"}


@settings(max_examples=50)
@given(world=outcome_worlds(decisive=True), data=st.data())
def test_one_more_unsafe_outcome_never_opens_the_gate(world, data, scratch):
    """5.1"""
    safe = [row for row in world.candidate.rows if row["attack_success"] is False]
    assume(safe)
    before = decide(world, scratch())
    data.draw(st.sampled_from(safe))["attack_success"] = True
    after = decide(world, scratch())
    event(f"{before.state} to {after.state}")
    if before.state is VerdictState.FAIL or is_indeterminate(before):
        assert after.state is not VerdictState.PASS
    for earlier, later in zip(before.classes, after.classes, strict=True):
        if earlier.ci_low is not None and later.ci_low is not None:
            assert later.ci_low >= earlier.ci_low
            assert later.ci_high >= earlier.ci_high


def forget(data: st.DataObject, run: Run, how: str) -> None:
    """Take something away from a run."""
    row = data.draw(st.sampled_from(run.rows))
    if how == "unknown":
        row.update(attack_success=None, status="timeout", reason="sandbox-boot-timeout")
    elif how == "row":
        run.rows.remove(row)
    else:
        run.drop(row["scenario_id"])


@settings(max_examples=50)
@given(world=outcome_worlds(decisive=True, stories=["a little worse", "much worse"]), data=st.data())
def test_ignorance_never_opens_a_gate_that_its_numbers_close(world, data, scratch):
    """5.2, for gates closed by 4.5h and 4.5j."""
    before = decide(world, scratch())
    if not (before.state is VerdictState.FAIL or is_indeterminate(before)):
        return
    run = data.draw(st.sampled_from([world.candidate, world.baseline]))
    how = data.draw(st.sampled_from(["unknown", "row", "scenario"]))
    for _ in range(data.draw(st.integers(1, 3))):
        if run.rows:
            forget(data, run, how)
    after = decide(world, scratch())
    event(f"{before.state} to {after.state} by losing a {how}")
    assert after.state is not VerdictState.PASS


@settings(max_examples=50)
@given(entry=st.sampled_from(CLOSED_BY_SECTION_3), data=st.data())
def test_ignorance_never_opens_a_gate_that_section_3_closes(entry, data, scratch):
    """5.2, for gates closed by 3.1 to 3.4; the offending row itself aside."""
    world = entry.world()
    offending = [row for row in world.candidate.rows if row not in _sound_rows()]
    offending += [row for row in world.candidate.rows if world.candidate.rows.count(row) > 1]
    run = data.draw(st.sampled_from([world.candidate, world.baseline]))
    candidates = [row for row in run.rows if row not in offending]
    for row in data.draw(st.lists(st.sampled_from(candidates), max_size=3, unique_by=id)) if candidates else []:
        if data.draw(st.booleans()):
            row.update(attack_success=None, status="timeout", reason="sandbox-boot-timeout")
        else:
            run.rows = [other for other in run.rows if other is not row]
    assert decide(world, scratch()).state is not VerdictState.PASS


def _sound_rows():
    return TABLE[0].world().candidate.rows


@settings(max_examples=40)
@given(entry=st.sampled_from([entry for entry in TABLE if entry.verdict != "PASS"]), data=st.data())
def test_no_file_can_be_deleted_to_open_the_gate(entry, data, scratch):
    """5.2, whole files. Ledger lines count only where the head is pinned, so the ledger goes as a whole here."""
    folder = scratch()
    write(entry.world(), folder)
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != "params.yaml")
    data.draw(st.sampled_from(files)).unlink()
    second_trials_file = entry.name == "undecided-two-trials-files"
    state = evaluate_gate(read_back(folder, entry.world().as_of)).state
    # There the offending file itself may be the one that went.
    assert state is not VerdictState.PASS or second_trials_file


@given(world=outcome_worlds(unknowns=False), lines=st.integers(1, 3))
def test_ledger_lines_cannot_be_cut_off_where_the_head_is_pinned(world, lines, scratch):
    """5.2: a quarantine of count_as_failure closes; without its line the gate would open."""
    world.gate["ledger_head"] = AUTO
    for number in range(lines):
        world.quarantine(f"pi-{number % 2}", at="2026-11-25T10:00:00Z")
    world.tampered["ledger.jsonl"] = lambda content: b"".join(content.splitlines(keepends=True)[:-lines])
    assert codes(decide(world, scratch())) == {"LEDGER_BROKEN"}


@settings(max_examples=40)
@given(world=outcome_worlds(), data=st.data())
def test_order_changes_nothing_outside_evidence_and_execution(world, data, scratch):
    """5.3: rows, scenarios, classes, keys, and the format of the trials; files are pinned anew."""
    other = data.draw(shuffled_world(world))
    assert decide(world, scratch()) == decide(other, scratch())


@given(world=outcome_worlds())
def test_the_same_inputs_give_the_same_bytes(world, scratch):
    """5.3"""
    folder = scratch()
    evidence = load(world, folder)
    verdicts = [
        emit_verdict(evaluate_gate(each), each, run_id="x", as_of="2026-11-30").model_dump_json()
        for each in (evidence, read_back(folder))
    ]
    assert verdicts[0] == verdicts[1]


PROGRAM = """
import sys
from tests.builders import read_back
from pathlib import Path
from litmus_nb.rule.workflow import emit_verdict, evaluate_gate
evidence = read_back(Path(sys.argv[1]))
sys.stdout.write(emit_verdict(evaluate_gate(evidence), evidence, run_id="x", as_of="2026-11-30").model_dump_json())
"""


def test_another_process_with_another_hash_seed_gives_the_same_bytes(root, tmp_path):
    """5.3: nothing hangs on the order of a set, a dict or a thread."""
    entry = next(entry for entry in TABLE if entry.name == "undecided-rows-missing")
    write(entry.world(), tmp_path)
    given_bytes = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM, str(tmp_path)],
            cwd=root,
            env={"PYTHONHASHSEED": seed, "POLARS_MAX_THREADS": threads, "PATH": ""},
            capture_output=True,
            check=True,
        ).stdout
        for seed, threads in (("0", "1"), ("1", "2"), ("77", "4"))
    }
    assert len(given_bytes) == 1


@settings(max_examples=50)
@given(world=outcome_worlds())
def test_a_run_against_itself_never_fails(world, scratch):
    """5.4: the same rows on both sides, unknowns, families and quarantine included."""
    world.candidate.rows = [dict(row) for row in world.baseline.rows]
    decision = decide(world, scratch())
    event(decision.state)
    assert decision.state is not VerdictState.FAIL


def test_a_copied_folder_decides_the_same(tmp_path):
    """5.3: where the files lie is no part of the decision."""
    for entry in TABLE[:3]:
        write(entry.world(), tmp_path / "here")
        shutil.copytree(tmp_path / "here", tmp_path / "there")
        assert evaluate_gate(read_back(tmp_path / "here")) == evaluate_gate(read_back(tmp_path / "there"))
        shutil.rmtree(tmp_path / "here")
        shutil.rmtree(tmp_path / "there")
