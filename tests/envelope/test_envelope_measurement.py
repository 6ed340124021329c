"""What is not a measurement, and who is caught lying."""

from __future__ import annotations

import ast
import asyncio
import json
import os
import socket
import sys
import threading
from pathlib import Path

import pytest

from litmus_nb.contracts.envelope import EnvelopeFile, Scope
from litmus_nb.envelope import probe
from litmus_nb.envelope.beacon import Beacon
from litmus_nb.envelope.capabilities import expected_facets
from litmus_nb.envelope.measure import EnvelopeUnmeasured, Measurement, measure_by_command, measure_by_inspect
from litmus_nb.errors import UsageError
from tests.envelope.sandboxes import box, in_own_network, why_not

REASON = why_not()
needs_sandboxes = pytest.mark.skipif(bool(REASON), reason=f"NO SANDBOX WAS MEASURED: {REASON}")
AT = "2026-11-28T09:00:00Z"
LIAR = Path(__file__).parent / "liar.py"


def measure(prefix: list[str], **more: object) -> EnvelopeFile:
    """What a measurement behind the prefix records."""
    measurement = Measurement(**{"scope": Scope(), **more})
    return measure_by_command(measurement, prefix, measured_at=AT, seconds=20)


@pytest.mark.parametrize(
    ("prefix", "complaint"),
    [
        (["/nowhere/to/be/found"], "cannot be started"),
        (["true"], "exactly one line of the probe, seen 0"),
        (["sh", "-c", "cat > /dev/null; exit 3"], "exit status 3"),
        (["sh", "-c", "cat > /dev/null; echo no such box >&2; exit 1"], "no such box"),
        ([sys.executable, str(LIAR), "twice"], "exactly one line of the probe, seen 2"),
        ([sys.executable, str(LIAR), "replay"], "this measurement's nonce"),
        ([sys.executable, str(LIAR), "strange"], "facets that nobody asked for"),
        ([sys.executable, str(LIAR), "state"], "/facets/net.tcp"),
        ([sys.executable, str(LIAR), "key-twice"], "two values for the key"),
        ([sys.executable, str(LIAR), "flood"], "bytes of output"),
    ],
)
def test_what_is_not_exactly_one_readable_line_with_our_nonce_is_no_measurement(
    prefix: list[str], complaint: str
) -> None:
    with pytest.raises(EnvelopeUnmeasured) as refusal:
        measure(prefix)
    assert complaint in str(refusal.value)


def test_a_command_that_does_not_end_is_no_measurement() -> None:
    measurement = Measurement(Scope())
    with pytest.raises(EnvelopeUnmeasured, match="no end within"):
        measure_by_command(measurement, ["sh", "-c", "sleep 60 & sleep 60"], measured_at=AT, seconds=0.3)


def test_a_sandbox_without_the_interpreter_is_not_measured() -> None:
    with pytest.raises(EnvelopeUnmeasured, match="no-such-python"):
        measure(["env"], python="no-such-python")


@needs_sandboxes
def test_two_measurements_of_one_sandbox_find_the_same_facets(tmp_path: Path) -> None:
    first, second = (in_own_network(lambda: measure(box(tmp_path))) for _ in range(2))
    assert first.facets == second.facets
    assert first.sandbox.effective_capabilities == second.sandbox.effective_capabilities
    assert first.nonce != second.nonce


@needs_sandboxes
def test_a_liar_about_the_network_is_contradicted_by_the_beacon(tmp_path: Path) -> None:
    """The network is open, the probe really ran, and its line was edited: right nonce, network said to be denied."""
    prefix = [sys.executable, str(LIAR), "edit", "net.tcp=DENIED", "net.udp=DENIED", *box(tmp_path, "--share-net")]
    record = in_own_network(lambda: measure(prefix))
    assert [(c.facet, c.claimed, c.witnessed) for c in record.contradictions] == [
        ("net.tcp", "DENIED", "the beacon saw the act"),
        ("net.udp", "DENIED", "the beacon saw the act"),
    ]
    assert {"net.tcp", "net.udp"} <= set(record.sandbox.unknown)


@needs_sandboxes
def test_a_liar_who_claims_a_way_out_that_nobody_saw_is_contradicted(tmp_path: Path) -> None:
    prefix = [sys.executable, str(LIAR), "edit", "net.tcp=ALLOWED", *box(tmp_path)]
    record = in_own_network(lambda: measure(prefix))
    assert [(c.facet, c.witnessed) for c in record.contradictions] == [("net.tcp", "the beacon saw no such act")]
    assert "net.tcp" not in record.sandbox.effective_capabilities


