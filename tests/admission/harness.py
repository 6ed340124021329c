"""A harness under guard: does as it is told. python harness.py DEED..."""

import json
import os
import signal
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

run = Path(os.environ["LITMUS_NB_RUN"])
held_back = run.parent / "held-back.jsonl"


def now():
    return f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"


def edit(**changes):
    path = run / "run.json"
    path.write_text(json.dumps(json.loads(path.read_bytes()) | changes))


def complete(started_at=None):
    edit(status="complete", started_at=started_at or now(), finished_at=now())
    (run / "trials.jsonl").write_bytes(held_back.read_bytes())


for deed in sys.argv[1:]:
    if deed == "run":
        complete()
    elif deed == "run-earlier":
        complete("2026-11-01T00:00:00Z")
    elif deed == "cancel":
        edit(status="cancelled", started_at=now())
    elif deed == "rename":
        interface = json.loads((run / "run.json").read_bytes())["interface"]
        edit(interface=interface | {"tools": [*interface["tools"], "one.more"]})
    elif deed == "say":
        told = {
            name: os.environ.get(name) for name in ("LITMUS_NB_ADMISSION", "LITMUS_NB_GATE", "LITMUS_NB_ADMISSION_KEY")
        }
        (run.parent / "told.json").write_text(json.dumps(told))
    elif deed == "fail":
        sys.exit(7)
    elif deed == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    elif deed == "wait":
        (run.parent / "waiting").write_text(str(os.getpid()))
        time.sleep(120)
    elif deed == "leave-something":
        if os.fork() == 0:
            (run.parent / "left").write_text(str(os.getpid()))
            time.sleep(120)
        while not (run.parent / "left").exists():
            time.sleep(0.01)
    elif deed == "pass":
        (run.parent / "out/verdict.json").write_text('{"verdict": "PASS"}')
