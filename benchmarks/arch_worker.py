"""Processor seconds of arch's bootstrap of a mean. Runs in the peers' environment; imports nothing of ours.

python benchmarks/arch_worker.py N METHOD
"""

from __future__ import annotations

import sys
import time

import numpy as np
from arch.bootstrap import IIDBootstrap

RESAMPLES = 9_999


def main() -> None:
    n, method = int(sys.argv[1]), sys.argv[2]
    rng = np.random.default_rng(n)
    deltas = (rng.binomial(3, 0.1, n) - rng.binomial(3, 0.1, n)) / 3.0
    IIDBootstrap(deltas, seed=1).conf_int(np.mean, 10, method=method)
    before = time.process_time()
    IIDBootstrap(deltas, seed=1).conf_int(np.mean, RESAMPLES, method=method)
    print(time.process_time() - before)


if __name__ == "__main__":
    main()
