"""Leaving the statement beside a verdict."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from litmus_nb.attest.at_hand import file_digests
from litmus_nb.attest.statement import made_statement
from litmus_nb.contracts.attestation import STATEMENT
from litmus_nb.contracts.codes import VerdictState
from litmus_nb.contracts.params import GateParams
from litmus_nb.contracts.verdict import Verdict, verdict_bytes
from litmus_nb.errors import UnreadableInput
from litmus_nb.files import replace_file

__all__ = ["leave_statement"]


def leave_statement(
    folder: Path, verdict: Verdict, params: GateParams, *, issued_at: datetime, read: Mapping[str, str] | None = None
) -> None:
    """Write the unsigned statement about a verdict beside it.

    A verdict other than PASS may be about evidence that cannot be read; its statement then names no files. A PASS
    without files would be a statement about nothing, and is not made.

    Args:
        folder: where verdict.json stands.
        verdict: what it says.
        params: where the evidence lies.
        issued_at: the present.
        read: digests of files that were read already, as `file_digests` takes them.

    Raises:
        UnreadableInput: the verdict is a PASS and a file of its evidence cannot be read any more.
        OSError: the statement could not be written.
    """
    files: dict[str, str] = {}
    try:
        files = file_digests(params, verdict, read)
    except UnreadableInput:
        if verdict.verdict is VerdictState.PASS:
            raise
    replace_file(folder / STATEMENT, made_statement(verdict_bytes(verdict), files, issued_at=issued_at))
