"""Section 7: what is called a drift, what is not, and how often chance is."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy import stats

from litmus_nb.contracts.anchors import Anchor, AnchorTally
from litmus_nb.contracts.suite import Anchors
from litmus_nb.rule.judge_behaviour import judge_behaviour
from litmus_nb.stats.behaviour import FALSE_ALARM
from tests.builders import correct_world, decide, give_anchors

SETTINGS = Anchors(labels="anchors.jsonl")


def anchors_and_tally(is_positive, pinned_yes, n_pinned, now_yes, n_now, *, unlabelled=None, classes=None):
    """Anchors with humans that are of one mind, and a run's labels of them."""
    names = [f"a-{number:04}" for number in range(len(pinned_yes))]
    classes = classes or ["c"] * len(names)
    lost = unlabelled or [0] * len(names)
    anchors = [
        Anchor(name, scenario_class, 3 * positive, 3 - 3 * positive, yes, n_pinned - yes)
        for name, scenario_class, positive, yes in zip(names, classes, is_positive, pinned_yes, strict=True)
    ]
    no = [n_now - yes - gone for yes, gone in zip(now_yes, lost, strict=True)]
    return anchors, tally_of({"item_id": names, "n_yes": now_yes, "n_no": no, "n_unlabelled": lost})


def tally_of(columns):
    """Labels of which nothing but their numbers is known."""
    return AnchorTally(pl.DataFrame(columns), pl.DataFrame(), (), (), ())


def behaviour(*made, settings=SETTINGS, with_intervals=True, **options):
    anchors, tally = anchors_and_tally(*made, **options)
    return judge_behaviour(anchors, tally, settings, confidence=0.95, with_intervals=with_intervals)


def test_labels_of_other_anchors_are_no_behaviour():
    anchors, tally = anchors_and_tally([1], [1], 1, [1], 1)
    with pytest.raises(ValueError, match="exactly"):
        judge_behaviour([], tally, SETTINGS, confidence=0.95)
    with pytest.raises(ValueError, match="exactly"):
        judge_behaviour([*anchors, Anchor("other", "c", 1, 0, 1, 0)], tally, SETTINGS, confidence=0.95)


@pytest.mark.parametrize(
    ("pinned", "judged"),
    [((1, 2), (3, 3)), ((3, 3), (1, 2))],
    ids=["pinned labels", "labels in the run"],
)
def test_an_anchor_judged_less_often_than_others_is_no_behaviour(pinned, judged):
    anchors = [Anchor(f"a-{number}", "c", 1, 0, n, 0) for number, n in enumerate(pinned)]
    items = {"item_id": ["a-0", "a-1"], "n_yes": judged, "n_no": [0, 0], "n_unlabelled": [0, 0]}
    with pytest.raises(ValueError, match="as many labels of each anchor"):
        judge_behaviour(anchors, tally_of(items), SETTINGS, confidence=0.95)


def test_no_anchors_and_no_labels_are_no_behaviour():
    none = {"item_id": [], "n_yes": [], "n_no": [], "n_unlabelled": []}
    with pytest.raises(ValueError, match="at least one"):
        judge_behaviour([], tally_of(none), SETTINGS, confidence=0.95)


def test_intervals_are_there_unless_they_are_left_out():
    made = anchors_and_tally([1, 1, 0, 0] * 10, [3, 2, 0, 1] * 10, 3, [3, 2, 0, 1] * 10, 3)
    shown, hidden = (judge_behaviour(*made, SETTINGS, confidence=0.95, **options) for options in ({}, LEFT_OUT))
    assert shown.looks[0].agreement_low is not None
    assert hidden.looks[0].agreement_low is None


LEFT_OUT = {"with_intervals": False}


def test_a_judge_that_labels_as_before_has_not_drifted():
    made = behaviour([1, 1, 0, 0] * 10, [3, 2, 0, 1] * 10, 3, [3, 2, 0, 1] * 10, 3)
    assert not made.has_drifted
    overall, of_class = made.looks
    assert (overall.name, of_class.name) == (None, "c")
    assert (overall.n_positive, overall.n_negative, overall.fnr_rise, overall.fpr_rise) == (20, 20, 0.0, 0.0)
    assert overall.fnr_rise_low < 0 < overall.fnr_rise_high


def test_missing_half_of_what_it_saw_is_a_drift():
    made = behaviour([1] * 20 + [0] * 20, [3] * 20 + [0] * 20, 3, [0] * 10 + [3] * 10 + [0] * 20, 3)
    assert (made.looks[0].fnr_pinned, made.looks[0].fnr_now, made.looks[0].fnr_rise) == (0.0, 0.5, 0.5)
    assert made.looks[0].has_fnr_risen


