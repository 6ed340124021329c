"""Is there a bound with more power that is still valid at finite n and monotone?

`python -m benchmarks.calibration.alternatives`. Exact, for single-trial tables; docs/background.md discusses what came
of it. Each candidate is a set of tables that PASS at the tolerance; a set is monotone (RULE 5.1) if a table in it
stays in it with fewer worse or more better scenarios.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import stats

from benchmarks.calibration.methods import CONFIDENCE, LEVEL, tango_score
from litmus_nb.stats.bound import DeltaCounts, tail_probability
from litmus_nb.stats.exact import fewest_better

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
OUTPUT = Path(__file__).with_name("alternatives.parquet")
LARGEST_SLOW = 100
REVERSE = (0.0, 0.01, 0.02, 0.05, 0.1)
_NO_TABLE = 10**9


def nuisance(tolerance: float) -> Floats:
    """Chances of `better` to look over: densest near 0, where the chance of a wrong PASS moves fastest."""
    largest = (1 - tolerance) / 2
    return np.unique(np.concatenate([[0.0], np.geomspace(1e-5, largest, 500), np.linspace(0, largest, 400)]))


def probability(fewest: Ints, n: int, p_worse: Floats, p_better: Floats) -> Floats:
    """The chance of at least `fewest[w]` better scenarios beside w worse ones, for each pair of chances."""
    w = np.flatnonzero(fewest <= n)
    chance = stats.binom.pmf(w[None, :], n, p_worse[:, None])
    rest = np.clip(p_better / (1 - p_worse), 0, 1)[:, None]
    return (chance * stats.binom.sf(fewest[w][None, :] - 1, n - w[None, :], rest)).sum(axis=1)


def is_monotone(fewest: Ints) -> bool:
    return bool(np.all(np.diff(np.minimum(fewest, _NO_TABLE)) >= 0))


def edge_below(statistic: Floats, threshold: float) -> Ints:
    """Of each row (w worse), the fewest better scenarios from which on the statistic is at most the threshold."""
    inside = statistic <= threshold
    n = len(statistic) - 1
    edge = np.full(n + 1, _NO_TABLE)
    for w in range(n + 1):
        outside = np.flatnonzero(~inside[w, : n - w + 1])
        first = outside[-1] + 1 if outside.size else 0
        if first <= n - w:
            edge[w] = first
    return edge


def calibrated(statistic: Floats, n: int, tolerance: float) -> Ints:
    """The largest set {statistic <= t} whose chance is at most (1 - c)/2 at every nuisance (Buehler 1957).

    It is valid by construction for independent single-trial scenarios, and the largest such set for this ordering.
    """
    better = nuisance(tolerance)
    worse = better + tolerance
    values = np.unique(statistic[np.isfinite(statistic)])
    low, high = -1, len(values) - 1
    while high - low > 1:
        middle = (low + high) // 2
        if probability(edge_below(statistic, values[middle]), n, worse, better).max() <= LEVEL:
            low = middle
        else:
            high = middle
    return edge_below(statistic, values[low]) if low >= 0 else np.full(n + 1, _NO_TABLE)


def greedy(n: int, tolerance: float) -> Ints:
    """Barnard's way: add the monotone table that raises the worst chance least, while it is at most (1 - c)/2."""
    better = nuisance(tolerance)[::4]
    worse = better + tolerance
    edge, reached = np.full(n + 1, _NO_TABLE), np.zeros(len(better))

    def gain(w: int, b: int) -> Floats:
        rest = np.clip(better / (1 - worse), 0, 1)
        return stats.binom.pmf(w, n, worse) * stats.binom.pmf(b, n - w, rest)

    front = {0: n}
    while front:
        options = {w: reached + gain(w, b) for w, b in front.items()}
        w = min(options, key=lambda w: (options[w].max(), options[w].mean()))
        if options[w].max() > LEVEL:
            del front[w]
            continue
        reached, edge[w] = options[w], front[w]
        # The next table of this row, and of the row after it as far as monotony allows.
        if front[w] > 0 and (w == 0 or edge[w - 1] <= front[w] - 1):
            front[w] -= 1
        else:
            del front[w]
        for other in (w + 1,):
            if other <= n and other not in front:
                target = min(n - other, (edge[other] if edge[other] < _NO_TABLE else n - other + 1) - 1)
                if target >= edge[w] and target >= 0:
                    front[other] = target
    return edge


