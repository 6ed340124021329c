"""A real Chromium that may reach nothing, and what a test asks of a page in it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
SCREENSHOTS = Path(__file__).parents[2] / "build" / "screenshots"

SIZES = {"wide": 1280, "narrow": 390}

SKELETON = """() => [...document.querySelectorAll('body *')]
  .filter(element => !element.closest('svg') || element.tagName === 'svg').map(element => element.tagName).join(' ')"""
"""The elements of a page in order, without what a drawing is made of."""


TOUCHING = """() => [...document.querySelectorAll('svg')].flatMap(svg => {
  const drawn = [...svg.querySelectorAll('text')].filter(text => text.textContent.trim())
    .filter(text => !(text.getAttribute('transform') || '').includes('rotate'))
    .map(text => ({words: text.textContent, box: text.getBoundingClientRect()})).filter(text => text.box.width);
  const touch = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > -1
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
  return drawn.flatMap((one, place) => drawn.slice(place + 1)
    .filter(other => touch(one.box, other.box)).map(other => `${one.words} and ${other.words}`));
})"""
"""The texts of drawings that lie on each other or side by side without a gap; turned ones are not looked at."""


@dataclass
class Opened:
    """An opened page, and everything that happened on it which should not."""

    page: Any
    events: list[str] = field(default_factory=list)

    def problems(self) -> list[str]:
        """What a hostile text achieved; empty where it achieved nothing."""
        found = list(self.events)
        if self.page.evaluate("window.__pwned") is not None:
            found.append("a script ran")
        if self.page.evaluate("document.querySelectorAll('script[src], iframe, object, embed, base').length"):
            found.append("an element that no page of ours has")
        if self.page.evaluate("document.documentElement.scrollWidth > window.innerWidth"):
            found.append("wider than the window")
        return found

    def crowding(self) -> list[str]:
        """Labels of drawings that touch each other. Hostile names may: they are cut by fonts that measure otherwise."""
        return [f"drawn without a gap: {texts}" for texts in self.page.evaluate(TOUCHING)]

    @property
    def skeleton(self) -> str:
        """The elements of the page, in order."""
        text: str = self.page.evaluate(SKELETON)
        return text


class Chromium:
    """One browser; every page in a context of its own, offline."""

    def __init__(self, browser: Any) -> None:
        self._browser = browser

    @contextmanager
    def opened(
        self, path: Path, *, width: int = 1280, scheme: str = "light", heeds_policy: bool = True, scripts: bool = True
    ) -> Iterator[Opened]:
        """The page at `path`. Without its own policy only escaping protects it."""
        context = self._browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme=scheme,
            offline=True,
            bypass_csp=not heeds_policy,
            java_script_enabled=scripts,
        )
        try:
            page = context.new_page()
            opened = Opened(page)
            address = path.resolve().as_uri()
            page.on("dialog", lambda dialog: (opened.events.append(f"dialog: {dialog.message}"), dialog.dismiss()))
            page.on("pageerror", lambda error: opened.events.append(f"error: {error}"))
            page.on("popup", lambda popup: opened.events.append("popup"))
            page.on(
                "request",
                lambda request: (
                    None
                    if request.url.startswith((path.parent.resolve().as_uri(), "data:"))
                    else opened.events.append(f"request: {request.url[:80]}")
                ),
            )
            page.on(
                "framenavigated",
                lambda frame: (
                    None if frame.url.split("#")[0] == address else opened.events.append(f"went to {frame.url[:80]}")
                ),
            )
            page.goto(address)
            yield opened
        finally:
            context.close()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Chromium]:
    """Headless Chromium, or a skip that says what is missing."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: no page is opened")
    if not Path(CHROMIUM).exists():
        pytest.skip(f"no Chromium at {CHROMIUM}: no page is opened; install it (apt-get install chromium)")
    arguments = ["--no-sandbox", "--disable-gpu", "--host-resolver-rules=MAP * ~NOTFOUND"]
    with playwright.sync_playwright() as player:
        browser = player.chromium.launch(executable_path=CHROMIUM, args=arguments)
        try:
            yield Chromium(browser)
        finally:
            browser.close()
