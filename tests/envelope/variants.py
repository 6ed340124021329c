"""Variations of the calibrated sandbox, and what of each differs from it. docs/envelope.md has them as a table.

`python -m tests.envelope.variants` writes that table anew.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from litmus_nb.contracts.envelope import Scope
from tests.envelope.sandboxes import HERE, LAUNCHER, box, ip, linked_network, listening

OPEN = ("net.dns", "net.tcp", "net.udp")
SOCKETS = ("socket.inet", "socket.inet6", "socket.netlink", "socket.unix", "socket.vsock")
NO_FORK = ("--errno", "fork", "--errno", "vfork", "--errno", "clone", "--errno", "clone3")
NEEDS_A_CHILD = ("fs.exec:.", "fs.exec:/sandbox", "kernel.io_uring", "kernel.ptrace", "kernel.userns")
LIMITS = ("process.parallel", "process.threads")


@dataclasses.dataclass
class Place:
    """Where a variant is built: the folder that is the sandbox's, and one beside it that is not."""

    sandbox: Path
    beside: Path


@dataclasses.dataclass(frozen=True)
class Variant:
    """A sandbox, and what about it is not as calibrated."""

    build: Callable[[Place], contextlib.AbstractContextManager[list[str]]]
    widened: tuple[str, ...] = ()
    narrowed: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    measurement: dict[str, object] = dataclasses.field(default_factory=dict)


def with_options(*options: str, inside: tuple[str, ...] = (), launcher: tuple[str, ...] = LAUNCHER):
    """A variant of the calibrated sandbox by more options; `{beside}` is the folder beside."""

    @contextlib.contextmanager
    def build(place: Place) -> Iterator[list[str]]:
        words = [option.format(beside=place.beside) for option in options]
        yield box(place.sandbox, *words, inside=(*inside, "--") if inside else (), launcher=launcher)

    return build


def confined(*limits: str):
    return with_options(inside=("/confine.py", *limits))


@contextlib.contextmanager
def read_only_work_folder(place: Place) -> Iterator[list[str]]:
    yield box(place.sandbox, "--remount-ro", "/sandbox")


@contextlib.contextmanager
def full_disk(place: Place) -> Iterator[list[str]]:
    fill = 'head -c 1M /dev/zero > /sandbox/full 2> /dev/null; exec "$@"'
    yield [*box(place.sandbox, "--size", "16384", "--tmpfs", "/sandbox", "--chdir", "/sandbox"), "sh", "-c", fill, "sh"]


@contextlib.contextmanager
def no_execution_from_work_folder(place: Place) -> Iterator[list[str]]:
    script = f'mount -t tmpfs -o noexec tmpfs {place.sandbox} && exec "$@"'
    yield ["unshare", "-m", "sh", "-c", script, "sh", *box(place.sandbox)]


@contextlib.contextmanager
def credential_pipe(place: Place) -> Iterator[list[str]]:
    os.mkfifo(place.beside / "pipe")
    yield box(place.sandbox, "--bind", f"{place.beside}/pipe", "/home/agent/.netrc")


@contextlib.contextmanager
def container_engine(place: Place) -> Iterator[list[str]]:
    with listening(place.beside / "engine.sock") as heard:
        yield box(place.sandbox, "--bind", f"{place.beside}/engine.sock", "/run/docker.sock")
    assert set(heard) <= {b""}, "the probe sends nothing to what it finds"
    assert heard


@contextlib.contextmanager
def unheard_of_socket(place: Place) -> Iterator[list[str]]:
    with listening(place.beside / "any.sock"):
        yield box(place.sandbox, "--bind", f"{place.beside}/any.sock", "/opt.sock")


@contextlib.contextmanager
def behind_proxy(place: Place, kind: str = "outside") -> Iterator[list[str]]:
    path = place.beside / "proxy.sock"
    proxy = subprocess.Popen([sys.executable, str(HERE / "bridge.py"), kind, str(path)], stdout=subprocess.PIPE)
    assert proxy.stdout
    with proxy:
        proxy.stdout.readline()
        inside = (
            "/bridge.py",
            "inside",
            "/sandbox-proxy/proxy.sock",
            "3128",
            "env",
            "https_proxy=http://127.0.0.1:3128",
        )
        yield [*box(place.sandbox, "--ro-bind", str(place.beside), "/sandbox-proxy"), "/usr/bin/python3", *inside]
        proxy.kill()


