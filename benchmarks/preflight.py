"""How long a refusal before the run takes: processor time of whole processes, the least of several.

    python benchmarks/preflight.py

The bar: `litmus-nb preflight` takes less than twice the time of starting Python with polars.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.admission.planned import planned_world, put


def seconds(command: list[str], folder: Path, repeats: int = 7) -> float:
    """The least processor time, user and system, that the command takes."""
    least = float("inf")
    for _ in range(repeats):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, cwd=folder, capture_output=True, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        least = min(least, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return least


def main() -> None:
    admitted, rejected = Path(tempfile.mkdtemp()), Path(tempfile.mkdtemp())
    put(planned_world(), admitted)
    renamed = planned_world()
    renamed.candidate.declaration["interface"]["tool_namespace"] = "terminal"
    put(renamed, rejected)
    litmus = [sys.executable, "-m", "litmus_nb"]
    preflight = [*litmus, "preflight", "params.yaml", "--key", "key.pem"]
    guard = [*litmus, "guard", "params.yaml", "--key", "key.pem", "--quiet", "--", "true"]
    bar = seconds([sys.executable, "-c", "import polars"], admitted)
    print(f"python with polars        {bar:.2f} s")
    rows = (("preflight, admitted", preflight, admitted), ("preflight, REJECTED", preflight, rejected))
    for name, command, folder in (*rows, ("guard, REJECTED", guard, rejected)):
        took = seconds(command, folder)
        print(f"{name:25} {took:.2f} s  {took / bar:.2f} times")


if __name__ == "__main__":
    main()
