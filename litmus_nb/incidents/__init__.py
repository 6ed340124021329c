"""Nine failures that naive gates wave through, replayed: `replay("renamed-tools")`, or all of `INCIDENTS`."""

from __future__ import annotations

from litmus_nb.incidents.catalogue import INCIDENTS
from litmus_nb.incidents.replay import Replay, replay

__all__ = ["INCIDENTS", "Replay", "replay"]
