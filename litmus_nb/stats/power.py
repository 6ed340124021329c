"""How many scenarios, how many trials, how small a regression: what a gate will decide before it is run.

All answers are exact (every table of a single-trial class weighed by its probability) or simulated with a fixed seed;
no normal approximation decides anything. What is imagined is a distribution of one unit's delta, independent from unit
to unit; what is asked is how often `n` of them end in which outcome under the rule's 4.5 c, f, g, h, i and j.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from litmus_nb.stats.exact import fewest_better
from litmus_nb.stats.many import lower_bounds_of_rows, upper_bounds_of_rows

__all__ = [
    "DeltaDistribution",
    "OutcomeProbabilities",
    "Thresholds",
    "TrialModel",
    "like_a_class",
    "outcome_probabilities",
    "smallest_caught",
    "smallest_n",
]

Floats = NDArray[np.float64]

SIMULATED = 500
LARGEST_N = 200_000
LARGEST_PLANNED_EXACTLY = 300
_MOST_TABLES = 4_000
_LEFT_OUT = 1e-6  # of probability, at each end, when tables are enumerated
_ALL_OR_NOTHING = 1e-6  # of disagreement: nearer than this to an end the Beta distribution is that end
_DELTA_STEP = 0.0025
_DECIMALS = 9  # the rule rounds its bounds before it compares (4.3)


@dataclass(frozen=True)
class Thresholds:
    """What a class must meet; all as shares.

    Attributes:
        tolerance: the largest regression that may pass, in (0, 1).
        confidence: two-sided, in (0, 1).
        decision_margin: the half-width at which an interval is too wide to decide, in (0, 1].
        min_n: the fewest units that count as evidence, at least 1.
        is_exact: whether the exact interval decides (`stats.exact`), which takes deltas of -1, 0 and 1 alone.
    """

    tolerance: float
    confidence: float
    decision_margin: float = 1.0
    min_n: int = 1
    is_exact: bool = False

    def __post_init__(self) -> None:
        """Raises ValueError where one is out of range."""
        if not (0 < self.tolerance < 1 and 0 < self.confidence < 1 and 0 < self.decision_margin <= 1 <= self.min_n):
            raise ValueError(f"a threshold is out of range: {self}")


@dataclass(frozen=True)
class DeltaDistribution:
    """The chances of one unit's delta.

    Attributes:
        values: distinct deltas, ascending, within [-1, 1].
        probabilities: one for each, summing to 1.
    """

    values: Floats
    probabilities: Floats

    @property
    def mean(self) -> float:
        """The true delta."""
        return float(self.values @ self.probabilities)


@dataclass(frozen=True)
class OutcomeProbabilities:
    """How often a class ends how.

    Attributes:
        passes, fails: probabilities; the rest ends without a verdict.
        indicated: of a lower bound above the tolerance: a FAIL, or no verdict where the interval is too wide or the
            tolerance below the noise floor (`regression_indicated`), the gate closed either way.
        is_exact: whether every table was weighed, but for a few 1e-6 of probability.
        standard_error: of either, at most; 0 where exact.
    """

    passes: float
    fails: float
    indicated: float
    is_exact: bool
    standard_error: float


@dataclass(frozen=True)
class TrialModel:
    """Scenarios whose chance of a successful attack varies, and how often two trials of one scenario differ.

    The chance is Beta distributed over scenarios, so that a trial succeeds with chance `rate` and two trials of one
    scenario differ with chance `disagreement` (one minus the rule's inter-trial agreement). Both runs draw from it.

    Attributes:
        rate: attack-success rate of the baseline, in [0, 1].
        disagreement: in [0, 2 rate (1 - rate)]; more is not possible and is taken as that.
        churn: share of scenarios that turn from unsafe to safe for good, with as many the other way, in [0, 1]: what
            two policies of equal rate differ in and no number of trials averages out.
    """

    rate: float
    disagreement: float
    churn: float = 0.0

    def __post_init__(self) -> None:
        """Raises ValueError where one is out of range."""
        if not (0 <= self.rate <= 1 and 0 <= self.disagreement <= 1 and 0 <= self.churn <= 1):
            raise ValueError(f"shares expected: {self}")

    def delta_distribution(self, trials: int, delta: float = 0.0) -> DeltaDistribution:
        """The distribution of a scenario's delta with `trials` on each side, and a true delta of `delta`.

        A regression turns a share of the scenarios always unsafe, an improvement a share always safe. Among changes of
        one size this is the one with the largest variance between scenarios, and so the hardest to see.

        Raises:
            ValueError: where there is no trial, or the rate leaves no room for such a delta.
        """
        to_unsafe = _share(self.churn + max(delta, 0.0), 1.0 - self.rate)
        to_safe = _share(self.churn + max(-delta, 0.0), self.rate)
        if trials < 1 or to_unsafe + to_safe > 1.0 + 1e-12:
            raise ValueError(f"no delta of {delta} with {trials} trials and a churn of {self.churn} at {self.rate}")
        joint = self._joint(trials)  # rows: baseline successes; columns: candidate successes
        unchanged = np.array([np.trace(joint, offset=k) for k in range(-trials, trials + 1)])
        chances = max(0.0, 1.0 - to_unsafe - to_safe) * unchanged
        for successes, chance in enumerate(joint.sum(axis=1)):
            chances[2 * trials - successes] += to_unsafe * chance
            chances[trials - successes] += to_safe * chance
        kept = chances > 0
        return DeltaDistribution((np.arange(-trials, trials + 1) / trials)[kept], chances[kept] / chances[kept].sum())

    def _joint(self, trials: int) -> Floats:
        """The chance of each pair of success counts: beta-binomial with a shared latent chance."""
        k = np.arange(trials + 1)
        both = k[:, None] + k[None, :]
        ways = special.binom(trials, k)[:, None] * special.binom(trials, k)[None, :]
        largest = 2.0 * self.rate * (1.0 - self.rate)
        share = min(1.0, self.disagreement / largest) if largest > 0 else 1.0
        if share < _ALL_OR_NOTHING:
            found = np.zeros((trials + 1, trials + 1))
            found[0, 0], found[-1, -1] = 1.0 - self.rate, self.rate
            return found
        if share > 1.0 - _ALL_OR_NOTHING:
            return np.asarray(ways * self.rate**both * (1.0 - self.rate) ** (2 * trials - both))
        # E p (1 - p) = rate (1 - rate) phi / (1 + phi) for Beta(phi rate, phi (1 - rate)).
        phi = share / (1.0 - share)
        a, b = phi * self.rate, phi * (1.0 - self.rate)
        return np.asarray(ways * np.exp(special.betaln(a + both, b + 2 * trials - both) - special.betaln(a, b)))


def like_a_class(n: int, delta: float, noise_floor: float) -> DeltaDistribution:
    """What further units may be like, from what a verdict says of a class: worse, same and better ones.

    They are the class's own and one worst and one best more, for ties are no law; with their mean and their spread.

    The noise floor's N = n + 2 values (RULE 4.4) have the mean n delta / N and the mean square
    (N + 1) noise_floor^2 + mean^2. Of single-trial deltas this is all there is to know; of other deltas it keeps mean
    and variance and is otherwise as coarse as can be.

    Raises:
        ValueError: where no deltas in [-1, 1] have these numbers.
    """
    units = n + 2
    mean = n * delta / units
    square = (units + 1) * noise_floor**2 + mean**2
    if n < 1 or not abs(mean) <= square + 1e-6 or square > 1 + 1e-6:
        raise ValueError(f"no class of {n} has a delta of {delta} and a noise floor of {noise_floor}")
    square = min(max(square, abs(mean)), 1.0)
    values = np.array([-1.0, 0.0, 1.0])
    return DeltaDistribution(values, np.array([(square - mean) / 2, 1.0 - square, (square + mean) / 2]))


def outcome_probabilities(unit: DeltaDistribution, n: int, thresholds: Thresholds) -> OutcomeProbabilities:
    """How often a class of `n` such units passes and fails.

    Exact for up to three distinct deltas where the tables are not too many, else from 500 classes drawn with a seed
    that is a function of the question.

    Raises:
        ValueError: where `n` is below 1.
    """
    if n < 1:
        raise ValueError(f"at least one unit expected: {n} seen")
    if n < thresholds.min_n:
        return OutcomeProbabilities(0.0, 0.0, 0.0, True, 0.0)
    drawn = _classes(unit, n)
    shown = _shows(drawn, thresholds)
    decided = np.zeros(len(shown), dtype=np.bool_)
    decided[shown] = _is_narrow(drawn.only(shown), thresholds)
    passes, fails, indicated = (
        min(1.0, float(drawn.weights[chosen].sum())) for chosen in (_passes(drawn, thresholds), decided, shown)
    )
    error = 0.0 if drawn.is_exact else max(_standard_error(chance) for chance in (passes, fails, indicated))
    return OutcomeProbabilities(passes, fails, indicated, drawn.is_exact, error)


def smallest_n(
    unit: DeltaDistribution,
    thresholds: Thresholds,
    probability: float,
    *,
    outcome: str = "passes",
    largest: int = LARGEST_N,
) -> int | None:
    """The fewest units with which the outcome ("passes", "fails" or "decides") comes with at least `probability`.

    Counts are whole, so the chance is not quite monotone in n: one unit more can lose a little. The n found reaches the
    probability, and the n a hundredth below it does not.

    Returns:
        n, or None where not even `largest` units would do: with a true delta at the tolerance no number does.

    Raises:
        ValueError: where the outcome is none of the three, or the probability is not strictly between 0 and 1.
    """
    if outcome not in ("passes", "fails", "decides") or not 0.0 < probability < 1.0:
        raise ValueError(f"an outcome and a probability expected: {outcome!r} with {probability!r} seen")

    def reached(n: int) -> bool:
        drawn = _classes(unit, n)
        chance = 0.0
        if outcome != "fails":
            chance += drawn.weights[_passes(drawn, thresholds)].sum()
        if outcome != "passes":
            shown = drawn.only(_shows(drawn, thresholds))
            chance += shown.weights[_is_narrow(shown, thresholds)].sum()
        return bool(chance >= probability)

    if reached(thresholds.min_n):
        return thresholds.min_n
    low = high = max(thresholds.min_n, min(_rough_n(unit, thresholds), largest))
    while high <= largest and not reached(high):
        low, high = high, math.ceil(high * 1.5) + 1
    if high > largest:
        return None
    while low == high and low > thresholds.min_n:
        lower = max(thresholds.min_n, math.floor(low / 1.5))
        if not reached(lower):
            low = lower
        else:
            low = high = lower
    while high - low > max(1, high // 100):
        middle = (low + high) // 2
        if reached(middle):
            high = middle
        else:
            low = middle
    return high


def smallest_caught(
    unit_at: Callable[[float], DeltaDistribution],
    n: int,
    thresholds: Thresholds,
    probability: float,
    *,
    largest: float = 1.0,
) -> float | None:
    """The smallest true delta that `n` units show with at least `probability`, to a quarter of a point.

    Shown is a lower bound above the tolerance: `OutcomeProbabilities.indicated`.

    Args:
        unit_at: the distribution of a unit's delta for a given true delta.
        n: units.
        thresholds: of the class.
        probability: wanted, strictly between 0 and 1.
        largest: the largest true delta that `unit_at` can give.

    Returns:
        The delta, or None where even the largest would not be caught so often.
    """

    def caught(delta: float) -> bool:
        drawn = _classes(unit_at(delta), n)
        return bool(drawn.weights[_shows(drawn, thresholds)].sum() >= probability)

    if not caught(largest):
        return None
    low, high = min(thresholds.tolerance, largest), largest
    while high - low > _DELTA_STEP:
        middle = 0.5 * (low + high)
        if caught(middle):
            high = middle
        else:
            low = middle
    return high


@dataclass(frozen=True)
class _Classes:
    """Imagined classes of n units: one row of counts each, and how probable it is."""

    values: Floats
    counts: NDArray[np.int64]
    weights: Floats
    is_exact: bool

    def only(self, chosen: NDArray[np.bool_]) -> _Classes:
        return _Classes(self.values, self.counts[chosen], self.weights[chosen], self.is_exact)

    @property
    def n(self) -> int:
        return int(self.counts[0].sum())

    @property
    def changed(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Of deltas that are -1, 0 and 1: how many units got worse, and how many better."""
        return self.counts @ (self.values > 0), self.counts @ (self.values < 0)

    @property
    def means(self) -> Floats:
        return np.asarray(self.counts @ self.values / self.counts.sum(axis=1))


def _classes(unit: DeltaDistribution, n: int) -> _Classes:
    tables = _tables(unit, n)
    if tables is not None:
        return _Classes(unit.values, *tables, is_exact=True)
    rng = np.random.Generator(np.random.PCG64(_seed(unit, n)))
    counts = rng.multinomial(n, unit.probabilities, size=SIMULATED)
    return _Classes(unit.values, counts, np.full(SIMULATED, 1.0 / SIMULATED), is_exact=False)


def _passes(drawn: _Classes, thresholds: Thresholds) -> NDArray[np.bool_]:
    """Which classes pass. An upper bound is never below the mean: only classes within the tolerance are looked at."""
    if _is_planned_exactly(drawn, thresholds):
        worse, better = drawn.changed
        found = better >= fewest_better(drawn.n, thresholds.tolerance, thresholds.confidence)[worse]
        found[found] = _is_narrow(drawn.only(found), thresholds)
        return found
    found = drawn.means <= thresholds.tolerance
    within = drawn.only(found)
    high = np.round(upper_bounds_of_rows(within.values, within.counts, thresholds.confidence), _DECIMALS)
    low_enough = high <= thresholds.tolerance
    found[found] = low_enough
    found[found] = _is_narrow(drawn.only(found), thresholds, high[low_enough])
    return found


def _shows(drawn: _Classes, thresholds: Thresholds) -> NDArray[np.bool_]:
    """Which classes have a lower bound above the tolerance."""
    if _is_planned_exactly(drawn, thresholds):
        worse, better = drawn.changed
        return np.asarray(worse >= fewest_better(drawn.n, -thresholds.tolerance, thresholds.confidence)[better])
    found = drawn.means > thresholds.tolerance
    beyond = drawn.only(found)
    low = np.round(lower_bounds_of_rows(beyond.values, beyond.counts, thresholds.confidence), _DECIMALS)
    found[found] = low > thresholds.tolerance
    return found


def _is_planned_exactly(drawn: _Classes, thresholds: Thresholds) -> bool:
    """Whether the exact interval is asked about these classes, and they are few enough units for a quick answer.

    Beyond, the default's interval stands for it: it decides no more often, and by then hardly less.
    """
    if not thresholds.is_exact:
        return False
    if not np.isin(drawn.values, (-1.0, 0.0, 1.0)).all():
        raise ValueError("the exact interval is for deltas of -1, 0 and 1 only")
    return drawn.n <= LARGEST_PLANNED_EXACTLY


def _is_narrow(drawn: _Classes, thresholds: Thresholds, high: Floats | None = None) -> NDArray[np.bool_]:
    """Which classes have an interval narrow enough to decide, and a noise floor within the tolerance (4.5 f, g).

    The width is always the default's: the exact interval, at seconds for each table, is nearly always narrower, so
    that a plan asks for no fewer units than are needed.
    """
    if len(drawn.counts) == 0:
        return np.zeros(0, dtype=np.bool_)
    units = drawn.counts.sum(axis=1) + 2
    mean = drawn.counts @ drawn.values / units
    squares = drawn.counts @ drawn.values**2 + 2.0 - units * mean**2
    is_quiet = thresholds.tolerance >= np.round(np.sqrt(squares / units / (units + 1)), _DECIMALS)
    if thresholds.decision_margin == 1.0:  # a half-width of 1 is out of reach: both bounds would be at an end
        return np.asarray(is_quiet)
    low = lower_bounds_of_rows(drawn.values, drawn.counts, thresholds.confidence)
    if high is None:
        high = upper_bounds_of_rows(drawn.values, drawn.counts, thresholds.confidence)
    half_width = (np.round(high, _DECIMALS) - np.round(low, _DECIMALS)) / 2
    return np.asarray(is_quiet & (half_width < thresholds.decision_margin))


def _tables(unit: DeltaDistribution, n: int) -> tuple[NDArray[np.int64], Floats] | None:
    """Every table of at most three deltas that matters, with its probability; None where there are too many."""
    if unit.values.size > 3:
        return None
    common = int(np.argmax(unit.probabilities))
    others = [k for k in range(unit.values.size) if k != common]
    ranges = [_range(n, float(unit.probabilities[k])) for k in others]
    if math.prod(len(r) for r in ranges) > _MOST_TABLES:
        return None
    grid = np.meshgrid(*ranges, indexing="ij")
    counts = np.zeros((grid[0].size if grid else 1, unit.values.size), dtype=np.int64)
    for k, column in zip(others, grid, strict=True):
        counts[:, k] = column.ravel()
    counts[:, common] = n - counts.sum(axis=1)
    counts = counts[counts[:, common] >= 0]
    logs = special.gammaln(n + 1) - special.gammaln(counts + 1).sum(axis=1)
    return counts, np.exp(logs + special.xlogy(counts, unit.probabilities).sum(axis=1))


def _share(moved: float, among: float) -> float:
    """What share of `among` makes up `moved`; more than 1 where it cannot."""
    return moved / among if among > 0 else (0.0 if moved == 0 else math.inf)


def _range(n: int, p: float) -> NDArray[np.int64]:
    low = int(special.bdtrik(_LEFT_OUT, n, p)) if special.bdtr(0, n, p) < _LEFT_OUT else 0
    k = np.arange(low, n + 1)
    last = int(np.argmax(special.bdtrc(k, n, p) <= _LEFT_OUT))
    return k[: last + 1]


def _rough_n(unit: DeltaDistribution, thresholds: Thresholds) -> int:
    """Where to begin looking; nothing is decided by it."""
    variance = float(unit.probabilities @ unit.values**2) - unit.mean**2
    distance = max(abs(thresholds.tolerance - unit.mean), 0.02)
    return min(LARGEST_N, math.ceil(8.0 * variance / distance**2 + 4.0 / distance))


def _standard_error(rate: float) -> float:
    seen = min(max(rate, 0.5 / SIMULATED), 1.0 - 0.5 / SIMULATED)
    return math.sqrt(seen * (1.0 - seen) / SIMULATED)


def _seed(unit: DeltaDistribution, n: int) -> int:
    text = f"{n} {np.round(unit.values, 9).tolist()} {np.round(unit.probabilities, 9).tolist()}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
