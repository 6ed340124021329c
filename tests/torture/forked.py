"""Commands and questions in forks of this process, which has imported what they need and has started no threads."""

from __future__ import annotations

import importlib
import json
import os
import signal
import subprocess
import time

import litmus_nb.cli

PRELOADED = (
    "litmus_nb.cli.gate",
    "litmus_nb.cli.evaluate",
    "litmus_nb.cli.guard",
    "litmus_nb.cli.quarantine",
    "litmus_nb.cli.baseline",
    "litmus_nb.evidence.sources",
    "litmus_nb.driver.execution",
    "litmus_nb.outcome.page",
)


class Forked:
    """A command in a fork; asked like a `subprocess.Popen`."""

    def __init__(self, words, folder):
        for name in PRELOADED:
            importlib.import_module(name)
        self.returncode = None
        self.pid = os.fork()
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

    def wait(self, timeout=600):
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
    child = os.fork()
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
