"""What differs between two envelopes, and where a witness contradicts the probe. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from litmus_nb.contracts.envelope import Contradiction, EnvelopeFile, FacetState
from litmus_nb.envelope.capabilities import capabilities_of, capability_of

__all__ = ["EnvelopeDifference", "Witness", "contradictions", "difference", "facet_changes", "recomputed"]


@dataclass(frozen=True)
class Witness:
    """What somebody outside the sandbox saw of one facet."""

    facet: str
    has_seen: bool
    """Whether the act left its mark outside."""
    is_proven: bool
    """Whether the mark is the one that only the act itself can leave (the beacon's own answer)."""
    source: str
    """Who the witness is, as the contradiction will name it."""


@dataclass(frozen=True)
class EnvelopeDifference:
    """How what is granted differs from what was calibrated; sorted, without what is equal."""

    widened: tuple[str, ...]
    narrowed: tuple[str, ...]
    unknown: tuple[str, ...]

    @property
    def is_none(self) -> bool:
        """Whether the two are equal and nothing is unknown."""
        return not (self.widened or self.narrowed or self.unknown)

    def lines(self) -> list[str]:
        """One line a difference, in words."""
        return [
            *(f"+ {capability}: granted, and not calibrated" for capability in self.widened),
            *(f"- {capability}: calibrated, and not granted" for capability in self.narrowed),
            *(f"? {capability}: could not be measured" for capability in self.unknown),
        ]


def difference(
    calibrated: Collection[str], effective: Collection[str], unknown: Collection[str] = ()
) -> EnvelopeDifference:
    """How the effective set differs from the calibrated one. What is unknown is neither granted nor lacking."""
    return EnvelopeDifference(
        widened=tuple(sorted(set(effective) - set(calibrated) - set(unknown))),
        narrowed=tuple(sorted(set(calibrated) - set(effective) - set(unknown))),
        unknown=tuple(sorted(set(unknown))),
    )


def facet_changes(before: EnvelopeFile, after: EnvelopeFile) -> list[str]:
    """One line for every facet whose state differs between two records, each state with the reason noted for it."""

    def state_in(record: EnvelopeFile, facet: str) -> str:
        note = record.notes.get(facet)
        return record.facets.get(facet, "not measured") + (f" ({note})" if note else "")

    return [
        f"{facet}: {state_in(before, facet)} -> {state_in(after, facet)}"
        for facet in sorted(before.facets.keys() | after.facets.keys())
        if before.facets.get(facet) != after.facets.get(facet)
    ]


def contradictions(facets: Mapping[str, FacetState], witnesses: Iterable[Witness]) -> list[Contradiction]:
    """Where what the probe claims and what a witness saw cannot both be true.

    A grant that left no mark outside was not exercised; a refusal that left one was not a refusal. A facet that the
    probe calls UNKNOWN claims nothing.
    """
    found = []
    for witness in witnesses:
        claimed = facets.get(witness.facet, "UNKNOWN")
        if claimed == "ALLOWED" and not witness.is_proven:
            saw = (
                f"{witness.source} saw no such act" if not witness.has_seen else f"{witness.source} gave no such answer"
            )
            found.append(Contradiction(facet=witness.facet, claimed=claimed, witnessed=saw))
        elif claimed in ("DENIED", "ABSENT") and witness.has_seen:
            found.append(Contradiction(facet=witness.facet, claimed=claimed, witnessed=f"{witness.source} saw the act"))
    return found


def recomputed(record: EnvelopeFile) -> tuple[list[str], list[str]]:
    """The effective and the unknown capabilities that a record's own facets, scope and contradictions amount to."""
    found = capabilities_of(record.facets, record.scope)
    contradicted = {capability_of(contradiction.facet) for contradiction in record.contradictions}
    return sorted(set(found.effective) - contradicted), sorted(set(found.unknown) | contradicted)
