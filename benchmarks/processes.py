"""Whole commands against what they cannot be quicker than: Python with polars, bare papermill, a plain template."""

from __future__ import annotations

import importlib.metadata
import json
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import nbformat

from benchmarks.measure import PEERS_PYTHON, ROOT, Peer, process, row, version_of
from litmus_nb.cli import COMMANDS
from tests.admission.planned import planned_world, put

LITMUS = [sys.executable, "-m", "litmus_nb"]
VERDICTS = 10_000


def importing_polars() -> Peer:
    """Starting Python with polars."""
    return Peer('python -c "import polars"', version_of("polars"), process([sys.executable, "-c", "import polars"]))


def evaluations() -> Iterator[dict[str, object]]:
    """`evaluate` on the demo."""
    with _folder() as folder:
        evaluate = process([*LITMUS, "evaluate", ROOT / "params/demo.yaml", "-p", "output_dir", folder, "--quiet"])
        yield row("evaluate, demo", evaluate, importing_polars())


def preflights() -> Iterator[dict[str, object]]:
    """`preflight` and `guard` on a small world, admitted and rejected."""
    with _folder() as admitted, _folder() as rejected:
        put(planned_world(), admitted)
        renamed = planned_world()
        renamed.candidate.declaration["interface"]["tool_namespace"] = "terminal"
        put(renamed, rejected)
        preflight = [*LITMUS, "preflight", "params.yaml", "--key", "key.pem"]
        guard = [*LITMUS, "guard", "params.yaml", "--key", "key.pem", "--quiet", "--", "true"]
        for name, command, place, status in (
            ("preflight, admitted", preflight, admitted, 0),
            ("preflight, REJECTED", preflight, rejected, 3),
            ("guard, REJECTED", guard, rejected, 3),
        ):
            yield row(name, process(command, place, expected=(status,)), importing_polars())

        def first():
            for kept in (ROOT / "litmus_nb/report/__pycache__").glob("template-*.cache"):
                kept.unlink()
            return process(preflight, rejected, expected=(3,))()

        yield row("preflight, REJECTED, the first page of an installation", first, importing_polars())


def gates() -> Iterator[dict[str, object]]:
    """`gate` on the demo, with its report and without, against papermill on a notebook of one empty cell.

    On the wall, which is what is waited for: kernel and driver work at once, and each waits for the other.
    """
    with _folder() as folder:
        empty = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("")])
        nbformat.write(empty, folder / "empty.ipynb")
        bare = [sys.executable, "-m", "papermill", "--no-progress-bar", folder / "empty.ipynb", folder / "out.ipynb"]
        bare += ["-k", "python3"]
        papermill = Peer("papermill, an empty notebook", version_of("papermill"), process(bare, is_on_wall=True))
        where = [ROOT / "params/demo.yaml", "-p", "output_dir", folder / "gate", "--quiet"]
        yield row("gate, demo, with report", process([*LITMUS, "gate", *where], is_on_wall=True), papermill)
        without = [sys.executable, ROOT / "benchmarks/gate_without_report.py", "gate", *where]
        yield row("gate, demo, without report", process(without, is_on_wall=True), papermill)


def imports() -> Iterator[dict[str, object]]:
    """What importing the package, and the module of each command, costs a process."""
    python = Peer('python -c "pass"', sys.version.split()[0], process([sys.executable, "-c", "pass"]))
    for module in ("litmus_nb", *sorted(module for module, _ in COMMANDS.values())):
        yield row(f"import {module}", process([sys.executable, "-c", f"import {module}"]), python)


def logs() -> Iterator[dict[str, object]]:
    """An Inspect log of 6,000 trials, in a process of its own."""
    from benchmarks.bench_inspect_reader import written_by_inspect

    with _folder() as folder:
        log = written_by_inspect(folder)
        script = [ROOT / "benchmarks/bench_inspect_reader.py", "--log", log, "--only"]
        theirs = process([PEERS_PYTHON, *script, "samples_df"])
        peer = Peer("inspect_ai's samples_df (summaries only)", version_of("inspect-ai", PEERS_PYTHON), theirs)
        yield row("Inspect log, 6,000 trials", process([sys.executable, *script, "litmus_nb"]), peer)


def publications() -> Iterator[dict[str, object]]:
    """`publish` of 10,000 verdicts on an empty site, against the least that could be done with them.

    No other tool publishes verdicts. The peer reads the same 10,000 files and writes a table row and a page of the same
    facts for each by an autoescaping jinja2 template: no history, no charts, no feeds, nothing synced to disk.
    """
    with _folder() as folder:
        _verdicts(folder / "reports")

        def publish():
            shutil.rmtree(folder / "site", ignore_errors=True)
            return process([*LITMUS, "publish", folder / "reports", "--to", folder / "site", "--quiet"])()

        plain = process([sys.executable, ROOT / "benchmarks/plain_pages.py", folder / "reports", folder / "plain"])
        peer = Peer("plain jinja2 pages", importlib.metadata.version("jinja2"), plain)
        yield row("publish, 10,000 verdicts", publish, peer)


def _verdicts(reports: Path) -> None:
    """The demo's verdict again and again, each with a run and a day of its own."""
    first = reports / "first"
    process([*LITMUS, "evaluate", ROOT / "params/demo.yaml", "-p", "output_dir", first, "--quiet"])()
    verdict = json.loads((first / "verdict.json").read_bytes())
    shutil.rmtree(first)
    for number in range(VERDICTS):
        verdict["execution"]["run_id"] = f"{number:032x}"
        verdict["execution"]["as_of"] = f"2026-{1 + number % 12:02}-{1 + number % 28:02}"
        place = reports / f"{number:05}"
        place.mkdir(parents=True)
        (place / "verdict.json").write_text(json.dumps(verdict))


class _folder(tempfile.TemporaryDirectory):  # noqa: N801  # a context manager, read as a verb's object
    def __enter__(self) -> Path:
        return Path(super().__enter__())
