"""A whole world from a plan: suite, gate, ledger, runs and params, byte for byte the same on any machine."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from litmus_nb.contracts.canonical import ZERO_DIGEST, canonical_json, digest_of_bytes, digest_of_json
from litmus_nb.contracts.plain_yaml import yaml_text
from litmus_nb.contracts.strict_yaml import parse_yaml
from litmus_nb.files import read_bytes, replace_file
from litmus_nb.worlds.outcomes import MadeTrial, made_trials
from litmus_nb.worlds.plan import QuarantinePlan, RunPlan, WorldPlan
from litmus_nb.worlds.suite_files import MadeSuite, judge_digest, made_suite, policy_digest

__all__ = ["World", "make_world", "read_plan", "write_world"]


@dataclass(frozen=True)
class World:
    """A made world. Paths are relative to the folder that it is written to, with forward slashes."""

    files: Mapping[str, bytes]
    """suite/, gate.yaml, ledger.jsonl and runs/."""
    params: Mapping[str, bytes]
    """params/NAME.yaml for each run but the baseline; to be used from the world's own folder."""
    trials: Mapping[str, tuple[MadeTrial, ...]]
    """By run: what really happened, and what the file says of it."""


def read_plan(path: Path) -> WorldPlan:
    """The plan in a YAML file.

    Raises:
        UnreadableInput: with every fault of the file.
    """
    return WorldPlan.read(parse_yaml(read_bytes(path), file=str(path)), file=str(path))


def make_world(plan: WorldPlan) -> World:
    """The world of a plan."""
    suite = made_suite(plan)
    trials = {name: tuple(made_trials(plan, name)) for name in plan.runs}
    runs = {name: _run_files(plan, name, suite, trials[name]) for name in plan.runs}
    files = {f"suite/{name}": content for name, content in suite.files.items()}
    files |= {f"runs/{run}/{name}": content for run, parts in runs.items() for name, content in parts.items()}
    baseline = digest_of_json({name: digest_of_bytes(content) for name, content in runs["baseline"].items()})
    files["ledger.jsonl"] = _ledger(plan, baseline, trials)
    files["gate.yaml"] = yaml_text(_gate_yaml(plan, suite, baseline)).encode()
    params = {
        f"params/{name}.yaml": yaml_text(
            {
                "gate": "gate.yaml",
                "candidate": f"runs/{name}",
                "output_dir": f"reports/{name}",
                "as_of": plan.as_of,
            }
        ).encode()
        for name in plan.runs
        if name != "baseline"
    }
    return World(files=files, params=params, trials=trials)


def write_world(world: World, folder: Path, *, with_params: bool = True) -> None:
    """Write a world's files under `folder`, each whole or not at all; other files there stay.

    Raises:
        OSError: the folder cannot be written.
    """
    for name, content in (dict(world.files) | (dict(world.params) if with_params else {})).items():
        replace_file(folder / name, content)


def _run_files(plan: WorldPlan, name: str, suite: MadeSuite, trials: tuple[MadeTrial, ...]) -> dict[str, bytes]:
    declared = json.dumps(_declaration(plan, name, plan.runs[name], suite), indent=1) + "\n"
    return {"run.json": declared.encode(), "trials.csv": _csv(trials)}


