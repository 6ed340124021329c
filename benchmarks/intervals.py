"""The interval of a class against scipy's bootstraps, arch's, and the loop that everybody writes first."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np
from scipy import stats

from benchmarks.measure import PEERS_PYTHON, ROOT, Measure, Peer, call, row, told, version_of
from litmus_nb.stats import bound
from litmus_nb.stats.bootstrap import percentile_bootstrap
from litmus_nb.stats.bound import DeltaCounts, gaffke_bounds

RESAMPLES = 9_999
SIZES = (300, 10_000)


def deltas_of(n: int) -> np.ndarray:
    """n paired deltas of rates over three trials: one attack in ten gets through, on both sides."""
    rng = np.random.default_rng(n)
    return (rng.binomial(3, 0.1, n) - rng.binomial(3, 0.1, n)) / 3.0


def rows() -> Iterator[dict[str, object]]:
    for n in SIZES:
        yield from _rows_of_size(n)
    rng = np.random.default_rng(5)
    distinct = DeltaCounts.of(rng.normal(0.0, 0.1, 5_000))
    many = DeltaCounts.of(np.arange(-100, 101) / 100.0, rng.multinomial(10_000_000, np.full(201, 1 / 201)))
    loop = Peer("numpy loop, 100 resamples of 10,000", np.__version__, call(lambda: _loop(deltas, 100)))
    unclumped = Peer("the same integral over every value", "", call(lambda: _unclumped(distinct)))
    yield row("bound, 5,000 distinct deltas", call(lambda: gaffke_bounds(distinct, distinct, 0.95), 20), unclumped)
    deltas = deltas_of(10_000)
    yield row("bound, 10,000,000 units", call(lambda: gaffke_bounds(many, many, 0.95), 20), loop)


def _rows_of_size(n: int) -> Iterator[dict[str, object]]:
    deltas, rng = deltas_of(n), np.random.default_rng(1)

    def bootstrapped() -> None:
        percentile_bootstrap(DeltaCounts.of(deltas), 0.95)

    def bounded() -> None:
        counts = DeltaCounts.of(deltas)
        gaffke_bounds(counts, counts, 0.95)

    def scipys(method: str) -> Measure:
        return call(
            lambda: stats.bootstrap((deltas,), np.mean, n_resamples=RESAMPLES, batch=100, method=method, rng=rng)
        )

    scipy_version, arch_version = version_of("scipy"), version_of("arch", PEERS_PYTHON)
    archs = told([PEERS_PYTHON, "-W", "ignore", ROOT / "benchmarks/arch_worker.py", str(n), "percentile"])
    archs_bca = told([PEERS_PYTHON, "-W", "ignore", ROOT / "benchmarks/arch_worker.py", str(n), "bca"])
    for name, peer in (
        ("scipy.stats.bootstrap, percentile", Peer("", scipy_version, scipys("percentile"))),
        ("arch IIDBootstrap, percentile", Peer("", arch_version, archs)),
        ("numpy loop", Peer("", np.__version__, call(lambda: _loop(deltas, RESAMPLES)))),
    ):
        named = Peer(name, peer.version, peer.measure)
        yield row(
            f"percentile bootstrap, n = {n:,}, against {name.split()[0].strip(',')}", call(bootstrapped, 200), named
        )
    for name, peer in (
        ("scipy.stats.bootstrap, BCa", Peer("", scipy_version, scipys("BCa"))),
        ("arch IIDBootstrap, BCa", Peer("", arch_version, archs_bca)),
    ):
        named = Peer(name, peer.version, peer.measure)
        yield row(f"bound, n = {n:,}, against {name.split()[0].strip(',')}", call(bounded, 50), named)


def _loop(deltas: np.ndarray, times: int) -> object:
    rng = np.random.default_rng(2)
    means = [deltas[rng.integers(0, deltas.size, deltas.size)].mean() for _ in range(times)]
    return np.quantile(means, [0.025, 0.975])


def _unclumped(counts: DeltaCounts) -> None:
    before, bound._MOST_UNCLUMPED = bound._MOST_UNCLUMPED, sys.maxsize
    try:
        gaffke_bounds(counts, counts, 0.95)
    finally:
        bound._MOST_UNCLUMPED = before