@contextlib.contextmanager
def refusing_proxy(place: Place) -> Iterator[list[str]]:
    with behind_proxy(place, "refusing") as prefix:
        yield prefix


@contextlib.contextmanager
def configured_resolver(place: Place) -> Iterator[list[str]]:
    """A resolver of the sandbox's own that answers SERVFAIL to everything."""
    answer = "import socket; s = socket.socket(2, 2); s.bind(('127.0.0.1', 53)); print(flush=True)\n"
    answer += "while True: d, a = s.recvfrom(512); s.sendto(d[:2] + bytes([129, 130]) + d[4:], a)"
    resolver = subprocess.Popen([sys.executable, "-c", answer], stdout=subprocess.PIPE)
    assert resolver.stdout
    with resolver:
        resolver.stdout.readline()
        (place.beside / "resolv.conf").write_text("nameserver 127.0.0.1\n")
        yield box(place.sandbox, "--share-net", "--ro-bind", f"{place.beside}/resolv.conf", "/etc/resolv.conf")
        resolver.kill()


@contextlib.contextmanager
def cloud_machine(place: Place) -> Iterator[list[str]]:
    ip("addr", "add", "169.254.169.254/32", "dev", "lo")
    with listening(address="169.254.169.254", port=80) as heard:
        yield box(place.sandbox, "--share-net")
    assert heard == [b""], "connected to, and nothing sent"


def another_network(*routes: str):
    @contextlib.contextmanager
    def build(place: Place) -> Iterator[list[str]]:
        with linked_network(*routes) as there:
            yield [*there, *box(place.sandbox, "--share-net")]

    return build


@contextlib.contextmanager
def shared_ipc(place: Place) -> Iterator[list[str]]:
    each = ["--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup"]
    words = box(place.sandbox)
    where = words.index("--unshare-all")
    yield [*words[:where], *each, *words[where + 1 :]]


THERE = {"hosts": ("10.77.0.1",)}
LINK = ("net.link",)
ROUTE = ("net.link", "net.route")
DEFAULT = "route add default via 10.77.0.1"

