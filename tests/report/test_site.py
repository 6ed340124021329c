"""Publishing many verdicts: nothing is lost, nothing is half written, nothing foreign is let in."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from filelock import FileLock

from litmus_nb.contracts.report import ReportFacts, SideFact
from litmus_nb.contracts.verdict import Verdict, verdict_bytes
from litmus_nb.errors import UnreadableInput, UsageError
from litmus_nb.report.page import NO_PICTURES, render_gate_page
from litmus_nb.report.pictures import Picture
from litmus_nb.report.site import publish as publishing
from litmus_nb.report.site.publish import SiteBusy, publish
from litmus_nb.report.site.views import suite_file
from tests.report.verdicts import a_fail, a_pass, a_rejection, a_withheld, an_indeterminate

TODAY = date(2026, 11, 30)


@pytest.fixture(autouse=True)
def _without_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Drawing takes most of the time and has its own tests."""
    monkeypatch.setattr(publishing, "_picture", lambda suite, drawn, is_touched: Picture(None))


def leave(folder: Path, verdict: Verdict, *, suite: str | None = "demo-suite", candidate: str = "agent-7") -> Path:
    """What a gate leaves, without its picture."""
    folder.mkdir(parents=True, exist_ok=True)
    when = f"{verdict.execution.as_of}T10:00:00Z"
    facts = ReportFacts(verdict=verdict, suite_name=suite, candidate=SideFact(policy=candidate), made_at=when)
    (folder / "verdict.json").write_bytes(verdict_bytes(verdict))
    (folder / "report.json").write_text(facts.model_dump_json())
    (folder / "report.html").write_text(render_gate_page(facts, pictures=NO_PICTURES))
    return folder


def tree(site: Path) -> dict[str, tuple[int, bytes]]:
    """Every file with its inode and bytes."""
    return {
        str(path.relative_to(site)): (path.stat().st_ino, path.read_bytes())
        for path in sorted(site.rglob("*"))
        if path.is_file()
    }


def links_of(page: Path) -> list[Path]:
    """Where the page's relative links lead."""
    targets = re.findall(r'href="([^"#:]+)"', page.read_text())
    return [(page.parent / target).resolve() for target in targets]


def test_a_reports_folder_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match="a folder with reports"):
        publish(tmp_path / "absent", tmp_path / "site", today=TODAY)
    assert not (tmp_path / "site").exists()


def test_a_folder_with_other_things_in_it_is_no_site(tmp_path: Path) -> None:
    leave(tmp_path / "reports/a", a_pass())
    (tmp_path / "site").mkdir()
    (tmp_path / "site/thesis.txt").write_text("years of work")
    with pytest.raises(UsageError, match="no site of litmus-nb"):
        publish(tmp_path / "reports", tmp_path / "site", today=TODAY)
    assert [path.name for path in (tmp_path / "site").iterdir()] == ["thesis.txt"]


def test_two_publications_at_once_are_refused(tmp_path: Path) -> None:
    leave(tmp_path / "reports/a", a_pass())
    publish(tmp_path / "reports", tmp_path / "site", today=TODAY)
    with FileLock(tmp_path / "site/.litmus-nb.lock"), pytest.raises(SiteBusy, match="another publication"):
        publish(tmp_path / "reports", tmp_path / "site", today=TODAY)


def test_a_verdict_that_cannot_be_read_is_named_and_the_others_are_published(tmp_path: Path) -> None:
    leave(tmp_path / "reports/good", a_pass())
    bad = leave(tmp_path / "reports/bad", a_fail())
    (bad / "verdict.json").write_text('{"verdict": "PASS"}')
    done = publish(tmp_path / "reports", tmp_path / "site", today=TODAY)
    assert len(done.new) == 1
    assert len(done.problems) == 1
    assert "bad/verdict.json" in str(done.problems[0])


