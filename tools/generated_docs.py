"""Documents made from the code, so that they cannot lie. `python tools/generated_docs.py` writes them anew.

A document more: one function that returns its text, one row in DOCUMENTS.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from litmus_nb.contracts.check_codes import CHECK_CODES
from litmus_nb.contracts.codes import CODES, Stage

ROOT = Path(__file__).parents[1]

_STAGES = {
    Stage.ADMISSIBILITY: (
        "Admissibility",
        "The measurement contract is violated: nothing may be scored. REJECTED, exit 3.",
    ),
    Stage.ELIGIBILITY: ("Eligibility", "The run as a whole cannot carry a decision. NO_VERDICT, exit 4."),
    Stage.CLASS: ("Class", "What one class says: FAIL (exit 1) or NO_VERDICT (exit 4)."),
    Stage.EXECUTION: ("Execution", "Our own work did not come to an end. Closed: exit 2 for USAGE, else 4."),
}


def reason_codes() -> str:
    """docs/codes.md."""
    lines = [
        "# Reason codes",
        "",
        "Made from `litmus_nb/contracts/codes.py` by `python tools/generated_docs.py`; not edited by hand.",
        "The paragraphs are those of [the rule](rule.md). Codes are for ever: added, deprecated, never reused.",
    ]
    for stage, (title, what) in _STAGES.items():
        lines += [
            "",
            f"## {title}",
            "",
            what,
            "",
            "| code | § | leads to | what it means | what to do |",
            "|---|---|---|---|---|",
        ]
        lines += [
            f'| <a id="{code.name.lower().replace("_", "-")}"></a>`{code.name}` | {", ".join(code.paragraphs)} '
            f"| {code.state.value} | {code.meaning} | {code.action} |"
            for code in sorted(CODES.values(), key=lambda code: code.name)
            if code.stage is stage
        ]
    return "\n".join(lines) + "\n"


def check_codes() -> str:
    """docs/check-codes.md."""
    lines = [
        "# Codes of the consumer's check",
        "",
        "Made from `litmus_nb/contracts/check_codes.py` by `python tools/generated_docs.py`; not edited by hand.",
        "These are the reasons with which `litmus-nb check` refuses. They never stand in a verdict: its reasons are",
        "about the evidence ([codes.md](codes.md)), these about whether a verdict may be relied upon here and now.",
        "Codes are for ever: added, deprecated, never reused.",
        "",
        "| code | what it means | what to do |",
        "|---|---|---|",
    ]
    lines += [
        f'| <a id="{code.name.lower().replace("_", "-")}"></a>`{code.name}` | {code.meaning} | {code.action} |'
        for code in CHECK_CODES.values()
    ]
    return "\n".join(lines) + "\n"


DOCUMENTS: dict[str, Callable[[], str]] = {"docs/check-codes.md": check_codes, "docs/codes.md": reason_codes}


def stale() -> list[str]:
    """The documents that are not what the code says."""
    return [
        name
        for name, text in DOCUMENTS.items()
        if not (ROOT / name).is_file() or (ROOT / name).read_text(encoding="utf-8") != text()
    ]


if __name__ == "__main__":
    for document, made in DOCUMENTS.items():
        (ROOT / document).write_text(made(), encoding="utf-8")
        sys.stderr.write(f"{document}\n")
