"""Measure a sandbox: hand the probe in, listen with the beacon, and believe only what the two agree on."""

from __future__ import annotations

import base64
import contextlib
import errno
import json
import os
import secrets
import selectors
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self

from litmus_nb.contracts.canonical import digest_of_bytes, digest_of_json
from litmus_nb.contracts.envelope import BeaconReport, EnvelopeFile, ProbeReport, Scope
from litmus_nb.contracts.run import Sandbox
from litmus_nb.contracts.strict_json import parse_json
from litmus_nb.envelope import probe
from litmus_nb.envelope.beacon import Beacon
from litmus_nb.envelope.capabilities import capabilities_of, capability_of, is_known_facet
from litmus_nb.envelope.compare import Witness, contradictions
from litmus_nb.errors import LitmusError, UnreadableInput

__all__ = ["EnvelopeUnmeasured", "Measurement", "SandboxEnvironment", "measure_by_command", "measure_by_inspect"]

_MARKER = "LNBPROBE1 "
_MAX_OUTPUT = 1 << 20
_WITNESSED_BY_BEACON = ("net.tcp", "net.udp", "net.dns", "net.proxy")
_CERTAIN_DENIALS = {errno.errorcode[number] for number in probe.NO_WAY_OUT}
"""Refusals that the sandbox's own kernel gives: they hold whether the beacon was up or not."""


class EnvelopeUnmeasured(LitmusError):
    """The sandbox could not be measured at all; the message says how far it came."""


class SandboxEnvironment(Protocol):
    """What Inspect's sandbox API offers that is needed here."""

    async def exec(self, cmd: list[str], input: str | bytes | None = None, *, timeout: int | None = None) -> Any:  # noqa: A002
        """Run a command in the sandbox; the result has `returncode`, `stdout` and `stderr`."""


@dataclass
class Measurement:
    """One measurement: within `with` the beacon listens; run `command` with `source` on its stdin, then `record`.

    `also` names paths to look at that the scope need not speak of, because the calibrated set names them.
    `witnesses` maps a path in the sandbox to the folder outside that it is bound to: what the probe writes there must
    be seen from outside too.

    Raises (on entering):
        UsageError: the beacon cannot listen on one of `hosts`.
    """

    scope: Scope
    also: Sequence[str] = ()
    hosts: tuple[str, ...] = ()
    witnesses: Mapping[str, Path] = field(default_factory=dict)
    python: str = "python3"
    act_seconds: float = 2.0
    nonce: str = field(default_factory=lambda: secrets.token_hex(16))

    def __enter__(self) -> Self:
        self.beacon = Beacon(self.hosts).__enter__()
        self._was_up = self.beacon.is_up()
        self._before = self._marks()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.beacon.__exit__(kind, error, trace)

    @property
    def source(self) -> bytes:
        """The probe's source, for stdin."""
        return Path(probe.__file__).read_bytes()

    @property
    def command(self) -> list[str]:
        """What to run in the sandbox. No word of it needs quoting in any shell."""
        request = {
            "nonce": self.nonce,
            "seconds": self.act_seconds,
            "watch": [*self.scope.watch, *self.also],
            "without": self.scope.without,
            "metadata": self.scope.metadata,
            "beacons": self.beacon.addresses(),
            "control_up": self._was_up,
        }
        word = base64.urlsafe_b64encode(json.dumps(request).encode()).decode()
        return [self.python, "-I", "-S", "-B", "-", word]

    def record(self, stdout: bytes, *, measured_at: str, launcher: Sequence[str]) -> EnvelopeFile:
        """The record of what the probe wrote and the witnesses saw.

        Args:
            stdout: everything that came out of the sandbox.
            measured_at: the time, RFC 3339 in UTC.
            launcher: the command prefix; only its first word is kept in clear, for the rest may hold secrets.

        Raises:
            EnvelopeUnmeasured: there is not exactly one line of the probe with our nonce, or it cannot be read.
        """
        report = self._report_in(stdout)
        is_up = self._was_up and self.beacon.is_up()
        found = contradictions(report.facets, [*self._beacon_witnesses(report), *self._path_witnesses()])
        facets = dict(report.facets)
        for facet in _WITNESSED_BY_BEACON if not is_up else ():
            if facets.get(facet) == "DENIED" and report.notes.get(facet) not in _CERTAIN_DENIALS:
                facets[facet] = "UNKNOWN"
        capabilities = capabilities_of(facets, self.scope)
        contradicted = {capability_of(contradiction.facet) for contradiction in found}
        body = {"probe": digest_of_bytes(self.source), "nonce": self.nonce, "facets": facets}
        return EnvelopeFile(
            probe_sha256=digest_of_bytes(self.source),
            nonce=self.nonce,
            measured_at=measured_at,
            launcher=launcher[0] if launcher else "local",
            launcher_sha256=digest_of_json(list(launcher)),
            scope=self.scope,
            beacon=BeaconReport(hosts=[address["host"] for address in self.beacon.addresses()], was_up=is_up),
            facets=facets,
            notes=report.notes,
            facts=report.facts,
            residue=report.residue,
            contradictions=found,
            sandbox=Sandbox(
                effective_capabilities=sorted(set(capabilities.effective) - contradicted),
                unknown=sorted(set(capabilities.unknown) | contradicted),
                measured_by=f"litmus-nb envelope v1, measurement {digest_of_json(body)}",
                measured_at=measured_at,
            ),
        )

    def _report_in(self, stdout: bytes) -> ProbeReport:
        if len(stdout) > _MAX_OUTPUT:
            raise EnvelopeUnmeasured(f"the probe's output: expected at most {_MAX_OUTPUT} bytes, seen {len(stdout)}")
        lines = [line for line in stdout.split(b"\n") if line.startswith(_MARKER.encode())]
        if len(lines) != 1:
            raise EnvelopeUnmeasured(f"the probe's output: expected exactly one line of the probe, seen {len(lines)}")
        nonce, _, text = lines[0][len(_MARKER) :].partition(b" ")
        if not secrets.compare_digest(nonce, self.nonce.encode()):
            raise EnvelopeUnmeasured("the probe's output: expected this measurement's nonce, seen another one")
        try:
            report = ProbeReport.read(parse_json(text, file="the probe's line"), file="the probe's line")
        except UnreadableInput as error:
            raise EnvelopeUnmeasured(str(error)) from error
        if strange := [facet for facet in report.facets if not is_known_facet(facet, self.scope)]:
            raise EnvelopeUnmeasured(f"the probe's line: facets that nobody asked for: {strange[:5]}")
        return report

    def _beacon_witnesses(self, report: ProbeReport) -> list[Witness]:
        return [
            Witness(
                facet,
                has_seen=self.beacon.has_seen(facet, self.nonce),
                is_proven=self.beacon.has_given(facet, self.nonce, report.proofs.get(facet)),
                source="the beacon",
            )
            for facet in _WITNESSED_BY_BEACON
        ]

    def _path_witnesses(self) -> list[Witness]:
        after = self._marks()
        return [
            Witness(f"fs.write:{path}", after[path] != mark, after[path] != mark, f"the folder {self.witnesses[path]}")
            for path, mark in self._before.items()
        ]

    def _marks(self) -> dict[str, int]:
        """When each witnessed folder last changed, in nanoseconds: creating and removing a file changes it."""
        return {path: os.stat(outside).st_mtime_ns for path, outside in self.witnesses.items()}