@needs_sandboxes
@pytest.mark.parametrize(
    ("options", "claim", "witnessed"),
    [
        ((), "fs.write:/sandbox=DENIED", "saw the act"),
        (("--remount-ro", "/sandbox"), "fs.write:/sandbox=ALLOWED", "saw no such act"),
    ],
)
def test_a_liar_about_a_bound_folder_is_contradicted_from_outside(
    tmp_path: Path, options: tuple[str, ...], claim: str, witnessed: str
) -> None:
    prefix = [sys.executable, str(LIAR), "edit", claim, *box(tmp_path, *options)]
    record = in_own_network(lambda: measure(prefix, witnesses={"/sandbox": tmp_path}))
    assert [c.facet for c in record.contradictions] == ["fs.write:/sandbox"]
    assert witnessed in record.contradictions[0].witnessed


@needs_sandboxes
def test_an_honest_probe_is_contradicted_by_no_witness(tmp_path: Path) -> None:
    record = in_own_network(lambda: measure(box(tmp_path, "--share-net"), witnesses={"/sandbox": tmp_path}))
    assert record.contradictions == []
    assert record.facets["fs.write:/sandbox"] == "ALLOWED"


def test_a_liar_who_does_nothing_is_not_caught_where_there_is_no_witness() -> None:
    """The limit that docs/envelope.md states: a forged line about facets that leave no mark outside is believed."""
    record = measure([sys.executable, str(LIAR), "forge"])
    assert record.contradictions == []
    assert "cred.file:/etc/shadow" not in record.sandbox.effective_capabilities


def test_a_refusal_counts_for_nothing_when_the_beacon_is_down() -> None:
    measurement = Measurement(Scope())
    with measurement:
        measurement.beacon.stop()
        facets = dict.fromkeys(expected_facets(Scope()), "DENIED")
        notes = {"net.tcp": "ECONNREFUSED", "net.udp": "ENETUNREACH"}
        line = {"facets": facets, "notes": notes, "proofs": {}, "residue": [], "facts": {}}
        text = f"LNBPROBE1 {measurement.nonce} {json.dumps(line)}\n".encode()
        record = measurement.record(text, measured_at=AT, launcher=[])
    assert record.facets["net.tcp"] == "UNKNOWN"
    assert record.facets["net.udp"] == "DENIED", "unreachable is certain without any beacon"
    assert not record.beacon.was_up


def test_silence_about_a_facet_is_not_knowing_it() -> None:
    measurement = Measurement(Scope())
    with measurement:
        line = {"facets": {}, "notes": {}, "proofs": {}, "residue": [], "facts": {}}
        text = f"LNBPROBE1 {measurement.nonce} {json.dumps(line)}\n".encode()
        record = measurement.record(text, measured_at=AT, launcher=[])
    assert record.sandbox.effective_capabilities == []
    assert {"process.spawn", "net.tcp", "fs.write:/tmp", "cred.env"} <= set(record.sandbox.unknown)


@pytest.mark.parametrize("host", ["0.0.0.0", "8.8.8.8", "::", "beacon.example", ""])
def test_the_beacon_never_listens_on_a_public_or_unspecified_address(host: str) -> None:
    with pytest.raises(UsageError, match="the beacon's address"), Beacon((host,)):
        pass


def test_the_beacon_gives_an_answer_that_cannot_be_used_twice_or_elsewhere() -> None:
    with Beacon(("127.0.0.1",)) as beacon, Beacon(("127.0.0.1",)) as other:
        proof = probe.tcp_exchange(beacon.addresses()[0], "a-nonce", 2.0)
        assert beacon.has_given("net.tcp", "a-nonce", proof)
        assert not beacon.has_given("net.udp", "a-nonce", proof)
        assert not beacon.has_given("net.tcp", "another-nonce", proof)
        assert not other.has_given("net.tcp", "a-nonce", proof)
        assert not beacon.has_given("net.tcp", "a-nonce", ["made-up", beacon.answer("net.tcp", "a-nonce", "made-up")])


@pytest.mark.parametrize(
    "noise", [b"", b"\n", b"GET \r\n\r\n", b"GET / HTTP/1.1\r\n\r\n", b"LNBBEACON1 a b c\n", b"\xff" * 5000]
)
def test_the_beacon_survives_noise(noise: bytes) -> None:
    with Beacon(("127.0.0.1",)) as beacon:
        address = beacon.addresses()[0]
        with probe.dial(address["host"], address["tcp"], 2.0) as connection:
            connection.sendall(noise)
        for channel in ("udp", "dns"):
            with probe.dial(address["host"], address[channel], 2.0, 2) as connection:
                connection.send(noise[:1400])
        assert beacon.is_up()
        assert not [contact for contact in beacon.contacts if contact.facet == "a"]


