"""A correct world whose candidate is still to be run, and what a harness makes of it."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from litmus_nb.contracts.signature import new_private_key, public_key_of
from tests.builders import World, correct_world, write

PRIVATE = new_private_key()
PUBLIC = public_key_of(PRIVATE)


def at(seconds: float = 0) -> str:
    """A time so many seconds from now."""
    return f"{datetime.now(UTC) + timedelta(seconds=seconds):%Y-%m-%dT%H:%M:%SZ}"


def planned_world() -> World:
    """A correct world with a planned candidate and a gate that asks for a ticket."""
    world = correct_world()
    world.candidate.declaration.update(status="planned", started_at=None, finished_at=None)
    world.candidate.declaration["sandbox"]["measured_at"] = at(-60)
    world.gate.update(require_admission=True, admission_key=PUBLIC)
    world.as_of = datetime.now(UTC).date()
    return world


def put(world: World, folder: Path) -> Path:
    """Write the world with its trials held back, and the key; the params file."""
    write(world, folder)
    (folder / "candidate/trials.jsonl").rename(folder / "held-back.jsonl")
    (folder / "key.pem").write_bytes(PRIVATE)
    (folder / "key.pem").chmod(0o600)
    return folder / "params.yaml"


def run_it(folder: Path, *, starting: float = 1, **changes: Any) -> None:
    """What a harness does: the trials, and a declaration that is complete."""
    path = folder / "candidate/run.json"
    declaration = json.loads(path.read_bytes())
    declaration.update(status="complete", started_at=at(starting), finished_at=at(starting + 1))
    declaration.update(changes)
    path.write_text(json.dumps(declaration))
    (folder / "held-back.jsonl").rename(folder / "candidate/trials.jsonl")
