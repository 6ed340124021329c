"""When a rate changed: the split of a series of counts, how sure it is, and how often order alone would show one."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

__all__ = ["ChangePoint", "change_point", "control_limits"]

PERMUTATIONS = 4_999
_SIGMAS_3 = 0.0013498980316300933
"""The chance of one side of Shewhart's three sigmas: P(Z > 3)."""


@dataclass(frozen=True)
class ChangePoint:
    """The best split of a series into before and after."""

    first_after: int
    """Index of the first entry of the second part, 1 to n - 1."""
    plausible: tuple[int, ...]
    """The indices that hold 95 % of the posterior, where one change happened: where else the second part may begin."""
    before: float
    """Rate of the first part, 0 to 1."""
    after: float
    p_value: float
    """How often a random order of the same entries splits as clearly; in (0, 1]."""


def change_point(n_events: ArrayLike, n: ArrayLike) -> ChangePoint | None:
    """The split of a series of counts that is most unlike one common rate, by the likelihood ratio of two binomials.

    The p-value permutes the order of the entries, so it holds whatever their common distribution is (entries that share
    their items vary less than binomial ones). The plausible indices are the smallest set of 95 % posterior probability
    under a uniform prior on the split and Jeffreys' on both rates: Smith (1975), Biometrika 62:407.

    Args:
        n_events: events of each entry, in order of time.
        n: out of how many, all at least 1.

    Returns:
        None for fewer than four entries, or where all rates are equal: nothing can be said.

    Raises:
        ValueError: the arrays differ in length or a count is impossible.
    """
    events, sizes = np.asarray(n_events, dtype=np.float64), np.asarray(n, dtype=np.float64)
    if events.shape != sizes.shape or events.ndim != 1:
        raise ValueError("one count of events and one size an entry")
    if events.size and (sizes.min() < 1 or (events < 0).any() or (events > sizes).any()):
        raise ValueError("between 0 and n events among n >= 1 in each entry")
    if events.size < 4 or np.ptp(events / sizes) == 0.0:
        return None
    gains = _gains(events[np.newaxis], sizes[np.newaxis])[0]
    split = int(gains.argmax()) + 1
    rng = np.random.Generator(np.random.PCG64(_seed(events, sizes)))
    orders = rng.permuted(np.tile(np.arange(events.size), (PERMUTATIONS, 1)), axis=1)
    reached = int((_gains(events[orders], sizes[orders]).max(axis=1) >= gains.max() - 1e-9).sum())
    return ChangePoint(
        first_after=split,
        plausible=_plausible(events, sizes),
        before=float(events[:split].sum() / sizes[:split].sum()),
        after=float(events[split:].sum() / sizes[split:].sum()),
        p_value=(reached + 1) / (PERMUTATIONS + 1),
    )


def control_limits(rate: float, n: int) -> tuple[float, float]:
    """Shewhart's limits for the share of events among `n` at a known rate, by exact binomial tails instead of 3 sigmas.

    A share outside is seen with a chance of at most 0.00135 a side.

    Raises:
        ValueError: the rate lies outside [0, 1] or `n` is below 1.
    """
    if not 0.0 <= rate <= 1.0 or n < 1:
        raise ValueError(f"a rate in [0, 1] and n >= 1: {rate} and {n} seen")
    counts = np.arange(n + 1)
    at_most = special.bdtr(counts, n, rate)
    low = int(np.searchsorted(at_most, _SIGMAS_3, side="right"))
    high = int(np.searchsorted(at_most, 1.0 - _SIGMAS_3, side="left"))
    return low / n, high / n


def _gains(events: NDArray[np.float64], sizes: NDArray[np.float64]) -> NDArray[np.float64]:
    """The log-likelihood ratio of each split, one series a row."""
    seen, out_of = events.cumsum(axis=1), sizes.cumsum(axis=1)
    all_seen, all_out_of = seen[:, -1:], out_of[:, -1:]
    left = _log_likelihood(seen[:, :-1], out_of[:, :-1])
    right = _log_likelihood(all_seen - seen[:, :-1], all_out_of - out_of[:, :-1])
    return np.asarray(left + right - _log_likelihood(all_seen, all_out_of))


def _log_likelihood(events: NDArray[np.float64], sizes: NDArray[np.float64]) -> NDArray[np.float64]:
    rates = events / sizes
    return np.asarray(special.xlogy(events, rates) + special.xlog1py(sizes - events, -rates))


def _plausible(events: NDArray[np.float64], sizes: NDArray[np.float64]) -> tuple[int, ...]:
    seen, out_of = events.cumsum(), sizes.cumsum()
    left = special.betaln(seen[:-1] + 0.5, out_of[:-1] - seen[:-1] + 0.5)
    right_seen, right_out_of = seen[-1] - seen[:-1], out_of[-1] - out_of[:-1]
    weights = left + special.betaln(right_seen + 0.5, right_out_of - right_seen + 0.5)
    shares = np.exp(weights - weights.max())
    shares /= shares.sum()
    order = np.argsort(-shares, kind="stable")
    needed = int(np.searchsorted(shares[order].cumsum(), 0.95 - 1e-12)) + 1
    return tuple(sorted(int(index) + 1 for index in order[:needed]))


def _seed(events: NDArray[np.float64], sizes: NDArray[np.float64]) -> int:
    """A number that depends on the entries and not on their order."""
    pairs = sorted(zip(events.tolist(), sizes.tolist(), strict=True))
    return int.from_bytes(hashlib.sha256(repr(pairs).encode()).digest(), "big")
