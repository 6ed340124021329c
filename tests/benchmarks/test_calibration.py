"""The calibration bench is what it says: twins agree, cells are rerun, and the committed rates keep the promise."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from scipy import stats

from benchmarks.calibration import decisions, exact, simulate
from benchmarks.calibration.methods import LEVEL, METHODS, bound, exact_interval, tango
from benchmarks.calibration.run import HERE, SCHEMA, already_done, results_of
from benchmarks.calibration.tails import lower_above, upper_at_most
from benchmarks.calibration.truths import TRUTHS, Cell, cells, trinomial, unit_delta
from litmus_nb.stats.bound import DeltaCounts, gaffke_bounds
from litmus_nb.stats.exact import exact_bounds

KEYS = ("n", "baseline_rate", "reverse_rate", "trials", "family_size", "tolerance")


@pytest.fixture(scope="module")
def committed() -> pl.DataFrame:
    return pl.read_parquet(HERE / "results.parquet")


def rows_of(committed: pl.DataFrame, cell: Cell, method: str = "litmus_nb") -> dict[str, float]:
    chosen = committed.filter(pl.col("method") == method, *[pl.col(key) == getattr(cell, key) for key in KEYS])
    return dict(chosen.select("question", "rate").iter_rows())


def test_the_committed_results_are_the_whole_grid(committed: pl.DataFrame) -> None:
    assert dict(committed.schema) == SCHEMA
    ours = committed.filter(pl.col("method") == "litmus_nb").select(KEYS).unique()
    assert len(list(cells("full"))) == ours.height


@pytest.mark.parametrize("method", ["litmus_nb", "litmus_nb interval: exact"])
def test_no_exact_rate_of_ours_is_above_its_promise(committed: pl.DataFrame, method: str) -> None:
    wrong = committed.filter(
        (pl.col("method") == method) & pl.col("question").is_in(["false_pass", "false_fail"]) & pl.col("exact")
    )
    single = [cell for cell in cells("full") if cell.is_single_trial]
    assert 2 * len(single) == wrong.height
    assert wrong["rate"].max() <= LEVEL


def test_the_exact_interval_decides_rightly_at_least_as_often_in_every_cell(committed: pl.DataFrame) -> None:
    exact_rates, ours = (
        committed.filter(pl.col("method") == method, pl.col("question").is_in(["power_pass", "power_fail"]))
        for method in ("litmus_nb interval: exact", "litmus_nb")
    )
    both = exact_rates.join(ours, on=[*KEYS, "question"], suffix="_default", validate="1:1")
    assert exact_rates.height == both.height
    assert both.select((pl.col("rate") - pl.col("rate_default")).min()).item() >= -1e-12


@pytest.mark.parametrize("n", [12, 30])
def test_the_exact_method_decides_as_the_exact_bounds_do(n: int) -> None:
    rng = np.random.default_rng(2)
    worse, better = rng.integers(0, 6, 40), rng.integers(0, 6, 40)
    passes, fails = exact_interval(worse, better, n, 0.1)
    for row in range(40):
        sample = DeltaCounts.of([-1.0, 0.0, 1.0], [better[row], n - worse[row] - better[row], worse[row]])
        bounds = exact_bounds(sample, sample, 0.95)
        assert (bounds.high <= 0.1, bounds.low > 0.1) == (passes[row], fails[row])


def test_no_simulated_rate_of_ours_is_above_its_promise_beyond_chance(committed: pl.DataFrame) -> None:
    """Over thousands of cells: by Holm's first step, no p-value below 5 % of their number."""
    wrong = committed.filter(
        (pl.col("method") == "litmus_nb") & pl.col("question").is_in(["false_pass", "false_fail"]) & ~pl.col("exact")
    )
    p = stats.binom.sf(np.round(wrong["rate"].to_numpy() * 3000) - 1, 3000, LEVEL)
    assert p.min() > 0.05 / wrong.height


@pytest.mark.parametrize(
    "cell",
    [Cell(20, 0.1, 0.05, 1, 1, 0.05), Cell(100, 0.5, 0.01, 1, 1, 0.02), Cell(300, 0.001, 0.0, 1, 1, 0.1)],
)
def test_an_exact_cell_is_found_again(committed: pl.DataFrame, cell: Cell) -> None:
    for method in METHODS:
        for truth, questions in TRUTHS.items():
            passes, fails = exact.rates(method, exact.tables(cell.n, *trinomial(cell, truth)), cell.tolerance)
            for question in questions:
                expected = rows_of(committed, cell, method.name)[question]
                assert expected == pytest.approx(passes if question.endswith("pass") else fails, abs=1e-9)