def gaffke_statistic(n: int, tolerance: float) -> Floats:
    """P(T > tolerance) of every table near enough to matter; infinite elsewhere."""
    found = np.full((n + 1, n + 1), np.inf)
    reach = math.ceil(n * tolerance + 6 * math.sqrt(n * (tolerance + 0.12)) + 4)
    for w in range(min(n, reach) + 1):
        for b in range(n - w + 1):
            found[w, b] = tail_probability(DeltaCounts.of([-1.0, 0.0, 1.0], [b, n - w - b, w]), tolerance)
            if found[w, b] < 1e-7:
                found[w, b:] = found[w, b]
                break
    return found


def tango_statistic(n: int, tolerance: float) -> Floats:
    w, b = np.meshgrid(np.arange(n + 1), np.arange(n + 1), indexing="ij")
    return np.where(w + b <= n, tango_score(w, b, n, tolerance), np.inf)


def betting(n: int, tolerance: float, p_worse: float, p_better: float, draws: int) -> float:
    """The simulated power of a betting test (Waudby-Smith & Ramdas 2024, JRSS-B 86:1, predictable plug-in bets)."""
    rng = np.random.Generator(np.random.PCG64(7))
    y = (1 - rng.choice([1.0, -1.0, 0.0], (draws, n), p=[p_worse, p_better, 1 - p_worse - p_better])) / 2
    null = (1 - tolerance) / 2
    steps = np.arange(1, n + 1)
    means = (0.5 + np.cumsum(y, axis=1)) / (steps + 1)
    variances = (0.25 + np.cumsum((y - means) ** 2, axis=1)) / (steps + 1)
    before = np.concatenate([np.full((draws, 1), 0.25), variances[:, :-1]], axis=1)
    bets = np.minimum(np.sqrt(2 * math.log(1 / LEVEL) / (n * before)), 0.9 / null)
    capital = np.cumsum(np.log1p(bets * (y - null)), axis=1)
    return float((capital.max(axis=1) >= math.log(1 / LEVEL)).mean())


def stratified(
    gaffke: Floats, n: int, tolerance: float, rate: float, reverse: float, edges: dict[int, Ints]
) -> tuple[float, float]:
    """False-pass rate and power of an exact test that holds the baseline's failures fixed, under a given truth.

    With n1 baseline failures, W ~ Bin(n - n1, a) and B ~ Bin(n1, b) are independent and the delta of these scenarios is
    ((n - n1) a - n1 b) / n. The threshold on Gaffke's tail is set for each n1 so that no b exceeds (1 - c)/2; `edges`
    keeps the sets found.
    """
    wrong = right = 0.0
    for failures in range(n + 1):
        chance = float(stats.binom.pmf(failures, n, rate))
        if chance < 1e-6:
            continue
        if failures not in edges:
            edges[failures] = _stratum_edge(gaffke, n, failures, tolerance)
        edge = edges[failures]
        for delta in (tolerance, 0.0):
            a, b = np.array([(delta + reverse) / (1 - rate)]), np.array([reverse / rate])
            passed = chance * float(_stratum_probability(edge, n, failures, a, b)[0])
            wrong, right = (wrong + passed, right) if delta else (wrong, right + passed)
    return wrong, right


def _stratum_edge(gaffke: Floats, n: int, failures: int, tolerance: float) -> Ints:
    b = np.linspace(0, 1, 201)
    a = (tolerance * n + failures * b) / max(1, n - failures)
    possible = a <= 1
    values = np.unique(gaffke[np.isfinite(gaffke)])
    low, high = -1, len(values) - 1
    while high - low > 1:
        middle = (low + high) // 2
        edge = edge_below(gaffke, values[middle])
        if _stratum_probability(edge, n, failures, a[possible], b[possible]).max(initial=0.0) <= LEVEL:
            low = middle
        else:
            high = middle
    return edge_below(gaffke, values[low]) if low >= 0 else np.full(n + 1, _NO_TABLE)


