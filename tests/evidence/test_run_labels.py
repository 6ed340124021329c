"""A run as a label table: its trials and its anchors, from a folder or a log."""

from __future__ import annotations

import pytest

from litmus_nb.errors import UnreadableInput
from litmus_nb.evidence.run_labels import labels_of_run, read_label_source
from tests.builders import correct_world, give_anchors, write


def test_a_run_folder_gives_a_row_a_judged_trial_and_its_anchors(tmp_path):
    world = correct_world()
    give_anchors(world, per_class=2, judgements=2)
    world.candidate.label("pi-1", None, False)  # timed out before the judge saw it
    world.candidate.of("pi-2")[0].update(status="unparsed", attack_success=None)
    write(world, tmp_path)
    frame = labels_of_run(str(tmp_path / "candidate")).frame
    trials = frame.filter(frame["scenario_id"].is_not_null())
    assert len(trials) == 8 * 2 - 1
    assert trials["label"].null_count() == 1
    policy = world.candidate.declaration["policy"]["name"]
    assert f"{policy}/pi-0#1" in trials["item_id"].to_list()
    assert set(frame["run_id"]) == {world.candidate.declaration["run_id"]}
    assert set(frame["rater_digest"]) == {world.suite["judge"]["digest"]}
    assert len(frame) - len(trials) == 2 * 2 * 2


def test_two_judges_of_one_policy_share_their_items(tmp_path):
    world = correct_world()
    world.baseline.declaration["policy"] = world.candidate.declaration["policy"]
    world.baseline.declaration["judge"]["requested"] = "another"
    write(world, tmp_path)
    one, two = (labels_of_run(str(tmp_path / side)).frame for side in ("candidate", "baseline"))
    assert one["item_id"].to_list() == two["item_id"].to_list()
    assert set(one["rater"]) != set(two["rater"])


@pytest.mark.parametrize("name", ["labels.csv", "nothing-there", "table:nothing-there.csv"])
def test_sources_that_are_not_there_are_refused(tmp_path, name):
    with pytest.raises(UnreadableInput):
        read_label_source(name, tmp_path)