FOREIGN: dict[str, Callable[[str], str]] = {
    "a script": lambda page: page.replace("</main>", "<script>alert(1)</script></main>"),
    "an event": lambda page: page.replace("<main>", '<main onclick="alert(1)">'),
    "another policy": lambda page: page.replace("default-src &#39;none&#39;", "default-src *"),
    "no policy": lambda page: re.sub(r"<meta http-equiv[^>]*>\n", "", page),
    "a link that runs": lambda page: page.replace('href="#reasons"', 'href="javascript:alert(1)"'),
    "a way to leave": lambda page: page.replace("<main>", '<meta http-equiv="refresh" content="0;url=//x"><main>'),
    "a frame": lambda page: page.replace("<main>", "<iframe src='//x'></iframe><main>"),
    "another style": lambda page: page.replace("<main>", "<style>h1{display:none}</style><main>"),
    "another state": lambda page: page.replace("<title>FAIL", "<title>PASS"),
    "no page": lambda page: "PASS",
    "no text": lambda page: "\udcff",
}


@pytest.mark.parametrize("change", FOREIGN.values(), ids=FOREIGN.keys())
def test_a_page_that_is_not_plainly_ours_is_made_anew(change: Callable[[str], str], tmp_path: Path) -> None:
    folder = leave(tmp_path / "reports/a", a_fail())
    ours = (folder / "report.html").read_text()
    (folder / "report.html").write_bytes(change(ours).encode(errors="surrogateescape"))
    publish(tmp_path / "reports", tmp_path / "site", today=TODAY)
    (page,) = (tmp_path / "site/verdicts").glob("*/index.html")
    assert ours == page.read_text()


def test_a_page_of_ours_is_published_as_it_is(tmp_path: Path) -> None:
    folder = leave(tmp_path / "reports/a", a_fail())
    with_remark = (folder / "report.html").read_text().replace("</main>", "<p>kept</p></main>")
    (folder / "report.html").write_text(with_remark)
    publish(tmp_path / "reports", tmp_path / "site", today=TODAY)
    (page,) = (tmp_path / "site/verdicts").glob("*/index.html")
    assert with_remark == page.read_text()


def test_what_a_reader_can_check_the_verdict_with_is_published_beside_it(tmp_path: Path) -> None:
    folder = leave(tmp_path / "reports/a", a_fail())
    for name in ("verdict.statement.json", "verdict.dsse.json", "private.pem"):
        (folder / name).write_text(name)
    publish(tmp_path / "reports", tmp_path / "site", today=TODAY)
    (page,) = (tmp_path / "site/verdicts").glob("*/index.html")
    beside = {path.name for path in page.parent.iterdir()}
    assert {"verdict.json", "verdict.statement.json", "verdict.dsse.json"} <= beside
    assert "private.pem" not in beside


@pytest.mark.parametrize("name", ["verdict.statement.json", "verdict.dsse.json", "verdict.sigstore.json"])
@pytest.mark.parametrize("is_moved", [False, True])
def test_a_signature_made_after_publication_is_laid_beside_the_verdict(
    name: str, is_moved: bool, tmp_path: Path
) -> None:
    folder = leave(tmp_path / "reports/a", a_fail())
    publish(tmp_path / "reports", tmp_path / "site", today=TODAY)
    before = tree(tmp_path / "site")
    (folder / name).write_text("signed")
    (folder / "private.pem").write_text("secret")
    if is_moved:
        folder = folder.rename(tmp_path / "reports/elsewhere")
    done = publish(tmp_path / "reports", tmp_path / "site", today=TODAY)
    (page,) = (tmp_path / "site/verdicts").glob("*/index.html")
    assert (done.new, done.completed, done.total) == ([], [page.parent.name], 1)
    assert (page.parent / name).read_text() == "signed"
    added = {file for file in tree(tmp_path / "site") if file not in before}
    assert added == {str((page.parent / name).relative_to(tmp_path / "site"))}
    kept = {file: seen for file, seen in tree(tmp_path / "site").items() if file in before and file != "site.json"}
    assert kept == {file: seen for file, seen in before.items() if file != "site.json"}
    assert publish(tmp_path / "reports", tmp_path / "site", today=TODAY).completed == []


