"""Declarations beside the logs that the real Inspect wrote."""

from __future__ import annotations

import json
import zipfile
from typing import Any

import zipfile_zstd  # noqa: F401 - teaches zipfile the method that Inspect uses

from tests.readers.around import Around

STATED = (
    *("run_id", "status", "policy__name", "interface__tools", "judge__requested", "decoding"),
    *("trials_per_scenario", "started_at", "finished_at"),
)
"""What an Inspect log says itself."""


def inspect_part(**changes: Any) -> dict[str, Any]:
    """The outcome of the logs that includes() scored."""
    outcome = {
        "scorer": "includes",
        "sandbox": None,
        "attack_success_when": {"equals": ["C"]},
        "attack_failure_when": {"equals": ["I"]},
    }
    return {"outcome": outcome | changes}


def inspect_run(around: Around, log: str, name: str, **changes: Any) -> dict[str, Any]:
    """Everything that the log does not say; the sandbox was measured when the log says that it started."""
    stated = dict.fromkeys(STATED) | {"sandbox__measured_at": started_at(around, log)}
    return around.run(name, **stated | changes)


def started_at(around: Around, log: str) -> str:
    path = around.folder / log
    if log.endswith(".json"):
        header = json.loads(path.read_bytes())
    else:
        with zipfile.ZipFile(path) as archive:
            header = json.loads(archive.read("header.json"))
    return header["stats"]["started_at"].replace("+00:00", "Z")
