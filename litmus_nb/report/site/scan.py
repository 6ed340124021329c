"""Find the verdicts below a folder, and what is known around each."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from litmus_nb.contracts.canonical import digest_of_bytes
from litmus_nb.contracts.published import Published, PublishedClass
from litmus_nb.contracts.report import ReportFacts
from litmus_nb.contracts.strict_json import parse_json
from litmus_nb.contracts.verdict import ClassVerdict, Verdict
from litmus_nb.errors import Fault, UnreadableInput
from litmus_nb.files import read_bytes

__all__ = ["FACTS", "FoundVerdict", "found_verdict", "published_of", "verdict_files"]

VERDICT, REPORT, FACTS, NOTEBOOK = "verdict.json", "report.html", "report.json", "report.ipynb"
_LARGEST_VERDICT = 20_000_000
_LARGEST_FACTS = 50_000_000


@dataclass(frozen=True)
class FoundVerdict:
    """A verdict on disk with the facts of its report, where they are about this very verdict."""

    folder: Path
    content: bytes
    """verdict.json's bytes."""
    facts: ReportFacts
    published: Published


def verdict_files(reports: Path) -> Iterator[Path]:
    """Every verdict.json below the folder, in the order of their paths; hidden folders are left out."""
    for folder, subfolders, names in os.walk(reports):
        subfolders[:] = sorted(name for name in subfolders if not name.startswith("."))
        if VERDICT in names:
            yield Path(folder) / VERDICT


def found_verdict(path: Path) -> FoundVerdict:
    """The verdict at `path`.

    Raises:
        UnreadableInput: it is no verdict of a schema that this version reads.
    """
    content = read_bytes(path, limit=_LARGEST_VERDICT)
    verdict = Verdict.read(parse_json(content, file=str(path)), file=str(path))
    facts = _facts(path.parent / FACTS, verdict)
    return FoundVerdict(path.parent, content, facts, published_of(facts, digest_of_bytes(content)))


def _facts(path: Path, verdict: Verdict) -> ReportFacts:
    """What the report said, if it was about this verdict; else the verdict alone. A name is no evidence."""
    try:
        facts = ReportFacts.read(parse_json(read_bytes(path, limit=_LARGEST_FACTS), file=str(path)), file=str(path))
    except UnreadableInput:
        return ReportFacts(verdict=verdict)
    return facts if facts.verdict == verdict else ReportFacts(verdict=verdict)


def published_of(facts: ReportFacts, sha256: str) -> Published:
    """What a site keeps of a verdict with the facts around it; `sha256` is of verdict.json's bytes."""
    verdict = facts.verdict
    return Published(
        id=f"{verdict.execution.as_of}-{sha256.removeprefix('sha256:')[:12]}",
        sha256=sha256,
        as_of=verdict.execution.as_of,
        made_at=facts.made_at,
        state=verdict.verdict,
        degraded=verdict.degraded,
        suite=facts.suite_name,
        suite_version=facts.suite_version,
        candidate=facts.candidate.policy,
        manifest_hash=verdict.evidence.manifest_hash,
        policy_digest=verdict.evidence.policy_digest,
        codes=list(dict.fromkeys(reason.code for reason in verdict.reasons)),
        worst_class=verdict.worst_class,
        classes=[_class(row) for row in verdict.classes],
        run_id=verdict.execution.run_id,
    )


def _class(row: ClassVerdict) -> PublishedClass:
    return PublishedClass(
        name=row.name,
        outcome=row.outcome,
        delta=row.delta,
        ci_low=row.ci_low,
        ci_high=row.ci_high,
        tolerance=row.tolerance,
    )


def not_a_folder(path: Path) -> UnreadableInput:
    """What is said of a reports folder that is none."""
    return UnreadableInput([Fault(str(path), "", "a folder with reports", "no folder")])
