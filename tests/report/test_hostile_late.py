"""The same hostile texts through the pages of drift, of preflight and of incidents, with a policy and without."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from litmus_nb.contracts.codes import VerdictState
from litmus_nb.contracts.drift import ALL, DriftReport
from litmus_nb.contracts.incident import IncidentFacts, IncidentRow
from litmus_nb.report.drift_page import panel_html, panels, render_drift_page
from litmus_nb.report.incident import incident_html
from litmus_nb.report.text import safe_text
from tests.report.browser import Chromium, chromium
from tests.report.every_page import drift_report, in_a_notebook
from tests.report.hostile import CORPUS
from tests.report.test_hostile_elsewhere import hostile_verdict

__all__ = ["chromium"]

pytestmark = pytest.mark.browser

NAMES = [text or "empty" for text in CORPUS]
FREE = frozenset(
    ("scenario_class", "item_id", "family", "policy", "excerpt", "level", "subject", "because", "cannot", "run_id",
     "first_run", "requested", "baseline", "candidate", "name", "humans", "plausible_runs", "classes", "failure",
     "plausible", "since_run")
)  # fmt: skip
"""The fields of a drift report that hold text of the labels."""


def with_texts(value: Any, texts: Iterator[str], key: str = "") -> Any:
    """The same report with another text wherever there was one of the labels."""
    if isinstance(value, dict):
        return {name: with_texts(inner, texts, name) for name, inner in value.items()}
    if isinstance(value, list):
        return [with_texts(inner, texts, key) for inner in value]
    return next(texts) if isinstance(value, str) and key in FREE and value != ALL else value


@pytest.fixture(scope="module")
def reports() -> dict[str, DriftReport]:
    """A report with the corpus in it."""
    written = drift_report(0.4).model_dump(mode="json", by_alias=True)
    items = written["comparison"]["items"]
    written["comparison"]["items"] = items * (1 + len(NAMES) // (3 * len(items)))
    return {
        "hostile": DriftReport.model_validate(with_texts(written, itertools.cycle(NAMES)), strict=False),
        "harmless": DriftReport.model_validate(with_texts(written, harmless()), strict=False),
    }


def harmless() -> Iterator[str]:
    return (f"name {number % len(NAMES)}" for number in itertools.count())


def test_the_drift_page_runs_nothing_and_keeps_its_heading(
    reports: dict[str, DriftReport], tmp_path: Path, chromium: Chromium
) -> None:
    path = tmp_path / "hostile.html"
    path.write_text(render_drift_page(reports["hostile"]), encoding="utf-8")
    for heeds_policy, width in ((True, 390), (False, 1280)):
        with chromium.opened(path, width=width, heeds_policy=heeds_policy) as opened:
            assert opened.problems() == [], width
            shown = opened.page.evaluate("[...document.querySelectorAll('.theirs')].map(e => e.textContent)")
            assert opened.page.locator("h1").inner_text() == "Judge drift"
    assert len(set(shown)) > 50


def test_the_drift_page_is_built_as_with_harmless_names(reports: dict[str, DriftReport]) -> None:
    hostile, plain = (render_drift_page(reports[name]) for name in ("hostile", "harmless"))
    for tag in ("<svg", "<table", "<section", "<tr>", "<h2", "<li>"):
        assert hostile.count(tag) == plain.count(tag), tag
    assert hostile.count("<svg") > 2


def test_the_drift_panels_in_a_notebook_run_nothing(
    reports: dict[str, DriftReport], tmp_path: Path, chromium: Chromium
) -> None:
    fragments = [panel_html(panel, most_rows=500) for panel in panels(reports["hostile"]).values()]
    assert_harmless(fragments, tmp_path, chromium)


def test_every_text_reaches_the_drift_page(reports: dict[str, DriftReport]) -> None:
    used = set()

    def note(value: Any, key: str = "") -> None:
        for name, inner in value.items() if isinstance(value, dict) else [(key, one) for one in value]:
            if isinstance(inner, (dict, list)):
                note(inner, name)
            elif name in FREE:
                used.add(inner)

    note(reports["hostile"].model_dump(mode="json"))
    assert set(NAMES) <= used


def test_an_incident_of_hostile_texts_runs_nothing(tmp_path: Path, chromium: Chromium) -> None:
    def facts(text: Callable[[int], str]) -> IncidentFacts:
        return IncidentFacts(
            name=text(0), title=text(1), story=text(2), arithmetic=tuple(text(n) for n in range(len(NAMES))),
            answer="green", verdict=hostile_verdict([text(3), text(4)], VerdictState.NO_VERDICT), moral=text(5),
            rows=tuple(IncidentRow(text(n), 0.1, 0.2, 0.3, 0.2) for n in range(0, 60, 3)),
        )  # fmt: skip

    assert_harmless([incident_html(facts(lambda n: NAMES[n % len(NAMES)][:2000]))], tmp_path, chromium)


def assert_harmless(fragments: list[str], tmp_path: Path, chromium: Chromium) -> None:
    path = tmp_path / "notebook.html"
    path.write_text(in_a_notebook(fragments), encoding="utf-8")
    with chromium.opened(path) as opened:
        assert [problem for problem in opened.problems() if problem != "wider than the window"] == []
        assert opened.page.locator("h1").count() == 1
        assert opened.page.locator("a, img, iframe, object, embed, form, input, script").count() == 0


def test_a_short_text_is_shown_as_what_it_is(reports: dict[str, DriftReport]) -> None:
    page = render_drift_page(reports["hostile"])
    assert "window.__pwned=1</script>" not in page
    assert safe_text("\x1b[2J") == "\\x1b[2J"
