"""How often each test of the anchors raises an alarm, on judges of known behaviour. `python benchmarks/anchor_test.py`

One row a situation, one column a test: the share of runs with an alarm. Where the judge is unchanged that is the false
alarm, elsewhere the power. docs/decisions has what was chosen and why.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import polars as pl

from litmus_nb.contracts.anchors import Anchor, AnchorTally
from litmus_nb.contracts.suite import Anchors
from litmus_nb.rule.judge_behaviour import judge_behaviour
from litmus_nb.stats.rates import change_bounds, mean_bounds

TOLERANCE, FLOOR = 0.02, 0.95
CLASSES = ("a", "b", "c", "d")


@dataclass(frozen=True)
class Drawn:
    """One run: anchors in order of class; every other one is a success of the attack by all humans."""

    classes: np.ndarray
    is_positive: np.ndarray
    pinned_yes: np.ndarray
    now_yes: np.ndarray
    n_pinned: int
    n_now: int

    def looks(self) -> list[np.ndarray]:
        """All anchors, then class by class."""
        return [np.ones(len(self.classes), bool), *(self.classes == name for name in CLASSES)]

    def missed_more(self, look: np.ndarray) -> np.ndarray:
        """The rise in missed judgements of each positive anchor."""
        chosen = look & self.is_positive
        return self.pinned_yes[chosen] / self.n_pinned - self.now_yes[chosen] / self.n_now

    def agreement(self, look: np.ndarray) -> np.ndarray:
        """The share of pairs that agree, of each anchor."""
        pinned, now = self.pinned_yes[look] / self.n_pinned, self.now_yes[look] / self.n_now
        return pinned * now + (1 - pinned) * (1 - now)


@dataclass(frozen=True)
class Judge:
    """How likely a judge is to be wrong: a little on clear anchors, anything on borderline ones."""

    borderline: float
    noise: float
    change: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]


def draw(rng: np.random.Generator, judge: Judge, per_class: int, n_pinned: int, n_now: int) -> Drawn:
    classes = np.repeat(CLASSES, per_class)
    is_positive = np.tile(np.arange(per_class) % 2 == 0, len(CLASSES))
    is_borderline = rng.random(classes.size) < judge.borderline
    wrong = np.where(is_borderline, rng.uniform(0.1, 0.9, classes.size), judge.noise)
    yes = np.where(is_positive, 1 - wrong, wrong)
    pinned = rng.binomial(n_pinned, yes)
    now = rng.binomial(n_now, np.clip(judge.change(yes, is_positive, classes), 0, 1))
    return Drawn(classes, is_positive, pinned, now, n_pinned, n_now)


def exact_match(run: Drawn) -> bool:
    """Any anchor whose majority differs from the pinned one."""
    return bool(((run.pinned_yes * 2 > run.n_pinned) != (run.now_yes * 2 > run.n_now)).any())


def as_measured(run: Drawn) -> bool:
    """The two signs of section 7 at 95 %, nothing else: the lower bound of the rise, the measured agreement."""
    return any(
        change_bounds(run.missed_more(look), 0.95).low > TOLERANCE or run.agreement(look).mean() < FLOOR
        for look in run.looks()
    )


def bounds_at(confidence: float) -> Callable[[Drawn], bool]:
    """Both signs by bounds: the rise is shown to exceed the tolerance, the agreement to lie below its floor."""

    def alarms(run: Drawn) -> bool:
        return any(
            change_bounds(run.missed_more(look), confidence).low > TOLERANCE
            or mean_bounds(run.agreement(look), confidence).high < FLOOR
            for look in run.looks()
        )

    return alarms


def chosen(run: Drawn) -> bool:
    """What the gate does."""
    names = [f"{number:05}" for number in range(len(run.classes))]
    anchors = [
        Anchor(name, scenario_class, *((3, 0) if positive else (0, 3)), int(yes), run.n_pinned - int(yes))
        for name, scenario_class, positive, yes in zip(names, run.classes, run.is_positive, run.pinned_yes, strict=True)
    ]
    labels = pl.DataFrame({"item_id": names, "n_yes": run.now_yes, "n_no": run.n_now - run.now_yes, "n_unlabelled": 0})
    tally = AnchorTally(labels, pl.DataFrame(), (), (), ())
    settings = Anchors(labels="anchors.jsonl", max_fnr_rise=TOLERANCE, min_agreement=FLOOR)
    return judge_behaviour(anchors, tally, settings, confidence=0.95, with_intervals=False).has_drifted


TESTS: dict[str, Callable[[Drawn], bool]] = {
    "exact match": exact_match,
    "as measured": as_measured,
    "95 % bounds": bounds_at(0.95),
    "bounds / looks": bounds_at(1 - 2 * 0.01 / (2 * (1 + len(CLASSES)))),
    "chosen": chosen,
}


def logit_shift(by: float) -> Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]:
    def change(yes: np.ndarray, is_positive: np.ndarray, classes: np.ndarray) -> np.ndarray:
        inside = np.clip(yes, 1e-9, 1 - 1e-9)
        return 1 / (1 + np.exp(-(np.log(inside / (1 - inside)) + by)))

    return change


CHANGES: dict[str, Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]] = {
    "unchanged": lambda yes, is_positive, classes: yes,
    "lenient, logit -1": logit_shift(-1.0),
    "misses 10 % more": lambda yes, is_positive, classes: np.where(is_positive, yes * 0.9, yes),
    "misses 30 % more in one class": lambda yes, is_positive, classes: np.where(
        is_positive & (classes == "b"), yes * 0.7, yes
    ),
    "a tenth of calls inverted": lambda yes, is_positive, classes: 0.9 * yes + 0.1 * (1 - yes),
}

SETS = [
    # anchors a class, pinned and present judgements of each, borderline share, noise on clear ones
    (50, 1, 1, 0.0, 0.01),
    (50, 1, 1, 0.1, 0.01),
    (50, 5, 5, 0.1, 0.01),
    (50, 5, 5, 0.3, 0.01),
    (50, 5, 1, 0.3, 0.01),
    (150, 5, 5, 0.3, 0.01),
    (20, 5, 5, 0.3, 0.02),
]


def main(repetitions: int) -> None:
    for per_class, n_pinned, n_now, borderline, noise in SETS:
        print(
            f"\n{len(CLASSES)} x {per_class} anchors, {n_pinned} pinned and {n_now} present judgements each, "
            f"{borderline:.0%} borderline, noise {noise:.0%}"
        )
        print(f"{'':32}" + "".join(f"{name:>16}" for name in TESTS))
        for name, change in CHANGES.items():
            rng = np.random.default_rng(2026)
            judge = Judge(borderline, noise, change)
            runs = [draw(rng, judge, per_class, n_pinned, n_now) for _ in range(repetitions)]
            shares = [sum(test(run) for run in runs) / repetitions for test in TESTS.values()]
            print(f"{name:32}" + "".join(f"{share:16.3f}" for share in shares), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
