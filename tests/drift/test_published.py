"""Real labels of other people's studies: the figures that their authors published come out."""

from __future__ import annotations

import csv

import polars as pl
import pytest

from litmus_nb.contracts.drift import ALL, Question
from litmus_nb.contracts.labels import Rater
from litmus_nb.drift.decomposition import decompose
from litmus_nb.drift.humans import against_humans, human_panel
from litmus_nb.drift.investigation import investigate
from litmus_nb.drift.pairs import compare_raters
from litmus_nb.evidence.labels import label_table

pytestmark = pytest.mark.shared


def rows_of(shared_dir, name):
    path = shared_dir / "data/extracts" / name
    if not path.exists():
        pytest.skip(f"no {path}")
    with path.open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def label(item, scenario_class, rater, kind, value, **more):
    return {
        "item_id": item,
        "scenario_class": scenario_class,
        "rater": rater,
        "rater_kind": kind,
        "rater_digest": None,
        "label": value,
        **more,
    }


# -- JailbreakBench: four judges against three humans (Chao et al. 2024, arXiv 2404.01318, table 1)

JUDGES = {
    "gpt4_cf": (90.3, 10.0, 9.1),
    "harmbench_cf": (78.3, 26.8, 12.7),
    "llamaguard2_cf": (87.7, 13.2, 10.9),
    "llama3_cf": (90.7, 11.6, 5.5),
}


@pytest.fixture(scope="module")
def jailbreakbench(shared_dir):
    rows = []
    for row in rows_of(shared_dir, "jbb_judge_comparison.csv"):
        item, block = f"{int(row['index']):03}", "benign" if int(row["index"]) >= 200 else "attack"
        humans = ((name, "human") for name in ("human1", "human2", "human3"))
        judges = ((name, "judge") for name in JUDGES)
        rows += [label(item, block, name, kind, row[name] == "1") for name, kind in (*humans, *judges)]
    return label_table(pl.DataFrame(rows))


@pytest.mark.parametrize("judge", JUDGES)
def test_jailbreakbench_judges_against_the_human_majority(jailbreakbench, judge):
    overall = against_humans(jailbreakbench, Rater(name=judge))[0]
    seen = [round(100 * number.value, 1) for number in (overall.agreement, overall.fpr, overall.fnr)]
    assert list(JUDGES[judge]) == seen


def test_most_of_harmbenchs_false_alarms_are_on_benign_answers(jailbreakbench):
    overall, _, benign = against_humans(jailbreakbench, Rater(name="harmbench_cf"))
    assert (overall.scenario_class, benign.scenario_class) == (ALL, "benign")
    assert round(overall.fpr.value * overall.n_negative) == 51
    assert round(benign.fpr.value * benign.n_negative) == 41
    panel = human_panel(jailbreakbench)
    assert (panel.n_items, panel.n_split) == (300, 0)
    assert panel.alpha.value > 0.8


def test_where_harmbench_differs_from_gpt_4_is_told(jailbreakbench):
    compared = compare_raters(jailbreakbench, Rater(name="gpt4_cf"), Rater(name="harmbench_cf"))
    benign = next(row for row in compared.concentration.rows if row.level == "benign")
    assert benign.odds_ratio.low > 1
    assert benign.p_value < 0.001


# -- JailbreakBench's artifacts: the first judge (Llama Guard 1) and the later one (Llama-3-70B) on the same responses

FIRST, LATER = Rater(name="llama_guard1"), Rater(name="llama3_70b")


@pytest.fixture(scope="module")
def swap(shared_dir):
    rows = []
    for row in rows_of(shared_dir, "jbb_artifacts.csv"):
        about = {"scenario_id": row["behavior_index"], "policy": row["model"]}
        item = f"{row['method']}/{row['model']}/{row['behavior_index']}"
        for rater in (FIRST, LATER):
            if value := row[f"jailbroken_{rater.name}"]:
                rows.append(label(item, row["method"], rater.name, "judge", value == "1", **about))
    return label_table(pl.DataFrame(rows))


def of_method(swap, method):
    return label_table(swap.frame.filter(pl.col("scenario_class") == method))


def test_the_swap_on_sixteen_hundred_responses(swap):
    compared = compare_raters(swap, FIRST, LATER)
    overall = compared.rows[0]
    assert (overall.n, overall.both_yes, overall.both_no) == (1600, 679, 766)
    assert (overall.only_second, overall.only_first) == (69, 86)
    assert len(compared.items) == 155
    # exact McNemar of 69 against 86: scipy.stats.binomtest(69, 155).pvalue
    assert overall.mcnemar_p == pytest.approx(0.198584, abs=1e-6)
    assert overall.kappa.value == pytest.approx(0.8057, abs=5e-5)
    assert compared.n_only_one_labelled == 200  # DSN, which the first judge never saw


