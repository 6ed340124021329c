"""How the benchmarks measure: ours and the peer by turns, so that what else the machine does hits both alike.

Processor time counts (user and system, children included), for the machine is rarely alone; what is measured on the
wall is so by necessity (several processes at work at once) and says so in its row.
"""

from __future__ import annotations

import compileall
import gc
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks/results.json"
PEERS_PYTHON = ROOT / "benchmarks/.venv-peers/bin/python"

REPEATS = 5


@dataclass(frozen=True)
class Taken:
    """One repetition: seconds, and the most memory that was resident, where a process of its own was measured."""

    seconds: float
    peak_mb: float | None = None


Measure = Callable[[], Taken]


@dataclass(frozen=True)
class Peer:
    """What ours is measured against."""

    name: str
    version: str
    measure: Measure


def row(name: str, ours: Measure, peer: Peer, *, repeats: int = REPEATS) -> dict[str, object]:
    """Medians of interleaved repetitions, as results.json has them."""
    taken: list[tuple[Taken, Taken]] = []
    for turn in range(repeats):
        # Who begins changes, so that neither always finds the caches that the other left.
        if turn % 2:
            theirs, own = peer.measure(), ours()
        else:
            own, theirs = ours(), peer.measure()
        taken.append((own, theirs))
    ours_s = statistics.median(own.seconds for own, _ in taken)
    peer_s = statistics.median(theirs.seconds for _, theirs in taken)
    peaks = [own.peak_mb for own, _ in taken if own.peak_mb is not None]
    return {
        "name": name,
        "ours_s": _short(ours_s),
        "peer": peer.name,
        "peer_version": peer.version,
        "peer_s": _short(peer_s),
        "ratio": _short(ours_s / peer_s),
        "peak_mb": round(statistics.median(peaks)) if peaks else None,
        "machine": machine() if repeats == REPEATS else f"{machine()}; repetitions: {repeats}",
        "date": datetime.now(UTC).date().isoformat(),
    }


def as_installed() -> None:
    """Let what is measured be as an installer leaves it: the package's bytecode is there, and Python may keep more.

    Peers come byte-compiled from their wheels; a checkout does not, and was measured compiling itself each time.
    """
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    compileall.compile_dir(ROOT / "litmus_nb", quiet=1)


def machine() -> str:
    """The machine in a line."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{os.cpu_count()} cores, {memory:.0f} GiB, {platform.system()} {platform.machine()}, shared"


def call(function: Callable[[], object], times: int = 1) -> Measure:
    """Processor seconds of a call in this process, the mean of `times` calls."""

    def measure() -> Taken:
        gc.collect()
        before = time.process_time()
        for _ in range(times):
            function()
        return Taken((time.process_time() - before) / times)

    return measure


def process(
    command: Sequence[str | Path], folder: Path = ROOT, *, expected: Sequence[int] = (0,), is_on_wall: bool = False
) -> Measure:
    """Seconds and peak memory of a whole process: processor seconds, or on the wall, which is what a user waits."""
    words = [str(word) for word in command]

    def measure() -> Taken:
        before = time.monotonic()
        child = subprocess.Popen(words, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        said = child.stderr.read() if child.stderr else b""
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode not in expected:
            raise RuntimeError(f"{words} ended with {child.returncode}: {said[-500:].decode()}")
        # A child begins with its parent's pages: a peak below the parent's own says nothing.
        is_own = used.ru_maxrss > resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        seconds = time.monotonic() - before if is_on_wall else used.ru_utime + used.ru_stime
        return Taken(seconds, used.ru_maxrss / 1024 if is_own else None)

    return measure


def told(command: Sequence[str | Path], folder: Path = ROOT) -> Measure:
    """Processor seconds that a process tells of itself on its last line: a peer in an environment of its own."""
    words = [str(word) for word in command]

    def measure() -> Taken:
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=True)
        return Taken(float(done.stdout.split()[-1]))

    return measure


def wall(function: Callable[[], object]) -> Measure:
    """Seconds on the wall of a call that sets several processes to work."""

    def measure() -> Taken:
        before = time.monotonic()
        function()
        return Taken(time.monotonic() - before)

    return measure


def version_of(package: str, python: str | Path = sys.executable) -> str:
    """The installed version of a package."""
    code = f"import importlib.metadata as m; print(m.version({package!r}))"
    return subprocess.run([str(python), "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def leave(rows: Sequence[dict[str, object]], path: Path = RESULTS) -> None:
    """Put rows into results.json, each in the place of an older one of its name."""
    known = {row["name"]: row for row in json.loads(path.read_text())} if path.exists() else {}
    known |= {row["name"]: row for row in rows}
    lines = ",\n".join(json.dumps(known[name]) for name in sorted(known))
    path.write_text(f"[\n{lines}\n]\n")


def _short(seconds: float) -> float:
    return float(f"{seconds:.4g}")
