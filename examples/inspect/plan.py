"""Declare the run that is planned: `python plan.py POLICY` writes runs/next/run.json, before anything is run.

What it declares is read from the code that will run (tools, their names, digests), never typed. What only a measurement
can say (sandbox, canary) is left open: `litmus-nb guard` fills it in.
"""

from __future__ import annotations

import hashlib
import json
import sys
from datetime import UTC, datetime
from pathlib import Path

from policies import POLICIES

from litmus_nb.evidence.suite import read_suite

HERE = Path(__file__).parent


def digest(path: str) -> str:
    return "sha256:" + hashlib.sha256((HERE / path).read_bytes()).hexdigest()


def main(name: str, folder: Path) -> None:
    policy = POLICIES[name]
    run = {
        "schema": "litmus-nb/run/v1",
        "run_id": f"{name}-{datetime.now(UTC):%Y%m%dT%H%M%S%fZ}",
        "status": "planned",
        "policy": {"name": "mockllm/model", "digest": policy.digest},
        "manifest_hash": read_suite(HERE / "suite/suite.yaml").manifest_hash,
        "interface": {
            "tool_namespace": policy.tool_namespace,
            "tools": sorted(policy.tools),
            "trace_schema_sha256": digest("suite/trace.schema.json"),
        },
        "sandbox": {"effective_capabilities": [], "unknown": [], "measured_by": None, "measured_at": None},
        "canary": None,
        "judge": {
            "requested": "scorer detector",
            "resolved_digest": digest("detector.py"),
            "template_sha256": digest("suite/judge.md"),
        },
        "decoding": {},
        "deterministic": True,
        "trials_per_scenario": 1,
        "started_at": None,
        "finished_at": None,
    }
    folder.mkdir(parents=True)
    (folder / "run.json").write_text(json.dumps(run, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
