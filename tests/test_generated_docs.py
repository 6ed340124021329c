"""Documents that are made from the code are what the code says."""

from __future__ import annotations

import importlib.util

from litmus_nb.contracts.codes import CODES


def test_generated_documents_are_fresh(root):
    spec = importlib.util.spec_from_file_location("generated_docs", root / "tools/generated_docs.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.stale() == [], "run python tools/generated_docs.py"


def test_the_table_of_codes_names_every_code(root):
    text = (root / "docs/codes.md").read_text(encoding="utf-8")
    assert [code for code in CODES if f"`{code}`" not in text] == []
