"""The beacon: the end of every way out that the probe tries, and the witness of what really came through.

It answers a token with an HMAC under a key that never enters the sandbox. So an answer proves a way from end to end, a
middlebox that accepts everything proves nothing, and a probe cannot make up an answer. What the beacon saw stands in
its log, whatever the probe says.

It binds loopback and private addresses only, never the wildcard.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import secrets
import selectors
import socket
import threading
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from litmus_nb.envelope import probe
from litmus_nb.errors import UsageError

__all__ = ["LOOPBACK", "Beacon", "Contact"]

LOOPBACK = ("127.0.0.1", "::1")
_GREETING = "LNBBEACON1"
_MAX_REQUEST = 4096
_MAX_CONNECTIONS = 64
_SPOKEN_BY = {"tcp": {"net.tcp", "net.proxy"}, "udp": {"net.udp"}, "dns": {"net.dns"}, "http": {"net.proxy"}}
"""Which facets can be measured over which of the beacon's channels."""


@dataclass(frozen=True)
class Contact:
    """Somebody came through: over which of the beacon's channels, for which facet, with which nonce and token."""

    channel: str
    facet: str
    nonce: str
    token: str


@dataclass
class _Connection:
    """A TCP connection whose request is not complete yet."""

    stream: socket.socket
    received: bytes = b""


