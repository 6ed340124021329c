"""Exact rates of a single-trial cell: every table of the trinomial, weighed by its probability."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from benchmarks.calibration.methods import Decisions, Ints, Method

_LEFT_OUT = 1e-13  # of probability, at each end of each margin


@dataclass(frozen=True)
class Tables:
    """All single-trial tables that matter under one truth, most probable first."""

    n: int
    worse: Ints
    better: Ints
    probabilities: NDArray[np.float64]


def tables(n: int, p_worse: float, p_better: float) -> Tables:
    """The tables of n scenarios that get worse and better with the given chances, but for some 1e-13 of probability."""
    worse = _range(n, p_worse)
    better = _range(n, p_better)
    w, b = (grid.ravel() for grid in np.meshgrid(worse, better, indexing="ij"))
    possible = w + b <= n
    w, b = w[possible], b[possible]
    rest = min(1.0, p_better / (1 - p_worse)) if p_worse < 1 else 0.0
    probabilities = stats.binom.pmf(w, n, p_worse) * stats.binom.pmf(b, n - w, rest)
    order = np.argsort(-probabilities, kind="stable")
    return Tables(n, w[order], b[order], probabilities[order])


def _range(n: int, p: float) -> Ints:
    low, high = stats.binom.ppf(_LEFT_OUT, n, p), stats.binom.isf(_LEFT_OUT, n, p)
    return np.arange(max(0, int(low)), min(n, int(high)) + 1)


def rates(method: Method, drawn: Tables, tolerance: float) -> tuple[float, float]:
    """The probabilities of PASS and of FAIL."""
    passes, fails = method.decide(drawn.worse, drawn.better, drawn.n, tolerance)
    return _share(passes, drawn), _share(fails, drawn)


def _share(chosen: NDArray[np.bool_], drawn: Tables) -> float:
    return float(drawn.probabilities[chosen].sum())


__all__ = ["Decisions", "Tables", "rates", "tables"]
