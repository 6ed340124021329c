"""Where yes/no outcomes gather: a logistic model with several factors at once, and honest about what it cannot fit."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special
from statsmodels.genmod.cov_struct import Exchangeable, Independence
from statsmodels.genmod.families import Binomial
from statsmodels.genmod.generalized_estimating_equations import GEE
from statsmodels.stats.multitest import multipletests

from litmus_nb.stats.rates import Bounded

__all__ = ["LogisticFit", "OddsRatio", "logistic_odds"]

_MOST_LEVELS = 30
_LARGEST_LOG_ODDS = 8.0
"""A log odds ratio beyond this (1 : 3000) is a level on which the model cannot be fitted, whatever it prints."""


@dataclass(frozen=True)
class OddsRatio:
    """How the odds of an outcome at one level compare with the average level of its factor, other factors equal."""

    factor: str
    level: str
    """For a number: the unit that the odds ratio is for."""
    n: int
    n_outcomes: int
    ratio: Bounded | None
    """None where it cannot be estimated; `why` says why."""
    p_value: float | None
    """Of no difference, adjusted over all levels (Holm 1979, Scand. J. Statist. 6:65)."""
    why: str | None


@dataclass(frozen=True)
class LogisticFit:
    """Every level of every factor, or the reason why nothing was fitted."""

    terms: tuple[OddsRatio, ...]
    n: int
    n_outcomes: int
    failure: str | None


def logistic_odds(
    outcomes: ArrayLike,
    factors: Mapping[str, Sequence[str]],
    groups: Sequence[str],
    *,
    numbers: Mapping[str, ArrayLike] | None = None,
    confidence: float = 0.95,
) -> LogisticFit:
    """Odds ratios of an outcome by several factors at once, from a logistic model by generalised estimating equations.

    Liang & Zeger (1986), Biometrika 73:13, with an exchangeable correlation inside groups and the bias-reduced
    variance of Mancl & DeRouen (2001), Biometrics 57:126, which holds for few groups. A level at which all or no
    outcomes happen has no finite odds ratio; it is reported as such and left out of the fit, with its rows.

    Args:
        outcomes: whether it happened, one truth value a row.
        factors: name to the level of each row. A factor with a single level is left out.
        groups: what rows belong together (a family, a scenario), one name a row.
        numbers: name to a number of each row, taken to the base 2 logarithm: odds per doubling; all above 0.
        confidence: two-sided, of each interval.

    Raises:
        ValueError: lengths differ, or a number is not above 0.
    """
    happened = np.asarray(outcomes, dtype=np.float64)
    _check(happened, factors, groups, numbers or {})
    keep, unusable = _usable(happened, factors)
    rows = np.flatnonzero(keep).tolist()
    names = {name: sorted({levels[i] for i in rows}) for name, levels in factors.items()}
    names = {name: levels for name, levels in names.items() if len(levels) > 1}
    kept_groups = [groups[i] for i in rows]
    size = (int(keep.sum()), int(happened[keep].sum()))
    if not names and not numbers:
        return LogisticFit(tuple(unusable), *size, failure=None if unusable else "no factor has two levels")
    if not 0 < size[1] < size[0]:
        return LogisticFit(tuple(unusable), *size, failure="all outcomes are the same in what is left to fit")
    columns, contrasts = _design(names, factors, numbers or {}, keep)
    if size[0] < 5 * columns.shape[1] or len(set(kept_groups)) < columns.shape[1] + 2:
        return LogisticFit(tuple(unusable), *size, failure="too few rows or groups for so many levels")
    try:
        estimates, covariance = _fitted(happened[keep], columns, kept_groups)
    except (ArithmeticError, ValueError, np.linalg.LinAlgError, Warning) as error:
        return LogisticFit(tuple(unusable), *size, failure=f"the model did not settle: {str(error)[:120]}")
    terms = _terms(contrasts, estimates, covariance, happened, factors, keep, confidence)
    return LogisticFit((*terms, *unusable), *size, failure=None)


def _check(
    happened: NDArray[np.float64],
    factors: Mapping[str, Sequence[str]],
    groups: Sequence[str],
    numbers: Mapping[str, ArrayLike],
) -> None:
    lengths = {len(happened), len(groups), *(len(levels) for levels in factors.values())}
    lengths |= {len(np.asarray(values)) for values in numbers.values()}
    if len(lengths) > 1:
        raise ValueError("one outcome, one group and one level of every factor a row")
    if any((np.asarray(values, dtype=np.float64) <= 0).any() for values in numbers.values()):
        raise ValueError("numbers above 0")


def _usable(
    happened: NDArray[np.float64], factors: Mapping[str, Sequence[str]]
) -> tuple[NDArray[np.bool_], list[OddsRatio]]:
    """Which rows a finite model can use; and the levels at which all or no outcomes happen."""
    keep, unusable = np.ones(len(happened), dtype=np.bool_), []
    for factor, levels in factors.items():
        if len(set(levels)) > _MOST_LEVELS:
            why = f"more than {_MOST_LEVELS} levels are not modelled"
            unusable.append(_no_ratio(factor, "all", np.ones_like(keep), happened, why))
    modelled = {
        factor: np.asarray(levels, dtype=object)
        for factor, levels in factors.items()
        if len(set(levels)) <= _MOST_LEVELS
    }
    is_settled = False
    while not is_settled:  # leaving a level out may leave another one without both outcomes
        is_settled = True
        for factor, each in modelled.items():
            left = sorted(set(each[keep]))
            for level in left if len(left) > 1 else ():
                rows = keep & (each == level)
                if (seen := int(happened[rows].sum())) in (0, int(rows.sum())):
                    word = "none of these rows has" if seen == 0 else "all of these rows have"
                    why = f"{word} the outcome: no finite odds ratio"
                    unusable.append(_no_ratio(factor, level, rows, happened, why))
                    keep = keep & ~rows
                    is_settled = False
    return keep, unusable


def _no_ratio(factor: str, level: str, rows: NDArray[np.bool_], happened: NDArray[np.float64], why: str) -> OddsRatio:
    return OddsRatio(factor, level, int(rows.sum()), int(happened[rows].sum()), None, None, why)


_Contrast = tuple[str, str, NDArray[np.float64]]
"""Factor, level, and the weights of the model's coefficients that make up its log odds ratio."""


