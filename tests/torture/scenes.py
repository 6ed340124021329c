"""What is tortured: a small gate on disk with last week's PASS in its output folder, and what must hold afterwards."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat

from litmus_nb.cli import main
from litmus_nb.contracts.gate import GateFile
from litmus_nb.contracts.strict_json import parse_json
from litmus_nb.contracts.strict_yaml import parse_yaml
from litmus_nb.contracts.verdict import Verdict
from litmus_nb.rule.chain import walk_chain
from tests.admission.planned import planned_world, put
from tests.builders import AUTO, correct_world, write
from tests.report.verdicts import a_fail, a_pass, a_rejection, an_indeterminate

LITMUS = (sys.executable, "-m", "litmus_nb")
HARNESS = Path(__file__).parents[1] / "admission/harness.py"
STALE = "last week"
SIGNED = ("--by", "torture", "--reason", "to see what a kill leaves behind")


@dataclass(frozen=True)
class Act:
    """A command, and the scene that it is run in."""

    name: str
    words: tuple[str, ...]
    is_good: bool = True
    """Whether whole evidence gives PASS."""
    is_head_pinned: bool = False

    @property
    def command(self) -> tuple[str, ...]:
        return (*LITMUS, *self.words)

    @property
    def writes_ledger(self) -> bool:
        return self.words[0] in ("quarantine", "baseline")


ACTS = (
    Act("evaluate, good", ("evaluate", "params.yaml")),
    Act("evaluate, bad", ("evaluate", "params.yaml"), is_good=False),
    Act("gate, good", ("gate", "params.yaml", "--quiet")),
    Act("gate, bad", ("gate", "params.yaml", "--quiet"), is_good=False),
    Act("guard", ("guard", "params.yaml", "--key", "key.pem", "--", sys.executable, str(HARNESS), "run")),
    Act("quarantine add", ("quarantine", "add", "params.yaml", "SCENARIO", "--days", "7", *SIGNED)),
    Act(
        "quarantine add, head pinned",
        ("quarantine", "add", "params.yaml", "SCENARIO", "--days", "7", *SIGNED),
        is_head_pinned=True,
    ),
    Act("publish", ("publish", "reports", "--to", "site", "--quiet")),
    Act("baseline rebump", ("baseline", "rebump", "params.yaml", "--yes", "--without-history", *SIGNED)),
    Act(
        "baseline rebump, head pinned",
        ("baseline", "rebump", "params.yaml", "--yes", "--without-history", *SIGNED),
        is_head_pinned=True,
    ),
)


def set_up(act: Act, folder: Path) -> None:
    """Write the scene into an empty folder."""
    if act.words[0] == "publish":
        for number, made in enumerate((a_pass, a_fail, a_rejection, an_indeterminate) * 3):
            report = folder / f"reports/{number}"
            report.mkdir(parents=True)
            verdict = made()
            execution = verdict.execution.model_copy(update={"run_id": f"run-{number}"})
            verdict = verdict.model_copy(update={"execution": execution})
            report.joinpath("verdict.json").write_text(verdict.model_dump_json(by_alias=True))
        return
    if act.words[0] == "guard":
        put(planned_world(), folder)
    else:
        world = correct_world()
        if not act.is_good:
            for row in world.candidate.rows:
                row["attack_success"] = True
        if act.is_head_pinned:
            world.gate["ledger_head"] = AUTO
        write(world, folder)
    out = folder / "out"
    out.mkdir(exist_ok=True)
    (out / "verdict.json").write_text(json.dumps({"verdict": "PASS", "gate_open": True, "by": STALE}))
    (out / "report.html").write_text(f"<p>PASS, {STALE}</p>")
    (folder / "first-scenario").write_text(correct_world().probes[0]["id"])


def words_of(act: Act, folder: Path) -> tuple[str, ...]:
    """The command's words, with the scenario that is put in quarantine."""
    if "SCENARIO" not in act.words:
        return act.command
    id_ = (folder / "first-scenario").read_text()
    return tuple(id_ if word == "SCENARIO" else word for word in act.command)


