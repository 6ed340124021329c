"""What every test may ask for."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).parents[1]

# The same examples on every run and machine: a red test is red for everybody. To look further, use
# --hypothesis-profile=explore.
settings.register_profile(
    "pinned", derandomize=True, deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("explore", deadline=None, max_examples=2000, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("pinned")


GROUPS = ("tests/lab/", "promptfoo", "agentdojo")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let the tests that wait for one slow thing do so in one worker, while the others go on (`--dist loadgroup`)."""
    for item in items:
        for group in GROUPS:
            if group in item.nodeid:
                item.add_marker(pytest.mark.xdist_group(group))


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return ROOT


@pytest.fixture(scope="session")
def shared_dir() -> Path:
    """The folder of agreed cases and real data, LITMUS_SHARED or ../shared beside the checkout; skipped without it."""
    folder = Path(os.environ.get("LITMUS_SHARED") or ROOT.parent / "shared")
    if not (folder / "conformance").is_dir():
        pytest.skip(f"no agreed cases at {folder}: set LITMUS_SHARED to the folder that has conformance/")
    return folder


@pytest.fixture(scope="session")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Path]:
    """Gives a new empty folder at every call; for property tests, whose examples share their fixtures."""

    def new_folder() -> Path:
        return tmp_path_factory.mktemp("scratch")

    return new_folder
