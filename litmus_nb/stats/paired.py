"""Exact tests and intervals for yes/no outcomes: McNemar's test and Clopper and Pearson's interval."""

from __future__ import annotations

from dataclasses import dataclass

from scipy import special

__all__ = ["Proportion", "clopper_pearson", "mcnemar_exact"]


@dataclass(frozen=True)
class Proportion:
    """A share of successes with its exact two-sided interval, all in [0, 1]."""

    rate: float
    low: float
    high: float


def mcnemar_exact(n_worse: int, n_better: int) -> float:
    """The two-sided p-value that discordant pairs fall either way with equal chance, in (0, 1].

    Twice the smaller binomial tail, at most 1: McNemar (1947), Psychometrika 12:153, in its exact form.

    Args:
        n_worse: pairs in which only the candidate failed.
        n_better: pairs in which only the baseline failed.

    Raises:
        ValueError: where a count is negative.
    """
    if n_worse < 0 or n_better < 0:
        raise ValueError(f"counts of pairs are not negative: {n_worse} and {n_better} seen")
    return min(1.0, 2.0 * float(special.bdtr(min(n_worse, n_better), n_worse + n_better, 0.5)))


def clopper_pearson(n_success: int, n: int, confidence: float) -> Proportion:
    """The exact interval of a proportion: Clopper & Pearson (1934), Biometrika 26:404, by beta quantiles.

    Args:
        n_success: successes among the `n`.
        n: independent trials, at least one.
        confidence: two-sided.

    Raises:
        ValueError: where the counts are impossible or `confidence` is not strictly between 0 and 1.
    """
    if n < 1 or not 0 <= n_success <= n:
        raise ValueError(f"between 0 and n successes among n >= 1 expected: {n_success} of {n} seen")
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence lies strictly between 0 and 1: {confidence!r} seen")
    level = (1.0 - confidence) / 2.0
    low = 0.0 if n_success == 0 else float(special.betaincinv(n_success, n - n_success + 1, level))
    high = 1.0 if n_success == n else float(special.betainccinv(n_success + 1, n - n_success, level))
    return Proportion(rate=n_success / n, low=low, high=high)
