"""Every notebook from JupyterLab's own menu: Run All ends without an error and without a word to anybody else."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from litmus_nb.shipped import shipped_path
from tests.conftest import ROOT
from tests.lab.conftest import Lab, Ran

pytestmark = [pytest.mark.browser, pytest.mark.kernel, pytest.mark.slow, pytest.mark.timeout(1500)]

NOTEBOOKS = sorted(path.name for path in (ROOT / "notebooks").glob("*.ipynb"))
PICTURES = {
    "explore.ipynb": 3,
    "gate.ipynb": 1,
    "history.ipynb": 1,
    "incidents.ipynb": 0,
    "judge_drift.ipynb": 4,
    "power.ipynb": 2,
}


def test_every_notebook_is_looked_at() -> None:
    assert sorted(PICTURES) == NOTEBOOKS


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_run_all_ends_without_an_error(name: str, lab: Lab, ran: Callable[[str], Ran]) -> None:
    opened = ran(name)
    assert opened.errors == []
    assert opened.elsewhere == []
    assert opened.dialogs == []
    assert opened.page.locator("[data-mime-type='application/vnd.jupyter.stderr']").all_inner_texts() == []
    # A picture is drawn a moment after its cell has its number.
    opened.page.wait_for_function(
        "least => document.querySelectorAll('.jp-RenderedVegaCommon5 svg').length >= least", arg=PICTURES[name]
    )
    if name != "judge_drift.ipynb":  # the last cell's kernel is needed no more; that one's page is clicked on
        opened.page.close()
    lab.without_kernel(name)


def test_the_installed_notebooks_are_never_opened(lab: Lab) -> None:
    """What JupyterLab shows, and saves by itself, are copies; the installed ones are as they are committed."""
    for name in NOTEBOOKS:
        assert not (lab.folder / name).is_symlink()
        assert shipped_path(f"notebooks/{name}").read_bytes() == (ROOT / "notebooks" / name).read_bytes()
    assert lab.folder not in shipped_path("notebooks/gate.ipynb").parents
