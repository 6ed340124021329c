"""The open-gate hunt: whole worlds with up to three breakages, decided by the gate and by its twin.

    python -m tests.twin.hunt --worlds 20000 --seed 1 [--jobs 2]

Any disagreement, any crash, and any promise of a breakage that is not kept is printed with its seed, and
`--only SEED --keep FOLDER` writes that one world to look at. Exit 1 if there was one.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import contextlib
import random
import shutil
import sys
import tempfile
from fractions import Fraction
from pathlib import Path

from litmus_nb.contracts.params import GateParams
from litmus_nb.evidence import trial_chunks
from litmus_nb.evidence.load import load_evidence
from litmus_nb.rule.workflow import emit_verdict, evaluate_gate
from tests.twin import rule as twin_rule
from tests.twin.breakages import FILE_BREAKAGES, NOT_POSSIBLE, WORLD_BREAKAGES
from tests.twin.worlds import build, chain, render, seal, seal_baseline, seal_ledger

CLOSE = Fraction(5, 10**9)
"""Bounds of the two agree to about 1e-12 before rounding; a comparison nearer than this may round to either side."""


def make_world(seed):
    """(world, files, names of the breakages, the promises they made)."""
    rng = random.Random(seed)
    world = build(rng)
    seal(world)
    names, promises = [], []
    chosen = rng.choices([0, 1, 2, 3], weights=[15, 45, 25, 15])[0]
    kinds = [rng.choice([*WORLD_BREAKAGES, *FILE_BREAKAGES]) for _ in range(chosen)]
    of_world = [kind for kind in kinds if kind in WORLD_BREAKAGES]
    for kind in of_world:
        attempt(kind, world, rng, names, promises)
    if of_world and rng.random() < 0.85:
        seal_baseline(world)
        seal_ledger(world)
    elif of_world:
        promises.clear()  # broken seals may hide what was promised
    if "unseal" in world:
        world["unseal"]()
        chain(world)
    files = render(world)
    for kind in kinds:
        if kind in FILE_BREAKAGES:
            attempt(kind, files, rng, names, promises)
    return world, files, names, promises


def attempt(kind, thing, rng, names, promises):
    try:
        promised = kind(thing, rng)
    except (KeyError, IndexError, TypeError, AttributeError, StopIteration):
        return  # an earlier breakage took away what this one would break
    if promised != NOT_POSSIBLE:
        names.append(kind.__name__)
        if promised:
            promises.append(promised)


def write(files, folder):
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    for name in ("candidate", "baseline", "suite"):
        (folder / name).mkdir(exist_ok=True)


@contextlib.contextmanager
def in_small_chunks():
    """Trials are read as if they were too many to hold, a few rows at a time."""
    small = (
        (trial_chunks, "MOST_WHOLE_BYTES", 0),
        (trial_chunks, "CHUNK_ROWS", 7),
        (trial_chunks, "_STREAMED_ROWS", 31),
        (trial_chunks, "_BLOCK_BYTES", 900),
    )
    before = [(module, name, getattr(module, name)) for module, name, _ in small]
    for module, name, value in small:
        setattr(module, name, value)
    try:
        yield
    finally:
        for module, name, value in before:
            setattr(module, name, value)


def gate_decides(folder, as_of, *, is_chunked=False):
    params = GateParams(
        gate=str(folder / "gate.yaml"),
        candidate=str(folder / "candidate"),
        output_dir=str(folder / "out"),
        as_of=as_of.isoformat(),
    )
    with in_small_chunks() if is_chunked else contextlib.nullcontext():
        evidence = load_evidence(params, as_of=as_of)
    verdict = emit_verdict(evaluate_gate(evidence), evidence, run_id="hunt", as_of=as_of.isoformat())
    return verdict.model_dump(mode="json")


def hunt_one(seed, keep=None):
    """(seed, names of the breakages, the gate's state, None or what is wrong)."""
    world, files, names, promises = make_world(seed)
    folder = Path(keep or tempfile.mkdtemp(prefix="twin-"))
    try:
        write(files, folder)
        theirs = twin_rule.judge({"gate": "gate.yaml", "candidate": "candidate"}, folder, world["as_of"])
        ours = gate_decides(folder, world["as_of"], is_chunked=seed % 3 == 0)
        trouble = differences(ours, theirs)
        if not trouble and len(names) == 1 and promises:
            codes = {reason["code"] for reason in ours["reasons"]}
            if not codes & promises[0]:
                trouble = f"the breakage promised one of {sorted(promises[0])}, and {sorted(codes)} were found"
        return seed, names, ours["verdict"], trouble
    except Exception as error:
        return seed, names, "CRASH", f"{type(error).__name__}: {error}"
    finally:
        if keep is None:
            shutil.rmtree(folder, ignore_errors=True)


def differences(ours, theirs):
    """What the two disagree about, as text; None where they agree."""
    told = []
    our_reasons = sorted({named(reason["code"], reason["paragraph"]) for reason in ours["reasons"]})
    their_reasons = sorted({named(*reason) for reason in theirs["reasons"]})
    if is_close_call(theirs) and ours["verdict"] != theirs["verdict"]:
        return None
    for field, our, their in (
        ("verdict", ours["verdict"], theirs["verdict"]),
        ("gate_open", ours["gate_open"], theirs["verdict"] == "PASS"),
        ("degraded", ours["degraded"], theirs["degraded"]),
        ("reasons", our_reasons, their_reasons),
        ("worst_class", ours["worst_class"], theirs["worst_class"]),
        ("classes", [c["name"] for c in ours["classes"]], [c["name"] for c in theirs["classes"]]),
    ):
        if our != their:
            told.append(f"{field}: gate {our}, twin {their}")
    if not equal(ours["advisory"]["mean_delta"], theirs["mean_delta"]):
        told.append(f"mean_delta: gate {ours['advisory']['mean_delta']}, twin {theirs['mean_delta']}")
    for our, their in zip(ours["classes"], theirs["classes"], strict=False):
        for field in our:
            if not field.startswith("bootstrap") and not equal(our[field], their.get(field)):
                told.append(f"{our['name']} {field}: gate {our[field]}, twin {their.get(field)}")
    return "; ".join(told) or None


def named(code, paragraph):
    return code if code == "LEDGER_BROKEN" else f"{code} {paragraph}"


def equal(our, their):
    if our is None or their is None or isinstance(our, (bool, str)):
        return our == their
    return abs(Fraction(our) - Fraction(their)) <= Fraction(25, 10**10)


def is_close_call(theirs):
    for numbers in theirs["classes"]:
        if numbers.get("ci_high") is None or numbers.get("tolerance") is None:
            continue
        tolerance = Fraction(repr(numbers["tolerance"]))
        ends = (numbers["ci_high"], numbers["ci_low"], numbers["noise_floor"])
        if any(abs(tolerance - end) < CLOSE for end in ends):
            return True
    return False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--worlds", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", type=int)
    parser.add_argument("--keep")
    arguments = parser.parse_args()
    if arguments.only is not None:
        print(*hunt_one(arguments.only, arguments.keep), sep="\n")
        return 0
    seeds = range(arguments.seed * 10_000_000, arguments.seed * 10_000_000 + arguments.worlds)
    states, kinds, wrong = collections.Counter(), collections.Counter(), 0
    with concurrent.futures.ProcessPoolExecutor(arguments.jobs) as pool:
        for seed, names, state, trouble in pool.map(hunt_one, seeds, chunksize=20):
            states[state] += 1
            kinds.update(names)
            if trouble:
                wrong += 1
                print(f"seed {seed} {names} {state}: {trouble}"[:1500], flush=True)
    unused = [kind.__name__ for kind in [*WORLD_BREAKAGES, *FILE_BREAKAGES] if not kinds[kind.__name__]]
    print(f"{arguments.worlds} worlds, {sum(kinds.values())} breakages of {len(kinds)} kinds: {dict(states)}")
    print(f"kinds never used: {unused or 'none'}; wrong: {wrong}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