@needs_sandboxes
def test_inspects_sandbox_api_measures_the_same_as_a_command_does(tmp_path: Path) -> None:
    class Sandbox:
        """As Inspect's SandboxEnvironment answers."""

        async def exec(self, cmd: list[str], input: bytes, timeout: int) -> object:  # noqa: A002
            process = await asyncio.create_subprocess_exec(
                *box(tmp_path), *cmd, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
            )
            stdout, _ = await process.communicate(input)
            return type("Result", (), {"stdout": stdout.decode(), "stderr": "", "returncode": process.returncode})

    record = in_own_network(lambda: asyncio.run(measure_by_inspect(Measurement(Scope()), Sandbox(), measured_at=AT)))
    assert record.facets == in_own_network(lambda: measure(box(tmp_path))).facets
    assert record.launcher == "inspect:Sandbox"


@needs_sandboxes
def test_no_secret_that_the_probe_finds_is_in_its_record(tmp_path: Path) -> None:
    (tmp_path / "netrc").write_text("secret-in-a-file")
    secrets = ("--setenv", "MADE_UP_TOKEN", "secret-in-the-environment", "--ro-bind", f"{tmp_path}/netrc")
    launcher = ("env", "-i", "PATH=/usr/bin:/bin", "LAUNCHERS_TOKEN=secret-of-the-launcher")
    prefix = box(tmp_path, *secrets, "/home/agent/.netrc", "--unsetenv", "LAUNCHERS_TOKEN", launcher=launcher)
    record = in_own_network(lambda: measure(prefix))
    found = {"cred.env:MADE_UP_TOKEN", "cred.environ:LAUNCHERS_TOKEN", "cred.file:~/.netrc"}
    assert found <= set(record.sandbox.effective_capabilities)
    assert "secret-" not in record.model_dump_json()


def test_a_program_that_does_not_answer_in_time_is_no_refusal_because_the_next_is_not_there(tmp_path: Path) -> None:
    slow = tmp_path / "slow"
    slow.write_text(f"#!/bin/sh\necho $$ >{tmp_path}/number\nexec sleep 30\n")
    slow.chmod(0o700)
    measuring = probe.Probe({"nonce": "0" * 32, "seconds": 2.0})
    assert measuring.exec_in_child([str(slow), str(tmp_path / "missing")])[0] == probe.UNKNOWN
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "number").read_text()), 0)


@pytest.mark.parametrize(
    ("answer", "listening", "through"),
    [(b"HTTP/1.1 403 Forbidden\r\n\r\n", probe.ALLOWED, probe.DENIED), (b"", probe.UNKNOWN, probe.UNKNOWN)],
)
def test_a_proxy_that_is_away_the_second_time_was_there_the_first(answer: bytes, listening: str, through: str) -> None:
    """Whoever takes one connection only must not pass for a proxy that nobody runs."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

        def serve_once() -> None:
            stream, _ = server.accept()
            server.close()
            with stream:
                stream.recv(4096)
                stream.sendall(answer)

        serving = threading.Thread(target=serve_once)
        serving.start()
        said = probe.try_proxy(f"http://127.0.0.1:{port}", {"host": "127.0.0.1", "tcp": 9}, "0" * 32, 5.0)
        serving.join()
    assert (said[0], said[2]) == (listening, [through, None])


def test_the_probe_is_one_file_of_the_standard_library_in_the_syntax_of_python_3_7() -> None:
    tree = ast.parse(Path(probe.__file__).read_text(), feature_version=(3, 7))
    imports = [node for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom))]
    modules = {
        name
        for node in imports
        for name in ([node.module] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names])
    }
    assert {module.split(".")[0] for module in modules} <= sys.stdlib_module_names


def test_more_processes_than_are_looked_at_are_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe, "MAX_PROCESSES", 1)
    state, note, _ = probe.environ_of_others()
    assert (state, note.endswith(" processes")) == (probe.UNKNOWN, True)


def test_two_names_are_never_shown_as_one() -> None:
    assert len({probe.shown(name) for name in ("a\nb", "a\\nb", "a\\\\nb", "a\udc80b", "a\\udc80b")}) == 5
