"""Commands and questions in forks of this process, which has imported what they need and has started no threads.

A fork of a process that has threads (polars' once a frame was collected, an event loop's) may wait forever for a lock
that one of them held. Such a process is refused here; `python -m tests.torture.kills` is one that has none.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import subprocess
import time
from pathlib import Path

import litmus_nb.cli

# Of jemalloc, which lets go of its locks before a fork, and of polars' spilling to disk, which sleeps.
IDLE = ("jemalloc_bg_thd", "polars-ooc")
PRELOADED = (
    "litmus_nb.cli.gate",
    "litmus_nb.cli.evaluate",
    "litmus_nb.cli.guard",
    "litmus_nb.cli.publish",
    "litmus_nb.cli.quarantine",
    "litmus_nb.cli.baseline",
    "litmus_nb.evidence.sources",
    "litmus_nb.driver.execution",
    "litmus_nb.outcome.page",
)


def fork():
    """`os.fork`, of a process in which nothing but what polars starts at its import runs beside us."""
    names = [path.read_text().strip() for path in Path("/proc/self/task").glob("*/comm")]
    others = sorted(name for name in names if not name.startswith(IDLE))
    if len(others) != 1:
        raise RuntimeError(f"a process with threads may not be forked (set OPENBLAS_NUM_THREADS=1): {others}")
    return os.fork()


class Forked:
    """A command in a fork; asked like a `subprocess.Popen`."""

    def __init__(self, words, folder):
        for name in PRELOADED:
            importlib.import_module(name)
        self.returncode = None
        self.pid = fork()
        if self.pid == 0:
            os.chdir(folder)
            nothing = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(nothing, stream)
            status = 70
            try:
                litmus_nb.cli.main(list(words))
            except SystemExit as ended:
                status = int(ended.code or 0)
            finally:
                os._exit(status)

    def poll(self):
        if self.returncode is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode

    def wait(self, timeout=240):
        deadline = time.monotonic() + timeout
        while self.poll() is None:
            if time.monotonic() > deadline:
                raise subprocess.TimeoutExpired("fork", timeout)
            time.sleep(0.01)
        return self.returncode

    def kill(self):
        os.kill(self.pid, signal.SIGKILL)


def answer_of(question):
    """What a question that returns JSON answers in a fork; polars starts its threads there and not here."""
    reading, writing = os.pipe()
    child = fork()
    if child == 0:
        status = 1
        try:
            os.close(reading)
            with open(writing, "wb") as stream:
                stream.write(json.dumps(question()).encode())
            status = 0
        finally:
            os._exit(status)
    os.close(writing)
    with open(reading, "rb") as stream:
        content = stream.read()
    _, status = os.waitpid(child, 0)
    if status:
        return [f"the question itself failed: {status}"]
    return json.loads(content)