def test_what_chance_could_do_is_no_drift():
    """Five flips of six, all one way: so large a rise that chance could make it is not yet shown."""
    made = behaviour([1] * 6, [1] * 6, 1, [0] * 5 + [1], 1)
    assert made.looks[0].fnr_rise > 0.8
    assert made.looks[0].fnr_chance == pytest.approx(2**-5, abs=1e-9)
    assert not made.looks[0].has_fnr_risen


def test_a_judge_that_only_raises_more_false_alarms_has_drifted_too():
    made = behaviour([1] * 30 + [0] * 30, [3] * 30 + [0] * 30, 3, [3] * 30 + [3] * 8 + [0] * 22, 3)
    assert made.looks[0].fnr_rise == 0.0
    assert made.looks[0].fpr_rise == pytest.approx(8 / 30, abs=1e-9)
    assert made.looks[0].has_agreement_fallen


def test_a_judgement_without_a_label_is_a_miss_and_a_disagreement():
    lost = behaviour([1, 0], [3, 0], 3, [1, 0], 3, unlabelled=[2, 2])
    assert lost.looks[0].fnr_now == pytest.approx(2 / 3, abs=1e-9)
    assert lost.looks[0].fpr_now == pytest.approx(2 / 3, abs=1e-9)
    assert lost.looks[0].agreement == pytest.approx(1 / 3, abs=1e-9)
    assert lost.n_unlabelled == 4


def test_an_anchor_on_which_humans_are_split_is_neither_missed_nor_a_false_alarm():
    anchors, tally = anchors_and_tally([1], [1], 1, [0], 1)
    split = [Anchor("a-0000", "c", 1, 1, 1, 0)]
    look = judge_behaviour(split, tally, SETTINGS, confidence=0.95).looks[0]
    assert (look.n_positive, look.n_negative, look.fnr_rise, look.fpr_rise) == (0, 0, None, None)
    assert look.agreement == 0.0
    assert anchors[0].human_majority is True


@pytest.mark.parametrize(("n_pinned", "n_now"), [(1, 1), (5, 1), (3, 3)])
@pytest.mark.parametrize("noise", ["steady", "borderline"])
def test_an_unchanged_judge_is_called_drifted_in_at_most_one_run_of_a_hundred(n_pinned, n_now, noise):
    """With one judgement each, the floor must leave room for the judge's own noise; else nothing is assumed."""
    rng = np.random.default_rng(11)
    settings = Anchors(labels="a", min_agreement=0.85 if n_pinned == n_now == 1 else 0.99, max_fnr_rise=0.0)
    classes, is_positive = ["a", "b", "c"] * 20, [1, 0] * 30
    alarms = 0
    for _ in range(400):
        wrong = rng.uniform(0, 0.1, 60)
        if noise == "borderline":
            wrong = np.where(rng.random(60) < 0.15, rng.uniform(0.1, 0.9, 60), 0.01)
        yes = np.where(is_positive, 1 - wrong, wrong)
        pinned, now = rng.binomial(n_pinned, yes).tolist(), rng.binomial(n_now, yes).tolist()
        labels = (is_positive, pinned, n_pinned, now, n_now)
        made = behaviour(*labels, settings=settings, classes=classes, with_intervals=False)
        alarms += made.has_drifted
    assert stats.binomtest(alarms, 400, FALSE_ALARM, alternative="greater").pvalue > 0.001


def test_power_is_asked_for_only_where_the_suite_asks():
    made = anchors_and_tally([1] * 40, [1] * 40, 1, [1] * 40, 1)
    assert judge_behaviour(*made, SETTINGS, confidence=0.95).looks[0].power is None
    assert judge_behaviour(*made, SETTINGS, confidence=0.95, with_power=True).looks[0].power is not None
    asking = Anchors(labels="a", require_power=True, max_fnr_rise=0.2)
    assert judge_behaviour(*made, asking, confidence=0.95, with_power=False).looks[0].power is None
    look = judge_behaviour(*made, asking, confidence=0.95).looks[0]
    assert 0.3 < look.power < 0.8
    assert not look.has_power


def test_losing_a_label_never_opens_a_gate_that_a_drift_closed(tmp_path):
    world = correct_world()
    world.suite["max_skip_fraction"] = 0.1
    give_anchors(world)
    rows = [row for row in world.candidate.anchor_rows if row["label"] and row["scenario_class"] == "prompt-injection"]
    for row in rows[:24]:
        row["label"] = False
    assert decide(world, tmp_path / "drifted").state == "NO_VERDICT"
    for number, change in enumerate((rows[0], rows[30], world.candidate.anchor_rows[-1])):
        poorer = world.copy()
        poorer.candidate.anchor_rows[world.candidate.anchor_rows.index(change)]["label"] = None
        assert decide(poorer, tmp_path / f"null-{number}").state == "NO_VERDICT"
        poorer.candidate.anchor_rows.pop(world.candidate.anchor_rows.index(change))
        assert decide(poorer, tmp_path / f"gone-{number}").state == "NO_VERDICT"
