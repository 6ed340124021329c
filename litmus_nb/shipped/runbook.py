"""The runbook, which travels with the package: what to do about each reason code."""

from __future__ import annotations

import re

from litmus_nb.files import read_bytes
from litmus_nb.shipped import shipped_path

__all__ = ["RUNBOOK", "runbook_entry"]

RUNBOOK = "docs/runbook.md"

_LINK = re.compile(r"\[([^\]]+)\]\([^)]*\)")


def runbook_entry(code: str) -> dict[str, str]:
    """What the runbook says about a code: `Means`, `Candidate or environment?` and `Do`, each as one paragraph.

    Raises:
        KeyError: it has no entry for the code.
        FileNotFoundError: the installation is damaged.
    """
    text = read_bytes(shipped_path(RUNBOOK)).decode()
    entries = dict(re.findall(r"^### ([A-Z_]+)\n(.*?)(?=^##|\Z)", text, flags=re.MULTILINE | re.DOTALL))
    parts = re.split(r"\*\*(Means|Candidate or environment\?|Do)\*\*", entries[code])[1:]
    return {name: " ".join(_LINK.sub(r"\1", said).split()) for name, said in zip(parts[::2], parts[1::2], strict=True)}