@dataclass
class Beacon:
    """A beacon on the given addresses while the `with` block lasts; ports are the kernel's choice.

    Raises (on entering):
        UsageError: an address is not loopback or private, or cannot be bound. With the default, the loopback addresses
            that this machine lacks are left out, and one at least must be there.
    """

    hosts: tuple[str, ...] = ()
    contacts: list[Contact] = field(default_factory=list)
    _key: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)
    _addresses: list[dict[str, Any]] = field(default_factory=list, repr=False)

    def __enter__(self) -> Self:
        self._selector = selectors.DefaultSelector()
        self._bell, self._ringer = socket.socketpair()
        self._selector.register(self._bell, selectors.EVENT_READ, None)
        try:
            self._bind_all()
        except BaseException:
            self._close_sockets()
            raise
        self._thread = threading.Thread(target=self._serve, name="litmus-nb-beacon", daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """Stop listening; once more does nothing."""
        if self._thread.is_alive():
            self._ringer.send(b"x")
            self._thread.join()
            self._close_sockets()

    def addresses(self) -> list[dict[str, Any]]:
        """What the probe's request says about the beacon: host and ports, an entry an address."""
        return [dict(address) for address in self._addresses]

    def answer(self, facet: str, nonce: str, token: str) -> str:
        """The only right answer to a token: 64 hexadecimal digits."""
        return hmac.new(self._key, f"{facet} {nonce} {token}".encode(), hashlib.sha256).hexdigest()

    def has_given(self, facet: str, nonce: str, proof: object) -> bool:
        """Whether a probe's proof `[token, answer]` is one that this beacon gave, to somebody who really came."""
        if not isinstance(proof, list) or len(proof) != 2 or not all(isinstance(part, str) for part in proof):
            return False
        token, answer = proof
        is_right = hmac.compare_digest(answer.encode(), self.answer(facet, nonce, token).encode())
        return is_right and any((c.facet, c.nonce, c.token) == (facet, nonce, token) for c in self.contacts)

    def has_seen(self, facet: str, nonce: str) -> bool:
        """Whether anything with this nonce came through for the facet."""
        return any((contact.facet, contact.nonce) == (facet, nonce) for contact in self.contacts)

    def is_up(self, seconds: float = 2.0) -> bool:
        """Whether every address answers rightly over TCP, UDP and DNS, asked from out here: the control."""
        exchanges = {"net.tcp": probe.tcp_exchange, "net.udp": probe.udp_exchange, "net.dns": probe.dns_exchange}
        nonce = secrets.token_hex(16)
        try:
            return all(
                self.has_given(facet, nonce, exchange(address, nonce, seconds))
                for address in self._addresses
                for facet, exchange in exchanges.items()
            )
        except (OSError, probe.UnsureError):
            return False

    # -- serving -------------------------------------------------------------------------------------------------------

    def _bind_all(self) -> None:
        for host in self.hosts or LOOPBACK:
            _refuse_public(host)
            try:
                self._addresses.append(self._bind(host))
            except OSError as error:
                if self.hosts:
                    raise UsageError(f"the beacon cannot listen on {host}: {error.strerror}") from error
        if not self._addresses:
            raise UsageError("the beacon cannot listen on any loopback address: is `lo` up?")

    def _bind(self, host: str) -> dict[str, Any]:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        ports: dict[str, Any] = {"host": host}
        for channel, kind in {"tcp": socket.SOCK_STREAM, "udp": socket.SOCK_DGRAM, "dns": socket.SOCK_DGRAM}.items():
            listener = socket.socket(family, kind)
            try:
                listener.bind((host, 0))
                if channel == "tcp":
                    listener.listen(_MAX_CONNECTIONS)
                listener.setblocking(False)
            except BaseException:
                listener.close()
                raise
            self._selector.register(listener, selectors.EVENT_READ, channel)
            ports[channel] = listener.getsockname()[1]
        return ports

    def _serve(self) -> None:
        while True:
            for key, _ in self._selector.select():
                if key.data is None:
                    return
                try:
                    self._serve_one(key.fileobj, key.data)  # type: ignore[arg-type]  # only sockets are registered
                except OSError:
                    if isinstance(key.data, _Connection):
                        self._hang_up(key.data)

    def _serve_one(self, ready: socket.socket, data: str | _Connection) -> None:
        if isinstance(data, _Connection):
            self._read(data)
        elif data == "tcp":
            stream, _ = ready.accept()
            stream.setblocking(False)
            if len(self._selector.get_map()) > _MAX_CONNECTIONS:
                stream.close()
            else:
                self._selector.register(stream, selectors.EVENT_READ, _Connection(stream))
        else:
            datagram, sender = ready.recvfrom(_MAX_REQUEST)
            reply = self._to_question(datagram) if data == "dns" else self._to_greeting(datagram, data)
            if reply:
                ready.sendto(reply, sender)

    def _read(self, connection: _Connection) -> None:
        piece = connection.stream.recv(_MAX_REQUEST)
        connection.received += piece
        head = connection.received
        is_http = head.startswith(b"GET ")
        if (b"\r\n\r\n" if is_http else b"\n") in head:
            reply = self._to_get(head) if is_http else self._to_greeting(head, "tcp")
            connection.stream.send(reply)
            self._hang_up(connection)
        elif not piece or len(head) > _MAX_REQUEST:
            self._hang_up(connection)

    def _hang_up(self, connection: _Connection) -> None:
        self._selector.unregister(connection.stream)
        connection.stream.close()

    def _close_sockets(self) -> None:
        for key in list(self._selector.get_map().values()):
            key.fileobj.close()  # type: ignore[union-attr]  # only sockets are registered
        self._selector.close()
        self._ringer.close()

    # -- answering -----------------------------------------------------------------------------------------------------

    def _welcome(self, channel: str, facet: str, nonce: str, token: str) -> str:
        """Log the contact and give its answer; empty for a facet that this channel does not measure."""
        if facet not in _SPOKEN_BY[channel] or max(len(nonce), len(token)) > 63:
            return ""
        self.contacts.append(Contact(channel, facet, nonce, token))
        return self.answer(facet, nonce, token)

    def _to_greeting(self, received: bytes, channel: str) -> bytes:
        words = received.split(b"\n", 1)[0].decode("ascii", "replace").split()
        if len(words) != 4 or words[0] != _GREETING:
            return b""
        answer = self._welcome(channel, *words[1:])
        return f"{answer}\n".encode() if answer else b""

    def _to_get(self, received: bytes) -> bytes:
        path = received.split(b" ")[1].decode("ascii", "replace").split("/")[-3:]
        answer = self._welcome("http", "net.proxy", *path[1:]) if len(path) == 3 and path[0] == _GREETING else ""
        status = "200 OK" if answer else "404 Not Found"
        return f"HTTP/1.1 {status}\r\nContent-Length: {len(answer)}\r\nConnection: close\r\n\r\n{answer}".encode()

    def _to_question(self, received: bytes) -> bytes:
        """The DNS answer: the question, and a TXT record with the answer as its last 64 bytes (RFC 1035, section 4)."""
        labels, position = [], 12
        while position < len(received) and (length := received[position]):
            labels.append(received[position + 1 : position + 1 + length].decode("ascii", "replace"))
            position += 1 + length
        if len(labels) != 4 or labels[2:] != ["beacon", "invalid"]:
            return b""
        answer = self._welcome("dns", "net.dns", labels[0], labels[1])
        record = b"\xc0\x0c\0\x10\0\1\0\0\0\0\0\x41\x40" + answer.encode()
        return received[:2] + b"\x81\x80\0\1\0\1\0\0\0\0" + received[12 : position + 5] + record


def _refuse_public(host: str) -> None:
    try:
        address = ipaddress.ip_address(host)
    except ValueError as error:
        raise UsageError(f"the beacon's address: expected an IP address, seen {host!r}") from error
    if address.is_unspecified or not (address.is_loopback or address.is_private or address.is_link_local):
        raise UsageError(f"the beacon's address: expected a loopback or private one, seen {host}")
