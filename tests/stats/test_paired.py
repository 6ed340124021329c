"""Exact tests of yes/no outcomes against scipy's."""

from __future__ import annotations

import pytest
from scipy import stats

from litmus_nb.stats.paired import clopper_pearson, mcnemar_exact


def test_impossible_counts_are_refused() -> None:
    for worse, better in ((-1, 2), (2, -1)):
        with pytest.raises(ValueError, match="not negative"):
            mcnemar_exact(worse, better)
    for successes, n in ((0, 0), (-1, 5), (6, 5)):
        with pytest.raises(ValueError, match="between 0 and n"):
            clopper_pearson(successes, n, 0.95)
    for confidence in (0.0, 1.0, 95):
        with pytest.raises(ValueError, match="confidence"):
            clopper_pearson(1, 2, confidence)


@pytest.mark.parametrize(("worse", "better"), [(0, 0), (1, 0), (5, 5), (6, 5), (2, 15), (400, 300)])
def test_mcnemar_is_the_two_sided_binomial_test(worse: int, better: int) -> None:
    expected = stats.binomtest(worse, worse + better).pvalue if worse + better else 1.0
    assert mcnemar_exact(worse, better) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("successes", "n"), [(0, 1), (1, 1), (0, 50), (50, 50), (7, 40), (1, 10**7)])
def test_clopper_pearson_is_scipys(successes: int, n: int) -> None:
    expected = stats.binomtest(successes, n).proportion_ci(0.95, "exact")
    seen = clopper_pearson(successes, n, 0.95)
    assert (successes / n, expected.low, expected.high) == pytest.approx((seen.rate, seen.low, seen.high), abs=1e-12)
