"""Machines that fail: no room, no handles, no memory, a folder that cannot be written, a clock that jumps.

Whatever fails, no file says PASS that whole evidence did not give, nothing is half-written, and the exit status is 0
only where verdict.json says so.
"""

from __future__ import annotations

import os
import resource
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from litmus_nb.contracts.verdict import Verdict
from litmus_nb.driver import params as driver_params
from tests.torture.scenes import (
    ACTS,
    LITMUS,
    STALE,
    comparable,
    next_run_problems,
    problems,
    read_verdict,
    run_here,
    set_up,
    state_of,
)

EVALUATE = next(act for act in ACTS if act.name == "evaluate, good")
EVALUATE_BAD = next(act for act in ACTS if act.name == "evaluate, bad")
GATE = next(act for act in ACTS if act.name == "gate, good")
QUARANTINE = next(act for act in ACTS if act.name == "quarantine add")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """What whole evidence gives."""
    folder = tmp_path_factory.mktemp("whole")
    set_up(EVALUATE, folder)
    assert run_here(folder, "evaluate", "params.yaml") == 0
    verdict = read_verdict(folder)
    assert isinstance(verdict, Verdict)
    return comparable(verdict)


class Mounted:
    """A file system of so many KiB at a path; skips where nobody may mount one."""

    def __init__(self, path: Path, size_kib: int) -> None:
        self.path = path
        self.size_kib = size_kib

    def __enter__(self) -> Path:
        self.path.mkdir(exist_ok=True)
        options = f"size={self.size_kib}k,nr_inodes=100"
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", self.path], capture_output=True)
        if mounted.returncode:
            pytest.skip(f"no small file system can be mounted here: {mounted.stderr.decode().strip()}")
        return self.path

    def __exit__(self, *_: object) -> None:
        subprocess.run(["umount", self.path], check=True)


def leave_stale_pass(folder: Path) -> None:
    (folder / "verdict.json").write_text(f'{{"verdict": "PASS", "by": "{STALE}"}}')


def is_sound(folder: Path, status: int, said: str = "") -> bool:
    """Whether the exit status is 0 only where the file says PASS, and a PASS that stands beside another is owned up to.

    A process that ends by a signal once its verdict stands can say nothing any more; `problems` looks at that verdict.
    """
    if status == 0 or state_of(folder) != "PASS":
        return (status == 0) == (state_of(folder) == "PASS")
    return status < 0 or "the verdict stands: PASS" in said


@pytest.mark.parametrize("free_bytes", [0, 300, 900, 1_500, 2_500, 6_000, 20_000])
def test_a_full_disk_leaves_no_old_pass_and_no_half_of_a_new_one(tmp_path, whole, free_bytes):
    set_up(EVALUATE, tmp_path)
    with Mounted(tmp_path / "disk", 256) as disk:
        (tmp_path / "out/verdict.json").unlink()
        (tmp_path / "out/report.html").unlink()
        (tmp_path / "out").rmdir()
        (disk / "out").mkdir()
        (tmp_path / "out").symlink_to(disk / "out")
        leave_stale_pass(disk / "out")
        fill(disk, free_bytes)
        status = run_here(tmp_path, "evaluate", "params.yaml")
        assert problems(EVALUATE, tmp_path, whole) == []
        assert state_of(tmp_path) != STALE
        assert is_sound(tmp_path, status)
        (disk / "ballast").unlink()
        assert next_run_problems(EVALUATE, tmp_path, whole) == []


def fill(disk: Path, free_bytes: int) -> None:
    """Leave about so many bytes; what a file system counts in pages it rounds."""
    with (disk / "ballast").open("wb", buffering=0) as ballast:
        try:
            while True:
                ballast.write(b"x" * 512)
        except OSError:
            pass
    size = (disk / "ballast").stat().st_size
    os.truncate(disk / "ballast", max(0, size - free_bytes))


@pytest.mark.kernel
@pytest.mark.parametrize("size_kib", [64, 200])
def test_a_disk_that_fills_up_under_the_notebook_is_no_pass(tmp_path, whole, size_kib):
    set_up(GATE, tmp_path)
    for path in (tmp_path / "out").iterdir():
        path.unlink()
    with Mounted(tmp_path / "out", size_kib) as out:
        leave_stale_pass(out)
        fill(out, 16_000)
        ended = subprocess.run([*LITMUS, "gate", "params.yaml"], cwd=tmp_path, capture_output=True, text=True)
        assert problems(GATE, tmp_path, whole) == []
        assert state_of(tmp_path) == "NO_VERDICT", ended.stderr
        assert ended.returncode == 4, ended.stderr
        assert "Traceback" not in ended.stderr


@pytest.mark.parametrize("command", ["evaluate", "gate"])
def test_a_read_only_folder_is_said_and_never_exits_zero(tmp_path, command):
    set_up(EVALUATE, tmp_path)
    with Mounted(tmp_path / "out", 64) as out:
        leave_stale_pass(out)
        subprocess.run(["mount", "-o", "remount,ro", out], check=True)
        ended = subprocess.run([*LITMUS, command, "params.yaml"], cwd=tmp_path, capture_output=True, text=True)
        assert ended.returncode == 4
        assert "out" in ended.stderr
        assert "Traceback" not in ended.stderr


@pytest.mark.parametrize("name", ["verdict.json", "report.html", "report.ipynb", ".litmus-nb.lock"])
def test_a_folder_in_a_files_place_is_no_pass(tmp_path, name):
    set_up(EVALUATE, tmp_path)
    (tmp_path / "out" / name).unlink(missing_ok=True)
    (tmp_path / "out" / name).mkdir()
    (tmp_path / "out" / name / "x").write_text("x")
    assert run_here(tmp_path, "evaluate", "params.yaml") != 0
    if name != "verdict.json":
        assert state_of(tmp_path) in ("NO_VERDICT", STALE)