def _design(
    names: Mapping[str, Sequence[str]],
    factors: Mapping[str, Sequence[str]],
    numbers: Mapping[str, ArrayLike],
    keep: NDArray[np.bool_],
) -> tuple[NDArray[np.float64], list[_Contrast]]:
    """Columns in sum coding: every level against the average of its factor's levels."""
    rows = np.flatnonzero(keep).tolist()
    blocks = [np.ones((len(rows), 1))]
    plans: list[tuple[str, str, int, NDArray[np.float64]]] = []
    width = 1
    for factor, levels in names.items():
        if len(set(factors[factor])) > _MOST_LEVELS:
            continue
        coding = np.vstack([np.eye(len(levels) - 1), -np.ones((1, len(levels) - 1))])
        place = {level: number for number, level in enumerate(levels)}
        blocks.append(coding[[place[factors[factor][i]] for i in rows]])
        plans += [(factor, level, width, coding[place[level]]) for level in levels]
        width += len(levels) - 1
    for name, values in numbers.items():
        logs = np.log2(np.asarray(values, dtype=np.float64)[rows])
        blocks.append((logs - logs.mean())[:, np.newaxis])
        plans.append((name, "each doubling", width, np.ones(1)))
        width += 1
    contrasts = []
    for factor, level, first, weights in plans:
        whole = np.zeros(width)
        whole[first : first + len(weights)] = weights
        contrasts.append((factor, level, whole))
    return np.hstack(blocks), contrasts


def _fitted(
    happened: NDArray[np.float64], columns: NDArray[np.float64], groups: Sequence[str]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Coefficients and their covariance. Whatever the library only warns of is an error here."""
    order = np.argsort(np.asarray(groups, dtype=object), kind="stable")
    codes = np.unique(np.asarray(groups)[order], return_inverse=True)[1]
    are_pairs = len(codes) > len(set(codes.tolist()))
    structure = Exchangeable() if are_pairs else Independence()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = GEE(happened[order], columns[order], groups=codes, family=Binomial(), cov_struct=structure)
        fit = model.fit(maxiter=200, cov_type="bias_reduced")
        estimates, covariance = np.asarray(fit.params), np.asarray(fit.cov_params())
    if not (np.isfinite(estimates).all() and np.isfinite(covariance).all()):
        raise ArithmeticError("an estimate is not finite")
    return estimates, covariance


def _terms(
    contrasts: list[_Contrast],
    estimates: NDArray[np.float64],
    covariance: NDArray[np.float64],
    happened: NDArray[np.float64],
    factors: Mapping[str, Sequence[str]],
    keep: NDArray[np.bool_],
    confidence: float,
) -> list[OddsRatio]:
    reach = float(special.ndtri(0.5 + confidence / 2.0))
    logs = np.array([weights @ estimates for _, _, weights in contrasts])
    errors = np.sqrt(np.array([max(weights @ covariance @ weights, 0.0) for _, _, weights in contrasts]))
    raw = 2.0 * special.ndtr(-np.abs(np.divide(logs, errors, out=np.zeros_like(logs), where=errors > 0)))
    adjusted = multipletests(raw, method="holm")[1]
    terms = []
    for (factor, level, _), log, error, p in zip(contrasts, logs, errors, adjusted, strict=True):
        rows = keep & (np.asarray(factors[factor], dtype=object) == level) if factor in factors else keep
        counts = (int(rows.sum()), int(happened[rows].sum()))
        if abs(log) > _LARGEST_LOG_ODDS or error == 0.0:
            terms.append(OddsRatio(factor, level, *counts, None, None, "too extreme to be estimated"))
            continue
        low, high = np.exp(log - reach * error), np.exp(log + reach * error)
        ratio = Bounded(float(np.exp(log)), float(low), float(high))
        terms.append(OddsRatio(factor, level, *counts, ratio, float(p), None))
    return terms
