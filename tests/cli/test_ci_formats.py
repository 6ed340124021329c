"""--junit, --github, --gitlab, --quiet of the deciding commands, on the demo."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import pytest

from litmus_nb.contracts.strict_json import parse_json
from litmus_nb.contracts.verdict import Verdict
from tests.cli.conftest import Done

Litmus = Callable[..., Done]


@pytest.mark.parametrize("command", ["evaluate", "gate", "preflight", "guard"])
def test_formats_that_cannot_be_left_leave_no_old_pass_either(command: str, demo: Path, litmus: Litmus) -> None:
    """Exit 2 alone is not enough: who reads verdict.json next must not find the PASS of another run."""
    harness = ("--", "true") if command == "guard" else ()
    (demo / "folder/junit.xml").mkdir(parents=True)
    for words in (("--github",), ("--junit", "folder/junit.xml")):
        assert litmus("evaluate", "params/demo.yaml").status == 0
        done = litmus(command, "params/demo.yaml", *words, *harness)
        assert done.status in (2, 4)
        assert "GITHUB_STEP_SUMMARY" in done.err or "cannot be removed" in done.err
        assert [reason.code for reason in left(demo).reasons] == ["USAGE"]


def left(demo: Path) -> Verdict:
    """What stands in the output folder."""
    content = (demo / "reports/demo/verdict.json").read_bytes()
    return Verdict.read(parse_json(content, file="verdict.json"), file="verdict.json")


@pytest.mark.parametrize("command", ["evaluate", "gate", "preflight", "guard"])
def test_unusable_parameters_leave_a_failure_for_ci_too(command: str, demo: Path, litmus: Litmus) -> None:
    harness = ("--", "true") if command == "guard" else ()
    assert litmus("evaluate", "params/demo.yaml").status == 0
    done = litmus(command, "params/demo.yaml", "-p", "as_of", "yesterday", "--junit", "out/junit.xml", *harness)
    assert done.status == 2
    assert "as_of" in done.err
    assert ET.parse(demo / "out/junit.xml").getroot().attrib["failures"] == "2"
    assert [reason.code for reason in left(demo).reasons] == ["USAGE"]


def test_a_stale_junit_is_gone_even_where_the_gate_cannot_start(demo: Path, litmus: Litmus) -> None:
    stale = demo / "junit.xml"
    stale.write_text("<testsuites failures='0'/>")
    done = litmus("evaluate", "params/absent.yaml", "--junit", "junit.xml")
    assert done.status == 2
    assert not stale.exists() or ET.parse(stale).getroot().attrib["failures"] != "0"


def test_a_junit_that_cannot_be_written_fails_the_command_though_the_gate_passed(demo: Path, litmus: Litmus) -> None:
    (demo / "file").write_text("")
    done = litmus("evaluate", "params/demo.yaml", "--junit", "file/junit.xml")
    assert done.status == 4
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    ("scene", "status", "state"),
    [
        ("demo", 0, "PASS"),
        ("demo-regressed", 1, "FAIL"),
        ("demo-renamed", 3, "REJECTED"),
        ("demo-timeouts", 4, "NO_VERDICT"),
    ],
)
def test_each_format_says_what_the_exit_status_says(
    scene: str, status: int, state: str, demo: Path, litmus: Litmus, monkeypatch: pytest.MonkeyPatch
) -> None:
    summary, outputs = demo / "summary.md", demo / "outputs"
    outputs.write_text("earlier=step\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    monkeypatch.setenv("GITHUB_OUTPUT", str(outputs))
    formats = ("--quiet", "--github", "--gitlab", "gl", "--junit", "junit.xml")
    done = litmus("evaluate", f"params/{scene}.yaml", *formats)
    assert done.status == status
    assert done.out.splitlines()[0] == f"{state} reports/{scene}/verdict.json"
    assert state.replace("_", " ") in summary.read_text().splitlines()[0]
    assert outputs.read_text().splitlines()[:2] == ["earlier=step", f"verdict={state}"]
    assert f"LITMUS_VERDICT={state}" in (demo / "gl/litmus.env").read_text()
    failures = int(ET.parse(demo / "junit.xml").getroot().attrib["failures"])
    assert (failures == 0) == (state == "PASS")
    level = "::error " if state != "PASS" else "::notice "
    assert done.out.splitlines()[1].startswith(level)