def test_a_link_in_the_verdicts_place_is_replaced_and_not_followed(tmp_path, whole):
    set_up(EVALUATE_BAD, tmp_path)
    (tmp_path / "elsewhere.json").write_text("precious")
    (tmp_path / "out/verdict.json").unlink()
    (tmp_path / "out/verdict.json").symlink_to("../elsewhere.json")
    assert run_here(tmp_path, "evaluate", "params.yaml") != 0
    assert (tmp_path / "elsewhere.json").read_text() == "precious"
    assert state_of(tmp_path) in ("FAIL", "NO_VERDICT")


@pytest.mark.parametrize("handles", [*range(4, 20), 24, 32])
def test_too_few_file_handles_are_no_pass(tmp_path, whole, handles):
    set_up(EVALUATE, tmp_path)
    ended = limited(tmp_path, "evaluate", resource.RLIMIT_NOFILE, handles)
    assert problems(EVALUATE, tmp_path, whole) == []
    assert is_sound(tmp_path, ended.returncode, ended.stderr) or state_of(tmp_path) == STALE, ended.stderr
    assert next_run_problems(EVALUATE, tmp_path, whole) == []


@pytest.mark.parametrize("mebibytes", [100, 200, 300, 400, 560, 600, 700, 765, 800, 1200, 2000])
def test_too_little_memory_is_no_pass(tmp_path, whole, mebibytes):
    set_up(EVALUATE, tmp_path)
    ended = limited(tmp_path, "evaluate", resource.RLIMIT_AS, mebibytes * 2**20)
    assert problems(EVALUATE, tmp_path, whole) == []
    assert is_sound(tmp_path, ended.returncode, ended.stderr) or state_of(tmp_path) == STALE, ended.stderr
    assert next_run_problems(EVALUATE, tmp_path, whole) == []


@pytest.mark.kernel
@pytest.mark.parametrize(
    ("limit", "value"), [("RLIMIT_NOFILE", 24), ("RLIMIT_NOFILE", 48), ("RLIMIT_AS", 1500 * 2**20)]
)
def test_a_kernel_that_lacks_handles_or_memory_is_no_pass(tmp_path, whole, limit, value):
    set_up(GATE, tmp_path)
    ended = limited(tmp_path, "gate", getattr(resource, limit), value)
    assert problems(GATE, tmp_path, whole) == []
    assert is_sound(tmp_path, ended.returncode, ended.stderr) or state_of(tmp_path) == STALE, ended.stderr
    assert next_run_problems(GATE, tmp_path, whole) == []


def limited(folder: Path, command: str, limit: int, value: int) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*LITMUS, command, "params.yaml"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        preexec_fn=lambda: resource.setrlimit(limit, (value, value)),
    )


@pytest.mark.parametrize("handles", [6, 8, 10, 12, 14, 16])
def test_too_few_file_handles_leave_the_ledger_whole(tmp_path, handles):
    set_up(QUARANTINE, tmp_path)
    before = (tmp_path / "ledger.jsonl").read_bytes()
    subprocess.run(
        [*LITMUS, *words(tmp_path)],
        cwd=tmp_path,
        capture_output=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (handles, handles)),
    )
    assert (tmp_path / "ledger.jsonl").read_bytes().startswith(before)
    assert problems(QUARANTINE, tmp_path, None) == []
    assert next_run_problems(QUARANTINE, tmp_path, None) == []


def words(folder: Path) -> list[str]:
    id_ = (folder / "first-scenario").read_text()
    return [id_ if word == "SCENARIO" else word for word in QUARANTINE.words]


@pytest.mark.parametrize("free_bytes", [0, 512, 2_000])
def test_a_full_disk_leaves_the_ledger_whole(tmp_path, free_bytes):
    with Mounted(tmp_path / "disk", 256) as disk:
        set_up(QUARANTINE, disk)
        before = (disk / "ledger.jsonl").read_bytes(), (disk / "gate.yaml").read_bytes()
        fill(disk, free_bytes)
        status = run_here(disk, *words(disk))
        after = (disk / "ledger.jsonl").read_bytes(), (disk / "gate.yaml").read_bytes()
        assert problems(QUARANTINE, disk, None) == []
        assert (status == 0) == (before != after)
        (disk / "ballast").unlink()
        assert next_run_problems(QUARANTINE, disk, None) == []


@pytest.mark.parametrize("days", [-4000, -30, 4000])
def test_a_clock_that_jumps_does_not_open_the_gate(tmp_path, monkeypatch, days):
    """`as_of: null` is today by this machine's clock. Back in time is AS_OF_INVALID; ahead, quarantines expire."""

    class Clock(datetime):
        @classmethod
        def now(cls, tz=None):
            return datetime(2026, 11, 30, tzinfo=UTC) + timedelta(days=days)

    set_up(EVALUATE, tmp_path)
    words_ = (tmp_path / "params.yaml").read_text().splitlines()
    (tmp_path / "params.yaml").write_text("\n".join(line for line in words_ if "as_of" not in line) + "\n")
    assert run_here(tmp_path, *words(tmp_path)) == 0
    monkeypatch.setattr(driver_params, "datetime", Clock)
    assert run_here(tmp_path, "evaluate", "params.yaml") == 4
    verdict = read_verdict(tmp_path)
    assert {reason.code for reason in verdict.reasons} == {"AS_OF_INVALID" if days < 0 else "QUARANTINE_EXPIRED"}
