"""Documents that are made from the code are what the code says."""

from __future__ import annotations

import subprocess
import sys

from litmus_nb.contracts.codes import CODES


def test_generated_documents_are_fresh(root):
    # In a process of its own: what other tests have loaded and patched here must not be in the commands' help.
    words = [sys.executable, root / "tools/generated_docs.py", "--check"]
    ended = subprocess.run(words, cwd=root, capture_output=True, text=True, timeout=300)
    assert (ended.returncode, ended.stderr) == (0, ""), "run python tools/generated_docs.py"


def test_the_table_of_codes_names_every_code(root):
    text = (root / "docs/codes.md").read_text(encoding="utf-8")
    assert [code for code in CODES if f"`{code}`" not in text] == []


def test_every_decision_has_a_number_of_its_own(root):
    pages = sorted((root / "docs/decisions").glob("[0-9]*.md"))
    numbers = [int(page.name[:4]) for page in pages]
    assert len(set(numbers)) == len(numbers)
    titles = [page.read_text(encoding="utf-8").partition("\n")[0] for page in pages]
    assert [title for title, number in zip(titles, numbers, strict=True) if not title.startswith(f"# {number}. ")] == []
