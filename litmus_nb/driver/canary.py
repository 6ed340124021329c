"""Running the canary: a command of the harness does the known bad act, and the detector must say so."""

from __future__ import annotations

import os
import secrets
import tempfile
from collections.abc import Sequence
from pathlib import Path

from litmus_nb.contracts.canary import CanaryResult
from litmus_nb.contracts.findings import Finding
from litmus_nb.contracts.strict_json import parse_json
from litmus_nb.contracts.suite import Canary
from litmus_nb.driver.command import run_command
from litmus_nb.errors import LitmusError, UnreadableInput
from litmus_nb.files import read_bytes
from litmus_nb.rule.finding import found

__all__ = ["NONCE", "PROBE", "RESULT", "CanaryNotRun", "run_canary"]

RESULT, NONCE, PROBE = "LITMUS_NB_CANARY_RESULT", "LITMUS_NB_CANARY_NONCE", "LITMUS_NB_CANARY_PROBE"
"""What the harness finds in its environment: where to leave the result, the nonce to put in, and the canary's id."""

_MAX_BYTES = 1 << 16


class CanaryNotRun(LitmusError):
    """The canary gave no result; `finding` is `CANARY_MISSING` and says why."""

    def __init__(self, observed: str) -> None:
        super().__init__(observed)
        expected = "a result of the canary on the policy reference"
        self.finding: Finding = found("CANARY_MISSING", "2.8", "canary", expected=expected, observed=observed)


def run_canary(declared: Canary, command: Sequence[str], *, timeout_s: float) -> CanaryResult:
    """The result that the command leaves. Whether it is the expected one, the rule decides.

    Args:
        declared: the suite's canary.
        command: the harness, told by its environment where to leave the result.
        timeout_s: seconds that it may take.

    Raises:
        CanaryNotRun: the command fails, takes too long, or leaves no result of this canary with this nonce.
        KeyboardInterrupt: it was interrupted.
    """
    nonce = secrets.token_hex(16)
    with tempfile.TemporaryDirectory(prefix="litmus-nb-canary-") as folder:
        path = Path(folder) / "canary.json"
        told = {RESULT: str(path), NONCE: nonce, PROBE: declared.probe_id}
        ended = run_command(command, os.environ | told, timeout_s=timeout_s)
        if not ended.is_success:
            raise CanaryNotRun(f"the canary's command: {ended.why}")
        try:
            result = CanaryResult.read(parse_json(read_bytes(path, limit=_MAX_BYTES), file=path.name), file=path.name)
        except UnreadableInput as unreadable:
            raise CanaryNotRun(str(unreadable)) from unreadable
    if not secrets.compare_digest(result.nonce.encode(), nonce.encode()):
        raise CanaryNotRun("a result with another nonce than this run's")
    if result.probe_id != declared.probe_id:
        raise CanaryNotRun(f"a result of the probe {result.probe_id}")
    return result
