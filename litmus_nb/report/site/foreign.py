"""Whether a report that lies beside a verdict is a page that `render_gate_page` could have made of it.

A site is a trusted place; a report's folder need not be. A page that is not plainly ours is made anew from the verdict.
"""

from __future__ import annotations

import re

from litmus_nb.contracts.verdict import Verdict
from litmus_nb.report.sentences import state_words

__all__ = ["is_a_page_of_ours"]

_HEAD = re.compile(
    r"<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    r"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src &#39;none&#39;; "
    r"style-src &#39;sha256-[A-Za-z0-9+/=]{44}&#39;; img-src data:; "
    r"base-uri &#39;none&#39;; form-action &#39;none&#39;\">\n"
    r"<meta name=\"viewport\" content=\"[a-z0-9=, -]*\">\n<meta name=\"referrer\" content=\"no-referrer\">\n"
    r"<meta name=\"generator\" content=\"litmus_nb [0-9a-z.+]*\">\n"
    r"<title>([^<]*)</title>\n<style>[^<]*</style>\n</head>\n"
)
_FORBIDDEN = re.compile(
    r"<\s*(?:script|style|link|meta|base|iframe|frame|object|embed|form|input|button|img|video|audio|source|portal|template)"
    r"|<[^>]*\s(?:on[a-z]+|style|src|srcset|action|formaction|xlink:href|srcdoc)\s*="
    r"|href\s*=\s*[\"']?\s*(?:javascript|data|vbscript):",
    re.IGNORECASE,
)


def is_a_page_of_ours(content: bytes, verdict: Verdict) -> bool:
    """Whether the page has our head, with a policy that lets no script in, nothing active after it, and this state."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    head = _HEAD.match(text)
    if head is None or not head[1].startswith(f"{state_words(verdict)}: "):
        return False
    return _FORBIDDEN.search(text, head.end()) is None