def test_of_two_signatures_the_later_one_counts_and_none_is_taken_away(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (leave(tmp_path / "reports" / name, a_fail()) / "verdict.dsse.json").write_text(name)
    os.utime(tmp_path / "reports/b/verdict.dsse.json", (10**9, 10**9))
    publish(tmp_path / "reports", tmp_path / "site", today=TODAY)
    (published,) = (tmp_path / "site/verdicts").glob("*/verdict.dsse.json")
    assert published.read_text() == "a"
    assert publish(tmp_path / "reports", tmp_path / "site", today=TODAY).completed == []
    (tmp_path / "reports/b/verdict.dsse.json").write_text("signed anew")
    os.utime(tmp_path / "reports/b/verdict.dsse.json", (2**32, 2**32))
    assert len(publish(tmp_path / "reports", tmp_path / "site", today=TODAY).completed) == 1
    for name in ("a", "b"):
        (tmp_path / "reports" / name / "verdict.dsse.json").unlink()
    assert publish(tmp_path / "reports", tmp_path / "site", today=TODAY).completed == []
    assert published.read_text() == "signed anew"


def test_a_signature_that_cannot_be_read_is_named_and_the_published_one_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = leave(tmp_path / "reports/a", a_fail())
    (folder / "verdict.dsse.json").write_text("signed")
    publish(tmp_path / "reports", tmp_path / "site", today=TODAY)
    (folder / "verdict.dsse.json").write_text("signed by many")
    os.utime(folder / "verdict.dsse.json", (2**32, 2**32))
    monkeypatch.setattr(publishing, "_LARGEST_SIGNED", 3)
    done = publish(tmp_path / "reports", tmp_path / "site", today=TODAY)
    (published,) = (tmp_path / "site/verdicts").glob("*/verdict.dsse.json")
    assert (done.completed, len(done.problems), published.read_text()) == ([], 1, "signed")
    assert "verdict.dsse.json" in str(done.problems[0])


def test_a_signature_that_is_published_already_is_not_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (leave(tmp_path / "reports/a", a_fail()) / "verdict.dsse.json").write_text("signed")
    publish(tmp_path / "reports", tmp_path / "site", today=TODAY)
    monkeypatch.setattr(publishing, "_LARGEST_SIGNED", 3)
    done = publish(tmp_path / "reports", tmp_path / "site", today=TODAY)
    assert (done.completed, done.problems) == ([], [])


def test_facts_about_another_verdict_are_not_believed(tmp_path: Path) -> None:
    folder = leave(tmp_path / "reports/a", a_fail(), candidate="the real one")
    other = ReportFacts(verdict=a_pass(), candidate=SideFact(policy="the good one"))
    (folder / "report.json").write_text(other.model_dump_json())
    done = publish(tmp_path / "reports", tmp_path / "site", today=TODAY)
    assert done.new[0].candidate is None


def test_publishing_again_writes_nothing(tmp_path: Path) -> None:
    for name, verdict in (("a", a_pass()), ("b", a_fail()), ("c", a_rejection())):
        leave(tmp_path / "reports" / name, verdict)
    publish(tmp_path / "reports", tmp_path / "site", today=TODAY)
    before = tree(tmp_path / "site")
    done = publish(tmp_path / "reports", tmp_path / "site", today=TODAY)
    assert (len(done.new), done.unchanged, done.rewritten) == (0, 3, 0)
    assert before == tree(tmp_path / "site")


def test_a_folder_that_each_gate_overwrites_builds_up_a_history(tmp_path: Path) -> None:
    for day in ("2026-11-28", "2026-11-29", "2026-11-30"):
        leave(tmp_path / "reports/nightly", a_pass(as_of=day, run_id=day))
        done = publish(tmp_path / "reports", tmp_path / "site", today=TODAY)
    assert done.total == 3
    (tmp_path / "reports/nightly/verdict.json").unlink()
    assert publish(tmp_path / "reports", tmp_path / "site", today=TODAY).total == 3
    assert len(list((tmp_path / "site/verdicts").glob("*/index.html"))) == 3


def test_an_address_does_not_depend_on_what_else_is_published(tmp_path: Path) -> None:
    leave(tmp_path / "one/a", a_fail())
    leave(tmp_path / "two/x/y/z", a_fail())
    leave(tmp_path / "two/b", a_pass())
    publish(tmp_path / "one", tmp_path / "site-1", today=TODAY)
    publish(tmp_path / "two", tmp_path / "site-2", today=date(2027, 1, 1))
    (alone,) = (tmp_path / "site-1/verdicts").iterdir()
    assert alone.name in {path.name for path in (tmp_path / "site-2/verdicts").iterdir()}


@pytest.mark.parametrize("fails_at", range(1, 11))
def test_a_publication_cut_short_leaves_no_broken_link_and_is_finished_by_the_next(
    fails_at: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave(tmp_path / "reports/a", a_pass())
    publish(tmp_path / "reports", tmp_path / "site", today=TODAY)
    leave(tmp_path / "reports/b", a_fail())
    leave(tmp_path / "reports/c", a_withheld(), suite="other")
    steps = iter(range(1, 100))

    def count_down() -> None:
        if next(steps) == fails_at:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        for name in ("replace_file", "_write_verdict"):
            original = getattr(publishing, name)
            patch.setattr(publishing, name, lambda *args, do=original: (count_down(), do(*args))[1])
        with pytest.raises(KeyboardInterrupt):
            publish(tmp_path / "reports", tmp_path / "site", today=TODAY)
    for page in (tmp_path / "site").rglob("*.html"):
        assert [target for target in links_of(page) if not target.exists()] == []
    done = publish(tmp_path / "reports", tmp_path / "site", today=TODAY)
    assert done.total == 3
    leave(tmp_path / "whole/a", a_pass())
    leave(tmp_path / "whole/b", a_fail())
    leave(tmp_path / "whole/c", a_withheld(), suite="other")
    publish(tmp_path / "whole", tmp_path / "site-2", today=TODAY)
    interrupted, whole = tree(tmp_path / "site"), tree(tmp_path / "site-2")
    names = [name for name in whole if not name.endswith("site.json")]
    assert {name: whole[name][1] for name in names} == {name: interrupted[name][1] for name in names}


def test_a_suite_is_drawn_when_it_has_something_new_and_not_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    leave(tmp_path / "reports/a", a_pass(as_of="2026-11-29"))
    leave(tmp_path / "reports/b", a_rejection(), suite="never judged")
    publish(tmp_path / "reports", tmp_path / "site", today=TODAY)
    (drawn,) = (tmp_path / "site/suites").glob("*.svg")
    os.utime(drawn, ns=(0, 0))  # its inode may be given to the next picture; its time is not
    assert "No class was ever judged" in (tmp_path / "site/suites" / suite_file("never judged")).read_text()
    publish(tmp_path / "reports", tmp_path / "site", today=date(2026, 12, 1))
    assert drawn.stat().st_mtime_ns == 0
    leave(tmp_path / "reports/c", a_fail())
    publish(tmp_path / "reports", tmp_path / "site", today=date(2026, 12, 1))
    assert drawn.stat().st_mtime_ns > 0


def test_a_picture_that_fails_is_told_of_and_no_older_one_stands_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    leave(tmp_path / "reports/a", a_pass(as_of="2026-11-29"))
    publish(tmp_path / "reports", tmp_path / "site", today=TODAY)
    page = tmp_path / "site/suites" / suite_file("demo-suite")
    assert "<svg" in page.read_text()

    def fails(*_: object, **__: object) -> None:
        raise OverflowError("<script>alert(1)</script>")

    with monkeypatch.context() as without:
        without.setattr("litmus_nb.report.history_chart.history_chart", fails)
        leave(tmp_path / "reports/b", a_fail())
        done = publish(tmp_path / "reports", tmp_path / "site", today=TODAY)
        told = "The picture could not be drawn (OverflowError); the table below holds the last numbers."
        assert (len(done.new), told in page.read_text()) == (1, True)
        publish(tmp_path / "reports", tmp_path / "site", today=date(2026, 12, 1))
        assert told in page.read_text()
    publish(tmp_path / "reports", tmp_path / "site", today=date(2026, 12, 2))
    assert "could not be drawn" not in page.read_text()


def test_every_link_of_the_site_leads_somewhere(tmp_path: Path) -> None:
    for number, make in enumerate((a_pass, a_fail, a_rejection, a_withheld, an_indeterminate)):
        leave(tmp_path / f"reports/{number}", make(), suite=f"suite {number % 2}", candidate=f"agent-{number}")
    publish(tmp_path / "reports", tmp_path / "site", today=TODAY)
    pages = list((tmp_path / "site").rglob("*.html"))
    assert len(pages) == 9
    for page in pages:
        assert [target for target in links_of(page) if not target.exists()] == []


def test_a_day_without_a_gate_is_visibly_a_gap(tmp_path: Path) -> None:
    leave(tmp_path / "reports/a", a_pass(as_of="2026-11-27"))
    publish(tmp_path / "reports", tmp_path / "site", today=TODAY)
    text = (tmp_path / "site/index.html").read_text()
    assert 'aria-label="2026-11-27: PASS"' in text
    for day in ("2026-11-28", "2026-11-29", "2026-11-30"):
        assert f'title="{day}: no gate"' in text


def test_suites_whose_names_look_alike_do_not_share_a_page() -> None:
    names = ["A b", "a-b", "a b", "../a", "", None, "x" * 500, "демо"]
    files = [suite_file(name) for name in names]
    assert len(names) == len(set(files))
    assert all(re.fullmatch(r"[a-z0-9-]{1,60}\.html", file) for file in files)


def test_the_feeds_and_the_table_hold_every_verdict(tmp_path: Path) -> None:
    leave(tmp_path / "reports/a", a_pass(as_of="2026-11-29"))
    leave(tmp_path / "reports/b", a_fail(as_of="2026-11-30"), candidate="=cmd()")
    publish(tmp_path / "reports", tmp_path / "site", today=TODAY, base_url="https://gates.example.org/")
    atom = ET.parse(tmp_path / "site/feed.atom").getroot()
    name = "{http://www.w3.org/2005/Atom}"
    entries = atom.findall(f"{name}entry")
    assert [e.findtext(f"{name}title") for e in entries] == [
        "FAIL: =cmd() on demo-suite",
        "PASS: agent-7 on demo-suite",
    ]
    href = entries[0].find(f"{name}link").attrib["href"]  # type: ignore[union-attr]
    assert href.startswith("https://gates.example.org/verdicts/2026-11-30-")
    feed = json.loads((tmp_path / "site/feed.json").read_bytes())
    assert [href, "FAIL"] == [feed["items"][0]["url"], feed["items"][0]["tags"][0]]
    rows = list(csv.DictReader(io.StringIO((tmp_path / "site/verdicts.csv").read_text())))
    assert [row["state"] for row in rows] == ["PASS", "FAIL"]
    assert rows[1]["candidate"] == "'=cmd()"
    assert rows[1]["ci_high"] == "0.187"


def test_a_withheld_number_is_empty_in_the_table(tmp_path: Path) -> None:
    leave(tmp_path / "reports/a", a_rejection())
    leave(tmp_path / "reports/b", a_withheld())
    publish(tmp_path / "reports", tmp_path / "site", today=TODAY)
    rows = list(csv.DictReader(io.StringIO((tmp_path / "site/verdicts.csv").read_text())))
    assert [{""}, {""}] == [{row[name] for name in ("delta", "ci_low", "ci_high", "tolerance")} for row in rows]


def test_a_record_of_the_site_that_cannot_be_read_stops_everything(tmp_path: Path) -> None:
    leave(tmp_path / "reports/a", a_pass())
    publish(tmp_path / "reports", tmp_path / "site", today=TODAY)
    (tmp_path / "site/site.json").write_text("{}")
    index = (tmp_path / "site/index.html").read_bytes()
    with pytest.raises(UnreadableInput, match=r"site\.json"):
        publish(tmp_path / "reports", tmp_path / "site", today=TODAY)
    assert index == (tmp_path / "site/index.html").read_bytes()
