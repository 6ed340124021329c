"""Real sandboxes, made with bubblewrap and network namespaces: one that is calibrated, and variations of it.

Each is a command prefix. Everything happens on loopback and in namespaces of our own.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
CLONE_NEWNET = 0x40000000

LAUNCHER = ("env", "-i", "PATH=/usr/bin:/bin")
BASE = """
    --unshare-all --die-with-parent --uid 65534 --gid 65534 --cap-drop ALL --ro-bind /usr /usr --symlink
    usr/lib /lib --symlink usr/lib64 /lib64 --symlink usr/bin /bin --proc /proc --ro-bind /proc/sys /proc/sys
    --dev /dev --remount-ro /dev --dir /home/agent --dir /etc --dir /tmp --dir /run --setenv HOME /home/agent
"""


def why_not() -> str:
    """Why real sandboxes cannot be made here; empty where they can."""
    if os.geteuid() != 0:
        return "real sandboxes need root, or root's place in a user namespace (unshare -Ur)"
    if missing := [tool for tool in ("bwrap", "ip", "unshare", "nsenter") if not shutil.which(tool)]:
        return f"real sandboxes need {', '.join(missing)}"
    for command in (["unshare", "-n", "true"], ["bwrap", *BASE.split(), "true"]):
        ended = subprocess.run(command, capture_output=True, text=True)
        if ended.returncode:
            return f"the kernel forbids it: {' '.join(command[:2])}: {ended.stderr.strip()}"
    return ""


def in_own_network(work: Callable[[], Any]) -> Any:
    """What `work` returns (or raises) in a network namespace of its own in which only loopback exists, and is up."""
    outcome: list[Any] = []

    def isolated() -> None:
        try:
            if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNET):
                raise OSError(ctypes.get_errno(), "unshare(CLONE_NEWNET)")
            ip("link", "set", "lo", "up")
            outcome.append((work(), None))
        except BaseException as error:
            outcome.append((None, error))

    thread = threading.Thread(target=isolated)
    thread.start()
    thread.join()
    result, error = outcome[0]
    if error is not None:
        raise error
    return result


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


def box(folder: Path, *options: str, inside: tuple[str, ...] = (), launcher: tuple[str, ...] = LAUNCHER) -> list[str]:
    """The calibrated sandbox around `folder` (its /sandbox), with more options, and a program that starts inside."""
    return [
        *launcher, "bwrap", *BASE.split(), "--bind", str(folder), "/sandbox", "--chdir", "/sandbox",
        "--ro-bind", str(HERE / "confine.py"), "/confine.py", "--ro-bind", str(HERE / "bridge.py"), "/bridge.py",
        *options, "--remount-ro", "/", *(("/usr/bin/python3", *inside) if inside else ()),
    ]  # fmt: skip


@contextlib.contextmanager
def linked_network(*routes: str) -> Iterator[list[str]]:
    """A second network, linked to this one (10.77.0.1 here, 10.77.0.2 there); a prefix that runs there."""
    holder = subprocess.Popen(["unshare", "-n", "sleep", "60"])
    there = ["nsenter", "-t", str(holder.pid), "-n"]
    try:
        own = os.stat("/proc/thread-self/ns/net").st_ino
        while os.stat(f"/proc/{holder.pid}/ns/net").st_ino == own:
            pass
        ip("link", "add", "here", "type", "veth", "peer", "name", "there", "netns", str(holder.pid))
        ip("addr", "add", "10.77.0.1/24", "dev", "here")
        ip("link", "set", "here", "up")
        for words in ("link set lo up", "addr add 10.77.0.2/24 dev there", "link set there up", *routes):
            subprocess.run([*there, "ip", *words.split()], check=True, capture_output=True)
        yield there
    finally:
        holder.kill()
        holder.wait()


@contextlib.contextmanager
def listening(path: Path | None = None, *, address: str = "", port: int = 0) -> Iterator[list[bytes]]:
    """A listener that keeps what it is sent; on a local socket, or on an address of this network."""
    heard: list[bytes] = []
    server = socket.socket(socket.AF_UNIX if path else socket.AF_INET)
    server.bind(str(path) if path else (address, port))
    server.listen()
    stop = threading.Event()

    def hear() -> None:
        server.settimeout(0.05)
        while not stop.is_set():
            with contextlib.suppress(TimeoutError):
                connection, _ = server.accept()
                with connection:
                    connection.settimeout(2)
                    with contextlib.suppress(TimeoutError):
                        heard.append(connection.recv(64))

    thread = threading.Thread(target=hear)
    thread.start()
    try:
        yield heard
    finally:
        stop.set()
        thread.join()
        server.close()