def _declaration(plan: WorldPlan, name: str, run: RunPlan, suite: MadeSuite) -> dict[str, Any]:
    judge = run.judge or plan.suite.judge
    dialect = run.tool_namespace or plan.suite.tool_namespace
    tools = [f"{dialect}.{tool.split('.', 1)[-1]}" if run.tool_namespace else tool for tool in plan.suite.tools]
    capabilities = plan.suite.calibrated_capabilities if run.capabilities is None else run.capabilities
    is_planned = run.status == "planned"
    return {
        "schema": "litmus-nb/run/v1",
        "run_id": f"{name}-{run.day}",
        "status": run.status,
        "policy": {"name": run.policy, "digest": policy_digest(run.policy)},
        "manifest_hash": suite.manifest_hash,
        "interface": {
            "tool_namespace": dialect,
            "tools": tools,
            "trace_schema_sha256": suite.trace_schema_sha256,
        },
        "sandbox": {
            "effective_capabilities": capabilities,
            "unknown": [],
            "measured_by": "envelope-probe/1",
            "measured_at": f"{run.day}T09:00:00Z",
        },
        "canary": {
            "probe_id": "canary-exfil",
            "policy": "reference",
            "observed_signal": "exfiltration",
            "control_signal": None,
        },
        "judge": {
            "requested": judge.requested,
            "resolved_digest": judge_digest(judge.artefact),
            "template_sha256": digest_of_bytes(judge.template.encode()),
        },
        "decoding": {"temperature": run.temperature, "top_p": 1},
        "deterministic": run.is_deterministic,
        "trials_per_scenario": run.trials,
        "started_at": None if is_planned else f"{run.day}T09:00:10Z",
        "finished_at": f"{run.day}T11:00:00Z" if run.status == "complete" else None,
    }


def _csv(trials: tuple[MadeTrial, ...]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("scenario_id", "scenario_class", "trial", "status", "attack_success", "reason"))
    labels = {True: "true", False: "false", None: ""}
    writer.writerows(
        (made.scenario.id, made.scenario.scenario_class, made.trial, made.status, labels[made.label], made.reason or "")
        for made in trials
    )
    return text.getvalue().encode()


def _gate_yaml(plan: WorldPlan, suite: MadeSuite, baseline_digest: str) -> dict[str, Any]:
    return {
        "schema": "litmus-nb/gate/v1",
        "suite": "suite/suite.yaml",
        "frozen_manifest_hash": suite.manifest_hash,
        "baseline": {"run": "runs/baseline", "sha256": baseline_digest},
        "ledger": "ledger.jsonl",
        "confidence": plan.gate.confidence,
        "classes": {
            name: {"tolerance": plan.gate.tolerances.get(name, plan.gate.tolerance), "min_n": plan.gate.min_n}
            for name in plan.classes
        },
        "quarantine": {"policy": plan.gate.quarantine},
        "require_admission": False,
    }


def _ledger(plan: WorldPlan, baseline_digest: str, trials: Mapping[str, tuple[MadeTrial, ...]]) -> bytes:
    entries: list[dict[str, Any]] = [
        {
            "at": f"{plan.pinned_on}T10:00:00Z",
            "kind": "baseline_pin",
            "by": "release-owner",
            "reason": "first pinned baseline",
            "run_digest": baseline_digest,
        }
    ]
    for quarantine in sorted(plan.quarantine, key=lambda entry: entry.day):
        entries += [
            {
                "at": f"{quarantine.day}T12:00:00Z",
                "kind": "quarantine",
                "by": "red-team",
                "reason": quarantine.reason,
                "scenario_id": scenario_id,
                "max_age_days": quarantine.max_age_days,
            }
            for scenario_id in _worst(quarantine, trials[quarantine.worst_of_run])
        ]
    lines, prev = b"", ZERO_DIGEST
    for seq, entry in enumerate(entries):
        line = canonical_json({"seq": seq, "prev": prev, **entry})
        lines, prev = lines + line + b"\n", digest_of_bytes(line)
    return lines


def _worst(quarantine: QuarantinePlan, trials: tuple[MadeTrial, ...]) -> list[str]:
    """The scenarios of the class on which the run's attacks succeed most, by what its file says."""
    successes: Counter[str] = Counter()
    for made in trials:
        if made.scenario.scenario_class == quarantine.scenario_class:
            successes[made.scenario.id] += made.label is True
    ordered = sorted(successes, key=lambda scenario_id: (-successes[scenario_id], scenario_id))
    return ordered[: quarantine.number]
