"""The page of an exploration: no script, no network, a strict policy, and on every sheet that it is no verdict."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from litmus_nb.contracts.exploration import NOT_A_VERDICT, ChecklistItem, Exploration
from litmus_nb.contracts.findings import Finding
from litmus_nb.report import exploration_words as words
from litmus_nb.report.markup import page_environment, rendered_page, themed
from litmus_nb.report.phrases import plain
from litmus_nb.report.pictures import Picture, picture
from litmus_nb.report.reasons import reason_sentence
from litmus_nb.report.text import short_digests

__all__ = ["exploration_html", "exploration_text", "render_exploration_page"]

_WIDE, _NARROW = 560, 230


def render_exploration_page(seen: Exploration) -> str:
    """The exploration as a self-contained HTML document. A picture that cannot be drawn is told of."""
    view: dict[str, Any] = {
        "seen": seen,
        "title": f"Two runs: {NOT_A_VERDICT}",
        "watermark": NOT_A_VERDICT,
        "headline": words.headline(seen),
        "notices": [words.notice_sentence(notice) for notice in seen.notices],
        "classes": words.classes_table(seen),
        "flips": words.flips_table(seen),
        "unknowns": words.unknowns_table(seen),
        "one_sided": words.one_sided_table(seen),
        "summary": words.checklist_summary(seen),
        "checklist": _grouped(seen.checklist),
        "pictures": {name: _pictures(name, seen) for name in ("forest", "missing")},
    }
    return rendered_page("exploration.html.j2", view, styles=("page.css", "exploration.css"))


def _grouped(items: list[ChecklistItem]) -> list[dict[str, Any]]:
    """The checklist with each code once and its findings below it, in the order given."""
    by_code: dict[str, list[ChecklistItem]] = {}
    for item in items:
        by_code.setdefault(item.finding.code, []).append(item)
    return [
        {
            "code": code,
            "paragraph": group[0].finding.paragraph,
            "sentence": reason_sentence(group[0].finding),
            "cost": group[0].cost_words,
            "action": group[0].action,
            "how": group[0].how,
            "findings": [_short(item.finding) for item in group],
        }
        for code, group in by_code.items()
    ]


def _short(finding: Finding) -> dict[str, str]:
    return {
        "subject": finding.subject,
        "expected": short_digests(finding.expected),
        "observed": short_digests(finding.observed),
    }


def _pictures(name: str, seen: Exploration) -> dict[str, Picture]:
    """The picture for a wide and for a narrow screen."""
    return {
        "wide": picture(lambda: _drawn(name, seen, _WIDE)),
        "narrow": picture(lambda: _drawn(name, seen, _NARROW)),
    }


def _drawn(name: str, seen: Exploration, width: int) -> Markup:
    # Deferred: a panel in a notebook, and a terminal, draw nothing.
    from litmus_nb.report.charts import as_svg
    from litmus_nb.report.exploration_charts import CHARTS

    return themed(as_svg(CHARTS[name](seen, width)))


def exploration_html(seen: Exploration) -> str:
    """The exploration as an HTML fragment for a notebook: its own style, no script."""
    view: dict[str, Any] = {
        "watermark": NOT_A_VERDICT,
        "headline": words.headline(seen),
        "notices": [words.notice_sentence(notice) for notice in seen.notices],
        "classes": words.classes_table(seen),
        "summary": words.checklist_summary(seen),
    }
    return page_environment().get_template("exploration_panel.html.j2").render(view)


def exploration_text(seen: Exploration, *, most_flips: int = 8) -> str:
    """The same for a terminal, short: notices, classes, flips, codes."""
    lines = [f"{NOT_A_VERDICT.upper()}: {plain(words.headline(seen))}"]
    lines += [f"  ! {plain(words.notice_sentence(notice))}" for notice in seen.notices]
    for row in words.classes_table(seen).rows:
        lines.append(
            f"  {plain((row[0],))}: n {row[1]}, {row[2]} → {row[3]}, change {row[4]} points, interval {row[5]}"
        )
    for flip in words.flips_table(seen, most_worse=most_flips, most_better=2, is_by_class=False).rows:
        lines.append(f"    {plain((flip[1],))} ({plain((flip[0],))}): {flip[2]} → {flip[3]}")
    n_shown = len(words.flips_table(seen, most_worse=most_flips, most_better=2, is_by_class=False).rows)
    if len(seen.flips) > n_shown:
        lines.append(f"    and {len(seen.flips) - n_shown} more that came out differently")
    codes = list(dict.fromkeys((item.finding.code, item.cost_words) for item in seen.checklist))
    lines.append(f"  {plain(words.checklist_summary(seen))}" if codes else "")
    lines += [f"    {code}: {cost}" for code, cost in codes]
    return "\n".join(line for line in lines if line)
