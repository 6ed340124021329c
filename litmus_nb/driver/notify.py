"""Telling an owner that a run was rejected: once, with the findings, never with text from a transcript."""

from __future__ import annotations

import contextlib
import json
import shlex
import subprocess
import urllib.error
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from litmus_nb.contracts.canonical import digest_of_json
from litmus_nb.contracts.codes import VerdictState, reason_code
from litmus_nb.contracts.findings import Finding
from litmus_nb.contracts.verdict import Verdict
from litmus_nb.errors import UnreadableInput
from litmus_nb.files import read_bytes, replace_file
from litmus_nb.report.phrases import plain, with_code
from litmus_nb.report.text import safe_text
from litmus_nb.shipped.runbook import RUNBOOK

__all__ = ["NOTIFIED", "notification", "notify_owner"]

NOTIFIED = ".notified.json"
"""Left in the output folder: what was told already, and to whom."""

_QUOTES_EVIDENCE = {"CONTRACT_UNREADABLE", "EVIDENCE_UNREADABLE", "INTERNAL_ERROR"}
"""Codes whose findings quote what a file says, which may be anything."""

_TIMEOUT_S = 15


def notify_owner(verdict: Verdict, targets: Sequence[str], folder: Path, *, run: str) -> list[str]:
    """Tell each target of a REJECTED verdict, unless it was told of the same findings before.

    Args:
        verdict: any other state than REJECTED is told to nobody.
        targets: `https://...` (JSON is posted), `exec:COMMAND` (JSON on its standard input), or an address of apprise
            (`slack://...`, `mailto://...`), which needs the extra `notify`.
        folder: the output folder, where it is kept who was told.
        run: what the gate was asked about.

    Returns:
        What went wrong, in words. It never changes a verdict.
    """
    if verdict.verdict is not VerdictState.REJECTED or not targets:
        return []
    message = notification(verdict, run=run, report=str(folder / "report.html"))
    told = _told(folder)
    problems = []
    for target in targets:
        key = digest_of_json({"target": target, "run": run, "findings": message["findings"]})
        if key in told:
            continue
        problem = _send(target, message)
        if problem:
            problems.append(f"{target.partition(':')[0]}: {problem}")
        else:
            told.append(key)
    with contextlib.suppress(OSError):
        replace_file(folder / NOTIFIED, (json.dumps(told) + "\n").encode())
    return problems


def notification(verdict: Verdict, *, run: str, report: str) -> dict[str, Any]:
    """What is told: the state, the run, and the findings as codes, places and what to do."""
    return {
        "schema": "litmus-nb/notification/v1",
        "verdict": verdict.verdict.value,
        "run": safe_text(run, limit=200),
        "report": report,
        "findings": [_told_of(finding) for finding in verdict.reasons],
    }


def _told_of(finding: Finding) -> dict[str, str]:
    code = reason_code(finding.code)
    said = {
        "code": finding.code,
        "paragraph": finding.paragraph,
        "subject": safe_text(finding.subject, limit=200),
        "means": plain(with_code(code.meaning)),
        "do": plain(with_code(code.action)),
        "runbook": f"{RUNBOOK}#{finding.code.lower()}",
    }
    if finding.code not in _QUOTES_EVIDENCE:
        said |= {"expected": safe_text(finding.expected, limit=200), "observed": safe_text(finding.observed, limit=200)}
    return said


def _send(target: str, message: dict[str, Any]) -> str:
    """Send to one target; what went wrong, empty where nothing did."""
    body = json.dumps(message).encode()
    try:
        if target.startswith("exec:"):
            command = shlex.split(target.removeprefix("exec:"))
            ended = subprocess.run(command, input=body, timeout=_TIMEOUT_S, check=False, capture_output=True)
            return "" if ended.returncode == 0 else f"ended with status {ended.returncode}"
        if target.startswith(("https://", "http://")):
            request = urllib.request.Request(target, body, {"Content-Type": "application/json"})  # noqa: S310 - as above
            with urllib.request.urlopen(request, timeout=_TIMEOUT_S) as answer:  # noqa: S310 - http and https only
                return "" if 200 <= answer.status < 300 else f"answered {answer.status}"
        return _send_by_apprise(target, message)
    except (OSError, ValueError, subprocess.TimeoutExpired, urllib.error.URLError) as error:
        return type(error).__name__  # its text may hold the address, and addresses hold secrets


def _send_by_apprise(target: str, message: dict[str, Any]) -> str:
    try:
        # Deferred: an optional extra.
        import apprise
    except ImportError:
        return "needs the package apprise: install litmus-nb[notify]"
    lines = [f"{f['code']} (§{f['paragraph']}) {f['subject']}: {f['means']} {f['do']}" for f in message["findings"]]
    sender = apprise.Apprise()
    if not sender.add(target):
        return "no address that apprise knows"
    title = f"litmus-nb: {message['verdict']} {message['run']}"
    return "" if sender.notify(title=title, body="\n".join(lines)) else "apprise could not deliver it"


def _told(folder: Path) -> list[str]:
    try:
        told = json.loads(read_bytes(folder / NOTIFIED, limit=1 << 20))
    except (UnreadableInput, ValueError):
        return []
    return [key for key in told if isinstance(key, str)] if isinstance(told, list) else []
