"""What the eligibility checks ask: admitted evidence with the chain walked and the trials counted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from litmus_nb.contracts.anchors import AnchorTally
from litmus_nb.contracts.evidence import RunEvidence
from litmus_nb.contracts.gate import GateFile
from litmus_nb.contracts.suite import SuiteFile
from litmus_nb.contracts.tally import TrialTally
from litmus_nb.rule.admissibility import Admitted
from litmus_nb.rule.chain import Chain
from litmus_nb.rule.population import Population, beside

__all__ = ["Questioned"]


@dataclass(frozen=True)
class Questioned:
    """Admitted evidence, of which parts may still be absent or unreadable."""

    admitted: Admitted
    chain: Chain | None
    """None where the ledger cannot be read; it may be broken otherwise."""
    sides: Mapping[str, RunEvidence]
    """`candidate`, and `baseline` where there is one."""
    populations: Mapping[str, Population]
    """Of the sides whose trials can be read."""

    @cached_property
    def classes_seen(self) -> Mapping[str, pl.DataFrame]:
        """By side, scenario_id | scenario_class | n | suites_class (null: the suite has no such scenario)."""
        scenarios = self.admitted.suite.scenarios
        suites = pl.DataFrame(
            {"scenario_id": [s.id for s in scenarios], "suites_class": [s.scenario_class for s in scenarios]},
            schema={"scenario_id": pl.String, "suites_class": pl.String},
        )
        return {side: beside(tally.classes_seen, suites) for side, _, tally in self.tallies()}

    @property
    def gate(self) -> GateFile:
        """The gate file."""
        return self.admitted.gate

    @property
    def suite(self) -> SuiteFile:
        """suite.yaml."""
        return self.admitted.suite.file

    def tallies(self) -> Iterator[tuple[str, RunEvidence, TrialTally]]:
        """Side, run and counted trials, of the sides whose trials can be read."""
        for side, run in self.sides.items():
            if run.tally is not None:
                yield side, run, run.tally

    def anchor_labels(self) -> Iterator[tuple[str, RunEvidence, AnchorTally]]:
        """Side, run and its judge's labels of the anchors, of the sides that have any."""
        for side, run in self.sides.items():
            if run.anchor_labels is not None:
                yield side, run, run.anchor_labels
