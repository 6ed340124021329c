"""The least that could be called publishing verdicts: an autoescaped page for each, and a list of all.

python benchmarks/plain_pages.py REPORTS TO
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import jinja2

PAGE = """<!doctype html><title>{{ v.verdict }}</title><h1>{{ v.verdict }}</h1>
<table>{% for c in v.classes %}<tr>{% for x in c.values() %}<td>{{ x }}</td>{% endfor %}</tr>{% endfor %}</table>
<ul>{% for r in v.reasons %}<li>{{ r.code }} {{ r.subject }} {{ r.expected }} {{ r.observed }}</li>{% endfor %}</ul>
<dl>{% for k, x in v.evidence.items() %}<dt>{{ k }}<dd>{{ x }}{% endfor %}</dl>"""
LIST = "<!doctype html><ul>{% for n, v in all %}<li><a href='{{ n }}.html'>{{ v.verdict }}</a>{% endfor %}</ul>"


def main() -> None:
    reports, to = Path(sys.argv[1]), Path(sys.argv[2])
    to.mkdir(exist_ok=True)
    environment = jinja2.Environment(autoescape=True)
    page, listed = environment.from_string(PAGE), environment.from_string(LIST)
    verdicts = [(path.parent.name, json.loads(path.read_bytes())) for path in sorted(reports.glob("*/verdict.json"))]
    for name, verdict in verdicts:
        (to / f"{name}.html").write_text(page.render(v=verdict))
    (to / "index.html").write_text(listed.render(all=verdicts))


if __name__ == "__main__":
    main()
