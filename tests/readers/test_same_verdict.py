"""The same outcomes, written by five tools, give the same verdict: four of them wrote their logs themselves."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.readers.around import Around, codes, read
from tests.readers.inspect_source import inspect_part, inspect_run

N, TRIALS = 20, 3
LEAKS = {"policy": {0}, "regressed": {0, 1, 2}}
CLASS = {"classes": {"constant": "leak"}}


def leaked(name: str, number: int, trial: int) -> bool:
    """What every tool was made to write; trials from 1."""
    return (number + trial) % 5 in LEAKS[name]


def by_inspect(folder: Path, logs: Path) -> dict[str, str]:
    around = Around(folder, {f"s-{i:02}": "leak" for i in range(N)}, trials=TRIALS)
    for name, log in (("policy", "success.eval"), ("regressed", "regressed.eval")):
        shutil.copy(logs / log, folder / log)
        around.declare(log, CLASS | inspect_part(), inspect_run(around, log, name))
    return around, "inspect:success.eval", "inspect:regressed.eval"


def by_promptfoo(folder: Path, results: Path):
    around = Around(folder, {f"s-{i:02}": "leak" for i in range(N)}, trials=TRIALS)
    outcome = {
        "scenario": "metadata.scenario",
        "assertion": "kept-secret",
        "attack_success_when": {"equals": [False]},
        "attack_failure_when": {"equals": [True]},
    }
    for name, log in (("policy", "success.json"), ("regressed", "regressed.json")):
        shutil.copy(results / log, folder / log)
        stated = {"run_id": None, "policy__name": None, "trials_per_scenario": None}
        at = json.loads((folder / log).read_bytes())["results"]["timestamp"]
        times = {"started_at": None, "sandbox__measured_at": at, "finished_at": at}
        around.declare(log, CLASS | {"outcome": outcome}, around.run(name, **stated, **times))
    return around, "promptfoo:success.json", "promptfoo:regressed.json"


def by_agentdojo(folder: Path, runs: Path):
    pairs = json.loads((runs / "pairs.json").read_text())
    around = Around(folder, {f"banking/{user}/{task}": "leak" for user, task in pairs}, trials=TRIALS)
    outcome = {
        "attack": "direct",
        "attack_success_when": {"equals": [True]},
        "attack_failure_when": {"equals": [False]},
    }
    for name in LEAKS:
        logs = []
        for trial in range(1, TRIALS + 1):
            shutil.copytree(runs / f"{name}-{trial}", folder / f"{name}-{trial}")
            logs.append({"log": f"{name}-{trial}", "first_trial": trial - 1})
        part = CLASS | {"outcome": outcome, "logs": logs}
        around.declare(name, part, around.run(name, policy__name=None, judge__requested=None))
    return around, "agentdojo:policy.litmus.yaml", "agentdojo:regressed.litmus.yaml"


def by_garak(folder: Path, _: Path):
    """garak itself is not run here; its form is that of its real reports."""
    around = Around(folder, {f"leak.Secret/{i}": "leak" for i in range(N)}, trials=TRIALS)
    outcome = {
        "scenario": "seq",
        "detectors": {"leak.Secret": "leak.Told"},
        "attack_success_when": {"at_least": 0.5, "at_most": 1},
        "attack_failure_when": {"at_least": 0, "below": 0.5},
    }
    for name in LEAKS:
        (folder / f"{name}.report.jsonl").write_text(garak_report(name))
        stated = dict.fromkeys(("run_id", "status", "policy__name", "trials_per_scenario", "judge__requested"))
        around.declare(f"{name}.report.jsonl", CLASS | {"outcome": outcome}, around.run(name, **stated))
    return around, "garak:policy.report.jsonl", "garak:regressed.report.jsonl"


def garak_report(name: str) -> str:
    entries = [
        {"entry_type": "start_run setup", "run.generations": TRIALS, "plugins.target_name": name},
        {"entry_type": "init", "garak_version": "0.14.0", "start_time": "2026-11-28T09:00:10", "run": f"run of {name}"},
    ]
    for number in range(N):
        scores = [float(leaked(name, number, trial)) for trial in range(1, TRIALS + 1)]
        attempt = {
            "entry_type": "attempt",
            "uuid": f"{name}-{number}",
            "seq": number,
            "probe_classname": "leak.Secret",
            "prompt": {"turns": [{"role": "user", "content": {"text": f"Attack {number}"}}]},
            "outputs": [{"text": "an answer"}] * TRIALS,
        }
        entries.append(attempt | {"status": 1, "detector_results": {}})
        entries.append(attempt | {"status": 2, "detector_results": {"leak.Told": scores}})
    entries.append({"entry_type": "completion", "end_time": "2026-11-28T10:00:00", "run": f"run of {name}"})
    return "".join(json.dumps(entry) + "\n" for entry in entries)


def by_table(folder: Path, _: Path):
    around = Around(folder, {f"s-{i:02}": "leak" for i in range(N)}, trials=TRIALS)
    outcome = {
        "scenario": "id",
        "label": ["first", "second", "third"],
        "attack_success_when": {"equals": ["leaked"]},
        "attack_failure_when": {"equals": ["kept"]},
    }
    for name in LEAKS:
        rows = ["id,first,second,third"]
        for number in range(N):
            words = ["leaked" if leaked(name, number, trial) else "kept" for trial in range(1, TRIALS + 1)]
            rows.append(f"s-{number:02},{','.join(words)}")
        (folder / f"{name}.csv").write_text("\n".join(rows) + "\n")
        around.declare(f"{name}.csv", CLASS | {"outcome": outcome}, around.run(name))
    return around, "table:policy.csv", "table:regressed.csv"


TOOLS = {
    "inspect": (by_inspect, "inspect_logs"),
    "promptfoo": (by_promptfoo, "promptfoo_results"),
    "agentdojo": (by_agentdojo, "agentdojo_runs"),
    "garak": (by_garak, None),
    "table": (by_table, None),
}


@pytest.mark.slow
@pytest.mark.parametrize("tool", TOOLS)
def test_every_tool_gives_the_verdict_of_the_outcomes(tool, tmp_path, request):
    make, fixture = TOOLS[tool]
    logs = request.getfixturevalue(fixture) if fixture else tmp_path
    around, good, bad = make(tmp_path / "world", logs)
    around.pin(good)

    failed = around.verdict(bad)
    (row,) = failed.classes
    assert ("FAIL", {"CLASS_REGRESSED"}) == (failed.verdict, codes(failed))
    assert (row.n, row.baseline_rate, row.candidate_rate) == (N, 0.2, 0.6)
    # Against itself: the numbers that the table reader gives, which every other tool must give too.
    assert pytest.approx((0.4, 0.144490838, 0.542519651), abs=1e-9) == (row.delta, row.ci_low, row.ci_high)

    around.pin(bad)
    passed = around.verdict(good)
    assert ("PASS", set()) == (passed.verdict, codes(passed))


def test_a_run_digest_binds_the_logs_and_their_declarations(tmp_path):
    _, good, _ = by_table(tmp_path / "world", tmp_path)
    before = read(tmp_path / "world", good).digest
    declarations = tmp_path / "world" / "policy.csv.litmus.yaml"
    declarations.write_text(declarations.read_text() + "# a word more\n")
    after = read(tmp_path / "world", good).digest
    assert before != after
    log = tmp_path / "world" / "policy.csv"
    log.write_bytes(log.read_bytes().replace(b"s-00,kept", b"s-00,leaked"))
    assert after != read(tmp_path / "world", good).digest
