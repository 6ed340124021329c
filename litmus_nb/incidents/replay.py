"""Replaying an incident: the world is made and written, the naive gate reads it, and so does this one."""

from __future__ import annotations

import tempfile
from datetime import date
from pathlib import Path
from typing import Any

from litmus_nb.contracts.incident import IncidentFacts
from litmus_nb.contracts.params import GateParams
from litmus_nb.contracts.verdict import Verdict
from litmus_nb.errors import UsageError
from litmus_nb.evidence.load import load_evidence
from litmus_nb.incidents.catalogue import INCIDENTS
from litmus_nb.incidents.incident import CANDIDATE, Incident
from litmus_nb.report.incident import incident_html, incident_text
from litmus_nb.report.incident_chart import incident_chart
from litmus_nb.rule.workflow import emit_verdict, evaluate_gate
from litmus_nb.worlds.make import World, make_world, write_world

__all__ = ["Replay", "replay"]


class Replay:
    """A replayed incident. In a notebook it shows itself; `facts` holds what is shown."""

    def __init__(self, incident: Incident, world: World, verdict: Verdict) -> None:
        naive = incident.naive(world)
        self.incident = incident
        self.world = world
        self.verdict = verdict
        self.facts = IncidentFacts(
            name=incident.name,
            title=incident.title,
            story=incident.story,
            arithmetic=naive.lines,
            answer=naive.answer,
            verdict=verdict,
            moral=incident.moral,
            rows=incident.rows(world),
        )

    @property
    def chart(self) -> Any:
        """The incident's picture, an altair chart."""
        return incident_chart(self.facts)

    def _repr_html_(self) -> str:
        return incident_html(self.facts)

    def __repr__(self) -> str:
        return incident_text(self.facts)


def replay(name: str) -> Replay:
    """The incident of that name, replayed in a folder that is gone afterwards.

    Raises:
        UsageError: there is no such incident.
    """
    incident = INCIDENTS.get(name)
    if incident is None:
        raise UsageError(f"no incident {name!r}; there are: {', '.join(INCIDENTS)}")
    world = make_world(incident.plan)
    with tempfile.TemporaryDirectory(prefix="litmus-nb-incident-") as folder:
        write_world(world, Path(folder))
        return Replay(incident, world, _decided(Path(folder), incident.plan.as_of, name))


def _decided(folder: Path, as_of: str, name: str) -> Verdict:
    params = GateParams(
        gate=str(folder / "gate.yaml"), candidate=str(folder / "runs" / CANDIDATE), output_dir=str(folder / "reports")
    )
    evidence = load_evidence(params, as_of=date.fromisoformat(as_of))
    return emit_verdict(evaluate_gate(evidence), evidence, run_id=f"incident-{name}", as_of=as_of)
