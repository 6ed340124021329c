"""Kills gates, guards and whoever writes the ledger, at random moments, and looks at what is left.

    python -m tests.torture.kills --kills 1000 --seed 1

After each kill: no file says PASS that whole evidence did not give; nothing is half-written; the ledger is whole; no
process is left behind; the next run works. Prints a table and exits 1 if anything of that does not hold.
"""

from __future__ import annotations

import argparse
import collections
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil

from tests.torture.forked import Forked, answer_of
from tests.torture.scenes import (
    ACTS,
    LITMUS,
    comparable,
    next_run_problems,
    problems,
    read_verdict,
    set_up,
    state_of,
    words_of,
)

SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
PATIENCE_S = 180
SAMPLE = {
    "evaluate, good": 3,
    "evaluate, bad": 3,
    "gate, bad": 2,
    "publish": 3,
    "quarantine add, head pinned": 3,
    "baseline rebump, head pinned": 2,
}


class Tormentor:
    """Kills, and keeps the score."""

    def __init__(self, seed, acts=ACTS):
        self.rng = random.Random(seed)
        self.acts = acts
        self.whole = {}
        self.lasts = {}
        self.kills = collections.Counter()
        self.states = collections.defaultdict(collections.Counter)
        self.wrong = []

    def calibrate(self):
        """Run each act once to its end: how long it takes, and what it gives."""
        for act in self.acts:
            with Scratch() as folder:
                set_up(act, folder)
                begun = time.monotonic()
                status = Forked(words_of(act, folder)[len(LITMUS) :], folder).wait()
                self.lasts[act] = time.monotonic() - begun
                verdict = read_verdict(folder)
                self.whole[act] = None if verdict is None else comparable(verdict)
                if (status == 0) != act.is_good:
                    raise SystemExit(f"{act.name} does not work: exit {status}")

    def kill_once(self, act):
        """True where something was killed."""
        how, whom = self.rng.choice(SIGNALS), self.rng.choice(("driver", "kernel", "both"))
        if act.words[0] not in ("gate", "guard"):
            whom = "driver"
        delay = self.rng.uniform(0.0, 1.1) * self.lasts[act]
        with Scratch() as folder:
            set_up(act, folder)
            process = self._started(words_of(act, folder), folder)
            time.sleep(delay)
            family = [process.pid, *(child.pid for child in children_of(process.pid))]
            killed = kill(process, how, whom)
            told = wait_for_end(process, family)
            if not killed or (how is signal.SIGKILL and whom == "driver" and process.returncode >= 0):
                return False  # it had ended by itself
            name = f"{act.name}: {how.name} to {whom}"
            self.kills[name] += 1
            self.states[act.name][state_of(folder)] += 1
            told += answer_of(lambda: problems(act, folder, self.whole[act]))
            told += answer_of(lambda: next_run_problems(act, folder, self.whole[act]))
            for problem in told:
                self.wrong.append(f"{name} after {delay:.2f} s: {problem}")
                print(self.wrong[-1], flush=True)
        return True

    def _started(self, words, folder):
        """Most are forked, which spares the imports; some start a Python as people do."""
        if self.rng.random() < 0.9:
            return Forked(words[len(LITMUS) :], folder)
        return subprocess.Popen(words, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def torment(self, kills, acts):
        """So many kills, spread over the acts: those without a kernel, which are quick, get more of them."""
        weights = [1 if act.words[0] in ("gate", "guard") else 2 for act in acts]
        done = 0
        while done < kills:
            act = self.rng.choices(acts, weights)[0]
            done += self.kill_once(act)

    def table(self):
        """What was killed and what was left, as lines."""
        for name in sorted(self.states):
            total = sum(self.states[name].values())
            left = ", ".join(f"{state} {n}" for state, n in sorted(self.states[name].items()))
            yield f"{name:30} {total:5} kills; verdict.json afterwards: {left}"


class Scratch:
    """An empty folder for a while."""

    def __enter__(self):
        self.path = Path(tempfile.mkdtemp(prefix="torture-"))
        return self.path

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)


def children_of(pid):
    try:
        return psutil.Process(pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []


def kernels_of(pid):
    found = []
    for child in children_of(pid):
        try:
            if any("ipykernel" in word for word in child.cmdline()):
                found.append(child)
        except psutil.Error:
            continue
    return found


def kill(process, how, whom):
    """Whether anything was alive to be killed."""
    victims = []
    if whom in ("kernel", "both"):
        victims += kernels_of(process.pid)
    if whom in ("driver", "both") and process.poll() is None:
        victims.append(psutil.Process(process.pid))
    killed = False
    for victim in victims:
        try:
            victim.send_signal(how)
            killed = True
        except psutil.NoSuchProcess:
            continue
    return killed


def wait_for_end(process, family):
    """Problems: who does not end. Everybody is gone afterwards."""
    told = []
    try:
        process.wait(timeout=PATIENCE_S)
    except subprocess.TimeoutExpired:
        told.append("it hangs")
        process.kill()
        process.wait()
    left = [psutil.Process(pid) for pid in family if psutil.pid_exists(pid) and pid != process.pid]
    _, alive = psutil.wait_procs(left, timeout=60)
    alive = [one for one in alive if one.is_running() and one.status() != psutil.STATUS_ZOMBIE]
    for survivor in alive:
        told.append(f"a process is left behind: {' '.join(survivor.cmdline())[:80]}")
        survivor.kill()
    return told


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--acts", default="", help="only those whose name begins so")
    parser.add_argument("--sample", action="store_true", help="a few kills of each kind of act")
    arguments = parser.parse_args()
    acts = [act for act in ACTS if act.name.startswith(arguments.acts) and (not arguments.sample or act.name in SAMPLE)]
    tormentor = Tormentor(arguments.seed, acts)
    tormentor.calibrate()
    if arguments.sample:
        for act in acts:
            tormentor.torment(SAMPLE[act.name], [act])
    else:
        tormentor.torment(arguments.kills, acts)
    print(*tormentor.table(), sep="\n")
    print(f"{sum(tormentor.kills.values())} kills, {len(tormentor.wrong)} wrong")
    return 1 if tormentor.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
