"""Publish the verdicts below a folder on a site: incrementally, each file whole or not at all, nothing ever taken away.

The order keeps every link good for who reads meanwhile: the verdicts' own pages first, then the suites, then the lists,
the feeds and the front page, and last the record of what was published. A publication that is cut short is finished by
the next.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Literal

from filelock import FileLock, Timeout
from markupsafe import Markup

from litmus_nb.contracts.attestation import DSSE_ENVELOPE, KEYLESS_BUNDLE, STATEMENT
from litmus_nb.contracts.published import Published, SeenFile, SiteState
from litmus_nb.contracts.strict_json import parse_json
from litmus_nb.errors import LitmusError, UnreadableInput, UsageError
from litmus_nb.files import read_bytes, replace_file
from litmus_nb.report.history import SuiteHistory, by_suite
from litmus_nb.report.markup import themed
from litmus_nb.report.page import NO_PICTURES, render_gate_page
from litmus_nb.report.pictures import Picture, picture
from litmus_nb.report.site.feeds import atom_feed, json_feed, verdicts_csv
from litmus_nb.report.site.foreign import is_a_page_of_ours
from litmus_nb.report.site.pages import index_page, suite_page, verdicts_page
from litmus_nb.report.site.scan import (
    NOTEBOOK,
    REPORT,
    VERDICT,
    FoundVerdict,
    found_verdict,
    not_a_folder,
    verdict_files,
)
from litmus_nb.report.site.views import suite_file

__all__ = ["Publication", "SiteBusy", "publish", "read_site"]

_STATE = "site.json"
_SCHEMA: Literal["litmus-nb/site/v1"] = "litmus-nb/site/v1"
_LOCK = ".litmus-nb.lock"
_LARGEST_STATE = 2_000_000_000
_LARGEST_SIGNED = 100_000_000
_TO_CHECK_WITH = (STATEMENT, DSSE_ENVELOPE, KEYLESS_BUNDLE)
"""What lies beside a verdict for who checks it; it may be made later than the verdict, and anew."""


class SiteBusy(LitmusError):
    """Somebody else publishes on this site now."""


@dataclass
class Publication:
    """What was done."""

    new: list[Published] = field(default_factory=list)
    total: int = 0
    unchanged: int = 0
    rewritten: int = 0
    """Pages that say something else than before."""
    problems: list[UnreadableInput] = field(default_factory=list)
    """Verdicts that could not be read, and what is to be published beside one; the others were published."""
    completed: list[str] = field(default_factory=list)
    """Verdicts that were published before and have got a statement or a signature since."""


def publish(reports: Path, site: Path, *, today: date, title: str = "Gate reports", base_url: str = "") -> Publication:
    """Bring the site up to date with every verdict below `reports`.

    Args:
        reports: searched for verdict.json, with report.html, report.json and report.ipynb beside it.
        site: the site's folder; made if it is not there.
        today: the day that the strips end with; the caller has the clock.
        title: of the site.
        base_url: its address with a slash at the end, for the feeds' links; empty: relative links.

    Raises:
        UnreadableInput: `reports` is no folder, or the site's own record cannot be read.
        UsageError: `site` holds other things than a site.
        SiteBusy: another publication is under way.
        OSError: the site cannot be written.
    """
    if not reports.is_dir():
        raise not_a_folder(reports)
    with _held(site):
        state = read_site(site)
        done = Publication()
        state = _with_new(state, reports, site, done)
        _write_lists(state, site, done, today=today, title=title, base_url=base_url)
        if done.new or not (site / _STATE).exists() or done.rewritten:
            replace_file(site / _STATE, state.model_dump_json(indent=0).encode())
        done.total = len(state.published)
        return done


@contextlib.contextmanager
def _held(site: Path) -> Iterator[None]:
    is_new = not site.exists() or not any(site.iterdir())
    if not is_new and not (site / _STATE).exists() and not (site / _LOCK).exists():
        raise UsageError(f"{site} is not empty and is no site of litmus-nb; publish to a folder of its own")
    site.mkdir(parents=True, exist_ok=True)
    lock = FileLock(site / _LOCK, timeout=0)
    try:
        lock.acquire()
    except Timeout as busy:
        raise SiteBusy(f"{site}: another publication is under way; wait for it") from busy
    try:
        yield
    finally:
        lock.release()


def read_site(site: Path) -> SiteState:
    """Everything that was published on a site; nothing where nothing was.

    Raises:
        UnreadableInput: the site's record cannot be read.
    """
    path = site / _STATE
    if not path.exists():
        return SiteState(schema=_SCHEMA, published=[], seen={})
    return SiteState.read(parse_json(read_bytes(path, limit=_LARGEST_STATE), file=str(path)), file=str(path))


def _with_new(state: SiteState, reports: Path, site: Path, done: Publication) -> SiteState:
    published = {one.id: one for one in state.published}
    seen = dict(state.seen)
    for path in verdict_files(reports):
        size, mtime_us = path.stat().st_size, path.stat().st_mtime_ns // 1000
        before = seen.get(str(path))
        if before and (before.size, before.mtime_us) == (size, mtime_us) and before.id in published:
            done.unchanged += 1
            _complete(path.parent, site / "verdicts" / before.id, done)
            continue
        try:
            found = found_verdict(path)
        except UnreadableInput as problem:
            done.problems.append(problem)
            continue
        one = found.published
        if one.id not in published:
            _write_verdict(found, site / "verdicts" / one.id)
            published[one.id] = one
            done.new.append(one)
        else:
            _complete(path.parent, site / "verdicts" / one.id, done)
        seen[str(path)] = SeenFile(size=size, mtime_us=mtime_us, id=one.id)
    return SiteState(schema=_SCHEMA, published=list(published.values()), seen=seen)


def _write_verdict(found: FoundVerdict, folder: Path) -> None:
    """The verdict's own folder: built beside, then renamed, so that it is there whole or not at all."""
    beside = folder.with_name(f".{folder.name}.part")
    shutil.rmtree(beside, ignore_errors=True)
    beside.mkdir(parents=True)
    for name in (NOTEBOOK, *_TO_CHECK_WITH):
        if (found.folder / name).is_file():
            shutil.copyfile(found.folder / name, beside / name)
    _page_of(found, beside / "index.html")
    (beside / VERDICT).write_bytes(found.content)
    shutil.rmtree(folder, ignore_errors=True)
    os.replace(beside, folder)


