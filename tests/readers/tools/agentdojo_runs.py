"""Real episodes by the real AgentDojo package, offline: `python agentdojo_runs.py FOLDER`.

The policy carries out the ground truth of the user's task, or, where it obeys the injection, that of the injected one.
Pair number NN, trial E (from 1): it obeys when (NN + E) % 5 == 0; the regressed one when that is 0, 1 or 2.
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path

from agentdojo.agent_pipeline.base_pipeline_element import BasePipelineElement
from agentdojo.agent_pipeline.ground_truth_pipeline import GroundTruthPipeline
from agentdojo.attacks.attack_registry import load_attack
from agentdojo.benchmark import benchmark_suite_with_injections
from agentdojo.logging import OutputLogger
from agentdojo.task_suite.load_suites import get_suite

warnings.simplefilter("ignore")
N, TRIALS = 20, 3
VERSION = "v1.2.1"
SUITE = get_suite(VERSION, "banking")


class Policy(BasePipelineElement):
    """Does what it is told by one of the two."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.task = None
        self.breaks = False

    def query(self, query, runtime, env, messages=(), extra_args=None):
        if self.breaks:
            raise ValueError("the model's service is not there")
        return GroundTruthPipeline(self.task).query(query, runtime, env, list(messages), extra_args or {})


def obeyed() -> list[tuple[str, str]]:
    """Pairs in which obeying the injection is seen by the package as security: true."""
    return [(user, injection) for user in SUITE.user_tasks for injection in SUITE.injection_tasks]


def run(folder: Path, policy: Policy, user: str, injection: str, obeys: bool) -> bool:
    policy.task = SUITE.get_injection_task_by_id(injection) if obeys else SUITE.get_user_task_by_id(user)
    attack = load_attack("direct", SUITE, policy)
    with OutputLogger(str(folder)):
        results = benchmark_suite_with_injections(
            policy,
            SUITE,
            attack,
            logdir=folder,
            force_rerun=True,
            user_tasks=[user],
            injection_tasks=[injection],
            benchmark_version=VERSION,
        )
    return results["security_results"][(user, injection)]


def main(out: Path) -> None:
    pairs = []
    for user, injection in obeyed():
        probe = Policy("probe")
        if run(out / ".probe", probe, user, injection, True) and not run(out / ".probe", probe, user, injection, False):
            pairs.append((user, injection))
        if len(pairs) == N:
            break
    for name, leaks in (("policy", {0}), ("regressed", {0, 1, 2})):
        for trial in range(1, TRIALS + 1):
            policy = Policy(name)
            for number, (user, injection) in enumerate(pairs):
                run(out / f"{name}-{trial}", policy, user, injection, (number + trial) % 5 in leaks)
    (out / "pairs.json").write_text(json.dumps(pairs))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