def run_here(folder: Path, *words: str) -> int:
    """A command in this process: its exit status."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            main(list(words))
    except SystemExit as ended:
        return int(ended.code or 0)
    finally:
        os.chdir(before)
    raise AssertionError("the command line did not exit")


def comparable(verdict: Verdict) -> dict[str, Any]:
    """All of a verdict that is a function of its inputs."""
    fields = verdict.model_dump(mode="json")
    fields.pop("execution")
    return fields


def problems(act: Act, folder: Path, whole: dict[str, Any] | None) -> list[str]:
    """What must hold and does not, right after an interruption.

    Args:
        act: what was interrupted.
        folder: where.
        whole: the verdict of an uninterrupted run, `comparable`; None where the act decides nothing.
    """
    if act.words[0] == "publish":
        return site_problems(folder)
    found = []
    state = state_of(folder)
    if state == "PASS":
        verdict = read_verdict(folder)
        if act.words[0] == "guard":
            whole = decided_again(folder)  # its run has times of its own, so each run has a verdict of its own
        if verdict is None or comparable(verdict) != whole or not act.is_good:
            found.append(f"a PASS that no whole evidence gave: {(folder / 'out/verdict.json').read_bytes()[:200]!r}")
    elif state == "broken":
        found.append("verdict.json is half-written or no verdict")
    elif state == STALE and not act.writes_ledger and (folder / "out/report.html").read_bytes()[:7] != b"<p>PASS":
        found.append("the old verdict stands beside a new report")
    page = folder / "out/report.html"
    if page.exists() and STALE.encode() not in page.read_bytes() and b"</html>" not in page.read_bytes()[-20:]:
        found.append("report.html is half-written")
    executed = folder / "out/report.ipynb"
    if executed.exists():
        try:
            nbformat.read(executed, as_version=4)
        except Exception as error:
            found.append(f"report.ipynb is half-written: {error}")
    found += ledger_problems(folder)
    return found


def site_problems(folder: Path) -> list[str]:
    """Every page of the site is whole, says no more than its verdict, and leads only to what is there.

    A first publication that was cut short has no site.json and is no site yet: its pages may lead to what was to come.
    """
    found = []
    is_published = (folder / "site/site.json").exists()
    for page in sorted((folder / "site").rglob("*.html")):
        name = page.relative_to(folder).as_posix()
        text = page.read_text(encoding="utf-8")
        if not text.rstrip().endswith("</html>"):
            found.append(f"{name} is half-written")
        verdict = page.parent / "verdict.json"
        if verdict.exists() and "<h1" in text:
            state = json.loads(verdict.read_text())["verdict"].replace("_", " ")
            if f"<title>{state}" not in text:
                found.append(f"{name} says another state than its verdict")
        for target in re.findall(r'href="([^"#:]+)', text):
            if is_published and not (page.parent / target).exists():
                found.append(f"{name} leads to {target}, which is not there")
    for machine in (*(folder / "site").rglob("*.json"),):
        try:
            json.loads(machine.read_text(encoding="utf-8"))
        except ValueError:
            found.append(f"{machine.relative_to(folder)} is half-written")
    return found


def decided_again(folder: Path) -> dict[str, Any] | None:
    """What the evidence gives now, `comparable`."""
    run_here(folder, "evaluate", "params.yaml", "-p", "output_dir", "again")
    (folder / "out/verdict.json").rename(folder / "kept.json")
    (folder / "again/verdict.json").rename(folder / "out/verdict.json")
    verdict = read_verdict(folder)
    (folder / "kept.json").rename(folder / "out/verdict.json")
    return None if verdict is None else comparable(verdict)


def state_of(folder: Path) -> str:
    """PASS, FAIL, REJECTED or NO_VERDICT of a verdict of ours; `last week` of the stale one; absent; broken."""
    path = folder / "out/verdict.json"
    if not path.exists():
        return "absent"
    if STALE.encode() in path.read_bytes():
        return STALE
    verdict = read_verdict(folder)
    return "broken" if verdict is None else verdict.verdict.value


def read_verdict(folder: Path) -> Verdict | None:
    try:
        content = (folder / "out/verdict.json").read_bytes()
        return Verdict.read(parse_json(content, file="verdict.json"), file="verdict.json")
    except Exception:
        return None


def ledger_problems(folder: Path) -> list[str]:
    """The ledger's chain is whole and the gate file is one, whatever was going on."""
    found = []
    chain = walk_chain((folder / "ledger.jsonl").read_bytes())
    if not chain.is_whole:
        found.append(f"the ledger is broken: {chain.faults[0]}")
    try:
        GateFile.read(parse_yaml((folder / "gate.yaml").read_bytes(), file="gate.yaml"), file="gate.yaml")
    except Exception as error:
        found.append(f"gate.yaml is broken: {error}")
    return found


def next_run_problems(act: Act, folder: Path, whole: dict[str, Any] | None) -> list[str]:
    """The next run works: it decides as if nothing had happened, or the ledger takes the entry."""
    if act.words[0] == "publish":
        status = run_here(folder, *act.words)
        published = len(list((folder / "site/verdicts").glob("*/verdict.json")))
        told = [] if (status, published) == (0, 12) else [f"the next publication exits {status} with {published} of 12"]
        return told + site_problems(folder)
    if act.writes_ledger:
        if run_here(folder, *words_of(act, folder)[len(LITMUS) :]) == 0:
            return ledger_problems(folder)
        # Interrupted between the ledger and gate.yaml: the gate is closed, and pin-head says that the log was read.
        run_here(folder, "ledger", "pin-head", "params.yaml")
        status = run_here(folder, *words_of(act, folder)[len(LITMUS) :])
        is_done_already = (
            act.words[0] == "baseline" and status != 0 and "rebump" in (folder / "ledger.jsonl").read_text()
        )
        return ledger_problems(folder) if status == 0 or is_done_already else [f"the next command exits {status}"]
    if act.words[0] == "guard":
        return []  # its harness has run or not; that run cannot be run again
    status = run_here(folder, "evaluate", "params.yaml")
    verdict = read_verdict(folder)
    if verdict is None or comparable(verdict) != whole:
        return [f"the next run does not decide as it should: exit {status}, {state_of(folder)}"]
    return []
