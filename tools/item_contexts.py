"""A pytest plugin for measuring: each test with its parameters is a coverage context of its own; how long each took."""

from __future__ import annotations

import collections
import json
from pathlib import Path

import coverage
import pytest

SECONDS = collections.Counter()


def pytest_addoption(parser):
    parser.addoption("--item-seconds", type=Path, help="where to leave {test: seconds} as JSON")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item):
    measuring = coverage.Coverage.current()
    measuring.switch_context(item.nodeid)
    yield
    measuring.switch_context("")


def pytest_runtest_logreport(report):
    SECONDS[report.nodeid] += report.duration


def pytest_sessionfinish(session):
    if path := session.config.getoption("--item-seconds"):
        path.write_text(json.dumps(SECONDS))
