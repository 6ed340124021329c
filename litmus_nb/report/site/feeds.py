"""Feeds of the last verdicts (Atom, RFC 4287; JSON Feed 1.1) and a table of all of them (CSV)."""

from __future__ import annotations

import csv
import io
import json
import xml.etree.ElementTree as ET
from collections.abc import Sequence

from litmus_nb.contracts.published import Published
from litmus_nb.report.history import in_order_of_time
from litmus_nb.report.site.views import state_text, verdict_row
from litmus_nb.report.text import csv_cell, safe_text, xml_text

__all__ = ["atom_feed", "json_feed", "verdicts_csv"]

_MOST_ENTRIES = 100
_ATOM = "http://www.w3.org/2005/Atom"
_NO_TIME = "1970-01-01T00:00:00Z"


def atom_feed(published: Sequence[Published], *, title: str, base_url: str) -> bytes:
    """The last hundred verdicts. Without a base address links are relative to the feed."""
    newest = in_order_of_time(published)[::-1][:_MOST_ENTRIES]
    root = ET.Element("feed", {"xmlns": _ATOM})
    ET.SubElement(root, "title").text = xml_text(title, limit=200)
    ET.SubElement(root, "id").text = base_url or "urn:litmus-nb:site"
    ET.SubElement(root, "updated").text = _time(newest[0]) if newest else _NO_TIME
    ET.SubElement(ET.SubElement(root, "author"), "name").text = "litmus-nb"
    ET.SubElement(root, "link", {"rel": "self", "href": f"{base_url}feed.atom"})
    ET.SubElement(root, "link", {"rel": "alternate", "type": "text/html", "href": f"{base_url}index.html"})
    for one in newest:
        entry = ET.SubElement(root, "entry")
        ET.SubElement(entry, "title").text = xml_text(_title(one), limit=300)
        ET.SubElement(entry, "id").text = f"urn:{one.sha256}"
        ET.SubElement(entry, "updated").text = _time(one)
        ET.SubElement(entry, "link", {"rel": "alternate", "type": "text/html", "href": _link(one, base_url)})
        ET.SubElement(entry, "category", {"term": one.state.value})
        ET.SubElement(entry, "summary", {"type": "text"}).text = xml_text(_summary(one), limit=1000)
    ET.indent(root)
    text: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def json_feed(published: Sequence[Published], *, title: str, base_url: str) -> bytes:
    """The same as a JSON Feed."""
    newest = in_order_of_time(published)[::-1][:_MOST_ENTRIES]
    feed = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": safe_text(title, limit=200),
        "home_page_url": f"{base_url}index.html",
        "feed_url": f"{base_url}feed.json",
        "items": [
            {
                "id": f"urn:{one.sha256}",
                "url": _link(one, base_url),
                "title": safe_text(_title(one), limit=300),
                "content_text": safe_text(_summary(one), limit=1000),
                "date_published": _time(one),
                "tags": [one.state.value, *one.codes],
            }
            for one in newest
        ],
    }
    # A reader may put the text into a script element.
    text = json.dumps(feed, indent=1, ensure_ascii=True).replace("<", "\\u003c").replace(">", "\\u003e")
    return text.encode() + b"\n"


def _title(one: Published) -> str:
    candidate = "unnamed candidate" if one.candidate is None else safe_text(one.candidate, limit=80)
    suite = "" if one.suite is None else f" on {safe_text(one.suite, limit=80)}"
    return f"{state_text(one)}: {candidate}{suite}"


def _summary(one: Published) -> str:
    row = verdict_row(one)
    worst = "" if row.worst is None else f"Worst class {safe_text(row.worst, limit=80)} {row.numbers}. "
    return f"{worst}{row.why}".strip() or "No reason stands against it."


def _link(one: Published, base_url: str) -> str:
    return f"{base_url}verdicts/{one.id}/index.html"


def _time(one: Published) -> str:
    return one.made_at or f"{one.as_of}T00:00:00Z"


_COLUMNS = (
    *("id", "as_of", "made_at", "suite", "suite_version", "candidate", "state", "degraded", "worst_class"),
    *("delta", "ci_low", "ci_high", "tolerance", "codes", "verdict_sha256"),
)


def verdicts_csv(published: Sequence[Published]) -> bytes:
    """Every verdict, the oldest first; numbers as fractions, empty where the verdict withholds them."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\r\n")
    writer.writerow(_COLUMNS)
    for one in in_order_of_time(published):
        worst = next((row for row in one.classes if row.name == one.worst_class), None)
        numbers = (worst.delta, worst.ci_low, worst.ci_high, worst.tolerance) if worst else (None,) * 4
        said = (one.suite, one.suite_version, one.candidate)
        writer.writerow(
            [
                one.id,
                one.as_of,
                one.made_at or "",
                *("" if text is None else csv_cell(text, limit=200) for text in said),
                one.state.value,
                str(one.degraded).lower(),
                "" if worst is None else csv_cell(worst.name, limit=200),
                *("" if number is None else repr(number) for number in numbers),
                " ".join(one.codes),
                one.sha256,
            ]
        )
    return buffer.getvalue().encode()