def _stratum_probability(edge: Ints, n: int, failures: int, a: Floats, b: Floats) -> Floats:
    w = np.flatnonzero(edge <= n)
    w = w[w <= n - failures]
    chance = stats.binom.pmf(w[None, :], n - failures, a[:, None])
    return np.asarray((chance * stats.binom.sf(edge[w][None, :] - 1, failures, b[:, None])).sum(axis=1))


def study(n: int, tolerance: float) -> list[dict[str, object]]:
    gaffke = gaffke_statistic(n, tolerance)
    tango = tango_statistic(n, tolerance)
    edges: dict[str, Callable[[], Ints]] = {
        "Gaffke (default)": lambda: edge_below(gaffke, LEVEL),
        "Tango score, uncalibrated": lambda: edge_below(tango, float(stats.norm.ppf(LEVEL))),
        "exact, ordered by Gaffke's bound (interval: exact)": lambda: fewest_better(n, tolerance, CONFIDENCE),
        "exact, ordered by Gaffke": lambda: calibrated(gaffke, n, tolerance),
        "exact, ordered by Tango": lambda: calibrated(tango, n, tolerance),
        "exact, greedy": lambda: greedy(n, tolerance),
    }
    better = nuisance(tolerance)
    rows = []
    for name, make in edges.items():
        if name == "exact, greedy" and n > LARGEST_SLOW:
            continue
        edge = make()
        wrong = probability(edge, n, better + tolerance, better)
        for reverse in REVERSE:
            chance = np.array([reverse])
            rows.append(
                {
                    "bound": name,
                    "n": n,
                    "tolerance": tolerance,
                    "discordance": 2 * reverse,
                    "power": float(probability(edge, n, chance, chance)[0]),
                    "worst_false_pass": float(wrong.max()),
                    "is_monotone": is_monotone(edge),
                }
            )
    rows += _stratified_rows(gaffke, n, tolerance) if n <= LARGEST_SLOW else []
    for reverse in REVERSE:
        rows.append(
            {
                "bound": "betting",
                "n": n,
                "tolerance": tolerance,
                "discordance": 2 * reverse,
                "power": betting(n, tolerance, reverse, reverse, 4000),
                "worst_false_pass": max(betting(n, tolerance, r + tolerance, r, 4000) for r in (0.0, 0.01, 0.05, 0.2)),
                "is_monotone": False,
            }
        )
    return rows


def _stratified_rows(gaffke: Floats, n: int, tolerance: float) -> list[dict[str, object]]:
    edges: dict[int, Ints] = {}
    truths = [(rate, share * rate) for rate in (0.01, 0.03, 0.1, 0.2, 0.5) for share in (0.0, 0.1, 0.3, 0.7)]
    worst = max(stratified(gaffke, n, tolerance, rate, reverse, edges)[0] for rate, reverse in truths)
    return [
        {
            "bound": "exact, stratified",
            "n": n,
            "tolerance": tolerance,
            "discordance": 2 * reverse,
            "power": stratified(gaffke, n, tolerance, 0.2, reverse, edges)[1],
            "worst_false_pass": worst,
            "is_monotone": True,
        }
        for reverse in REVERSE
    ]


def main() -> None:
    rows = [row for n in (40, 100, 300) for tolerance in (0.02, 0.05, 0.10) for row in study(n, tolerance)]
    frame = pl.DataFrame(rows)
    frame.write_parquet(OUTPUT, statistics=False)
    with pl.Config(tbl_rows=-1, tbl_cols=-1, tbl_width_chars=160, fmt_str_lengths=60, float_precision=4):
        print(
            frame.pivot(
                "discordance", index=["n", "tolerance", "bound", "worst_false_pass", "is_monotone"], values="power"
            )
        )


if __name__ == "__main__":
    main()