def measure_by_command(
    measurement: Measurement, prefix: Sequence[str], *, measured_at: str, seconds: float = 120.0
) -> EnvelopeFile:
    """Measure by running the probe behind a command prefix, such as `docker exec -i box`; an empty one measures here.

    Raises:
        EnvelopeUnmeasured: the command cannot be started, takes longer than `seconds`, or leaves no usable line.
        UsageError: the beacon cannot listen.
    """
    with measurement:
        command = [*prefix, *measurement.command]
        stdout, stderr, status = _run_bounded(command, measurement.source, seconds)
        try:
            return measurement.record(stdout, measured_at=measured_at, launcher=prefix)
        except EnvelopeUnmeasured as error:
            said = "".join(f": {line[:200]!a}" for line in stderr.decode("utf-8", "replace").splitlines()[-1:])
            raise EnvelopeUnmeasured(f"{error} (exit status {status}{said})") from error


def _run_bounded(command: Sequence[str], source: bytes, seconds: float) -> tuple[bytes, bytes, int]:
    """Standard output, standard error and exit status of a command, none of which may outgrow what is expected.

    The other end is hostile: it may write without end, or leave something behind that keeps the pipes open.
    """
    until = time.monotonic() + seconds
    with tempfile.TemporaryFile() as stdin:
        stdin.write(source)
        stdin.seek(0)
        try:
            process = subprocess.Popen(
                command, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
            )
        except OSError as error:
            raise EnvelopeUnmeasured(f"{command[0]}: cannot be started: {error.strerror}") from error
    with process, selectors.DefaultSelector() as selector:
        received = {process.stdout: b"", process.stderr: b""}
        for stream in received:
            selector.register(stream, selectors.EVENT_READ)  # type: ignore[arg-type]  # both are pipes
        try:
            while selector.get_map() and time.monotonic() < until:
                for key, _ in selector.select(until - time.monotonic()):
                    piece = os.read(key.fd, 65536)
                    received[key.fileobj] += piece  # type: ignore[index]  # as registered
                    if not piece:
                        selector.unregister(key.fileobj)
                    elif len(received[key.fileobj]) > _MAX_OUTPUT:  # type: ignore[index]  # as registered
                        raise EnvelopeUnmeasured(f"{command[0]}: more than {_MAX_OUTPUT} bytes of output")
            status = process.wait(max(0.0, until - time.monotonic()))
        except subprocess.TimeoutExpired as error:
            raise EnvelopeUnmeasured(f"{command[0]}: no end within {seconds:g} s") from error
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    return received[process.stdout], received[process.stderr], status


async def measure_by_inspect(
    measurement: Measurement, environment: SandboxEnvironment, *, measured_at: str, seconds: int = 120
) -> EnvelopeFile:
    """Measure through Inspect's sandbox API: `sandbox()` inside a solver or a hook is the environment.

    Raises:
        EnvelopeUnmeasured: the sandbox refuses to run the probe, or it leaves no usable line.
        UsageError: the beacon cannot listen.
    """
    with measurement:
        try:
            ended = await environment.exec(measurement.command, input=measurement.source, timeout=seconds)
        except (OSError, TimeoutError, UnicodeDecodeError) as error:
            raise EnvelopeUnmeasured(f"the sandbox did not run the probe: {type(error).__name__}: {error}") from error
        launcher = [f"inspect:{type(environment).__name__}"]
        return measurement.record(ended.stdout.encode(), measured_at=measured_at, launcher=launcher)
