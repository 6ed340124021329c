"""How long a site over many verdicts takes to publish, how much memory, and how long it takes when little is new.

    python benchmarks/publish.py [N]

N verdicts (10,000 if not told) of 6 suites, 40 candidates and two years, each with its report and facts as a gate
leaves them; then the same again with nothing new, then with one new verdict. Each publication is a process of its own.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from datetime import date, timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from litmus_nb.contracts.report import ReportFacts, SideFact
from litmus_nb.contracts.verdict import Verdict, verdict_bytes
from litmus_nb.report.page import render_gate_page
from tests.report.verdicts import STATES

_LAST_DAY = date(2026, 11, 30)
_DAYS, _SUITES, _CANDIDATES = 730, 6, 40

_PUBLISH = """
import json, resource, sys, time
from datetime import date
from pathlib import Path
from litmus_nb.report.site.publish import publish
began = time.perf_counter()
done = publish(Path(sys.argv[1]), Path(sys.argv[2]), today=date(2026, 11, 30))
took = time.perf_counter() - began
used = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps({"seconds": took, "cpu_seconds": used.ru_utime + used.ru_stime,
                  "peak_mb": used.ru_maxrss / 1024, "new": len(done.new), "total": done.total}))
"""


def leave_verdicts(reports: Path, numbers: range) -> None:
    """What gates leave, a folder each: verdict, facts, page; the page of each state is drawn once."""
    drawn: dict[int, tuple[Verdict, bytes]] = {}
    for number in numbers:
        place = number % len(STATES)
        if place not in drawn:
            verdict = list(STATES.values())[place]()
            facts = ReportFacts(verdict=verdict, suite_name="suite", candidate=SideFact(policy="agent"))
            drawn[place] = (verdict, render_gate_page(facts).encode())
        verdict, page = drawn[place]
        day = (_LAST_DAY - timedelta(days=number % _DAYS)).isoformat()
        execution = verdict.execution.model_copy(update={"run_id": f"run-{number}", "as_of": day})
        verdict = verdict.model_copy(update={"execution": execution})
        side = SideFact(policy=f"agent-{number % _CANDIDATES}")
        facts = ReportFacts(
            verdict=verdict, suite_name=f"suite-{number % _SUITES}", candidate=side, made_at=f"{day}T10:00:00Z"
        )
        folder = reports / f"{number:06}"
        folder.mkdir(parents=True)
        (folder / "verdict.json").write_bytes(verdict_bytes(verdict))
        (folder / "report.json").write_text(facts.model_dump_json(), encoding="utf-8")
        (folder / "report.html").write_bytes(page)


def published(reports: Path, site: Path) -> dict[str, float]:
    """One publication in a process of its own: seconds, processor seconds, peak memory in MB, new and total."""
    run = subprocess.run(
        [sys.executable, "-c", _PUBLISH, str(reports), str(site)], capture_output=True, check=True, text=True
    )
    told: dict[str, float] = json.loads(run.stdout)
    return told


def measured(n: int = 10_000) -> dict[str, dict[str, float]]:
    """The three publications of `n` verdicts: `first`, `nothing new`, `one new`."""
    with tempfile.TemporaryDirectory() as folder:
        reports, site = Path(folder, "reports"), Path(folder, "site")
        leave_verdicts(reports, range(n))
        rows = {"first": published(reports, site), "nothing new": published(reports, site)}
        leave_verdicts(reports, range(n, n + 1))
        rows["one new"] = published(reports, site)
        return rows


def measure(n: int = 10_000) -> float:
    """Processor seconds of the first publication of `n` verdicts."""
    return measured(n)["first"]["cpu_seconds"]


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    print(f"{n:,} verdicts: wall and processor seconds, peak memory")
    for name, row in measured(n).items():
        print(f"{name:12} {row['seconds']:7.1f} s {row['cpu_seconds']:7.1f} s {row['peak_mb']:6.0f} MB")


if __name__ == "__main__":
    main()
