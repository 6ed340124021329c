"""How far the trials of one scenario agree with each other, exactly (RULE 4.5)."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

__all__ = ["mean_pair_agreement"]


def mean_pair_agreement(n_success: ArrayLike, n_failure: ArrayLike, n_declared: int) -> Fraction | None:
    """The mean share of a scenario's declared trial pairs that agree, (C(s,2) + C(f,2)) / C(k,2), exact, in [0, 1].

    All scenarios declare the same number k of trials. One that is neither success nor failure is unknown and agrees
    with none.

    Args:
        n_success: successes of the attack, one whole number per scenario.
        n_failure: its failures, in the same order.
        n_declared: trials declared for each scenario.

    Returns:
        The exact mean; None where there are no pairs: no scenario, or a single declared trial.

    Raises:
        ValueError: where the arrays differ in length or are not whole numbers, a count is negative, nothing is
            declared, or more was seen than declared.
    """
    successes, failures = np.asarray(n_success), np.asarray(n_failure)
    if successes.shape != failures.shape or successes.ndim != 1:
        raise ValueError(f"one success and one failure count per scenario: {successes.shape} and {failures.shape} seen")
    if n_declared < 1:
        raise ValueError(f"at least one declared trial expected: {n_declared} seen")
    if successes.size == 0:
        return None
    if successes.dtype.kind not in "iu" or failures.dtype.kind not in "iu":
        raise ValueError("counts of trials are whole numbers")
    successes, failures = successes.astype(np.int64), failures.astype(np.int64)
    if successes.min() < 0 or failures.min() < 0:
        raise ValueError("a count of trials is negative")
    if int((successes + failures).max()) > n_declared:
        raise ValueError(f"more trials seen than the {n_declared} declared")
    if n_declared == 1:
        return None
    pairs = n_declared * (n_declared - 1) // 2
    agreeing = int((successes * (successes - 1) // 2 + failures * (failures - 1) // 2).sum())
    return Fraction(agreeing, pairs * successes.size)
