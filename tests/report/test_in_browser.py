"""Each page in each state, in a real browser: nothing happens that should not, and a screen reader can walk it.

Screenshots of every state at both widths, light and dark, are left in build/screenshots.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from litmus_nb.report.pictures import Picture
from litmus_nb.report.site import publish as publishing
from litmus_nb.report.site.publish import publish
from tests.report.browser import SCREENSHOTS, SIZES, Chromium, chromium
from tests.report.every_page import NAMES, TODAY, write_pages
from tests.report.hostile import CORPUS
from tests.report.test_site import leave
from tests.report.verdicts import a_fail, a_pass, a_rejection, a_withheld

__all__ = ["chromium"]

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def axe() -> str:
    """The accessibility checker's script."""
    package = pytest.importorskip(
        "axe_playwright_python", reason="axe-playwright-python is not installed: no page is checked by axe"
    )
    return (Path(package.__file__).parent / "axe.min.js").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Every page that there is."""
    return write_pages(tmp_path_factory.mktemp("pages"))


FORMS = [(size, scheme) for size in SIZES for scheme in ("light", "dark")]
AXE = "axe.run({resultTypes: ['violations']}).then(found => found.violations)"


@pytest.mark.parametrize("name", NAMES)
def test_each_page_is_opened_offline_checked_by_axe_and_kept_as_a_picture(
    name: str, axe: str, pages: dict[str, Path], chromium: Chromium
) -> None:
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    with chromium.opened(pages[name]) as opened:
        opened.page.evaluate(axe)
        for size, scheme in FORMS:
            opened.page.set_viewport_size({"width": SIZES[size], "height": 900})
            opened.page.emulate_media(color_scheme=scheme)
            opened.page.screenshot(path=SCREENSHOTS / f"{name}-{size}-{scheme}.png", full_page=True)
            assert opened.problems() + opened.crowding() == [], (size, scheme)
            if (size, scheme) in (("wide", "light"), ("narrow", "dark")):
                found = opened.page.evaluate(AXE)
                assert [(one["impact"], one["id"], one["nodes"][0]["html"][:120]) for one in found] == [], scheme


def focused(page: Any) -> Iterator[str]:
    """The elements that the Tab key reaches, until it comes round."""
    for _ in range(400):
        page.keyboard.press("Tab")
        tag = page.evaluate("document.activeElement === document.body ? '' : document.activeElement.outerHTML")
        if not tag:
            return
        yield tag


def test_the_keyboard_reaches_every_link_and_every_box_that_scrolls(pages: dict[str, Path], chromium: Chromium) -> None:
    with chromium.opened(pages["fail"], width=390) as opened:
        reached = list(focused(opened.page))
        asked = opened.page.evaluate("document.querySelectorAll('a[href], [tabindex=\"0\"]').length")
        scrolling = opened.page.evaluate(
            """[...document.querySelectorAll('*')].filter(e => e.scrollWidth > e.clientWidth + 1
               && ['auto', 'scroll'].includes(getComputedStyle(e).overflowX) && e.tabIndex < 0
               && !e.closest('[aria-hidden=true]')).length"""
        )
    assert len(reached) == asked
    assert scrolling == 0
    assert "Skip to the reasons" in reached[0]


def test_a_printed_page_cuts_no_row_and_shows_everything(pages: dict[str, Path], chromium: Chromium) -> None:
    with chromium.opened(pages["fail"], width=794) as opened:
        opened.page.emulate_media(media="print")
        assert opened.page.evaluate("getComputedStyle(document.querySelector('tr')).breakInside") == "avoid"
        assert opened.page.evaluate("getComputedStyle(document.querySelector('.scroll')).overflowX") == "visible"
        assert opened.page.evaluate("getComputedStyle(document.querySelector('.plot .wide')).display") == "block"
        opened.page.pdf(path=SCREENSHOTS / "fail.pdf", format="A4")


def test_the_state_is_never_told_by_colour_alone(pages: dict[str, Path], chromium: Chromium) -> None:
    shapes = set()
    for name in ("pass", "fail", "rejected", "no-verdict-run"):
        with chromium.opened(pages[name]) as opened:
            shapes.add(opened.page.locator("h1 svg").inner_html())
            assert opened.page.locator("h1").inner_text().strip()
    assert len(shapes) == 4


def test_the_list_of_verdicts_filters_and_remembers_what_was_asked(pages: dict[str, Path], chromium: Chromium) -> None:
    with chromium.opened(pages["site-verdicts"]) as opened:
        shown = "document.querySelectorAll('tbody tr:not([hidden])').length"
        assert opened.page.evaluate(shown) == 30
        opened.page.fill("#words", "envelope_mismatch")
        assert opened.page.evaluate(shown) == 5
        opened.page.fill("#words", "")
        opened.page.uncheck("input[value=pass]")
        assert opened.page.evaluate(shown) == 20
        opened.page.reload()
        assert opened.page.evaluate(shown) == 20
        assert not opened.page.is_checked("input[value=pass]")


def test_the_list_of_verdicts_is_whole_without_its_script(pages: dict[str, Path], chromium: Chromium) -> None:
    with chromium.opened(pages["site-verdicts"], scripts=False) as opened:
        assert opened.page.locator("tbody tr").count() == 30
        assert not opened.page.locator("#filters").is_visible()


@pytest.fixture(scope="module")
def hostile_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site whose suites, candidates and classes are hostile texts."""
    folder = tmp_path_factory.mktemp("hostile")
    for number, text in enumerate(CORPUS):
        make = (a_pass, a_fail, a_rejection, a_withheld)[number % 4]
        verdict = make()
        classes = [row.model_copy(update={"name": text or "empty"}) for row in verdict.classes[:1]]
        changed = {"classes": classes + verdict.classes[1:]}
        if verdict.worst_class:
            changed["worst_class"] = text or "empty"
        execution = verdict.execution.model_copy(update={"run_id": f"run-{number}"})
        verdict = verdict.model_copy(update=changed | {"execution": execution})
        leave(folder / "reports" / str(number), verdict, suite=CORPUS[number - number % 20], candidate=text)
    with pytest.MonkeyPatch.context() as patch:
        # Hostile names in charts have their own tests, and drawing takes most of the time.
        patch.setattr(publishing, "_picture", lambda suite, drawn, is_touched: Picture(None))
        publish(folder / "reports", folder / "site", today=TODAY, title=CORPUS[0])
    return folder / "site"


@pytest.mark.parametrize("heeds_policy", [True, False], ids=["with-policy", "without-policy"])
def test_a_site_of_hostile_names_runs_loads_and_leads_nowhere(
    heeds_policy: bool, hostile_site: Path, chromium: Chromium
) -> None:
    pages = [hostile_site / "index.html", hostile_site / "verdicts.html", *sorted(hostile_site.glob("suites/*.html"))]
    assert len(pages) == 10
    for page in pages:
        for width in (1280, 390) if page.parent == hostile_site else (390,):
            with chromium.opened(page, width=width, heeds_policy=heeds_policy) as opened:
                assert opened.problems() + opened.crowding() == [], page.name
