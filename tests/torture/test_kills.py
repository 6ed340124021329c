"""A sample of the kills; `make torture` does a thousand and more of them."""

from __future__ import annotations

import os
import subprocess
import sys

import psutil
import pytest

from tests.conftest import ROOT
from tests.torture.forked import fork
from tests.torture.kills import SAMPLE


@pytest.mark.kernel
@pytest.mark.slow
def test_a_kill_at_any_moment_opens_nothing_and_breaks_nothing():
    # A process of its own, since it forks: this one has threads.
    words = [sys.executable, "-m", "tests.torture.kills", "--sample", "--seed", "20261130"]
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    ended = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=550)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert f"{sum(SAMPLE.values())} kills, 0 wrong" in ended.stdout


def test_a_process_with_threads_is_not_forked():
    import polars as pl

    pl.LazyFrame({"n": [1, 2]}).select(pl.col("n").sum()).collect()
    assert psutil.Process().num_threads() > 1
    with pytest.raises(RuntimeError, match="threads may not be forked"):
        fork()
