"""A rate of true labels from the labels of a judge that errs, with the assumption of each way.

Both take care of the judge's errors and of the uncertainty about them; a plain rate of judged labels does neither.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from litmus_nb.stats.rates import Bounded, change_bounds, mean_bounds

__all__ = ["prediction_powered", "rogan_gladen"]


def rogan_gladen(
    n_yes: float, n: float, *, caught: int, positives: int, cleared: int, negatives: int, confidence: float
) -> Bounded | None:
    """The true rate of yes behind a judged rate, by the judge's error rates on other items.

    Rogan & Gladen (1978), Am. J. Epidemiol. 107:71, equation 2: (p + sp - 1) / (se + sp - 1), with the interval of
    Lang & Reiczigel (2014), Prev. Vet. Med. 113:13, equation 3, which takes the error rates as measured. Assumes that
    the judge errs on these items as it does on those it was measured on.

    Args:
        n_yes: items that the judge calls yes.
        n: items judged (an effective number where items cluster).
        caught: of `positives` truly yes items, those that the judge calls yes.
        positives: at least 1.
        cleared: of `negatives` truly no items, those that the judge calls no.
        negatives: at least 1.
        confidence: two-sided.

    Returns:
        Value and limits cut to [0, 1]; None where it is undefined: no items, no error rates, or a judge that is not
        shown to be better than a coin (se + sp <= 1).

    Raises:
        ValueError: a count is impossible.
    """
    if not (0 <= n_yes <= n and 0 <= caught <= positives and 0 <= cleared <= negatives):
        raise ValueError(f"counts that fit: {n_yes}/{n}, {caught}/{positives}, {cleared}/{negatives} seen")
    if n == 0 or positives == 0 or negatives == 0 or caught / positives + cleared / negatives <= 1.0:
        return None
    z = float(special.ndtri(0.5 + confidence / 2.0))
    z2 = z * z
    rate = (n_yes + z2 / 2.0) / (n + z2)
    sensitivity, specificity = (caught + 1.0) / (positives + 2.0), (cleared + 1.0) / (negatives + 2.0)
    youden = sensitivity + specificity - 1.0
    if youden <= 0.0:
        return None
    centre = (rate + specificity - 1.0) / youden
    of_sensitivity = sensitivity * (1.0 - sensitivity) / (positives + 2.0)
    of_specificity = specificity * (1.0 - specificity) / (negatives + 2.0)
    shift = 2.0 * z2 * (centre * of_sensitivity - (1.0 - centre) * of_specificity)
    variance = rate * (1.0 - rate) / (n + z2) + centre**2 * of_sensitivity + (1.0 - centre) ** 2 * of_specificity
    reach = z * math.sqrt(variance) / youden
    plain = (n_yes / n + cleared / negatives - 1.0) / (caught / positives + cleared / negatives - 1.0)
    return Bounded(_cut(plain), _cut(min(centre + shift - reach, plain)), _cut(max(centre + shift + reach, plain)))


def prediction_powered(
    judged: ArrayLike, judged_where_labelled: ArrayLike, labelled: ArrayLike, confidence: float
) -> Bounded | None:
    """The true rate of yes: the judge's rate over all items, corrected by its mean error where humans labelled too.

    Angelopoulos et al. (2023), Science 382:669, for a mean: mean(f(X)) + mean(Y - f(X)). The interval joins the
    intervals of RULE 4.3 of both parts at half the error each, so no normal approximation is made of a handful of
    labels. Assumes that the labelled items are a random sample of those that are judged.

    Args:
        judged: the judge's label of every item that no human labelled, a value in [0, 1] each.
        judged_where_labelled: its label of every item that humans labelled.
        labelled: the humans' label of the same items in the same order.
        confidence: two-sided, of the whole.

    Returns:
        Value and limits cut to [0, 1]; None where no item is labelled.

    Raises:
        ValueError: the arrays do not fit, or a value lies outside [0, 1].
    """
    others = np.asarray(judged, dtype=np.float64)
    predicted, truth = np.asarray(judged_where_labelled, dtype=np.float64), np.asarray(labelled, dtype=np.float64)
    if predicted.shape != truth.shape:
        raise ValueError("as many judged as human labels where both are there")
    if truth.size == 0:
        return None
    if others.size == 0:
        whole = mean_bounds(truth, confidence)
        return Bounded(float(truth.mean()), whole.low, whole.high)
    each = (1.0 + confidence) / 2.0
    of_judge, of_error = mean_bounds(others, each), change_bounds(truth - predicted, each)
    value = float(others.mean()) + float((truth - predicted).mean())
    return Bounded(_cut(value), _cut(of_judge.low + of_error.low), _cut(of_judge.high + of_error.high))


def _cut(value: float) -> float:
    return min(1.0, max(0.0, value))
