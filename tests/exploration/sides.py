"""Two runs of a correct world, of which a test breaks one thing, and what an exploration sees of them."""

from __future__ import annotations

from pathlib import Path

from litmus_nb.contracts.exploration import Exploration
from litmus_nb.outcome.exploration import explored, read_sides
from tests.builders import World, write

__all__ = ["codes_of", "kinds_of", "look"]


def look(world: World, folder: Path, *, with_suite: bool = False) -> Exploration:
    """The exploration of the world's two runs."""
    write(world, folder)
    suite = folder / "suite/suite.yaml" if with_suite else None
    baseline, candidate, read = read_sides(
        str(folder / "baseline"), str(folder / "candidate"), suite=suite, declarations=None
    )
    return explored(baseline, candidate, read)


def codes_of(seen: Exploration) -> set[str]:
    """The codes of the checklist."""
    return {item.finding.code for item in seen.checklist}


def kinds_of(seen: Exploration) -> set[str]:
    """The kinds of what stands at the top."""
    return {notice.kind for notice in seen.notices}
