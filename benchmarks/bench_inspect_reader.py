"""Our reading of an Inspect log against inspect_ai's own samples_df, on the same file of 2,000 samples x 3 epochs.

    python benchmarks/bench_inspect_reader.py [--log FILE.eval] [--repeat 5]

Without --log the real Inspect writes the log first, on a mock model (about a minute). samples_df needs pandas and
pyarrow. Processor time counts, so that other work on the machine does not. Cold: a process of its own for each reading,
imports included, as a command has it. Warm: again in a process that has read the log before, as a notebook has it. What
is compared is not equal: samples_df reads the log's summaries, ours every sample, with its CRC and its keys.
"""

from __future__ import annotations

import argparse
import gc
import itertools
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

SAMPLES, EPOCHS = 2000, 3
OUTCOME = {
    "scorer": "includes",
    "sandbox": None,
    "attack_success_when": {"equals": ["C"]},
    "attack_failure_when": {"equals": ["I"]},
}


def answers():
    from inspect_ai.model import ModelOutput, ModelUsage

    for number in itertools.count():
        output = ModelOutput.from_content("mockllm/policy", "I will not." if number % 4 else "Here: the secret.")
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        yield output


def written_by_inspect(folder: Path) -> Path:
    """A log with some 10 kB of transcript in each sample."""
    from inspect_ai import Task
    from inspect_ai import eval as evaluate
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import get_model
    from inspect_ai.scorer import includes
    from inspect_ai.solver import generate

    samples = [
        Sample(
            id=f"s-{i:05}", input=f"Attack {i}. " + "Some context. " * 40, target="secret", metadata={"category": "a"}
        )
        for i in range(SAMPLES)
    ]
    task = Task(dataset=MemoryDataset(samples), solver=generate(), scorer=includes(), epochs=EPOCHS)
    model = get_model("mockllm/policy", custom_outputs=answers())
    (log,) = evaluate(task, model=model, log_dir=str(folder), display="none", max_connections=50, max_samples=50)
    return Path(log.location)


def ours(path: Path) -> int:
    from litmus_nb.evidence.readers.inspect_log import READER
    from litmus_nb.evidence.readers.reading import Log, LogFile

    content = path.read_bytes()
    reading = READER.read(Log(path.name, (LogFile(path.name, content),)), READER.outcome.read(OUTCOME, file="outcome"))
    assert not reading.faults
    return len(reading.trials)


def theirs(path: Path) -> int:
    from inspect_ai.analysis import samples_df

    return len(samples_df(str(path), quiet=True))


def timed(read: Callable[[Path], int], path: Path) -> float:
    gc.collect()
    before = time.process_time()
    assert read(path) == SAMPLES * EPOCHS
    return time.process_time() - before


def timed_cold(name: str, path: Path) -> float:
    """Of a whole process that reads the log and ends."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, __file__, "--log", str(path), "--only", name], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


READINGS = {"litmus_nb": ours, "samples_df": theirs}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--log", type=Path)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--only", choices=sorted(READINGS), help="read once and end")
    options = parser.parse_args()
    if options.only:
        READINGS[options.only](options.log)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = options.log or written_by_inspect(Path(folder))
        times: dict[tuple[str, str], list[float]] = {(kind, name): [] for kind in ("cold", "warm") for name in READINGS}
        for _ in range(options.repeat):
            for name in READINGS:
                times["cold", name].append(timed_cold(name, path))
        for read in READINGS.values():
            timed(read, path)
        for _ in range(options.repeat):
            for name, read in READINGS.items():
                times["warm", name].append(timed(read, path))
    print(f"{SAMPLES} samples x {EPOCHS} epochs, medians of {options.repeat}, seconds of processor time")
    for (kind, name), seconds in times.items():
        print(f"{kind}  {name:12} {statistics.median(seconds):6.2f}   from {min(seconds):.2f} to {max(seconds):.2f}")


if __name__ == "__main__":
    main()
