"""A sample of the kills; `make torture` does a thousand and more of them."""

from __future__ import annotations

import pytest

from tests.torture.kills import Tormentor
from tests.torture.scenes import ACTS

SAMPLE = {
    "evaluate, good": 3,
    "evaluate, bad": 3,
    "gate, bad": 2,
    "quarantine add, head pinned": 3,
    "baseline rebump, head pinned": 2,
}


@pytest.mark.kernel
@pytest.mark.slow
@pytest.mark.parametrize("name", SAMPLE)
def test_a_kill_at_any_moment_opens_nothing_and_breaks_nothing(name):
    act = next(act for act in ACTS if act.name == name)
    tormentor = Tormentor(seed=20261130, acts=[act])
    tormentor.calibrate()
    tormentor.torment(SAMPLE[name])
    assert tormentor.wrong == []
