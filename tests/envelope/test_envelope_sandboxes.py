"""The probe against real sandboxes: one is calibrated, and each other differs from it in one known way."""

from __future__ import annotations

from pathlib import Path

import pytest

from litmus_nb.contracts.envelope import EnvelopeFile, Scope
from litmus_nb.envelope.compare import difference, recomputed
from litmus_nb.envelope.measure import Measurement, measure_by_command
from tests.envelope.sandboxes import in_own_network, why_not
from tests.envelope.variants import DOCUMENT, VARIANTS, Place, Variant, with_table

REASON = why_not()
needs_sandboxes = pytest.mark.skipif(bool(REASON), reason=f"NO SANDBOX WAS MEASURED: {REASON}")
AT = "2026-11-28T09:00:00Z"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path / "sandbox", tmp_path / "beside")
    made.sandbox.mkdir()
    made.beside.mkdir()
    (made.beside / "file").write_text("made up")
    return made


def measured(variant: Variant, place: Place) -> EnvelopeFile:
    def work() -> EnvelopeFile:
        with variant.build(place) as prefix:
            measurement = Measurement(**{"scope": Scope(), "also": ["/sandbox"], **variant.measurement})
            return measure_by_command(measurement, prefix, measured_at=AT, seconds=60)

    return in_own_network(work)


@pytest.fixture(scope="module")
def calibrated(tmp_path_factory: pytest.TempPathFactory) -> EnvelopeFile:
    folder = tmp_path_factory.mktemp("calibrated")
    return measured(VARIANTS["as calibrated"], Place(folder, folder))


@needs_sandboxes
@pytest.mark.parametrize("name", VARIANTS)
def test_a_sandbox_differs_from_the_calibrated_one_exactly_as_it_was_built(
    name: str, place: Place, calibrated: EnvelopeFile
) -> None:
    variant = VARIANTS[name]
    record = measured(variant, place)
    seen = difference(
        calibrated.sandbox.effective_capabilities, record.sandbox.effective_capabilities, record.sandbox.unknown
    )
    notes = {facet: (state, record.notes.get(facet)) for facet, state in record.facets.items() if state == "UNKNOWN"}
    assert (sorted(variant.widened), sorted(variant.narrowed), sorted(variant.unknown)) == (
        list(seen.widened), list(seen.narrowed), list(seen.unknown)
    ), notes  # fmt: skip
    assert record.residue == []
    assert list(place.sandbox.iterdir()) == [], "nothing of the probe is left"
    assert recomputed(record) == (record.sandbox.effective_capabilities, record.sandbox.unknown)


def test_the_document_has_every_variant_as_it_is_tested() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    assert text == with_table(text), "run python -m tests.envelope.variants"


def test_at_least_twenty_variants_are_told_apart() -> None:
    assert len(VARIANTS) >= 20