def _complete(found: Path, folder: Path, done: Publication) -> None:
    """Bring statement and signatures beside a published verdict up to date. The verdict and its page stay as they are.

    Of two that differ the one that was written later counts, wherever it lies; one that is gone stays published.
    """
    for name in _TO_CHECK_WITH:
        there, here = found / name, folder / name
        if not there.is_file() or not folder.is_dir():
            continue
        if here.exists() and here.stat().st_mtime_ns >= there.stat().st_mtime_ns:
            continue  # not read: most publications change little of what is there
        try:
            content = read_bytes(there, limit=_LARGEST_SIGNED)
        except UnreadableInput as problem:
            done.problems.append(problem)
            continue
        if here.exists() and here.read_bytes() == content:
            continue
        replace_file(here, content)
        if folder.name not in done.completed:
            done.completed.append(folder.name)


def _page_of(found: FoundVerdict, page: Path) -> None:
    """The report as the gate left it, if it is one of ours and about this verdict; else made anew from the facts."""
    report = found.folder / REPORT
    with contextlib.suppress(UnreadableInput):
        content = read_bytes(report, limit=50_000_000)
        if is_a_page_of_ours(content, found.facts.verdict):
            page.write_bytes(content)
            return
    page.write_text(render_gate_page(found.facts, pictures=NO_PICTURES), encoding="utf-8")


def _write_lists(state: SiteState, site: Path, done: Publication, *, today: date, title: str, base_url: str) -> None:
    published = state.published
    touched = {one.suite for one in done.new}
    for suite in by_suite(published):
        page = site / "suites" / suite_file(suite.name)
        picture = _picture(suite, page.with_suffix(".svg"), is_touched=suite.name in touched)
        _write(page, suite_page(suite, site_title=title, today=today, picture=picture).encode(), done)
    _write(site / "verdicts.html", verdicts_page(published, site_title=title).encode(), done)
    _write(site / "verdicts.csv", verdicts_csv(published), done)
    _write(site / "feed.atom", atom_feed(published, title=title, base_url=base_url), done)
    _write(site / "feed.json", json_feed(published, title=title, base_url=base_url), done)
    _write(site / "index.html", index_page(published, title=title, today=today).encode(), done)


def _picture(suite: SuiteHistory, drawn: Path, *, is_touched: bool) -> Picture:
    """The classes over time; drawn anew only where the suite has a new verdict."""

    def draw() -> Markup:
        if is_touched or not drawn.exists():
            from litmus_nb.report.charts import as_svg
            from litmus_nb.report.history_chart import history_chart

            drawn.unlink(missing_ok=True)  # where drawing fails, no older picture may stand for this one
            replace_file(drawn, as_svg(history_chart(suite.classes())).encode())
        return themed(drawn.read_text(encoding="utf-8"))

    return picture(draw)


def _write(path: Path, content: bytes, done: Publication) -> None:
    if path.exists() and path.read_bytes() == content:
        return
    replace_file(path, content)
    done.rewritten += 1
