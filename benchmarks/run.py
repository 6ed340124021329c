"""Runs the benchmarks into results.json and docs/performance.md.

    python -m benchmarks.run [GROUP ...]        all of them but `large`, which wants ten minutes and a gigabyte
    python -m benchmarks.large_runs FOLDER      the large runs

Each row is a ratio to a named peer in the same run: medians of five, ours and the peer by turns.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator

from benchmarks import intervals, processes, sweeps
from benchmarks.measure import REPEATS, as_installed, leave
from benchmarks.table import write

GROUPS: dict[str, Callable[[], Iterator[dict[str, object]]]] = {
    "intervals": intervals.rows,
    "evaluate": processes.evaluations,
    "preflight": processes.preflights,
    "gate": processes.gates,
    "imports": processes.imports,
    "inspect": processes.logs,
    "publish": processes.publications,
    "sweep": lambda: sweeps.rows(REPEATS),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("groups", nargs="*", choices=[*GROUPS, []], metavar="GROUP", help=", ".join(GROUPS))
    as_installed()
    for group in parser.parse_args().groups or GROUPS:
        for found in GROUPS[group]():
            leave([found])
            print(f"{found['name']:55} {found['ours_s']:>9} s  {found['peer_s']:>9} s  {found['ratio']}", flush=True)
    write()


if __name__ == "__main__":
    main()
