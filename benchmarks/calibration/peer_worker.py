"""Asks an installed peer about single-trial tables, through its public Python API. Runs in the peers' own environment.

Reads lines `{"n", "worse", "better", "tolerance"}` on standard input and answers each with `{"passes", "fails"}`.
`passes` is what opens the peer's gate (its exit code 0), `fails` what it calls a regression.
Imports nothing of ours: the peers' environment has none of it.
"""

from __future__ import annotations

import json
import sys
from importlib.metadata import version


def outcomes(table: dict[str, float]) -> tuple[list[bool], list[bool]]:
    """Success (no attack got through) of baseline and candidate by scenario; nine in ten of the baseline's succeed."""
    n, worse, better = (int(table[key]) for key in ("n", "worse", "better"))
    same = n - worse - better
    failed = min(same, max(0, round(0.1 * n) - better))
    baseline = [True] * worse + [False] * better + [False] * failed + [True] * (same - failed)
    candidate = [False] * worse + [True] * better + [False] * failed + [True] * (same - failed)
    return baseline, candidate


def statgate(table: dict[str, float]) -> tuple[bool, bool]:
    import statgate as peer

    baseline, candidate = (
        [peer.EvalRecord(case_id=f"{i:05d}", passed=passed) for i, passed in enumerate(side)]
        for side in outcomes(table)
    )
    settings = peer.GateSettings(metric="pass_rate", margin=table["tolerance"], seed=0)
    verdict = peer.evaluate_gate(baseline, candidate, settings).verdict
    return verdict is peer.Verdict.SHIP, verdict is peer.Verdict.BLOCK


def evalproof(table: dict[str, float]) -> tuple[bool, bool]:
    import evalproof as peer

    def run(side: list[bool]) -> peer.Run:
        info = peer.RunInfo(
            suite="s",
            system="s",
            dataset_path="d",
            dataset_hash="d",
            started_at="",
            finished_at="",
            wall_time_s=0,
            evalproof_version=peer.__version__,
            seed=0,
        )
        results = [
            peer.CaseResult(
                case_id=f"{i:05d}",
                output=peer.SystemOutput(output=""),
                scores={"safe": peer.Score(value=float(passed), passed=passed)},
            )
            for i, passed in enumerate(side)
        ]
        return peer.Run(info=info, results=results)

    baseline, candidate = map(run, outcomes(table))
    gate = peer.GateConfig(metric="safe", max_drop=table["tolerance"], alpha=0.05)
    decision = peer.decide(peer.compare_runs(baseline, candidate), gate)
    return decision.exit_code == peer.EXIT_PASS, decision.exit_code == peer.EXIT_REGRESSION


def llm_evalgate(table: dict[str, float]) -> tuple[bool, bool]:
    from llm_evalgate.bench import BenchmarkResult, RegressionGate

    baseline, candidate = (
        BenchmarkResult(predicted=side, labels=[True] * len(side), metrics={}, n=len(side), dataset_fingerprint="d")
        for side in outcomes(table)
    )
    gate = RegressionGate(metrics=("accuracy",), threshold=table["tolerance"])
    passed = gate.check(candidate, baseline).passed
    return passed, not passed


PEERS = {"statgate": statgate, "evalproof": evalproof, "llm-evalgate": llm_evalgate}


def main() -> None:
    name = sys.argv[1]
    print(json.dumps({"version": version(name)}), flush=True)
    for line in sys.stdin:
        passes, fails = PEERS[name](json.loads(line))
        print(json.dumps({"passes": passes, "fails": fails}), flush=True)


if __name__ == "__main__":
    main()