@pytest.mark.parametrize(
    ("method", "model", "before", "after"),
    [("PAIR", "vicuna-13b-v1.5", 0.82, 0.69), ("GCG", "gpt-3.5-turbo-1106", 0.34, 0.47)],
)
def test_the_judge_alone_moves_the_rate(swap, method, model, before, after):
    """The same responses on both sides: the whole change is the judge's, and the agent's is exactly none."""
    taken = decompose(of_method(swap, method), baseline=model, candidate=model, pinned=FIRST, current=LATER)
    (effect,) = taken.rows
    assert (effect.n, effect.n_missing) == (100, 0)
    assert effect.judge.value == pytest.approx(after - before)
    assert effect.apparent == effect.judge
    assert (effect.agent.value, effect.agent_by_pinned.value) == (0.0, 0.0)
    assert effect.judge.low * effect.judge.high > 0


def test_an_improvement_that_is_all_judge(swap):
    """PAIR on Vicuna by the first judge (82) against PAIR on GPT-3.5 by the later (71): 11 points better, it seems."""
    taken = decompose(
        of_method(swap, "PAIR"), baseline="vicuna-13b-v1.5", candidate="gpt-3.5-turbo-1106", pinned=FIRST, current=LATER
    )
    (effect,) = taken.rows
    assert effect.apparent.value == pytest.approx(0.71 - 0.82)
    assert effect.agent.value == pytest.approx(0.71 - 0.69)
    assert effect.judge.value == pytest.approx(0.69 - 0.82)
    assert effect.agent.low < 0 < effect.agent.high
    assert effect.judge.high < 0
    assert effect.apparent.value == pytest.approx(effect.agent.value + effect.judge.value)
    assert effect.apparent.value == pytest.approx(effect.agent_by_pinned.value + effect.judge_on_candidate.value)


def test_without_the_relabelled_baseline_only_bounds_are_known(swap):
    pair = of_method(swap, "PAIR").frame
    is_relabelled = (pl.col("rater") == LATER.name) & (pl.col("policy") == "vicuna-13b-v1.5")
    poorer = label_table(pair.filter(~is_relabelled))
    taken = decompose(poorer, baseline="vicuna-13b-v1.5", candidate="gpt-3.5-turbo-1106", pinned=FIRST, current=LATER)
    (effect,) = taken.rows
    assert effect.apparent.value == pytest.approx(0.71 - 0.82)
    assert effect.agent.value is None
    assert "100 labels of the baseline by the current judge are missing" in effect.agent.because
    assert effect.agent.low <= 0.71 - 1.0
    assert effect.agent.high >= 0.71


# -- XSTest: a string judge and GPT-4 against humans (Roettger et al. 2024, arXiv 2308.01263)

WORDS = ("1_full_compliance", "2_full_refusal", "3_partial_refusal")


@pytest.fixture(scope="module")
def xstest(shared_dir):
    return rows_of(shared_dir, "xstest.csv")


def answers(xstest, yes, *, model=None):
    """Whether an answer is called `yes` by each rater; a malformed judgement is unknown."""
    raters = {"human_1": "human", "human_2": "human", "gpt4_label": "judge", "strmatch_label": "judge"}
    rows = [
        label(f"{row['model']}/{row['id']}", row["type"], rater, kind, row[rater], policy=row["model"])
        for row in xstest
        if model in (None, row["model"])
        for rater, kind in raters.items()
    ]
    return label_table(pl.DataFrame(rows), label_words={word: word == yes for word in WORDS} | {"MALFORMED": None})


@pytest.mark.parametrize(
    ("model", "agreement"),
    [("gpt4", 98.4), ("llama2new", 95.8), ("llama2orig", 96.4), ("mistralguard", 93.8), ("mistralinstruct", 97.6)],
)
def test_xstests_inter_annotator_agreement(xstest, model, agreement):
    """Two labels of three agree where they agree on each of the three being the label or not."""
    differing = set()
    for word in WORDS:
        compared = compare_raters(answers(xstest, word, model=model), Rater(name="human_1"), Rater(name="human_2"))
        assert compared.rows[0].n == 450
        differing |= {item.item_id for item in compared.items}
    assert agreement == round(100 * (450 - len(differing)) / 450, 1)


def test_xstests_malformed_judgements_are_unknown(xstest):
    table = answers(xstest, "1_full_compliance")
    gpt4, strings = (against_humans(table, Rater(name=name))[0] for name in ("gpt4_label", "strmatch_label"))
    assert (gpt4.n_unlabelled, strings.n_unlabelled) == (11, 0)
    # counted here: GPT-4 calls partial refusals compliance more often than matching strings does
    assert gpt4.fpr.low > strings.fpr.high
    report = investigate(table, Question(pinned=Rater(name="gpt4_label"), current=Rater(name="strmatch_label")))
    assert any("11 of its labels cannot be read" in limit.because for limit in report.limits)
    assert report.panel.n_split > 0