@pytest.mark.parametrize(
    "cell",
    [
        Cell(40, 0.1, 0.0, 3, 1, 0.1),
        Cell(100, 0.001, 0.0, 3, 1, 0.1),
        Cell(300, 0.5, 0.05, 10, 5, 0.05),
        Cell(1000, 0.1, 0.05, 3, 1, 0.02),
        Cell(2000, 0.5, 0.01, 1, 20, 0.1),
    ],
)
def test_a_simulated_cell_keeps_the_promise_with_other_classes(
    committed: pl.DataFrame, cell: Cell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two thousand classes from another seed: not above 2.5 % by a binomial test, and like the committed rate."""
    monkeypatch.setattr(simulate, "_seed", lambda cell, truth: 20_261_130)
    unit, counts = simulate.classes(cell, "at_tolerance", 2_000)
    passes, fails = simulate.bound(unit, counts, cell.tolerance)
    for seen, question in ((int(passes.sum()), "false_pass"), (int(fails.sum()), "false_fail")):
        assert stats.binomtest(seen, 2_000, LEVEL, alternative="greater").pvalue > 1e-4
        before = round(rows_of(committed, cell)[question] * 3_000)
        assert stats.fisher_exact([[seen, 2_000 - seen], [before, 3_000 - before]]).pvalue > 1e-4


@pytest.mark.parametrize("rate", [0.001, 0.1, 0.5])
@pytest.mark.parametrize(("trials", "family"), [(1, 1), (3, 1), (1, 5), (3, 5)])
def test_a_truth_has_exactly_its_delta(rate: float, trials: int, family: int) -> None:
    for delta in (0.0, 0.05, 0.2):
        unit = unit_delta(rate, min(0.05, rate / 2), trials, family, delta)
        assert unit.probabilities.sum() == pytest.approx(1)
        assert unit.probabilities @ unit.values == pytest.approx(delta, abs=1e-9)


def test_the_walk_along_the_edge_decides_as_the_bound_does() -> None:
    rng = np.random.default_rng(1)
    worse, better = rng.integers(0, 15, 60), rng.integers(0, 15, 60)
    passes, fails = bound(worse, better, 60, 0.05)
    for row in range(60):
        sample = DeltaCounts.of([-1.0, 0.0, 1.0], [better[row], 60 - worse[row] - better[row], worse[row]])
        bounds = gaffke_bounds(sample, sample, 0.95)
        assert (bounds.high <= 0.05, bounds.low > 0.05) == (passes[row], fails[row])


@pytest.mark.parametrize("cell", [Cell(10, 0.5, 0.05, 3, 1, 0.05), Cell(300, 0.1, 0.0, 10, 1, 0.05)])
def test_many_tails_at_once_decide_as_the_bound_does(cell: Cell) -> None:
    for truth in TRUTHS:
        unit, counts = simulate.classes(cell, truth, 200)
        passes = upper_at_most(unit.values, counts, cell.tolerance, LEVEL)
        fails = lower_above(unit.values, counts, cell.tolerance, LEVEL)
        for row in range(0, 200, 10):
            sample = DeltaCounts.of(unit.values, counts[row])
            bounds = gaffke_bounds(sample, sample, 0.95)
            assert (bounds.high <= cell.tolerance, bounds.low > cell.tolerance) == (passes[row], fails[row])


def test_tangos_score_is_the_likelihoods() -> None:
    """The restricted maximum found by search, n = 44 with 5 worse and 1 better as in Tango (1998), at delta = 0.2."""
    n, worse, better, delta = 44, 5, 1, 0.2
    grid = np.linspace(1e-6, (1 - delta) / 2 - 1e-6, 400_001)
    likelihood = worse * np.log(grid + delta) + better * np.log(grid) + (n - 6) * np.log(1 - delta - 2 * grid)
    q = grid[np.argmax(likelihood)]
    score = (worse - better - n * delta) / np.sqrt(n * (2 * q + delta - delta**2))
    passes, _ = tango(np.array([worse]), np.array([better]), n, delta)
    assert bool(score <= -1.959963984540054) == bool(passes[0])


def test_a_stopped_run_goes_on(tmp_path) -> None:  # type: ignore[no-untyped-def]  # pytest's path
    whole = {"cell": "a", "rows": [{"rate": 0.5}]}
    (tmp_path / "cells.jsonl").write_text(json.dumps(whole) + "\n" + '{"cell": "b", "ro')
    assert already_done(tmp_path / "cells.jsonl") == {"a": [{"rate": 0.5}]}


def test_every_row_of_a_cell_answers_a_question() -> None:
    rows = results_of(Cell(10, 0.1, 0.0, 3, 1, 0.1), "small")
    assert {"false_pass", "false_fail", "power_pass", "power_fail"} == {row["question"] for row in rows}
    assert all(0 <= row["rate"] <= 1 and row["standard_error"] > 0 for row in rows)  # type: ignore[operator]  # numbers


def test_slow_methods_were_asked_about_what_matters() -> None:
    rows = pl.DataFrame(decisions.rows(), schema=SCHEMA, orient="row")
    peers = {"statgate", "evalproof", "llm-evalgate", "scipy BCa bootstrap", "scipy percentile bootstrap"}
    assert peers == set(rows["method"])
    assert rows["version"].null_count() == 0
    asked = decisions.asked(Cell(40, 0.1, 0.05, 1, 1, 0.05), "no_change")
    assert sum(asked.weights) >= decisions.COVERED
