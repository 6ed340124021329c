"""The bound of rule 4.3, a second time: slow, exact in principle, and by another road than `litmus_nb.stats.bound`.

T = sum w_i z_i with weights uniform on the simplex. Take one value u above x and one value l at or below x. Then

    P(T_A > x) = ( (u - x) P(T_{A without l} > x) + (x - l) P(T_{A without u} > x) ) / (u - l)

because P(T_A > x) is the divided difference over A of the truncated power (z - x)_+^(|A| - 1) (Curry & Schoenberg 1966:
the density of T is a B-spline whose knots are the values), and because of Leibniz' rule for divided differences. The
end points: nothing left above x means 0, nothing left below means 1. Every step is a weighted mean of two
probabilities, so floating point loses almost nothing; with Fractions it is exact.
"""

from __future__ import annotations

import math
from fractions import Fraction


def tail(values, x):
    """P(T > x): weights uniform on the simplex over `values`. Exact if all numbers are Fractions."""
    above = [value for value in values if value > x]
    below = [value for value in values if value <= x]
    zero, one = (Fraction(0), Fraction(1)) if isinstance(x, Fraction) else (0.0, 1.0)
    # row[j]: the probability with j of `below` left and as many of `above` as rows were made so far
    row = [zero] * (len(below) + 1)
    for u in above:
        new = [one]
        for j, low in enumerate(below):
            new.append(((u - x) * new[j] + (x - low) * row[j + 1]) / (u - low))
        row = new
    return row[len(below)]


def upper_bound(deltas, confidence):
    """The (1 + confidence)/2 quantile with one value of +1 added, by halving an interval; floats."""
    values = sorted([float(delta) for delta in deltas] + [1.0])
    level = (1.0 - float(confidence)) / 2.0
    low, high = values[0], 1.0
    if low == high:
        return 1.0
    for _ in range(60):
        middle = (low + high) / 2.0
        if middle in (low, high):
            break
        if tail(values, middle) > level:
            low = middle
        else:
            high = middle
    return (low + high) / 2.0


def lower_bound(deltas, confidence):
    """The (1 - confidence)/2 quantile with one value of -1 added."""
    return -upper_bound([-delta for delta in deltas], confidence)


def noise_floor(deltas):
    """Rule 4.4, word by word."""
    values = [Fraction(delta) for delta in deltas] + [Fraction(1), Fraction(-1)]
    count = len(values)
    mean = sum(values) / count
    return math.sqrt(sum((value - mean) ** 2 for value in values) / count / (count + 1))
