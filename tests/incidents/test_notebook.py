"""notebooks/incidents.ipynb runs from top to bottom and shows every incident."""

from __future__ import annotations

import nbformat
import pytest
from nbclient import NotebookClient

from litmus_nb.incidents import INCIDENTS


def test_the_notebook_is_committed_without_outputs_and_names_every_incident(root):
    notebook = nbformat.read(root / "notebooks/incidents.ipynb", as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(cell.outputs == [] and cell.execution_count is None for cell in code)
    assert [f'replay("{name}")' for name in INCIDENTS] == [cell.source for cell in code[1:]]
    headings = [cell.source for cell in notebook.cells if cell.source.startswith("## ")]
    assert [f"## {number}. {incident.title}" for number, incident in enumerate(INCIDENTS.values(), 1)] == headings[:-1]


@pytest.mark.kernel
def test_the_notebook_runs(root, tmp_path):
    notebook = nbformat.read(root / "notebooks/incidents.ipynb", as_version=4)
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = [cell.outputs for cell in notebook.cells if cell.cell_type == "code"][1:]
    for (name, incident), outputs in zip(INCIDENTS.items(), shown, strict=True):
        assert len(outputs) == 1, name
        data = outputs[0].data
        assert incident.codes[0] in data["text/html"], name
        assert incident.codes[0] in data["text/plain"], name
    assert list(tmp_path.iterdir()) == []