VARIANTS = {
    "as calibrated": Variant(with_options()),
    "network open": Variant(with_options("--share-net"), widened=OPEN),
    "one more writable folder": Variant(with_options("--tmpfs", "/data"), widened=("fs.exec:/data", "fs.write:/data")),
    "one more writable file": Variant(
        with_options("--bind", "{beside}/file", "/etc/hosts"), widened=("fs.write:/etc/hosts",)
    ),
    "one more read-only folder": Variant(with_options("--ro-bind", "{beside}", "/data")),
    "work folder read-only": Variant(
        read_only_work_folder, narrowed=("fs.exec:.", "fs.exec:/sandbox", "fs.write:.", "fs.write:/sandbox")
    ),
    "work folder noexec": Variant(no_execution_from_work_folder, narrowed=("fs.exec:.", "fs.exec:/sandbox")),
    "Landlock forbids writing": Variant(
        confined("--landlock"),
        narrowed=(
            "fs.exec:.",
            "fs.exec:/sandbox",
            "fs.write:.",
            "fs.write:/sandbox",
        ),
    ),
    "disk full": Variant(full_disk, unknown=("fs.exec:.", "fs.exec:/sandbox", "fs.write:.", "fs.write:/sandbox")),
    "secret in the environment": Variant(
        with_options("--setenv", "AWS_SECRET_ACCESS_KEY", "made-up"), widened=("cred.env:AWS_SECRET_ACCESS_KEY",)
    ),
    "secret in the launcher's environment": Variant(
        with_options("--unsetenv", "MADE_UP_TOKEN", launcher=(*LAUNCHER, "MADE_UP_TOKEN=made-up")),
        widened=("cred.environ:MADE_UP_TOKEN",),
    ),
    "credential file": Variant(
        with_options("--ro-bind", "{beside}/file", "/home/agent/.aws/credentials"),
        widened=("cred.file:~/.aws/credentials",),
    ),
    "credential file masked by /dev/null": Variant(
        with_options("--ro-bind", "/dev/null", "/home/agent/.aws/credentials")
    ),
    "pipe in place of a credential": Variant(
        credential_pipe, unknown=("cred.file:~/.netrc", "fs.exec:/home/agent/.netrc", "fs.write:/home/agent/.netrc")
    ),
    "container engine's socket": Variant(container_engine, widened=("cred.socket:/run/docker.sock",)),
    "a socket nobody thought of": Variant(unheard_of_socket, widened=("cred.socket:/opt.sock",)),
    "no network, but a proxy that was left": Variant(behind_proxy, widened=("net.proxy", "net.proxy.listening")),
    "no network, and a proxy that refuses": Variant(refusing_proxy, widened=("net.proxy.listening",)),
    "a resolver that answers": Variant(configured_resolver, widened=(*OPEN, "net.resolver")),
    "metadata address in reach": Variant(
        cloud_machine,
        widened=(*OPEN, "net.metadata", "scope.metadata"),
        measurement={"scope": Scope(metadata=True)},
    ),
    "another network, beacon on loopback": Variant(another_network(DEFAULT), widened=ROUTE, unknown=OPEN),
    "another network, beacon there": Variant(another_network(DEFAULT), widened=(*OPEN, *ROUTE), measurement=THERE),
    "another network, no way to the beacon": Variant(
        another_network("route add prohibit 10.77.0.1/32"), widened=LINK, measurement=THERE
    ),
    "another network, and answers do not come back": Variant(
        another_network(
            "addr del 10.77.0.2/24 dev there", "addr add 10.88.0.2/24 dev there", "route add 10.77.0.1/32 dev there"
        ),
        widened=LINK,
        unknown=("net.dns", "net.udp"),
        measurement=THERE,
    ),
    "sockets refused by seccomp": Variant(confined("--errno", "socket"), narrowed=SOCKETS),
    "io_uring refused by seccomp": Variant(confined("--errno", "io_uring_setup"), narrowed=("kernel.io_uring",)),
    "io_uring killed by seccomp": Variant(confined("--kill", "io_uring_setup"), unknown=("kernel.io_uring",)),
    "fork refused by seccomp": Variant(
        confined(*NO_FORK), unknown=(*NEEDS_A_CHILD, *LIMITS), narrowed=("process.spawn",), widened=("process.exec",)
    ),
    "fork refused, and what needs it left out": Variant(
        confined(*NO_FORK),
        narrowed=(*NEEDS_A_CHILD, *LIMITS, "process.spawn"),
        widened=("process.exec", "scope.without:fs.exec", "scope.without:kernel", "scope.without:process.limits"),
        measurement={"scope": Scope(without=["fs.exec", "kernel", "process.limits"])},
    ),
    "one process, for a launcher that is root": Variant(confined("--limit-processes", "1")),
    "user id 0": Variant(with_options("--uid", "0"), widened=("privs.root",)),
    "one more Linux capability": Variant(with_options("--cap-add", "CAP_NET_RAW"), widened=("privs.cap:net_raw",)),
    "the host's IPC": Variant(shared_ipc, widened=("ns.host:ipc",)),
    "no /proc": Variant(
        with_options("--tmpfs", "/proc"),
        widened=("scope.no-mounts",),
    ),
}


DOCUMENT = Path(__file__).parents[2] / "docs" / "envelope.md"
BEGIN, END = "<!-- made by python -m tests.envelope.variants -->\n", "<!-- end -->\n"


def table() -> str:
    """The variants as a Markdown table."""
    lines = [
        "| sandbox | granted beyond the calibrated set | calibrated and not granted | unknown |",
        "|---|---|---|---|",
    ]
    for name, variant in VARIANTS.items():
        cells = [
            ", ".join(f"`{c}`" for c in sorted(part)) for part in (variant.widened, variant.narrowed, variant.unknown)
        ]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def with_table(text: str) -> str:
    """The document with its table made anew."""
    before, _, rest = text.partition(BEGIN)
    return before + BEGIN + "\n" + table() + "\n" + END + rest.partition(END)[2]


if __name__ == "__main__":
    DOCUMENT.write_text(with_table(DOCUMENT.read_text(encoding="utf-8")), encoding="utf-8")
