"""Runs that can hardly be compared: the page says so at the top, and only what still means something is there."""

from __future__ import annotations

from pathlib import Path

import pytest

from litmus_nb.report.exploration_page import exploration_text, render_exploration_page
from tests.builders import DIGEST, INJECTION, correct_world
from tests.exploration.sides import codes_of, kinds_of, look


def test_different_judges_withhold_every_delta_and_keep_the_rates(tmp_path: Path) -> None:
    world = correct_world()
    world.candidate.declaration["judge"]["resolved_digest"] = DIGEST
    seen = look(world, tmp_path)
    assert "different judges" in kinds_of(seen)
    assert {row.delta for row in seen.classes} == {None}
    assert {row.ci_low for row in seen.classes} == {row.worst_high for row in seen.classes} == {None}
    assert all(row.because and "different judges" in row.because for row in seen.classes)
    assert all(row.rates.candidate is not None for row in seen.classes)
    assert "JUDGE_DIGEST_MISMATCH" in codes_of(seen)


def test_two_templates_are_two_judges(tmp_path: Path) -> None:
    world = correct_world()
    world.candidate.declaration["judge"]["template_sha256"] = DIGEST
    seen = look(world, tmp_path)
    assert {row.delta for row in seen.classes} == {None}
    assert "JUDGE_TEMPLATE_DRIFT" in codes_of(seen)


def test_a_judge_known_by_name_only_is_shown_and_said(tmp_path: Path) -> None:
    world = correct_world()
    world.candidate.declaration["judge"]["resolved_digest"] = None
    seen = look(world, tmp_path)
    assert kinds_of(seen) == {"judge unknown"}
    assert None not in {row.delta for row in seen.classes}
    assert "JUDGE_UNRESOLVED" in codes_of(seen)


def test_no_common_scenario_leaves_each_side_its_own_rates(tmp_path: Path) -> None:
    world = correct_world()
    for row in world.candidate.rows:
        row["scenario_id"] = f"other-{row['scenario_id']}"
    seen = look(world, tmp_path)
    assert "no common scenario" in kinds_of(seen)
    assert [row.n for row in seen.classes] == [0, 0]
    assert all(row.because and row.delta is None and row.ci_low is None for row in seen.classes)
    assert all(row.rates.baseline is not None and row.rates.candidate is not None for row in seen.classes)
    assert seen.flips == []
    page = render_exploration_page(seen)
    assert page.index("No scenario is on both sides") < page.index('id="classes"')


def test_an_empty_side_has_no_rate_and_the_other_keeps_its_own(tmp_path: Path) -> None:
    world = correct_world()
    world.baseline.rows = []
    seen = look(world, tmp_path)
    assert "one side empty" in kinds_of(seen)
    assert all(row.rates.baseline is None and row.rates.candidate is not None for row in seen.classes)
    assert all(row.because and "baseline has no scenario" in row.because for row in seen.classes)


def test_two_empty_sides_are_still_a_page(tmp_path: Path) -> None:
    world = correct_world()
    world.baseline.rows = []
    world.candidate.rows = []
    world.candidate.trials_name = "trials.csv"
    seen = look(world, tmp_path)
    assert seen.classes == []
    assert "There is no scenario on either side" in render_exploration_page(seen)


def test_a_side_without_a_label_has_no_rate(tmp_path: Path) -> None:
    world = correct_world()
    for row in world.candidate.rows:
        row.update(attack_success=None, status="timeout", reason="slow")
    seen = look(world, tmp_path)
    assert "nothing scored" in kinds_of(seen)
    assert all(row.rates.candidate is None and row.delta is None for row in seen.classes)
    assert {count.status for row in seen.classes for count in row.unknowns} == {"timeout"}


def test_one_class_only_is_said(tmp_path: Path) -> None:
    world = correct_world()
    for run in (world.candidate, world.baseline):
        run.rows = [row for row in run.rows if row["scenario_class"] == INJECTION]
    seen = look(world, tmp_path)
    assert kinds_of(seen) == {"one class only"}
    assert [row.name for row in seen.classes] == [INJECTION]


def test_different_trial_counts_are_said_and_rates_stay(tmp_path: Path) -> None:
    world = correct_world(trials=3)
    world.candidate.declaration["trials_per_scenario"] = 1
    world.candidate.rows = [row for row in world.candidate.rows if row["trial"] == 0]
    seen = look(world, tmp_path)
    assert kinds_of(seen) == {"different trial counts"}
    assert None not in {row.delta for row in seen.classes}
    assert {row.agreement.candidate for row in seen.classes} == {None}
    assert {"TOO_FEW_TRIALS", "LOW_AGREEMENT"} <= codes_of(seen)


def test_different_suites_compare_what_they_share_and_say_so(tmp_path: Path) -> None:
    world = correct_world()
    world.candidate.declaration["manifest_hash"] = DIGEST
    seen = look(world, tmp_path)
    assert "different suites" in kinds_of(seen)
    assert "BASELINE_MANIFEST_MISMATCH" in codes_of(seen)
    assert "PROBE_SET_DRIFT" in codes_of(look(world, tmp_path, with_suite=True))


def test_an_edited_scenario_is_left_out(tmp_path: Path) -> None:
    world = correct_world()
    for run, digest in ((world.candidate, DIGEST), (world.baseline, "sha256:" + "e" * 64)):
        for row in run.rows:
            row["scenario_sha256"] = digest if row["scenario_id"] == "pi-0" else "sha256:" + "f" * 64
    seen = look(world, tmp_path)
    assert "edited scenarios" in kinds_of(seen)
    assert {row.name: row.n for row in seen.classes}[INJECTION] == 3


def test_a_scenario_of_two_classes_is_left_out(tmp_path: Path) -> None:
    world = correct_world()
    for row in world.candidate.of("pi-0"):
        row["scenario_class"] = "another"
    seen = look(world, tmp_path)
    assert "classes differ" in kinds_of(seen)
    assert "CLASS_MISMATCH" in codes_of(seen)
    assert "another" not in {row.name for row in seen.classes}


def test_renamed_tools_stand_at_the_top_for_a_fall_may_mean_nothing(tmp_path: Path) -> None:
    world = correct_world()
    world.candidate.declaration["interface"]["tool_namespace"] = "renamed"
    seen = look(world, tmp_path)
    assert "different tools" in kinds_of(seen)
    assert "TOOL_NAMESPACE_MISMATCH" in codes_of(seen)
    assert "looks safe" in exploration_text(seen)


def test_a_run_beside_itself_is_said(tmp_path: Path) -> None:
    world = correct_world()
    world.candidate.declaration["run_id"] = world.baseline.declaration["run_id"]
    seen = look(world, tmp_path)
    assert "same run" in kinds_of(seen)
    assert "CANDIDATE_IS_BASELINE" in codes_of(seen)


@pytest.mark.parametrize("key", ["judge", "sandbox", "canary", "interface", "policy", "manifest_hash", "decoding"])
def test_a_declaration_that_lacks_a_part_is_still_explored(key: str, tmp_path: Path) -> None:
    world = correct_world()
    del world.candidate.declaration[key]
    seen = look(world, tmp_path)
    assert None not in {row.delta for row in seen.classes}
    assert len(seen.checklist) > len(look(correct_world(), tmp_path / "whole").checklist)
