"""Reads mutations FIRST to LAST of a small trials file, saying the number of each before it is read.

python -m tests.hostile.mutations trials.parquet 0 300
"""

from __future__ import annotations

import random
import sys

from litmus_nb.errors import UnreadableInput
from litmus_nb.evidence.trial_rows import rows_of
from tests.builders import correct_world, csv_of, json_lines, parquet_of

WRITERS = {"trials.parquet": parquet_of, "trials.csv": csv_of, "trials.jsonl": json_lines}


def mutated(whole, number):
    """The bytes with 1 to 8 of them changed, and now and then the end cut off."""
    rng = random.Random(number)
    content = bytearray(whole)
    for _ in range(rng.choice([1, 1, 2, 8])):
        content[rng.randrange(len(content))] = rng.randrange(256)
    cut = rng.choice([0, 0, 0, rng.randrange(40)])
    return bytes(content[: len(content) - cut])


def main(name, first, last):
    whole = WRITERS[name](correct_world().candidate.rows)
    for number in range(first, last):
        print(number, flush=True)
        try:
            rows = rows_of(mutated(whole, number), file=name)
        except UnreadableInput:
            continue
        assert set(rows.columns) >= {"scenario_id", "scenario_class", "trial", "status", "label", "label_fault"}
    print("done", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
