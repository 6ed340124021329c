"""Chance that is the same on every machine, for ever: a hash of what is asked, no generator and no order.

A draw depends on the seed and the names it is asked by, and on nothing drawn before; so a plan that gains a scenario or
a run leaves every other outcome as it was.
"""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

__all__ = ["Draws"]


@dataclass(frozen=True)
class Draws:
    """Uniform draws, each asked for by names."""

    seed: int

    def uniform(self, *names: str | int) -> float:
        """A number in [0, 1), a multiple of 2^-53, that belongs to these names alone."""
        asked = "\x1f".join(str(name) for name in (self.seed, *names))
        return (int.from_bytes(hashlib.sha256(asked.encode()).digest()[:8], "big") >> 11) * 2.0**-53

    def happens(self, probability: float, *names: str | int) -> bool:
        """Whether an event of that probability, 0 to 1, happens."""
        return self.uniform(*names) < probability

    def shuffled(self, items: Sequence[Hashable], *names: str | int) -> list[Hashable]:
        """The items in an order that belongs to these names; items must differ in their text."""
        return sorted(items, key=lambda item: (self.uniform(*names, str(item)), str(item)))
