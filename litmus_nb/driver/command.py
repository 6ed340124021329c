"""Running somebody else's command: in a process group of its own that never outlives the wait for it."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from types import FrameType

__all__ = ["Ended", "run_command"]

GRACE_S = 10.0
"""How long an interrupted command may take to put its things away."""


class Ended:
    """How a command ended."""

    def __init__(self, status: int | None, why: str) -> None:
        self.status = status
        """Exit status; None where it has none (never started, took too long)."""
        self.why = why
        """In words, for a finding."""

    @property
    def is_success(self) -> bool:
        """Whether it ended by itself, with status 0."""
        return self.status == 0


def run_command(command: Sequence[str], environment: Mapping[str, str], *, timeout_s: float) -> Ended:
    """Run the command to its end; everything that it started is dead afterwards.

    Raises:
        KeyboardInterrupt: Ctrl-C or SIGTERM arrived. It was passed on first, and the command given time to end.
    """
    try:
        process = subprocess.Popen(command, env=dict(environment), start_new_session=True)
    except OSError as error:
        return Ended(None, f"it cannot be started: {error.strerror}")
    try:
        with _terminated_like_interrupted():
            status = process.wait(timeout_s)
        return Ended(status, f"it ended with status {status}")
    except subprocess.TimeoutExpired:
        return Ended(None, f"it took longer than {timeout_s:g} s")
    except KeyboardInterrupt:
        _signal(process, signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired, KeyboardInterrupt):
            process.wait(GRACE_S)
        raise
    finally:
        _signal(process, signal.SIGKILL)
        process.wait()


def _signal(process: subprocess.Popen[bytes], number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


@contextlib.contextmanager
def _terminated_like_interrupted() -> Iterator[None]:
    """SIGTERM (a CI runner's cancel) is taken as Ctrl-C is; signals can be handled on the main thread alone."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
