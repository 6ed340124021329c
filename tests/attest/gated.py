"""A gate that has run: a world, its verdict and the statement beside it."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from litmus_nb.attest.check import checked
from litmus_nb.attest.expectations import Expectations
from litmus_nb.attest.presented import read_presented
from litmus_nb.contracts.check_result import CheckResult
from litmus_nb.contracts.params import GateParams
from litmus_nb.contracts.strict_json import parse_json
from litmus_nb.contracts.verdict import Verdict
from litmus_nb.outcome.decide import decided
from litmus_nb.outcome.output import claimed
from tests.builders import AS_OF, World, correct_world, write

PRESENT = datetime(2026, 11, 30, 15, tzinfo=UTC)


def gate(world: World, folder: Path) -> GateParams:
    """Write the world, decide, leave verdict and statement in `out`."""
    write(world, folder)
    return gate_again(folder)


def gate_again(folder: Path) -> GateParams:
    """Decide on what lies in the folder."""
    params = params_in(folder)
    verdict = decided(params, as_of=AS_OF, run_id="the run").verdict
    with claimed(folder / "out") as output:
        output.settle(verdict, params, issued_at=PRESENT)
    return params


def params_in(folder: Path) -> GateParams:
    """The params of a written world, as absolute paths."""
    gate_path, candidate, output = (str(folder / name) for name in ("gate.yaml", "candidate", "out"))
    return GateParams(gate=gate_path, candidate=candidate, output_dir=output)


def checking(folder: Path, *, with_evidence: bool = True, **expected) -> CheckResult:
    """The check of the folder's verdict against the folder's evidence."""
    parts = {"present": PRESENT, "is_evidence_own": with_evidence, "is_recomputed": with_evidence} | expected
    presented = read_presented(folder / "out/verdict.json")
    return checked(presented, params_in(folder) if with_evidence else None, Expectations(**parts))


def codes(result: CheckResult) -> set[str]:
    """The codes of the refusals."""
    return {refusal.code for refusal in result.refusals}


def verdict_in(folder: Path) -> Verdict:
    """The verdict that the folder's gate left."""
    return Verdict.read(parse_json((folder / "out/verdict.json").read_bytes(), file="verdict"), file="verdict")


def gated_folder(folder: Path, world: World | None = None) -> Path:
    """A folder with a gate that has run and passed, unless the world says otherwise."""
    with suppress(FileExistsError):
        folder.mkdir(parents=True)
    gate(world or correct_world(), folder)
    return folder
